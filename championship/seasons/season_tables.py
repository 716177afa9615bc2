"""The tables of a season: results of its rounds as `scoring` reads them, and lines for pages. No queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from championship.accounts.models import User
from championship.rallies.models import Entry, Rally
from championship.rallies.results import classification
from championship.rallies.results.classification import places
from championship.rallies.results.selectors import Results
from championship.seasons.models import Adjustment, Championship, Registration, Round, Team
from championship.seasons.schemes import STORED_NAMES
from championship.seasons.scoring import tables
from championship.seasons.scoring import values as scoring_values
from championship.seasons.scoring.values import (
    EXCLUDED,
    NOT_CLASSIFIED,
    RETIRED,
    Number,
    Points,
    Result,
    Season,
    SeasonRound,
    TableLine,
    as_number,
    hundredths,
)

Who = User | Team


@dataclass(frozen=True, slots=True)
class Score:
    """The points of a round, of which `power` are for the power stage and `bonus` for others, and the place they were
    given for (the best one for a team). A dropped score does not count. The score of a round from which the driver was
    `excluded` is never dropped, unless the scheme says so.
    """

    points: Number
    place: int | None
    power: Number = 0
    bonus: Number = 0
    retired: bool = False
    dropped: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: driver or team, place, one score per round (None where there is none), total with what was
    given or taken by hand (`adjusted`), rallies won. Points are whole numbers or have up to two decimals.

    `deciding_tie_break`: the tie-break that put the line behind the one before it, which has the same points.
    `starts_missing`: how many more starts the scheme asks for; the line is behind all that have them.
    """

    place: int
    who: Who
    scores: tuple[Score | None, ...]
    total: Number
    wins: int
    member: Registration | None = None
    deciding_tie_break: str | None = None
    adjusted: Number = 0
    starts_missing: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """Points in hundredths given or taken by hand. `round`: the number of the round that they belong to, if any."""

    who: Who
    points: Points
    round: int | None
    reason: str
    at: datetime

    @property
    def number(self) -> Number:
        """The points as a number."""
        return as_number(self.points)


