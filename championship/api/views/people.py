"""The token's person, what waits for that person, and their clubs with rallies, championships and courses. A season's
table is also CSV.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from championship.api import lookup, shapes
from championship.api.endpoint import ApiView, Page, operation, person_of, token_of
from championship.api.paging import PAGED, newest_first
from championship.api.problems import Problem
from championship.api.rally_shapes import RallyShape
from championship.api.run_shapes import TurnWaitingShape
from championship.clubs import selectors as clubs
from championship.notices.models import Notice
from championship.notices.notice_text import absolute_url
from championship.papers.grids import csv_text
from championship.runs.watch.my_turns import waiting_for
from championship.runs.watch.selectors import WaitingItem
from championship.seasons import selectors as seasons
from championship.seasons.away.season_grids import FOR_PROGRAMS, standings_grid
from championship.seasons.scoring.divisions import moves
from championship.stages import selectors as stages
from championship.stages.private import is_private


class Me(ApiView):
    @operation("readMe", "Who the token belongs to, and what it may do", answer=shapes.MeShape)
    def get(self, request: Request) -> Any:
        return {"person": person_of(request), "token": request.auth}


class MyTurns(ApiView):
    @operation(
        "readMyTurns", "What waits for you, the most pressing first: turns and time controls",
        answer=TurnWaitingShape, many=True,
    )  # fmt: skip
    def get(self, request: Request) -> Any:
        waits = waiting_for(person_of(request))
        club = token_of(request).club_id
        return [_waiting(each) for each in waits if club in (None, each.stage.rally.club_id)]


def _waiting(each: WaitingItem) -> dict[str, Any]:
    turn = each.turn
    return {
        "rally": each.stage.rally.key,
        "stage": each.stage.number,
        "run": turn.run.key if turn else None,
        "seat": turn.seat.name if turn else None,
        "since": each.since,
        "deadline": each.deadline,
    }


class MyNotices(ApiView):
    @operation(
        "readMyNotices", "Your notices, newest first", answer=shapes.NoticeShape, many=True, query=PAGED,
        problems=("forbidden",),
    )  # fmt: skip
    def get(self, request: Request) -> Any:
        if token_of(request).club_id is not None:
            raise Problem("forbidden", detail="Notices come from all your clubs: take a token that is for all of them.")
        page = newest_first(request, Notice.objects.filter(recipient=person_of(request)), key="pk")
        return Page([_notice(each) for each in page.rows], page.next)


def _notice(notice: Notice) -> dict[str, Any]:
    link = absolute_url(notice.link) if notice.link else ""
    fields = ("pk", "kind", "subject_key", "created_at", "status", "channel")
    return {"address": link, **{name: getattr(notice, name) for name in fields}}


class Clubs(ApiView):
    @operation("listClubs", "Your clubs, by name", answer=shapes.MembershipShape, many=True)
    def get(self, request: Request) -> Any:
        club = token_of(request).club_id
        return [each for each in clubs.clubs_of(person_of(request)) if club in (None, each.club_id)]


class Club(ApiView):
    @operation("readClub", "A club of yours, and your roles in it", answer=shapes.MembershipShape)
    def get(self, request: Request, slug: str) -> Any:
        return lookup.membership(request, slug)


class ClubRallies(ApiView):
    @operation("listRallies", "The rallies of a club, newest first", answer=RallyShape, many=True, query=PAGED)
    def get(self, request: Request, slug: str) -> Any:
        club = lookup.membership(request, slug).club
        return newest_first(request, club.rallies.filter(practice=False))


class ClubChampionships(ApiView):
    @operation(
        "listChampionships", "The championships of a club, newest first",
        answer=shapes.ChampionshipShape, many=True, query=PAGED,
    )  # fmt: skip
    def get(self, request: Request, slug: str) -> Any:
        return newest_first(request, lookup.membership(request, slug).club.championships.all())


class ClubCourses(ApiView):
    @operation(
        "listClubCourses", "The courses that a club has made, newest first",
        answer=shapes.CourseShape, many=True, query=PAGED,
    )  # fmt: skip
    def get(self, request: Request, slug: str) -> Any:
        club = lookup.membership(request, slug).club
        return newest_first(request, stages.designs_of(club).select_related("club"))


class Courses(ApiView):
    @operation(
        "listCourses", "The courses that every club may drive", answer=shapes.CourseShape, many=True, query=PAGED
    )
    def get(self, request: Request) -> Any:
        return newest_first(request, stages.ready_made_designs())


class Course(ApiView):
    @operation("readCourse", "A course as its game reads it", answer=shapes.WholeCourseShape)
    def get(self, request: Request, key: str) -> Any:
        found = stages.design_by_key(key, request.user)
        lookup.require_reach(request, found.club_id)
        if found.club and is_private(found.game, found.spec) and not clubs.is_member(person_of(request), found.club):
            found.spec = {}  # as for its stages: hide the course that is the club's own
        return found


class Championship(ApiView):
    @operation("readChampionship", "A championship and its rounds", answer=shapes.WholeChampionshipShape)
    def get(self, request: Request, key: str) -> Any:
        found = lookup.championship(request, key)
        rounds = list(found.rounds.select_related("rally").order_by("number"))
        fields = (
            *("key", "name", "points", "classes", "drop", "tie_breaks", "further", "created_at", "club"),
            "get_absolute_url",
        )
        return {**{name: getattr(found, name) for name in fields}, "rounds": rounds}


class Standings(ApiView):
    @operation("readStandings", "The tables of a championship", answer=shapes.StandingsShape)
    def get(self, request: Request, key: str) -> Any:
        return standings_document(seasons.table(lookup.championship(request, key)))


class StandingsCsv(ApiView):
    @operation(
        "readStandingsCsv", "The drivers' table as CSV in UTF-8, for spreadsheets", media_type="text/csv; charset=utf-8"
    )
    def get(self, request: Request, key: str) -> Any:
        table = seasons.table(lookup.championship(request, key))
        text = csv_text(standings_grid("drivers", table.drivers, table.rounds, FOR_PROGRAMS))
        return HttpResponse(text, "text/csv; charset=utf-8")


def standings_document(table: seasons.Table) -> dict[str, Any]:
    """Return the tables over the finished rounds. Computed without a query."""
    return {
        "championship": table.championship.key,
        "rounds": table.rounds,
        "drivers": [_line(each) for each in table.drivers],
        "classes": [
            {"name": name, "drivers": [_line(each) for each in lines]} for name, lines in table.classes.items()
        ],
        "teams": [_line(each) for each in table.teams],
        "adjustments": [
            {
                "who": each.who,
                "points": each.number,
                "round": each.round,
                "reason": each.reason,
                "at": each.at,
            }
            for each in table.given
        ],
        "moves": [
            {"who": table.active[int(each.driver)].driver, "before": each.before, "to": each.after}
            for each in (moves(table.season) if table.stand is not None else ())
        ],
    }


def _line(line: seasons.Line) -> dict[str, Any]:
    fields = ("place", "total", "adjusted", "deciding_tie_break", "starts_missing", "wins", "scores")
    return {**{name: getattr(line, name) for name in fields}, "who": line.who}
