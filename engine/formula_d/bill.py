"""What a path costs and whether it can be paid: overshooting (C3, C6), braking (B), a slipstream into a corner (S5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.reach import Layer, blocked, layers
from engine.formula_d.walk import At, Drive, complete, left_of, missing

MOVE, SLIP, OUT, LAP = "move", "slip", "out", "lap"
NO_NUMBER = -1
"""Tire WP that are ordered as something else than a number."""


@dataclass(frozen=True, slots=True)
class Purse:
    """What a movement can be paid with.

    `kind` is the movement: the turn's first one, a slipstream, the way out after a fast stop, or one of the lap of
    qualifying. `wp` are the WP by area, `factor` that of T4. `extra` tells that nitro or tyre bonus is used (N2).
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
    """The price of a path: WP for overshooting, for braking with brakes and with tires, for S5, and a spin (C6)."""

    overshoot: int = 0
    spin: bool = False
    brakes: int = 0
    tires: int = 0
    slip: int = 0


class Refused(NamedTuple):
    """The rule that a path ends against."""

    rule: str


def overshoot_paid(purse: Purse, at: At) -> bool:
    """C3, C6: whether the WP are there for the spaces driven behind the corner."""
    price = at.over * purse.factor
    if not price or purse.kind == LAP:
        return True
    if purse.basic:
        return purse.wp[TOTAL] - price >= facts().keeps
    return price <= purse.wp["tires"] or (price == 1 and purse.wp["tires"] == 0)


def _overshoot(purse: Purse, at: At) -> tuple[Bill, int]:
    """The bill for overshooting, and the tire WP that may then be used for braking (B4)."""
    price = at.over * purse.factor
    if purse.basic:
        return Bill(overshoot=price), 0
    tires = purse.wp["tires"]
    spin = price > 0 and price >= tires
    return Bill(overshoot=price, spin=spin), 0 if spin else tires - price


class Search:
    """All paths of a movement with roll and slide alone, searched once: which legal ones can be paid (M7), whether the
    car is blocked (B2), and how far emergency braking must go (B3).
    """

    def __init__(self, drive: Drive, purse: Purse) -> None:
        self.drive = drive
        self.purse = purse

    @cached_property
    def layers(self) -> list[Layer]:
        """All legal paths, C4 paths among them, by length."""
        return layers(self.drive)

    @cached_property
    def blocked(self) -> bool:
        """B2."""
        return blocked(self.drive, self.layers)

    @cached_property
    def farthest(self) -> At:
        """B3, X3: the first path of the greatest length among those that C4 allows and whose overshoot can be paid."""
        for layer in reversed(self.layers):
            for at in layer:
                if not at.lost and overshoot_paid(self.purse, at):
                    return at
        raise AssertionError("a path of no spaces is legal")

    def payable(self) -> bool:
        """M7: whether there is any legal path that can be paid."""
        return any(self.bills(at) for layer in reversed(self.layers) for at in layer if not at.lost)

    def bills(self, at: At) -> list[Bill]:
        """Return every way to pay for a path of this movement: one, more under B3, or none."""
        found = [bill for tires in self._tires(at) if isinstance(bill := settle(self, at, tires), Bill)]
        return found

    def _tires(self, at: At) -> Iterator[int]:
        """B3: the tire WP that may be given for this path."""
        yield 0
        if self.purse.kind == MOVE and not self.purse.basic and not at.lost:
            most = min(missing(self.drive, at) - facts().brakes_first, self.purse.wp["tires"])
            if most > 0 and self.blocked and at.driven == self.farthest.driven:
                yield from range(1, most + 1)


def settle(search: Search, at: At, tires: int) -> Bill | Refused:
    """Return the price of a path that ends here, or the rule it breaks, in the order of refusal.

    `tires` are the tire WP given for emergency braking (B3).
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


def _brake(search: Search, at: At, over: Bill, tires: int, tires_left: int) -> Bill | Refused:
    """B1 for a path that is not complete; B3 and B4 where tire WP are given for it."""
    purse = search.purse
    gap = left_of(search.drive, at)
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


def ends(search: Search) -> Sequence[tuple[At, Bill]]:
    """Return where a movement can legally end and at what price, nearest first."""
    return [(at, bill) for layer in search.layers for at in layer if not at.lost for bill in search.bills(at)]
