"""The price of a path, and whether the car can pay it: overshooting (C3, C6), braking (B), slipstreams (S5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.movement.reach import Layer, blocked, layers
from engine.formula_d.movement.walk import Drive, PathPosition, complete, spaces_to_brake, spaces_to_brake_if_incomplete

MOVE, SLIP, OUT, LAP = "move", "slip", "out", "lap"
NO_NUMBER = -1
"""The value for an order of tire WP that is not a number."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The WP that a car can pay for a movement, and the kind of the movement.

    `kind` is MOVE (the turn's first movement), SLIP (a slipstream), OUT (the way out after a fast stop) or LAP (a
    movement in qualifying). `wp` are the WP by area, `factor` is that of T4. `extra` says whether nitro or the tyre
    bonus is used (N2).
    """

    kind: str
    wp: Mapping[str, int]
    factor: int = 1
    extra: bool = False

    @property
    def basic(self) -> bool:
        """Whether there is one pool of WP (Y2)."""
        return TOTAL in self.wp


class PathPrice(NamedTuple):
    """The price of a path: WP for overshooting, for braking with brakes and tires, for S5, and whether the car spins
    (C6).
    """

    overshoot: int = 0
    spin: bool = False
    brakes: int = 0
    tires: int = 0
    slip: int = 0


FREE = PathPrice()


class BrokenRule(NamedTuple):
    """The rule that a path breaks."""

    rule: str


def overshoot_paid(budget: Budget, at: PathPosition) -> bool:
    """Return whether the car has the WP for the spaces driven behind an overshot corner (C3, C6)."""
    price = at.over * budget.factor
    if not price or budget.kind == LAP:
        return True
    if budget.basic:
        return budget.wp[TOTAL] - price >= facts().keeps
    return price <= budget.wp["tires"] or (price == 1 and budget.wp["tires"] == 0)


def _overshoot(budget: Budget, at: PathPosition) -> tuple[PathPrice, int]:
    """Return the price of overshooting, and the tire WP that are left for braking (B4)."""
    price = at.over * budget.factor
    if budget.basic:
        return PathPrice(overshoot=price) if price else FREE, 0
    tires = budget.wp["tires"]
    if not price:
        return FREE, tires
    spin = price >= tires
    return PathPrice(overshoot=price, spin=spin), 0 if spin else tires - price


class Search:
    """All paths of one movement, searched once: which legal paths can be paid (M7), whether the car is blocked (B2),
    and how far the car must drive before emergency braking (B3).
    """

    def __init__(self, drive: Drive, budget: Budget) -> None:
        self.drive = drive
        self.budget = budget

    @cached_property
    def layers(self) -> list[Layer]:
        """All legal paths by length, including those that break C4."""
        return layers(self.drive)

    @cached_property
    def blocked(self) -> bool:
        """Whether the car is blocked (B2)."""
        return blocked(self.drive, self.layers)

    @cached_property
    def farthest(self) -> PathPosition:
        """The first of the longest paths that do not break C4 and whose overshoot can be paid (B3, X3)."""
        for layer in reversed(self.layers):
            for at in layer:
                if not at.lost and overshoot_paid(self.budget, at):
                    return at
        raise AssertionError("a path of no spaces is legal")

    def payable(self) -> bool:
        """Return whether any legal path can be paid (M7)."""
        return any(self.prices(at) for layer in reversed(self.layers) for at in layer if not at.lost)

    def prices(self, at: PathPosition) -> list[PathPrice]:
        """Return every way to pay for a path: none when it cannot be paid, several only under B3."""
        found = [
            price for tires in self._tires(at) if isinstance(price := price_or_broken_rule(self, at, tires), PathPrice)
        ]
        return found

    def _tires(self, at: PathPosition) -> Iterator[int]:
        """Yield the numbers of tire WP that may be paid for this path (B3)."""
        yield 0
        if self.budget.kind == MOVE and not self.budget.basic and not at.lost:
            most = min(spaces_to_brake(self.drive, at) - facts().brakes_first, self.budget.wp["tires"])
            if most > 0 and self.blocked and at.driven == self.farthest.driven:
                yield from range(1, most + 1)


def price_or_broken_rule(search: Search, at: PathPosition, tires: int) -> PathPrice | BrokenRule:
    """Return the price of a path that ends here, or the first rule it breaks, in the order of the checks below.

    `tires` are the tire WP paid for emergency braking (B3).
    """
    budget, drive = search.budget, search.drive
    if at.lost:
        return BrokenRule("C4")
    if budget.kind == LAP:
        return PathPrice(overshoot=at.over * budget.factor) if complete(drive, at) else BrokenRule("Q4")
    if not overshoot_paid(budget, at):
        return BrokenRule("C3")
    if tires < 0:
        return BrokenRule("B3")
    over, tires_left = _overshoot(budget, at)
    if complete(drive, at):
        price: PathPrice | BrokenRule = BrokenRule("B3") if tires else over
    elif budget.kind == OUT:
        return BrokenRule("P7")
    elif budget.extra:  # B5
        return BrokenRule("N2")
    else:
        price = _brake(search, at, over, tires, tires_left)
    if isinstance(price, PathPrice) and budget.kind == SLIP and at.cornered:
        if budget.wp["brakes"] - price.brakes < facts().slip_corner:
            return BrokenRule("S5")
        return price._replace(slip=facts().slip_corner)
    return price


def _brake(search: Search, at: PathPosition, over: PathPrice, tires: int, tires_left: int) -> PathPrice | BrokenRule:
    """Return the price with braking for a path that is not complete (B1), or the rule against it. B3 and B4 apply when
    tire WP are paid.
    """
    budget = search.budget
    gap = spaces_to_brake_if_incomplete(search.drive, at)
    if budget.basic and not tires:
        paid = budget.wp[TOTAL] - over.overshoot - gap >= facts().keeps
        return PathPrice(over.overshoot, over.spin, gap) if paid else BrokenRule("B1")
    if tires:
        if budget.basic or budget.kind != MOVE or not search.blocked or at.driven != search.farthest.driven:
            return BrokenRule("B3")
        if gap - tires < facts().brakes_first:
            return BrokenRule("B4")
    if budget.wp["brakes"] < gap - tires:
        return BrokenRule("B1")
    if tires > tires_left:
        return BrokenRule("B4")
    return PathPrice(over.overshoot, over.spin, gap - tires, tires)


def ends(search: Search) -> Sequence[tuple[PathPosition, PathPrice]]:
    """Return every legal end of a movement with its price, the nearest first."""
    return [(at, price) for layer in search.layers for at in layer if not at.lost for price in search.prices(at)]
