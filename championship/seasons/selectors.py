"""Read functions for the pages of a season. Tables are computed from results of stages; the number of queries does not
depend on the number of rounds and seasons.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, QuerySet
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.clubs import visibility
from championship.clubs.models import Club
from championship.papers.occasions import Occasion
from championship.rallies.entries.registered_drivers import RegisteredDriver
from championship.rallies.models import Entry, Rally
from championship.rallies.results import classification
from championship.rallies.results.classification import places
from championship.rallies.results.selectors import Results, results_of_rallies
from championship.rallies.selectors import rallies_of_club
from championship.seasons import standings
from championship.seasons.models import Championship, Registration, Round, SeasonDraft, Team
from championship.seasons.standings import Drive, Score, Standing

Who = User | Team


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: driver or team, place, one score per round (None where there is none), total, rallies won.

    `deciding_tie_break`: the tie-break that put the line behind the one before it, which has the same points.
    """

    place: int
    who: Who
    scores: tuple[Score | None, ...]
    total: int
    wins: int
    member: Registration | None = None
    deciding_tie_break: str | None = None


@dataclass(frozen=True)
class Table:
    """The championship's tables; its rounds are the columns. Each table is computed on first use.

    `results` by rally id, for the rounds that are over.
    """

    championship: Championship
    rounds: Sequence[Round]
    registrations: Sequence[Registration]
    team_list: Sequence[Team]
    results: Mapping[int, Results]

    @cached_property
    def over(self) -> list[Round]:
        """The rounds that already count."""
        return [each for each in self.rounds if each.rally_id in self.results]

    @property
    def calendar(self) -> int:
        """How many rounds the whole season has, without rallies that were called off."""
        return sum(each.rally.status != Rally.Status.CANCELLED for each in self.rounds)

    @cached_property
    def drives(self) -> list[Drive]:
        """The results of every entry that scores, over these rounds."""
        return [drive for each in self.over for drive in drives_of(each, self.results[each.rally_id], self.scores)]

    def scores(self, line: classification.Line) -> bool:
        """Return whether the season counts the entry of this line of a rally's final classification."""
        scheme = self.championship.scheme
        if scheme.without_codrivers and line.given_to_codriver:
            return False
        return not scheme.registered_only or line.entry.driver_id in self.members

    @cached_property
    def members(self) -> dict[int, Registration]:
        """Registrations by driver id, with their teams."""
        teams = {team.pk: team for team in self.team_list}
        for member in self.registrations:
            if member.team_id is not None:
                member.team = teams[member.team_id]
        return {member.driver_id: member for member in self.registrations}

    @cached_property
    def people(self) -> dict[int, User]:
        """Everybody who drove in a round, by id."""
        return {
            entry.driver_id: entry.driver
            for each in self.over
            for entry in self.results[each.rally_id].entries.values()
        }

    @cached_property
    def drivers(self) -> list[Line]:
        """The drivers' table. Drivers who share a place each get the points of that place. Drivers who are level in
        points and in every tie-break of the scheme share a place: 1, 1, 3. A driver who retired is classified by the
        measure that the game gives for it (E7).
        """
        found = standings.drivers(self.championship.scheme, self.drives, calendar=self.calendar)
        return self._lines(found, self.people)

    @cached_property
    def classes(self) -> dict[str, list[Line]]:
        """A table for each class, by name, in the championship's order."""
        return {name: self.in_class(name) for name in self.championship.classes}

    def in_class(self, name: str) -> list[Line]:
        """Return the table of one class."""
        found = standings.in_class(self.championship.scheme, self.drives, name, calendar=self.calendar)
        return self._lines(found, self.people)

    @cached_property
    def teams(self) -> list[Line]:
        """The teams' table; empty before the first round is over."""
        if not self.drives:
            return []
        crews: dict[int, set[int]] = {team.pk: set() for team in self.team_list}
        for member in self.registrations:
            if member.team_id is not None:
                crews[member.team_id].add(member.driver_id)
        found = standings.teams(self.championship.scheme, self.drives, crews)
        return self._lines(found, {team.pk: team for team in self.team_list})

    def _lines(self, found: Sequence[Standing], who: Mapping[int, Who]) -> list[Line]:
        scheme = self.championship.scheme
        ordered = sorted(found, key=lambda line: (line.place, str(who[line.subject])))
        before = {line.subject: ahead for ahead, line in pairwise(ordered)}
        return [
            Line(
                place=each.place,
                who=who[each.subject],
                scores=tuple(each.scores.get(round.number) for round in self.rounds),
                total=each.total,
                wins=each.record.all_places.count(1),
                member=None if isinstance(who[each.subject], Team) else self.members.get(each.subject),
                deciding_tie_break=standings.deciding_tie_break(scheme, before[each.subject], each)
                if each.subject in before
                else None,
            )
            for each in ordered
        ]


