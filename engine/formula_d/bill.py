"""The price of a path, and whether the car can pay it: overshooting (C3, C6), braking (B), slipstreams (S5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.reach import Layer, blocked, layers
from engine.formula_d.walk import Drive, PathPosition, complete, spaces_to_brake, spaces_to_brake_if_incomplete

MOVE, SLIP, OUT, LAP = "move", "slip", "out", "lap"
NO_NUMBER = -1
"""The value for an order of tire WP that is not a number."""


@dataclass(frozen=True, slots=True)
class Purse:
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


class Bill(NamedTuple):
    """The price of a path: WP for overshooting, for braking with brakes and tires, for S5, and whether the car spins
    (C6).
    """

    overshoot: int = 0
    spin: bool = False
    brakes: int = 0
    tires: int = 0
    slip: int = 0


class Refused(NamedTuple):
    """The rule that a path breaks."""

    rule: str


def overshoot_paid(purse: Purse, at: PathPosition) -> bool:
    """Return whether the car has the WP for the spaces driven behind an overshot corner (C3, C6)."""
    price = at.over * purse.factor
    if not price or purse.kind == LAP:
        return True
    if purse.basic:
        return purse.wp[TOTAL] - price >= facts().keeps
    return price <= purse.wp["tires"] or (price == 1 and purse.wp["tires"] == 0)


def _overshoot(purse: Purse, at: PathPosition) -> tuple[Bill, int]:
    """Return the bill for overshooting, and the tire WP that are left for braking (B4)."""
    price = at.over * purse.factor
    if purse.basic:
        return Bill(overshoot=price), 0
    tires = purse.wp["tires"]
    spin = price > 0 and price >= tires
    return Bill(overshoot=price, spin=spin), 0 if spin else tires - price


class Search:
    """All paths of one movement, searched once: which legal paths can be paid (M7), whether the car is blocked (B2),
    and how far the car must drive before emergency braking (B3).
    """

    def __init__(self, drive: Drive, purse: Purse) -> None:
        self.drive = drive
        self.purse = purse

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
                if not at.lost and overshoot_paid(self.purse, at):
                    return at
        raise AssertionError("a path of no spaces is legal")

    def payable(self) -> bool:
        """Return whether any legal path can be paid (M7)."""
        return any(self.bills(at) for layer in reversed(self.layers) for at in layer if not at.lost)

    def bills(self, at: PathPosition) -> list[Bill]:
        """Return every way to pay for a path: none when it cannot be paid, several only under B3."""
        found = [bill for tires in self._tires(at) if isinstance(bill := settle(self, at, tires), Bill)]
        return found

    def _tires(self, at: PathPosition) -> Iterator[int]:
        """Yield the numbers of tire WP that may be paid for this path (B3)."""
        yield 0
        if self.purse.kind == MOVE and not self.purse.basic and not at.lost:
            most = min(spaces_to_brake(self.drive, at) - facts().brakes_first, self.purse.wp["tires"])
            if most > 0 and self.blocked and at.driven == self.farthest.driven:
                yield from range(1, most + 1)


def settle(search: Search, at: PathPosition, tires: int) -> Bill | Refused:
    """Return the price of a path that ends here, or the first rule it breaks, in the order of the checks below.

    `tires` are the tire WP paid for emergency braking (B3).
    """
    purse, drive = search.purse, search.drive
    if at.lost:
        return Refused("C4")
    if purse.kind == LAP:
        return Bill(overshoot=at.over * purse.factor) if complete(drive, at) else Refused("Q4")
    if not overshoot_paid(purse, at):
        return Refused("C3")
    if tires < 0:
        return Refused("B3")
    over, tires_left = _overshoot(purse, at)
    if complete(drive, at):
        bill: Bill | Refused = Refused("B3") if tires else over
    elif purse.kind == OUT:
        return Refused("P7")
    elif purse.extra:  # B5
        return Refused("N2")
    else:
        bill = _brake(search, at, over, tires, tires_left)
    if isinstance(bill, Bill) and purse.kind == SLIP and at.cornered:
        if purse.wp["brakes"] - bill.brakes < facts().slip_corner:
            return Refused("S5")
        return bill._replace(slip=facts().slip_corner)
    return bill


def _brake(search: Search, at: PathPosition, over: Bill, tires: int, tires_left: int) -> Bill | Refused:
    """Return the bill with braking for a path that is not complete (B1), or the rule against it. B3 and B4 apply when
    tire WP are paid.
    """
    purse = search.purse
    gap = spaces_to_brake_if_incomplete(search.drive, at)
    if purse.basic and not tires:
        paid = purse.wp[TOTAL] - over.overshoot - gap >= facts().keeps
        return over._replace(brakes=gap) if paid else Refused("B1")
    if tires:
        if purse.basic or purse.kind != MOVE or not search.blocked or at.driven != search.farthest.driven:
            return Refused("B3")
        if gap - tires < facts().brakes_first:
            return Refused("B4")
    if purse.wp["brakes"] < gap - tires:
        return Refused("B1")
    if tires > tires_left:
        return Refused("B4")
    return over._replace(brakes=gap - tires, tires=tires)


def ends(search: Search) -> Sequence[tuple[PathPosition, Bill]]:
    """Return every legal end of a movement with its price, the nearest first."""
    return [(at, bill) for layer in search.layers for at in layer if not at.lost for bill in search.bills(at)]
