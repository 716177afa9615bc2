"""Wear in the cost tables: every state of a car's WP has an index into a row of costs.

Advanced: tire WP and brake WP, up to a cap. Basic: the one pool. A price moves a row: the moved row has, for each state
before the payment, the cost after it. Rows are packed (`packed_rows`), so that whole rows are compared and moved at
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, reduce

from engine.formula_d.codriver.packed_rows import Packed, RowPacking, moved
from engine.formula_d.facts import TOTAL, facts

Row = tuple[float, ...]
NEVER = float("inf")
"""The cost of a price that cannot be paid."""

Moves = tuple[Packed, list[tuple[int, bool, Packed]]]
"""How a price moves rows: the costs of the states that cannot pay, and for each move by how much an index grows,
whether the costs are those after a spin, and the mask of the states.
"""

TIRES, BRAKES, POOL = 7, 4, 18
"""The caps: the tables count no more WP than these. Only a car with its own build can have so many tires or brakes
(Y5).
"""


class WearStates:
    """The states of wear in a row, and how prices move it. `build` says that cars with their own builds race."""

    def __init__(self, *, basic: bool, build: bool = False) -> None:
        usual = facts().wear_advanced
        self.basic = basic
        self.tires, self.brakes = (TIRES, BRAKES) if build else (usual["tires"], usual["brakes"])
        self.state_count = self._count_states()
        self.packing = RowPacking(self.state_count)
        self.never = self.packing.pack([NEVER] * self.state_count)
        self._moves: dict[tuple[int, int], Moves | None] = {}

    def _count_states(self) -> int:
        return POOL if self.basic else (self.tires + 1) * (self.brakes + 1)

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

    def minimum(self, rows: Iterable[Packed]) -> Packed:
        """Return the minimum of some rows, cost by cost."""
        return reduce(self.packing.least, rows)

    def before_payment(self, row: Packed, spun: Packed, overshoot: int, brakes: int) -> Packed | None:
        """Return the row of costs before a price is paid. `row` are the costs after it, `spun` those after a spin. None
        when no state can pay.
        """
        key = overshoot, brakes
        if key not in self._moves:
            self._moves[key] = self._find_moves(overshoot, brakes)
        moves = self._moves[key]
        if moves is None:
            return None
        found, each = moves
        for by, after_spin, states in each:
            found |= moved(spun if after_spin else row, by) & states
        return found

    def _find_moves(self, overshoot: int, brakes: int) -> Moves | None:
        """Return how a price moves rows. None when no state can pay it."""
        paid = {index: self.paid(index, overshoot, brakes) for index in range(self.state_count)}
        groups: dict[tuple[int, bool], list[int]] = {}
        for index, to in paid.items():
            if to is not None:
                groups.setdefault((index - to[0], to[1]), []).append(index)
        if not groups:
            return None
        poor = self.packing.mask(index for index, to in paid.items() if to is None)
        return self.never & poor, [(*group, self.packing.mask(indices)) for group, indices in groups.items()]

    def skipped(self, row: Packed, price: Mapping[str, int], skipped: int) -> Packed | None:
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

    def _count_states(self) -> int:
        return 1

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

    def before_payment(self, row: Packed, spun: Packed, overshoot: int, brakes: int) -> Packed | None:
        """Return a row with the points of the overshoot added. None when spaces are braked (Q4)."""
        return None if brakes else self.packing.pack([cost + overshoot for cost in self.packing.unpack(row)])

    def skipped(self, row: Packed, price: Mapping[str, int], skipped: int) -> Packed | None:
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
