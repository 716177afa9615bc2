"""A driver's record in a club: rallies, places, retirements, seasons, and a comparison of two drivers.

The number of queries does not depend on the number of rallies and seasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Q, QuerySet
from django.http import Http404

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.rallies.models import Entry, Rally
from championship.rallies.results import measures
from championship.rallies.results.classification import EntryStageResult, Line
from championship.rallies.results.selectors import Results, results_of_rallies
from championship.seasons import selectors
from championship.seasons.models import Championship, Round


@dataclass(frozen=True, slots=True)
class Retirement:
    """A stage that a driver did not finish: the reason, where it is known, and the game's name for the stage."""

    stage: int
    reason: str
    called: str


@dataclass(frozen=True, slots=True)
class Outing:
    """A rally that a driver drove: the line of its overall classification, how many cars are in it, stages won."""

    rally: Rally
    line: Line
    cars: int
    stages: int
    stage_wins: int
    retirements: Sequence[Retirement] = ()


@dataclass(frozen=True, slots=True)
class SeasonPlace:
    """A driver's place in a championship: the line of its table."""

    championship: Championship
    line: selectors.Line
    drivers: int
    rounds: int
    over: int

    @property
    def finished(self) -> bool:
        """Whether all rounds are over."""
        return self.over == self.rounds


@dataclass(frozen=True)
class DriverRecord:
    """A driver's rallies, latest first, and seasons, newest first."""

    driver: User
    outings: Sequence[Outing]
    seasons: Sequence[SeasonPlace]

    @property
    def finishes(self) -> int:
        """How many rallies ended without a retirement or an exclusion."""
        return sum(not (outing.line.retired_on or outing.line.excluded) for outing in self.outings)

    @property
    def wins(self) -> int:
        return self._up_to(1)

    @property
    def podiums(self) -> int:
        return self._up_to(3)

    @property
    def stages(self) -> int:
        """How many stages were driven."""
        return sum(outing.stages for outing in self.outings)

    @property
    def stage_wins(self) -> int:
        return sum(outing.stage_wins for outing in self.outings)

    @cached_property
    def retirements(self) -> list[tuple[Outing, Retirement]]:
        """Every stage not finished, latest first."""
        return [(outing, retirement) for outing in self.outings for retirement in outing.retirements]

    @cached_property
    def best(self) -> list[Outing]:
        """The rallies with the best place, latest first; empty where the driver has no place."""
        placed = [outing for outing in self.outings if outing.line.place is not None]
        top = min((outing.line.place or 0 for outing in placed), default=0)
        return [outing for outing in placed if outing.line.place == top]

    def _up_to(self, place: int) -> int:
        return sum(outing.line.place is not None and outing.line.place <= place for outing in self.outings)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A rally that two drivers drove: their lines; `gap`, by how much the second was behind the first (below zero:
    ahead); and on how many stages each was ahead.

    `winner` is 1 or 2, or 0 where they were level. A driver without a place is behind; then `gap` is None.
    """

    rally: Rally
    first: Line
    second: Line
    gap: int | None
    winner: int
    first_stages: int
    second_stages: int

    @property
    def margin(self) -> int | None:
        """By how much one was ahead of the other."""
        return None if self.gap is None else abs(self.gap)


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two drivers, and the rallies that both drove, latest first."""

    first: User
    second: User
    meetings: Sequence[Meeting]

    @property
    def first_ahead(self) -> int:
        return sum(meeting.winner == 1 for meeting in self.meetings)

    @property
    def second_ahead(self) -> int:
        return sum(meeting.winner == 2 for meeting in self.meetings)

    @property
    def level(self) -> int:
        return sum(meeting.winner == 0 for meeting in self.meetings)

    @property
    def first_stages(self) -> int:
        return sum(meeting.first_stages for meeting in self.meetings)

    @property
    def second_stages(self) -> int:
        return sum(meeting.second_stages for meeting in self.meetings)


def driver_of(club: Club, pk: int) -> User:
    """Return a member of the club, or a person who drove in one of its rallies. One query.

    Raises: Http404 when the person is neither.
    """
    found = User.objects.filter(
        Q(memberships__club=club) | Q(entries__rally__club=club, entries__status=Entry.Status.CONFIRMED), pk=pk
    )
    driver = found.distinct().first()
    if driver is None:
        raise Http404
    return driver


def drivers_of(club: Club) -> QuerySet[User]:
    """Return everybody who has driven in a finished rally of the club, by name. One query."""
    driven = Entry.objects.filter(
        rally__club=club,
        rally__practice=False,
        rally__status=Rally.Status.FINISHED,
        status=Entry.Status.CONFIRMED,
    )
    return User.objects.filter(pk__in=driven.values("driver")).order_by("name", "pk")


def record_of(club: Club, driver: User) -> DriverRecord:
    """Return the driver's record in the club's rallies that are over. Eleven queries."""
    return _record(driver, list(_driven_by(club, driver)))


