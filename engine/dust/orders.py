"""Settling the orders of cards (B3 to B6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from engine.dust.cards.card_set import CardSet
from engine.dust.state import Driver, Ordered, Table
from engine.dust.turn.step_context import with_one_added


class Settled(TypedDict):
    """The result of one order. `back` are the keys given back."""

    seat: str
    card: str
    filled: bool
    back: int


def settle(table: Table, names: Sequence[str], cards: CardSet) -> tuple[Table, list[Settled]]:
    """Settle the orders of these drivers, each pile separately (B4). Return the table and the result of each order."""
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
    """Return how many copies of one pile each driver gets (B4): more popularity first, then fewer speed points.

    Equal drivers get one copy each in turn. When there are too few copies for all of them, none of them gets one.
    """
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
    """Return the driver after delivery of the filled orders, the earlier first, with keys back for the rest (B5, B6).
    The results are appended to `told`.
    """
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
                new["discard"] = with_one_added(new["discard"], card)
        else:
            keys = min(new["keys"] + (paid or 0), cards.limits.keys)
            back = keys - new["keys"]
            new["keys"] = keys
        told.append({"seat": name, "card": card, "filled": got, "back": back})
    new["aside"] = []
    return new
