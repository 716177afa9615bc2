"""The manners of codrivers: how each weighs turns, risk and wear."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import exp, factorial, log

from engine.formula_d.facts import read
from engine.formula_d.purses import Row

CLUB = "club"
MEASURE, RACE, WAYS = "measure", "race", "ways"
"""Tables beside those of the manners."""


@dataclass(frozen=True, slots=True)
class Manner:
    """A way of weighing. A *cost* is what is made least: turns to the finish, bent by `eager` so that the mean of costs
    is the cost of a lottery. `out` is what going out costs in turns, `gearbox` the price of a gearbox WP in turns. One
    that `weaves` reckons with paths to and fro on straights, which M3 forbids: so the ways of orders ahead were kept.
    One that `wins` only wants to be first: so it weighs its chance of that (see `winner`).
    """

    name: str
    eager: float
    out: float
    gearbox: float
    weaves: bool = False
    wins: bool = False

    def cost(self, turns: float) -> float:
        """Return the cost of so many turns for certain."""
        if not self.eager:
            return turns
        bent = exp(-self.eager * turns)
        return -bent if self.eager > 0 else bent

    def turns(self, cost: float) -> float:
        """Return the turns for certain that cost as much."""
        return cost if not self.eager else -log(abs(cost)) / self.eager

    def later(self, cost: float, turns: float) -> float:
        """Return a cost so many turns earlier."""
        return cost * exp(-self.eager * turns) if self.eager else cost + turns

    def row_later(self, row: Row, turns: float) -> Row:
        """Return a row of costs so many turns earlier."""
        if not turns:
            return row
        if not self.eager:
            return tuple([cost + turns for cost in row])
        bent = exp(-self.eager * turns)
        return tuple([cost * bent for cost in row])


@dataclass(frozen=True, slots=True)
class Race:
    """What a race brings besides the own dice: WP lost in a turn, by area; spaces driven in a turn in the mean.

    `spread`: the standard deviation, in turns, of the turns that a car needs, by the root of how many they are.
    `drag`: the turns that rivals lose beside best play, by how many they need: others are in their way, and few drive
    for the fewest turns.
    """

    body: float
    engine: float
    road: float
    pace: float
    spread: float
    drag: float


@cache
def manners() -> tuple[str, ...]:
    """Return the names of the manners, the careful one first."""
    return tuple(name for name in read("manners.toml") if name not in (MEASURE, RACE, WAYS))


@cache
def manner(name: str) -> Manner:
    """Return a manner; that of a club driver for a name that there is none of."""
    known = name if name in manners() else CLUB
    return Manner(known, **read("manners.toml")[known])


@cache
def measure() -> Manner:
    """Return what no driver bends: the fewest turns in the mean. Odds and the chance to be first are told by it."""
    return Manner(MEASURE, **read("manners.toml")[MEASURE])


@cache
def weights(manner: Manner) -> Manner:
    """Return what a manner weighs turns by, whatever its name and whether it wants to win."""
    return replace(manner, name="", wins=False)


@cache
def manner_of_way(name: str) -> Manner:
    """Return the manner that orders ahead lean on: it never changes, since records are driven by it again."""
    return Manner(name, **read("manners.toml")[WAYS][name])


@cache
def brought() -> Race:
    """Return what a race brings."""
    return Race(**read("manners.toml")[RACE])


def price(manner: Manner, rate: float, left: int, turns: float) -> float:
    """Return the price in turns of a WP whose last one puts the car out, `left` of them being there.

    `rate` are those lost in a turn in the mean. The price is how much likelier the car goes out, times what that costs.
    """
    if left <= 1:
        return manner.out
    expected = rate * max(turns, 1.0)
    return manner.out * exp(-expected) * expected ** (left - 1) / factorial(left - 1)


def risk(manner: Manner, rate: float, left: int, turns: float) -> float:
    """Return what going out by an area costs in turns: how likely its WP run out, times what that costs."""
    expected = rate * max(turns, 1.0)
    stays = sum(exp(-expected) * expected**lost / factorial(lost) for lost in range(left))
    return manner.out * (1.0 - stays)