def championship_by_key(key: str, viewer: User | AnonymousUser) -> Championship:
    """Return the championship of that key with its club, for viewers who may see it. One query, one more where the club
    is for members only.

    Raises: Http404 when there is none, or the viewer is not a member.
    Raises: NotYet when the viewer has not signed in.
    """
    found = get_object_or_404(Championship.objects.select_related("club"), key=key)
    visibility.require_may_see(found.club, viewer)
    return found


def championships_of_club(club: Club) -> QuerySet[Championship]:
    """Return the club's championships, newest first, with `round_count`."""
    return club.championships.order_by("-created_at", "-pk").annotate(round_count=Count("rounds"))


def draft_of(club: Club, viewer: User) -> SeasonDraft | None:
    """Return the viewer's unfinished draft of a season of the club, or None. One query."""
    return SeasonDraft.objects.filter(club=club, by=viewer, made=None).first()


@dataclass(frozen=True, slots=True)
class RoundOfRally:
    """The first round that a rally is, with its championship, and how many drivers are registered for that."""

    round: Round
    registered: int


def round_of(rally: Rally) -> RoundOfRally | None:
    """Return the first round that a rally is; None when it is in no season. One query."""
    rounds = Round.objects.filter(rally=rally.pk).select_related("championship")
    found = rounds.annotate(registered=Count("championship__registrations")).order_by("pk").first()
    return None if found is None else RoundOfRally(found, found.registered)


def occasion_of(rally: Rally) -> Occasion:
    """Return the championship and round of a rally, and its day in the calendar, for its printed papers. One query."""
    found = Round.objects.filter(rally=rally.pk).values_list("championship__name", "number", "planned_for").first()
    return Occasion(*found) if found else Occasion()


def registered_drivers(rally: Rally, drivers: Collection[int] | None = None) -> dict[int, RegisteredDriver]:
    """Return the registrations for the championship of which the rally is a round, by driver id; only of these
    `drivers`, where they are given. One query.
    """
    found = Registration.objects.filter(championship__rounds__rally=rally.pk)
    if drivers is not None:
        found = found.filter(driver__in=drivers)
    columns = ("driver_id", "championship__name", "championship__classes", "crew", "car_class")
    return {
        driver: RegisteredDriver(name, crew, car_class if car_class in classes else "")
        for driver, name, classes, crew, car_class in found.values_list(*columns)
    }


def entries_in_other_classes(registration: Registration) -> list[Entry]:
    """Return the driver's entries in rounds to come whose class differs from that of the registration. One query; none
    in a championship without classes.
    """
    if not registration.championship.classes:
        return []
    found = Entry.objects.filter(
        rally__round__championship=registration.championship,
        rally__status=Rally.Status.ENTRIES,
        driver=registration.driver_id,
        status__in=Entry.Status.entered(),
    )
    return list(
        found.exclude(car_class=registration.car_class).select_related("rally").order_by("rally__round__number")
    )


def rallies_by_season(club: Club) -> tuple[list[Rally], list[tuple[str, list[Rally]]]]:
    """Return the club's rallies: those that run or take entries, each season's in the order of its rounds; and those
    that are over by the name of their season ("" for none), the season driven last first. One query.
    """
    present: list[Rally] = []
    past: dict[str, list[Rally]] = defaultdict(list)
    found = rallies_of_club(club).annotate(season=F("round__championship__name"), place=F("round__number"))
    for rally in sorted(found, key=lambda each: (each.season or "", each.place or 0)):
        if rally.status in (Rally.Status.RUNNING, Rally.Status.ENTRIES):
            present.append(rally)
        else:
            past[rally.season or ""].append(rally)
    present.sort(key=lambda rally: rally.status != Rally.Status.RUNNING)
    return present, sorted(past.items(), key=lambda pair: max(_over_at(rally) for rally in pair[1]), reverse=True)


def _over_at(rally: Rally) -> datetime:
    return rally.finished_at or rally.created_at


