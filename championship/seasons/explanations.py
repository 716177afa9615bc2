"""Why a line of a table has its points: each round with what it gave, whether it counts, and what officials
ruled about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from django.utils.formats import localize
from django.utils.translation import gettext as _

from championship.seasons.models import Round, Team
from championship.seasons.rulings_told import Told, rulings_of
from championship.seasons.schemes import Scheme
from championship.seasons.scoring.last_round import LastRound, Need, last_round_of
from championship.seasons.scoring.rounds import size_of_round, teams_cars
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
    """A round in the line of a table. `score` is None where the driver or the team has none. `left_out`: the driver has
    not nominated it, in a season where only such rounds count. `joker`: by what it counts because the driver has
    nominated it. `cars_needed`: for how many cars or more its points hold. `shared_with`: the others who drove the same
    car. `rulings`: what officials ruled about the cars of the line.
    """

    round: Round
    score: Score | None
    over: bool
    cars: Sequence[Car] = ()
    left_out: bool = False
    joker: Decimal = Decimal(1)
    cars_needed: int | None = None
    shared_with: str = ""
    rulings: Sequence[Told] = ()

    @property
    def for_the_place(self) -> Number:
        """The points without those of the power stage and the bonuses, the factor counted."""
        score = self.score
        return 0 if score is None else exact(score.points - score.power - score.bonus)

    @property
    def factor(self) -> str:
        """The factor in the reader's way of writing numbers, a joker counted; "" for the usual one."""
        found = self.joker * self.round.factor / 100
        return "" if found == 1 else localize(int(found) if found == int(found) else found.normalize())


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


def explained(
    table: Table, lines: Sequence[Line], pk: int, *, overall: bool = True, car_class: str = ""
) -> Explanation | None:
    """Return why the driver or team of that id has its points; None where it is not in these `lines`. `overall`:
    whether points by hand count in this table. `car_class`: whose table it is; "" for all. The queries of `rulings_of`.
    """
    at = next((at for at, line in enumerate(lines) if line.who.pk == pk), None)
    if at is None:
        return None
    line = lines[at]
    rulings = rulings_of(table, line)
    by_number = {each.number: each for each in table.season.rounds}
    return Explanation(
        line=line,
        rounds=[
            RoundExplained(
                each,
                score,
                each in table.over,
                _cars(table, by_number[each.number], line),
                left_out=_left_out(table, each, line),
                joker=_joker(table, each, line),
                cars_needed=_cars_needed(table, by_number[each.number], line, car_class),
                shared_with=_shared_with(table, by_number[each.number], line),
                rulings=rulings.get(each.pk, ()),
            )
            for each, score in zip(table.rounds, line.scores, strict=True)
        ],
        given=[each for each in table.given if each.who == line.who] if overall else [],
        scheme=table.championship.scheme,
        ahead=lines[at - 1] if at and line.deciding_tie_break else None,
    )


@dataclass(frozen=True, slots=True)
class LastRoundTold:
    """The last round for a driver: its name, the rival, and what is enough, in sentences. `more`: the round also gives
    points for the power stage or bonuses, which are left out.
    """

    round: str
    rival: str
    sentences: Sequence[str]
    more: bool


def last_round_told(table: Table, pk: int) -> LastRoundTold | None:
    """Return what a driver needs in the last round; None unless exactly one round is to come. No query."""
    found = last_round_of(table.season, str(pk))
    if found is None:
        return None
    rival = str(table.people[int(found.rival)])
    scheme = table.season.scheme
    return LastRoundTold(found.round.name, rival, _needs_in_words(found, rival), bool(scheme.power or scheme.bonus))


def _needs_in_words(found: LastRound, rival: str) -> list[str]:
    if found.safe:
        return [_("In front of %(rival)s whatever happens.") % {"rival": rival}]
    if not found.needs:
        return [_("No place is enough any more to be in front of %(rival)s.") % {"rival": rival}]
    always = [need for need in found.needs if need.rival_at == 1]
    said = [_in_words(always[-1], rival)] if always else []
    return [*said, *(_in_words(need, rival) for need in found.needs if need.rival_at != 1)]


def _in_words(need: Need, rival: str) -> str:
    words = {"place": need.place, "rival": rival, "at": need.rival_at}
    if need.place is None:
        if need.rival_at is None:
            return _("Without a place: enough if %(rival)s has none either.") % words
        return _("Without a place: enough if %(rival)s is place %(at)s or behind.") % words
    if need.rival_at == 1:
        return _("Place %(place)s or better is enough, whatever %(rival)s does.") % words
    if need.rival_at is None:
        return _("Place %(place)s is enough if %(rival)s has no place.") % words
    return _("Place %(place)s is enough if %(rival)s is place %(at)s or behind.") % words


def _left_out(table: Table, each: Round, line: Line) -> bool:
    """Return whether a driver has not nominated a round that counts only then."""
    if isinstance(line.who, Team) or not table.season.scheme.selects:
        return False
    return (line.who.pk, each.pk) not in table.nominated


def _joker(table: Table, each: Round, line: Line) -> Decimal:
    """Return by what a round counts for a driver who has nominated it; 1 for all others."""
    played = not isinstance(line.who, Team) and (line.who.pk, each.pk) in table.nominated
    return table.season.scheme.joker if played else Decimal(1)


def _cars_needed(table: Table, each: SeasonRound, line: Line, car_class: str) -> int | None:
    """Return for how many cars or more the points of a round hold; None where they hold for any number."""
    teams = table.season.scheme.teams
    if not each.over or (isinstance(line.who, Team) and teams is not None and teams.points):
        return None
    size = size_of_round(table.season, each, car_class)
    return None if size is None else size.cars


def _shared_with(table: Table, each: SeasonRound, line: Line) -> str:
    """Return the names of those who shared a car with a driver in a round; "" for nobody."""
    if isinstance(line.who, Team):
        return ""
    cars = {one.car for one in each.results if one.driver == str(line.who.pk) and one.shares > 1}
    others = [one.driver for one in each.results if one.car in cars and one.driver != str(line.who.pk)]
    return ", ".join(str(table.people[int(driver)]) for driver in others)


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
