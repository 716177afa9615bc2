"""Wear in the cost tables: every state of a car's WP has an index into a row of costs.

Advanced: tire WP and brake WP, up to a cap. Basic: the one pool. A price moves a row: the moved row has, for each state
before the payment, the cost after it. Rows are tuples, so that whole rows are compared and moved at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter

from engine.formula_d.facts import TOTAL, facts

Row = tuple[float, ...]
NEVER = float("inf")
"""The cost of a price that cannot be paid."""

TIRES, BRAKES, POOL = 7, 4, 18
"""The caps: the tables count no more WP than these. Only a car with its own build can have so many tires or brakes
(Y5).
"""


def row_minimum(rows: Sequence[Row]) -> Row:
    """Return the minimum of several rows, element by element."""
    best, *others = rows
    for other in others:
        if other != best:
            best = tuple([one if one < two else two for one, two in zip(best, other, strict=True)])
    return best


class WearStates:
    """The states of wear in a row, and how prices move it. `build` says that cars with their own builds race."""

    def __init__(self, *, basic: bool, build: bool = False) -> None:
        usual = facts().wear_advanced
        self.basic = basic
        self.tires, self.brakes = (TIRES, BRAKES) if build else (usual["tires"], usual["brakes"])
        self.state_count = POOL if basic else (self.tires + 1) * (self.brakes + 1)
        self._getters: dict[tuple[int, int], itemgetter[Row] | None] = {}

    @property
    def most_brakes(self) -> int:
        """The greatest number of spaces of braking that the rows can represent."""
        return POOL - 1 if self.basic else self.brakes

    @property
    def most_over(self) -> int:
        """The greatest price of an overshoot that the rows can represent."""
        return POOL - 1 if self.basic else self.tires

    def index_of(self, wp: Mapping[str, int]) -> int:
        """Return the index of a car's WP."""
        if self.basic:
            return max(0, min(wp[TOTAL] - facts().keeps, POOL - 1))
        return min(wp["tires"], self.tires) * (self.brakes + 1) + min(wp["brakes"], self.brakes)

    def paid(self, index: int, overshoot: int, brakes: int) -> tuple[int, bool] | None:
        """Return the index after a price is paid, and whether the car spins (C6). None when it cannot be paid."""
        if self.basic:
            left = index - overshoot - brakes
            return (left, False) if left >= 0 else None
        tires, stock = divmod(index, self.brakes + 1)
        tires, stock = tires - overshoot, stock - brakes
        if stock < 0 or tires < 0:
            return None
        if tires == 0 and overshoot:
            return facts().after_spin * (self.brakes + 1) + stock, True
        return tires * (self.brakes + 1) + stock, False

    def before_payment(self, row: Row, spun: Row, overshoot: int, brakes: int) -> Row | None:
        """Return the row of costs before a price is paid. `row` are the costs after it, `spun` those after a spin. None
        when no state can pay.
        """
        getter = self._getter(overshoot, brakes)
        return None if getter is None else getter((*row, *spun, NEVER))

    def _getter(self, overshoot: int, brakes: int) -> itemgetter[Row] | None:
        key = overshoot, brakes
        if key not in self._getters:
            moved = [self.paid(index, overshoot, brakes) for index in range(self.state_count)]
            indices = [2 * self.state_count if to is None else to[0] + self.state_count * to[1] for to in moved]
            self._getters[key] = itemgetter(*indices) if any(moved) else None
        return self._getters[key]

    def skipped(self, row: Row, price: Mapping[str, int], skipped: int) -> Row | None:
        """Return the row of costs before gears are skipped (G4, G5), without the price in gearbox WP. None when no
        state can pay.
        """
        return self.before_payment(row, row, 0, skipped if self.basic else price.get("brakes", 0))

    def may_leave(self, stops: int, missing: int) -> bool:
        """Return whether a corner may be left with so many stops missing (C3, C4)."""
        return missing == 1

    def refilled(self, row: Row) -> Row:
        """Return the row of costs before the box gives WP back (P6). `row` are the costs after it."""
        if self.basic:
            return (row[-1],) * self.state_count
        full = facts().wear_advanced["tires"] * (self.brakes + 1)
        return row[full : full + self.brakes + 1] * (self.tires + 1)


class Points(WearStates):
    """The lap of qualifying: no WP, rows of one number. A space of an overshoot costs one point (Q4)."""

    def __init__(self) -> None:
        super().__init__(basic=True)
        self.state_count = 1

    @property
    def most_brakes(self) -> int:
        """0: there is no braking (Q4)."""
        return 0

    @property
    def most_over(self) -> int:
        """More than any roll can overshoot."""
        return max(max(faces) for faces in facts().gears.values()) * 2

    def index_of(self, wp: Mapping[str, int]) -> int:
        """Return the one index: wear does not matter."""
        return 0

    def before_payment(self, row: Row, spun: Row, overshoot: int, brakes: int) -> Row | None:
        """Return a row with the points of the overshoot added. None when spaces are braked (Q4)."""
        return None if brakes else (row[0] + overshoot,)

    def skipped(self, row: Row, price: Mapping[str, int], skipped: int) -> Row | None:
        """Return the row unchanged: skipping gears has no price (Q2)."""
        return row

    def may_leave(self, stops: int, missing: int) -> bool:
        """Return whether a corner may be left with so many stops missing: one stop made is enough (Q5)."""
        return missing > 0 and (stops == 1 or missing < stops)


@cache
def points() -> Points:
    """Return the one state of qualifying."""
    return Points()


@cache
def wear_states(*, basic: bool, build: bool = False) -> WearStates:
    """Return the states of wear in the basic or advanced game. `build` says that cars with their own builds race."""
    return WearStates(basic=basic, build=build)
