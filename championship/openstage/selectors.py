"""Read functions for pages of open stages, each with a fixed number of queries. The apps rallies and runs decide who
may see which times and runs. While a stage is open, only drivers who have finished it see any results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, F, Q, QuerySet, When
from django.http import Http404
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.openstage.models import Week
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.rallies.models import Entry, SpecialStage, StageTime
from championship.rallies.results import measures
from championship.rallies.results.classification import Line
from championship.rallies.results.selectors import results_of
from championship.rallies.selectors import Viewer
from championship.runs.models import Practice, Run, Seal, Seat
from championship.runs.watch import watching

LINES = 50
"""Cars on a page of a table."""
WEEKS = 20
"""Weeks on a page of the archive."""
BEST = 3
"""For how many cars the page links the replay."""


@dataclass(frozen=True, slots=True)
class WeekPage:
    """An open stage as one viewer may see it.

    `lines`: a page of its table, None where the viewer has yet to drive. `best`: the leading cars, each with its run,
    for a viewer who may watch them. `mine`: the viewer's run. `started`, `finished`: how many cars have started and
    finished.
    """

    week: Week
    stage: SpecialStage
    seal: Seal
    started: int
    finished: int
    lines: Page[Line] | None
    best: Sequence[tuple[Line, Run]]
    mine: Run | None
    me: Entry | None

    @property
    def closed(self) -> bool:
        """Whether its results are final."""
        return self.stage.status != SpecialStage.Status.RUNNING

    @property
    def secret(self) -> str:
        """The seal's secret in hex; "" as long as a run may still use it for draws."""
        return bytes(self.seal.secret).hex() if self.closed else ""

    @property
    def driving(self) -> bool:
        """Whether the viewer is driving the stage now."""
        return self.mine is not None and self.mine.status == Run.Status.RUNNING


@dataclass(frozen=True, slots=True)
class GuestDrive:
    """What somebody drove of an open stage out of competition. `result`: in words, "" without one. `place`: where it
    would be in the table, for a viewer who sees the table.
    """

    run: Run
    result: str
    place: int | None

    @property
    def driving(self) -> bool:
        """Whether it is still under way."""
        return self.run.status == Run.Status.RUNNING


@dataclass(frozen=True, slots=True)
class PastWeek:
    """A closed week in the archive: how many cars started, and the winner."""

    week: Week
    cars: int
    winner: StageTime | None

    @property
    def winner_result(self) -> str:
        """The winner's result in words."""
        return "" if self.winner is None else measures.result(self.winner.measure, self.week.rally.measure)


def current_week(*, now: datetime) -> Week | None:
    """Return the week whose stage is open, with its rally; the newest where an older one closes late. One query."""
    return _current_week.first(now=now)


def current_week_of_page(now: datetime, **_known: Any) -> BoundQuery[Week]:
    """Return the query of `current_week`, for a page that reads it with all else."""
    return _current_week.bind(now=now)


@prepared
def _current_week(now: Any) -> QuerySet[Week]:
    running = Q(rally__stages__status=SpecialStage.Status.RUNNING, rally__stages__closes_at__gt=now)
    return Week.objects.filter(running).select_related("rally__club").order_by("-monday")[:1]


def week_named(name: str) -> Week:
    """Return the week of that name ("2026-W47"), with its rally. One query.

    Raises: Http404 when the name is invalid, or the week has no open stage.
    """
    found = re.fullmatch(r"(\d{4})-W(\d\d)", name, re.ASCII)
    try:
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1) if found else None
    except ValueError:
        monday = None
    if monday is None:
        raise Http404
    return get_object_or_404(Week.objects.select_related("rally__club"), monday=monday)


def week_page(week: Week, viewer: Viewer, *, number: str = "1") -> WeekPage:
    """Return what the page of an open stage shows. Twelve queries at most. `number`: the page of the table."""
    rally = week.rally
    results = results_of(rally, viewer.pk)
    stage = results.stages[0]
    sealed = stage.number in results.sealed
    lines = [] if sealed else results.stage_lines(stage.number)
    me = next((entry for entry in results.all_entries if entry.driver_id == viewer.pk), None)
    seat = Seat.objects.filter(special_stage=stage, entry=me).select_related("run").first() if me else None
    mine = seat.run if seat else None
    return WeekPage(
        week=week,
        stage=stage,
        seal=Seal.objects.get(special_stage=stage),
        started=len(results.entries),
        finished=results.sealed.get(stage.number, len(lines)),
        lines=None if sealed else Paginator(lines, LINES).get_page(number),
        best=_best(stage, [line for line in lines if line.place is not None][:BEST], viewer),
        mine=mine,
        me=me,
    )


def guest_drive(page: WeekPage, person: User) -> GuestDrive | None:
    """Return what the person drove last of this week's stage out of competition; None where they did not. Three queries
    at most.
    """
    own = Practice.objects.filter(person=person, of_week=str(page.week)).order_by("-pk").first()
    if own is None:
        return None
    run = Run.objects.select_related("special_stage").get(special_stage__rally=own.rally_id)
    time = StageTime.objects.filter(special_stage=run.special_stage_id, measure__isnull=False).first()
    if time is None or time.measure is None:
        return GuestDrive(run, "", None)
    measure, place = page.week.rally.measure, None
    if page.lines is not None:
        better = {"measure__gt" if measure.better == "most" else "measure__lt": time.measure}
        place = StageTime.objects.filter(special_stage=page.stage, **better).count() + 1
    return GuestDrive(run, measures.result(time.measure, measure), place)


def _best(stage: SpecialStage, lines: Sequence[Line], viewer: Viewer) -> list[tuple[Line, Run]]:
    """Return the leading cars with their runs, where the viewer may watch them. Four queries at most."""
    if not lines:
        return []
    seats = Seat.objects.filter(special_stage=stage, entry__in=[line.entry.pk for line in lines])
    runs = {seat.entry_id: seat.run for seat in seats.select_related("run")}
    if not watching.may_watch_all(stage, list(runs.values()), viewer):
        return []
    return [(line, runs[line.entry.pk]) for line in lines if line.entry.pk in runs]


def past_weeks(*, number: str = "1") -> Page[Any]:
    """Return a page of the closed weeks, newest first, with `cars` that have started. Three queries."""
    closed = Week.objects.filter(rally__stages__status=SpecialStage.Status.DONE).select_related("rally")
    counted = Count("rally__entries", filter=Q(rally__entries__status=Entry.Status.CONFIRMED), distinct=True)
    return Paginator(closed.annotate(cars=counted).order_by("-monday"), WEEKS).get_page(number)


def with_winners(weeks: Page[Any]) -> list[PastWeek]:
    """Return closed weeks with the winner of each. One query."""
    better = Case(When(special_stage__rally__better="most", then=-F("measure")), default=F("measure"))
    times = (
        StageTime.objects.filter(special_stage__rally__in=[week.rally_id for week in weeks], measure__isnull=False)
        .select_related("entry", "special_stage__rally")
        .order_by("special_stage__rally_id", better, "rank", "pk")
        .distinct("special_stage__rally_id")
    )
    best = {time.special_stage.rally_id: time for time in times}
    return [PastWeek(week, week.cars, best.get(week.rally_id)) for week in weeks]
