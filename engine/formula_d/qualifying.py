"""Qualifying (Q): each car drives one lap alone on the track, and the results give the grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.contract import Json, RuleError
from engine.formula_d import gears
from engine.formula_d.ending import stops_now
from engine.formula_d.facts import facts
from engine.formula_d.movement.moving import checked_path, checked_price, drive, search_for
from engine.formula_d.movement.path_price import LAP
from engine.formula_d.race import RACING, entered, next_to_play
from engine.formula_d.table import Table
from engine.formula_d.turn import DONE, MOVING, bonus_of, bonus_used, check_turn


def begin_lap(table: Table, seat: str) -> None:
    """Place the next car before the line (Q1)."""
    track = table.track
    table.add_event("qualifying", seat=seat, space=track.spaces[track.qualifying])


def choose_gear(table: Table, orders: Mapping[str, Json]) -> None:
    """Choose a gear and roll its die (Q2).

    Raises: RuleError when the gear cannot be chosen.
    """
    gear = gears.known(orders.get("gear"))
    gears.climb(table.car["gear"], gear)
    table.add_event("turn", bonus=bonus_of(table))
    table.add_event("gear", gear=gear)
    spaces = table.dice.gear(f"{table.seat} {table.race['round']} gear {gear}", gear)
    table.add_event("roll", gear=gear, spaces=spaces, strain=False)
    table.phase(MOVING)


def end_lap_if_stuck(table: Table) -> bool:
    """End the lap, and leave the car unqualified, when every path leaves a corner without a stop (Q5). Return whether
    it was so.
    """
    if search_for(table, LAP).payable():
        return False
    table.add_event("done", points=facts().qualifying_turn)
    table.add_event("qualified", points=None)
    return True


def move(table: Table, orders: Mapping[str, Json]) -> None:
    """Drive the path and count the turn (Q3) and the stop. At the line the lap is over (Q6).

    Raises: RuleError when the movement is illegal.
    """
    path = orders.get("path")
    if path is None:
        raise RuleError("M6", "give the path")
    if orders.get("nitro"):
        raise RuleError("N1", "there is no nitro in qualifying")
    bonus = bonus_used(table, orders)
    search = search_for(table, LAP, more=bonus)
    spaces = checked_path(search.drive, path)
    price = checked_price(search, spaces[-1])
    if bonus:
        table.add_event("bonus", number=bonus)
    drive(table, spaces, price)
    table.phase(DONE)
    home = spaces[-1].ended
    if not home:
        table.add_event("stop", stops=stops_now(table))
    table.add_event("done", points=facts().qualifying_turn)
    if home:
        car = table.car
        table.add_event("qualified", points=car["lap_points"] + car["seconds"] // facts().seconds_a_point)


def play_whole_turn(table: Table, orders: Mapping[str, Json]) -> None:
    """Play a whole turn of qualifying.

    Raises: RuleError for the first illegal order.
    """
    check_turn(table)
    choose_gear(table, orders)
    try:
        move(table, orders)
    except RuleError:
        if not end_lap_if_stuck(table):
            raise


def next_car(table: Table) -> bool:
    """Let the next car begin its lap when one is over. Return False when all have driven theirs."""
    if next_to_play(table.race) is not None:
        return True
    waiting = (seat for seat, car in entered(table.race) if not car["began"] and car["status"] == RACING)
    seat = next(waiting, None)
    if seat is None:
        return False
    begin_lap(table, seat)
    return True


def grid(table: Table, entered: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the cars by grid place, and the points for each place (Q6, Q7). `entered` is in order of entry."""
    cars = table.race["cars"]
    timed = [seat for seat in entered if cars[seat]["qualifying"] is not None]
    timed.sort(key=lambda seat: (cars[seat]["qualifying"], cars[seat]["seconds"]))
    slow = [seat for seat in entered if cars[seat]["qualifying"] is None]
    won = facts().qualifying_points
    points = list(won[: len(timed)])
    return [*timed, *slow], [*points, *(0 for _ in slow)]
