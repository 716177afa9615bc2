"""Slipstreams (S1 to S7): when a car may slipstream, by how many spaces, and the movement."""

from __future__ import annotations

from engine.contract import Json, RuleError
from engine.formula_d.facts import facts
from engine.formula_d.movement.moving import checked_path, checked_price, drive, search_for
from engine.formula_d.movement.path_price import SLIP, ends
from engine.formula_d.race import RACING, at
from engine.formula_d.table import Table
from engine.formula_d.track import NOWHERE


def offered(table: Table) -> bool:
    """Return whether the car may slipstream from its space (S1)."""
    turn, car, track = table.turn, table.car, table.track
    space = table.space
    if table.basic or turn["braked"] or turn["over"] or turn["pits"] or track.in_the_pits(space):
        return False
    before = track.ahead[space]
    cars = table.race["cars"].values()
    rival = next((other for other in cars if other["status"] == RACING and at(table.race, other) == before), None)
    return bool(
        before != NOWHERE
        and rival is not None
        and min(car["gear"], rival["gear"]) >= facts().slip_gear
        and car["gear"] >= rival["gear"]
    )


def bonus_kept(table: Table) -> int:
    """Return the spaces of the tyre bonus that was kept for a slipstream (S7).

    Raises: RuleError when there is none.
    """
    if not table.turn["bonus"]:
        raise RuleError("S7", "there is no tyre bonus left for a slipstream")
    return int(table.turn["bonus"])


def slipstream(table: Table, path: Json, *, bonus: bool) -> None:
    """Drive a slipstream.

    Raises: RuleError when the car may not slipstream, or not along this path.
    """
    if table.turn["phase"] != SLIP:
        raise RuleError("S1", "there is no slipstream here")
    more = bonus_kept(table) if bonus else 0
    search = search_for(table, SLIP, more=more)
    spaces = checked_path(search.drive, path)
    if len(spaces) == 1:
        raise RuleError("S2", "a slipstream drives one space at least")
    price = checked_price(search, spaces[-1])
    table.add_event("slip", spaces=facts().slip_spaces)
    if more:
        table.add_event("bonus", number=more)
    drive(table, spaces, price)


def possible(table: Table) -> bool:
    """Return whether any slipstream from here can be driven and paid (S3)."""
    return any(at.driven for at, _ in ends(search_for(table, SLIP)))
