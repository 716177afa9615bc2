"""The manners of codrivers: the weights of each for turns, risk and wear."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import exp, factorial, log

from engine.formula_d.codriver.wear_states import Row
from engine.formula_d.facts import read

CLUB = "club"
NEUTRAL, RACE, STYLES = "measure", "race", "ways"
"""Tables of `manners.toml` that are not manners."""


@dataclass(frozen=True, slots=True)
class Manner:
    """The weights of a driver.

    A driver minimises the *cost*: the turns to the finish through an exponential utility with exponent `eager`, so that
    the cost of a random outcome is the mean of the costs. `out` is the price in turns of going out, `gearbox` that of a
    gearbox WP. With `allows_weaving` the tables include paths that change lanes to and fro on a straight, which M3
    forbids; they are kept so that orders ahead always drive the same way. With `only_wants_to_win` the driver weighs
    its chance to be first (see `winner`) and nothing else. With a `top_gear` the driver takes no higher gear, but the
    lowest one where all are higher.
    """

    name: str
    eager: float
    out: float
    gearbox: float
    allows_weaving: bool = False
    only_wants_to_win: bool = False
    top_gear: int = 0

    def cost(self, turns: float) -> float:
        """Return the cost of a certain number of turns, without any risk."""
        if not self.eager:
            return turns
        bent = exp(-self.eager * turns)
        return -bent if self.eager > 0 else bent

    def turns(self, cost: float) -> float:
        """Return the certain number of turns that has this cost: the inverse of `cost`."""
        return cost if not self.eager else -log(abs(cost)) / self.eager

    def plus_turns(self, cost: float, turns: float) -> float:
        """Return a cost with so many turns added."""
        return cost * exp(-self.eager * turns) if self.eager else cost + turns

    def row_plus_turns(self, row: Row, turns: float) -> Row:
        """Return a row of costs with so many turns added to each."""
        if not turns:
            return row
        if not self.eager:
            return tuple([cost + turns for cost in row])
        bent = exp(-self.eager * turns)
        return tuple([cost * bent for cost in row])


@dataclass(frozen=True, slots=True)
class RaceMeans:
    """Means of a race that the tables cannot compute.

    `body`, `engine`, `road`: the mean WP that a car loses in a turn to the dice of others, by area.
    `pace`: the mean spaces driven in a turn.
    `spread`: the standard deviation of the turns that a car needs, divided by the square root of their number.
    `drag`: the turns that rivals lose against best play, divided by the turns that they need. Other cars are in their
    way, and few drivers minimise turns.
    """

    body: float
    engine: float
    road: float
    pace: float
    spread: float
    drag: float


@cache
def manners() -> tuple[str, ...]:
    """Return the names of the manners that can be chosen. The first one drives for an absent driver."""
    return tuple(name for name in read("manners.toml") if name not in (NEUTRAL, RACE, STYLES))


@cache
def manner(name: str) -> Manner:
    """Return a manner by its name; that of a club driver for an unknown name."""
    known = name if name in manners() else CLUB
    return Manner(known, **read("manners.toml")[known])


@cache
def neutral_manner() -> Manner:
    """Return the neutral manner: the fewest turns in the mean. Odds and the chance to be first use it."""
    return Manner(NEUTRAL, **read("manners.toml")[NEUTRAL])


@cache
def weights(manner: Manner) -> Manner:
    """Return a manner without its name and habits, so that manners with the same weights compare equal."""
    return replace(manner, name="", only_wants_to_win=False, top_gear=0)


@cache
def manner_of_style(name: str) -> Manner:
    """Return the manner of a driving style in orders ahead. It never changes, because records are replayed with it."""
    return Manner(name, **read("manners.toml")[STYLES][name])


@cache
def race_means() -> RaceMeans:
    """Return the means of a race."""
    return RaceMeans(**read("manners.toml")[RACE])


def price(manner: Manner, rate: float, left: int, turns: float) -> float:
    """Return the price in turns of one of `left` WP, the last of which puts the car out.

    `rate` is the mean number of such WP lost in a turn, `turns` the turns still to drive. The price is the additional
    chance to go out, times the cost of going out.
    """
    if left <= 1:
        return manner.out
    expected = rate * max(turns, 1.0)
    return manner.out * exp(-expected) * expected ** (left - 1) / factorial(left - 1)


def risk(manner: Manner, rate: float, left: int, turns: float) -> float:
    """Return the price in turns of the risk to go out by one area: the chance that its `left` WP run out, times the
    cost of going out. `rate` and `turns` are as in `price`.
    """
    expected = rate * max(turns, 1.0)
    stays = sum(exp(-expected) * expected**lost / factorial(lost) for lost in range(left))
    return manner.out * (1.0 - stays)