@dataclass(frozen=True)
class Table:
    """The championship's tables; its rounds are the columns. Each table is computed on first use, by `scoring`.

    `results` by rally id, for the rounds that are over. `adjustments` are those that count. `nominated`: the ids of a
    driver and a round that this driver has nominated. `shared`: by entry id, who shared the car.
    """

    championship: Championship
    rounds: Sequence[Round]
    registrations: Sequence[Registration]
    team_list: Sequence[Team]
    results: Mapping[int, Results]
    adjustments: Sequence[Adjustment] = ()
    nominated: Collection[tuple[int, int]] = frozenset()
    shared: Mapping[int, Sequence[User]] = field(default_factory=dict)

    @cached_property
    def over(self) -> list[Round]:
        """The rounds that already count."""
        return [each for each in self.rounds if each.rally_id in self.results]

    @cached_property
    def given(self) -> list[Given]:
        """The points given or taken by hand, to drivers and teams of the tables."""
        numbers = {each.pk: each.number for each in self.rounds}
        who: dict[tuple[bool, int], Who] = {(False, pk): person for pk, person in self.people.items()}
        who |= {(True, team.pk): team for team in self.team_list}
        return [
            Given(found, each.points, numbers.get(each.round_id or 0), each.reason, each.at)
            for each in self.adjustments
            if (found := who.get((each.team_id is not None, each.team_id or each.driver_id or 0))) is not None
        ]

    @cached_property
    def active(self) -> dict[int, Registration]:
        """Registrations by driver id, of those who have not left the season."""
        return {pk: member for pk, member in self.members.items() if member.left_at is None}

    @cached_property
    def season(self) -> Season:
        """The season as `scoring` reads it: drivers and teams are named by their ids."""
        numbers = {each.pk: each.number for each in self.rounds}
        return Season(
            scheme=self.championship.scheme.rules(self.championship.classes),
            rounds=tuple(
                SeasonRound(
                    number=each.number,
                    name=each.rally.name,
                    results=tuple(self.round_results(each)),
                    factor=Decimal(each.factor) / 100,
                    points=tuple(map(hundredths, each.points)),
                    cancelled=each.rally.status == Rally.Status.CANCELLED,
                    game=each.rally.game,
                )
                for each in self.rounds
            ),
            adjustments=tuple(
                scoring_values.Adjustment(
                    points=each.points,
                    driver=str(each.driver_id or ""),
                    team=str(each.team_id or ""),
                    round=numbers.get(each.round_id or 0),
                    reason=each.reason,
                )
                for each in self.adjustments
            ),
            teams=tuple(str(team.pk) for team in self.team_list),
            stand=self.stand,
        )

    @cached_property
    def stand(self) -> Mapping[str, str] | None:
        """The division in which each driver stands now, by id; None in a season without divisions."""
        if not self.championship.divisions:
            return None
        return {
            str(pk): member.car_class
            for pk, member in self.active.items()
            if member.car_class in self.championship.divisions
        }

    def round_results(self, each: Round) -> list[Result]:
        """Return the results of a round; empty while it is not over."""
        found = self.results.get(each.rally_id)
        if found is None:
            return []
        teams = {team.name: str(team.pk) for team in self.team_list}
        own = results_in(
            each, found, scores=lambda line: self.scores(each, line), team=lambda entry: teams.get(self.team(entry), "")
        )
        own = [replace(one, nominated=(int(one.driver), each.pk) in self.nominated) for one in own]
        return [result for one in own for result in self._with_shares(each, one)]

    def _with_shares(self, each: Round, own: Result) -> list[Result]:
        """Return a result, and those of the drivers who shared the car. Bonuses belong to the driver of the entry."""
        others = self.shared.get(own.car, ())
        if not others:
            return [own]
        own = replace(own, shares=1 + len(others))
        plain = replace(own, team="", power=None, fastest_lap=False, pole=False, stage_wins=0)
        return [
            own,
            *(
                replace(
                    plain,
                    driver=str(other.pk),
                    guest=own.guest or not self._may_score(each, other.pk),
                    nominated=(other.pk, each.pk) in self.nominated,
                )
                for other in others
            ),
        ]

    def scores(self, each: Round, line: classification.Line) -> bool:
        """Return whether the season counts the entry of this line of a round's final classification."""
        if self.championship.without_codrivers and line.given_to_codriver:
            return False
        return self._may_score(each, line.entry.driver_id)

    def _may_score(self, each: Round, driver_id: int) -> bool:
        if not self.championship.registered_only:
            return True
        member = self.members.get(driver_id)
        return member is not None and (member.left_at is None or has_begun_by(each.rally, member.left_at))

    def team(self, entry: Entry) -> str:
        """Return the name of the team for which an entry drives; "" for none."""
        if entry.team is not None:
            return entry.team
        member = self.members.get(entry.driver_id)
        return member.team.name if member is not None and member.team is not None else ""

    @cached_property
    def members(self) -> dict[int, Registration]:
        """Registrations by driver id, with their teams; also of those who have left the season."""
        teams = {team.pk: team for team in self.team_list}
        for member in self.registrations:
            if member.team_id is not None:
                member.team = teams[member.team_id]
        return {member.driver_id: member for member in self.registrations}

    @cached_property
    def people(self) -> dict[int, User]:
        """Everybody who drove in a round, by id."""
        entries = [entry for each in self.over for entry in self.results[each.rally_id].entries.values()]
        found = {entry.driver_id: entry.driver for entry in entries}
        return found | {who.pk: who for entry in entries for who in self.shared.get(entry.pk, ())}

    @cached_property
    def drivers(self) -> list[Line]:
        """The drivers' table. Drivers who share a place each get the points of that place. Drivers who are level in
        points and in every tie-break of the scheme share a place: 1, 1, 3. A driver who retired is classified by the
        measure that the game gives for it (E7).
        """
        return self._lines(tables.drivers(self.season), self.people)

    @cached_property
    def classes(self) -> dict[str, list[Line]]:
        """A table for each class, by name, in the championship's order."""
        return {name: self.in_class(name) for name in self.championship.classes}

    def in_class(self, name: str) -> list[Line]:
        """Return the table of one class."""
        return self._lines(tables.in_class(self.season, name), self.people)

    @cached_property
    def teams(self) -> list[Line]:
        """The teams' table; empty before the first round is over."""
        if not any(each.over for each in self.season.rounds):
            return []
        return self._lines(tables.teams(self.season), {team.pk: team for team in self.team_list})

    def _lines(self, found: Sequence[TableLine], who: Mapping[int, Who]) -> list[Line]:
        ordered = sorted(found, key=lambda line: (line.place, str(who[int(line.subject)])))
        shared = {line.subject for ahead, line in pairwise(ordered) if ahead.place == line.place}
        lines = []
        for each in ordered:
            pk = int(each.subject)
            lines.append(
                Line(
                    place=each.place,
                    who=who[pk],
                    scores=tuple(_score(each, round.number, team=isinstance(who[pk], Team)) for round in self.rounds),
                    total=as_number(each.total),
                    wins=sum(score.places.count(1) for score in each.scores.values()),
                    member=None if isinstance(who[pk], Team) else self.members.get(pk),
                    deciding_tie_break=None
                    if each.decided_by is None or each.subject in shared
                    else STORED_NAMES[each.decided_by],
                    adjusted=as_number(each.adjusted),
                    starts_missing=each.starts_missing,
                )
            )
        return lines


