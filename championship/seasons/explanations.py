"""Why a line of a table has its points: each round with what it gave and whether it counts. No queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.formats import localize

from championship.seasons.models import Round, Team
from championship.seasons.schemes import Scheme
from championship.seasons.scoring.rounds import teams_cars
from championship.seasons.scoring.values import Number, SeasonRound, as_number, exact
from championship.seasons.season_tables import Given, Line, Score, Table


@dataclass(frozen=True, slots=True)
class Car:
    """A car of a team in a round: who drove, the place and the points for the team, and whether it counts."""

    driver: str
    place: int | None
    points: Number
    counts: bool


@dataclass(frozen=True, slots=True)
class RoundExplained:
    """A round in the line of a table. `score` is None where the driver or the team has none."""

    round: Round
    score: Score | None
    over: bool
    cars: Sequence[Car] = ()

    @property
    def for_the_place(self) -> Number:
        """The points without those of the power stage and the bonuses, the factor counted."""
        score = self.score
        return 0 if score is None else exact(score.points - score.power - score.bonus)

    @property
    def factor(self) -> str:
        """The factor in the reader's way of writing numbers; "" for the usual one."""
        return "" if self.round.factor == 100 else localize(as_number(self.round.factor))


@dataclass(frozen=True)
class Explanation:
    """A line of a table with its rounds, and the points that were given or taken by hand."""

    line: Line
    rounds: Sequence[RoundExplained]
    given: Sequence[Given]
    scheme: Scheme
    ahead: Line | None = None

    @cached_property
    def driven(self) -> Number:
        """The points of the rounds that count."""
        return exact(
            sum(each.score.points for each in self.rounds if each.score is not None and not each.score.dropped)
        )

    @cached_property
    def dropped(self) -> int:
        """How many rounds with points are dropped."""
        return sum(each.score is not None and each.score.dropped for each in self.rounds)

    @cached_property
    def columns(self) -> set[str]:
        """Which columns have something in them: power, bonus, factor."""
        scores = [each.score for each in self.rounds if each.score is not None]
        return (
            ({"power"} if any(score.power for score in scores) else set())
            | ({"bonus"} if any(score.bonus for score in scores) else set())
            | ({"factor"} if any(each.factor for each in self.rounds) else set())
        )


def explained(table: Table, lines: Sequence[Line], pk: int, *, overall: bool = True) -> Explanation | None:
    """Return why the driver or team of that id has its points; None where it is not in these `lines`. `overall`:
    whether points by hand count in this table.
    """
    at = next((at for at, line in enumerate(lines) if line.who.pk == pk), None)
    if at is None:
        return None
    line = lines[at]
    by_number = {each.number: each for each in table.season.rounds}
    return Explanation(
        line=line,
        rounds=[
            RoundExplained(each, score, each in table.over, _cars(table, by_number[each.number], line))
            for each, score in zip(table.rounds, line.scores, strict=True)
        ],
        given=[each for each in table.given if each.who == line.who] if overall else [],
        scheme=table.championship.scheme,
        ahead=lines[at - 1] if at and line.deciding_tie_break else None,
    )


def _cars(table: Table, each: SeasonRound, line: Line) -> list[Car]:
    """Return the cars of a team in a round, best first; none for a driver."""
    how = table.season.scheme.teams
    if not isinstance(line.who, Team) or how is None or not each.over:
        return []
    found = teams_cars(table.season, each, how).get(str(line.who.pk), [])
    cars = [
        Car(str(table.people[int(car.driver)]), car.score.place, as_number(car.score.points), car.counts)
        for car in found
    ]
    return sorted(cars, key=lambda car: (not car.counts, -car.points, car.driver))
