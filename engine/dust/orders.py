"""Settling what was ordered (B3 to B6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from engine.dust.cards import CardSet
from engine.dust.state import Driver, Ordered, Table
from engine.dust.step_context import added


class Settled(TypedDict):
    """One order as it was settled."""

    seat: str
    card: str
    filled: bool
    back: int


def settle(table: Table, names: Sequence[str], cards: CardSet) -> tuple[Table, list[Settled]]:
    """Settle the orders of these drivers, each pile by itself (B4). Return the table and each order's fate."""
    drivers = table["drivers"]
    wanted = {name: _counted(drivers[name]["aside"]) for name in names}
    piles = dict(table["piles"])
    filled: dict[str, dict[str, int]] = {name: {} for name in names}
    for pile in table["pool"]:
        wants = {name: wanted[name][pile] for name in names if pile in wanted[name]}
        for name, copies in _served(wants, piles[pile], drivers).items():
            filled[name][pile] = copies
            piles[pile] -= copies
    told: list[Settled] = []
    changed = {name: _delivered(drivers[name], name, filled[name], cards, told) for name in names}
    return {**table, "piles": piles, "drivers": {**drivers, **changed}}, told


def _counted(aside: Sequence[Ordered]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in aside:
        counts[one["card"]] = counts.get(one["card"], 0) + 1
    return counts


def _served(wants: dict[str, int], copies: int, drivers: dict[str, Driver]) -> dict[str, int]:
    """How many copies of one pile each gets: more popularity first, then fewer speed points; copy by copy (B4)."""
    if sum(wants.values()) <= copies:
        return wants
    served = dict.fromkeys(wants, 0)
    keys = {name: (-drivers[name]["popularity"], drivers[name]["speed"]) for name in wants}
    for key in sorted(set(keys.values())):
        while equals := [name for name in wants if keys[name] == key and served[name] < wants[name]]:
            if len(equals) > copies:
                return served
            copies -= len(equals)
            for name in equals:
                served[name] += 1
    return served


def _delivered(driver: Driver, name: str, filled: dict[str, int], cards: CardSet, told: list[Settled]) -> Driver:
    """Deliver what is filled, the earlier orders first, and give keys back for the rest (B5, B6)."""
    if not driver["aside"]:
        return driver
    left = dict(filled)
    new = driver.copy()
    for one in driver["aside"]:
        card, paid = one["card"], one["paid"]
        got = left[card] > 0
        back = 0
        if got:
            left[card] -= 1
            if paid is None:
                new["top"] = [*new["top"], card]
            else:
                new["discard"] = added(new["discard"], card)
        else:
            keys = min(new["keys"] + (paid or 0), cards.limits.keys)
            back = keys - new["keys"]
            new["keys"] = keys
        told.append({"seat": name, "card": card, "filled": got, "back": back})
    new["aside"] = []
    return new