def _score(line: TableLine, number: int, *, team: bool) -> Score | None:
    score = line.scores.get(number)
    if score is None:
        return None
    return Score(
        points=as_number(score.points),
        place=score.place,
        power=as_number(score.power),
        bonus=as_number(score.bonus),
        retired=bool(score.retirements) and not team,
        dropped=number in line.dropped,
        excluded=score.excluded,
    )


def stage_wins(results: Results) -> Counter[int]:
    """Return how many stages each entry won, by entry id. All entries that share the best result have won."""
    wins: Counter[int] = Counter()
    for stage in results.stages:
        wins.update(results.winners(stage.number))
    return wins


def results_in(
    each: Round,
    results: Results,
    *,
    scores: Callable[[classification.Line], bool],
    team: Callable[[Entry], str],
) -> list[Result]:
    """Return the result of every entry in a round that is over. An entry that does not score is a guest. A stage is won
    by the fastest of all cars.
    """
    lines = results.overall
    wins = stage_wins(results)
    number = len(results.stages) if each.power_stage is None else each.power_stage
    power_stage = results.stage_lines(number) if number and number not in results.struck else []
    retired_on_it = {line.entry.pk for line in power_stage if line.retired_on}
    overall, power = _places_among(lines), _places_among(power_stage)
    if results.published:  # places as published may be missing, or be followed by any other
        overall = {line.entry.pk: line.place for line in lines if line.place is not None}
    shared = Counter(said.car for said in results.published.values() if said.car is not None)
    feats = {
        (entry_id, feat)
        for (stage, entry_id), driven in results.driven.items()
        for feat in driven.feats
        if stage not in results.struck
    }
    found = []
    for line in lines:
        pk, guest, said = line.entry.pk, not scores(line), line.published
        if said is not None and not said.drove:
            continue
        found.append(
            Result(
                driver=str(line.entry.driver_id),
                car=pk if said is None or said.car is None else -said.car,
                shares=1 if said is None or said.car is None else shared[said.car],
                team=team(line.entry),
                car_class=line.entry.car_class,
                place=overall.get(pk),
                status=_status(line),
                retired=_status(line) == RETIRED or bool(line.retired_on),
                guest=guest,
                power=None if pk in retired_on_it and not guest else power.get(pk),
                fastest_lap=_did("fastest_lap", each.fastest_lap_by_id, line.entry, feats),
                pole=_did("pole", each.pole_by_id, line.entry, feats),
                stage_wins=wins[pk],
                published=None if said is None else said.points,
                published_power=0 if said is None else said.power or 0,
            )
        )
    return found


def _status(line: classification.Line) -> str:
    """Return how the entry of a line ended, as `scoring` calls it; "" for a finisher."""
    said = line.published
    if line.excluded:
        return EXCLUDED
    if said is not None and said.status == said.Status.NOT_CLASSIFIED:
        return NOT_CLASSIFIED
    return RETIRED if line.retired_on or (said is not None and said.status == said.Status.RETIRED) else ""


def _did(feat: str, named: int | None, entry: Entry, feats: Collection[tuple[int, str]]) -> bool:
    """Return whether an entry gets the bonus of a feat: whom an organiser has named, else who did it by the game."""
    return entry.driver_id == named if named is not None else (entry.pk, feat) in feats


def has_begun_by(rally: Rally, moment: datetime) -> bool:
    """Return whether a rally had begun at that moment."""
    return rally.started_at is not None and rally.started_at <= moment


def _places_among(lines: Sequence[classification.Line]) -> dict[int, int]:
    """Return places by entry id among these lines of a classification, which must be sorted best first."""
    placed = [line for line in lines if line.place is not None]
    found = places([line.place for line in placed])
    return {line.entry.pk: place for line, place in zip(placed, found, strict=True)}