def rallies_without_round(club: Club) -> QuerySet[Rally]:
    """Return the club's rallies that may become a round."""
    return club.rallies.filter(round=None).exclude(status=Rally.Status.CANCELLED)


def table(championship: Championship) -> Table:
    """Return the standings over the rounds that are over. Eight queries for any number of rounds and drivers."""
    return tables_of([championship])[championship.pk]


def tables_of(championships: Sequence[Championship]) -> dict[int, Table]:
    """Return the tables of several championships, by id, in as many queries as for one."""
    seasons = {each.pk: each for each in championships}
    rounds: dict[int, list[Round]] = defaultdict(list)
    for each in Round.objects.filter(championship__in=seasons).select_related("rally").order_by("number"):
        each.championship = seasons[each.championship_id]
        rounds[each.championship_id].append(each)
    registrations: dict[int, list[Registration]] = defaultdict(list)
    for member in Registration.objects.filter(championship__in=seasons):
        member.championship = seasons[member.championship_id]
        registrations[member.championship_id].append(member)
    teams: dict[int, list[Team]] = defaultdict(list)
    for team in Team.objects.filter(championship__in=seasons):
        team.championship = seasons[team.championship_id]
        teams[team.championship_id].append(team)
    all_rounds = [each for found in rounds.values() for each in found]
    over = [each.rally for each in all_rounds if each.rally.status == Rally.Status.FINISHED]
    results = results_of_rallies(over) if over else {}
    return {
        pk: Table(
            championship=season,
            rounds=rounds[pk],
            registrations=registrations[pk],
            team_list=teams[pk],
            results={each.rally_id: results[each.rally_id] for each in rounds[pk] if each.rally_id in results},
        )
        for pk, season in seasons.items()
    }


def stage_wins(results: Results) -> Counter[int]:
    """Return how many stages each entry won, by entry id. All entries that share the best result have won."""
    wins: Counter[int] = Counter()
    for stage in results.stages:
        wins.update(results.winners(stage.number))
    return wins


def drives_of(each: Round, results: Results, scores: Callable[[classification.Line], bool]) -> list[Drive]:
    """Return the result of every entry that scores, in a round that is over. Places are computed among these entries
    only; places within a class follow the overall totals. But a stage is won by the fastest of all cars.
    """
    lines = [line for line in results.overall if scores(line)]
    here = {line.entry.pk for line in lines}
    wins = stage_wins(results)
    number = len(results.stages) if each.power_stage is None else each.power_stage
    driven = number and number not in results.struck
    power_stage = [line for line in results.stage_lines(number) if line.entry.pk in here] if driven else []
    retired_on_it = {line.entry.pk for line in power_stage if line.retired_on}
    overall, power = _places_among(lines), _places_among(power_stage)
    by_class: dict[str, list[classification.Line]] = defaultdict(list)
    for line in lines:
        by_class[line.entry.car_class].append(line)
    in_class = {pk: place for among in by_class.values() for pk, place in _places_among(among).items()}
    return [
        Drive(
            round=each.number,
            driver=line.entry.driver_id,
            place=overall.get(line.entry.pk),
            car_class=line.entry.car_class,
            class_place=in_class.get(line.entry.pk),
            power=None if line.entry.pk in retired_on_it else power.get(line.entry.pk),
            stage_wins=wins[line.entry.pk],
            retired=bool(line.retired_on),
            excluded=line.excluded,
        )
        for line in lines
    ]


def _places_among(lines: Sequence[classification.Line]) -> dict[int, int]:
    """Return places by entry id among these lines of a classification, which must be sorted best first."""
    placed = [line for line in lines if line.place is not None]
    found = places([(line.total, line.rank) for line in placed])
    return {line.entry.pk: place for line, place in zip(placed, found, strict=True)}


class ChampionshipStandings:
    """The standings before a rally, with the interface that rallies.seeding needs."""

    def name(self, rally: Rally) -> str:
        """Return the name of the championship; "" for a rally that is not a round. One query."""
        found = Round.objects.filter(rally=rally).values_list("championship__name", flat=True).first()
        return found or ""

    def order(self, rally: Rally) -> Sequence[int]:
        """Return the ids of the drivers in the championship's table, best first; empty before its first
        round is over.
        """
        here = Round.objects.filter(rally=rally).select_related("championship").first()
        return [line.who.pk for line in table(here.championship).drivers] if here else ()