def public_record_of(driver: User) -> DriverRecord:
    """Return the driver's record in rallies of public clubs that are over. Eleven queries. Clubs that are visible by
    link only are left out: a list of their rallies would reveal the links.
    """
    public = _driven(driver).filter(club__visibility=Club.Visibility.PUBLIC, for_everybody=False)
    return _record(driver, list(public.select_related("club")))


def open_stages_of(driver: User, most: int = 20) -> list[Outing]:
    """Return the closed open stages that the driver has driven, latest first. Seven queries."""
    rallies = list(_driven(driver).filter(for_everybody=True)[:most])
    results = results_of_rallies(rallies) if rallies else {}
    return _outings(driver, rallies, results)


def _record(driver: User, rallies: Sequence[Rally]) -> DriverRecord:
    rounds = list(
        Round.objects.filter(championship__rounds__rally__in=rallies)
        .select_related("championship__club", "rally")
        .distinct()
        .order_by("-championship__created_at", "-championship", "number")
    )
    over = [each.rally for each in rounds if each.rally.status == Rally.Status.FINISHED]
    needed = {rally.pk: rally for rally in (*rallies, *over)}
    results = results_of_rallies(list(needed.values())) if needed else {}
    return DriverRecord(
        driver=driver,
        outings=_outings(driver, rallies, results),
        seasons=_seasons(rounds, results, driver),
    )


def _outings(driver: User, rallies: Sequence[Rally], results: Mapping[int, Results]) -> list[Outing]:
    """Return the rallies in whose classification the driver is."""
    return [
        _outing(results[rally.pk], line)
        for rally in rallies
        if (line := _line_of(results[rally.pk], driver)) is not None
    ]


def head_to_head(club: Club, first: User, second: User) -> HeadToHead:
    """Compare two drivers in the club's rallies that both drove. Five queries."""
    rallies = list(_driven_by(club, first).filter(pk__in=_driven_by(club, second).values("pk")))
    results = results_of_rallies(rallies) if rallies else {}
    meetings = []
    for rally in rallies:
        one, two = (_line_of(results[rally.pk], each) for each in (first, second))
        if one is not None and two is not None:
            meetings.append(_meeting(results[rally.pk], one, two))
    return HeadToHead(first, second, meetings)


def _driven_by(club: Club, driver: User) -> QuerySet[Rally]:
    return _driven(driver).filter(club=club)


def _driven(driver: User) -> QuerySet[Rally]:
    """Return the rallies that are over in which the driver took part, latest first."""
    return Rally.objects.filter(
        practice=False,
        status=Rally.Status.FINISHED,
        entries__driver=driver,
        entries__status=Entry.Status.CONFIRMED,
    ).order_by("-finished_at", "-pk")


def _line_of(results: Results, driver: User) -> Line | None:
    return next((line for line in results.overall if line.entry.driver_id == driver.pk), None)


def _outing(results: Results, line: Line) -> Outing:
    return Outing(
        rally=results.rally,
        line=line,
        cars=len(results.overall),
        stages=sum(entry_id == line.entry.pk for _number, entry_id in results.driven),
        stage_wins=selectors.stage_wins(results)[line.entry.pk],
        retirements=[
            Retirement(each.stage, each.reason, results.rally.stage_called(each.stage)) for each in line.remarks.retired
        ],
    )


def _seasons(rounds: Iterable[Round], results: Mapping[int, Results], driver: User) -> list[SeasonPlace]:
    seasons = {each.championship_id: each.championship for each in rounds}
    tables = selectors.tables_over(list(rounds), results, seasons) if seasons else {}
    found = []
    for pk, championship in seasons.items():
        table = tables[pk]
        line = next((line for line in table.drivers if line.who.pk == driver.pk), None)
        if line is not None:
            found.append(SeasonPlace(championship, line, len(table.drivers), len(table.rounds), len(table.over)))
    return found


def _meeting(results: Results, one: Line, two: Line) -> Meeting:
    ahead = [0, 0]
    for stage in results.stages:
        here = results.by_stage[stage.number]
        mine, theirs = (_key(results, here.get(line.entry.pk)) for line in (one, two))
        if mine is not None and theirs is not None and mine != theirs:
            ahead[mine > theirs] += 1
    if one.place is None or two.place is None:
        gap, winner = None, 0 if one.place == two.place else 1 if two.place is None else 2
    else:
        gap = measures.worse(results.measure) * ((two.total or 0) - (one.total or 0))
        winner = 0 if one.place == two.place else 1 if one.place < two.place else 2
    return Meeting(results.rally, one, two, gap, winner, ahead[0], ahead[1])


def _key(results: Results, driven: EntryStageResult | None) -> tuple[int, tuple[int, ...]] | None:
    """Return the sort key of a stage result; None when there is no result."""
    if driven is None or driven.total is None:
        return None
    return measures.key_of(driven.total, driven.rank, results.measure)
