"""A turn in the race (A1), phase by phase: gear, move, slip, pit, out. Each function carries out one decision."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract import Json, RuleError
from engine.formula_d import gears, pits
from engine.formula_d.ending import end_of_turn, finish_car
from engine.formula_d.facts import facts
from engine.formula_d.movement.moving import checked_path, checked_price, drive, put_out_without_path, search_for
from engine.formula_d.movement.path_price import MOVE, Search
from engine.formula_d.movement.slipstream import offered, slipstream
from engine.formula_d.race import next_to_play, wet
from engine.formula_d.table import Table
from engine.formula_d.track import BOX

GEAR, MOVING, SLIP, PIT, OUT, DONE = "gear", "move", "slip", "pit", "out", "done"


def check_turn(table: Table) -> None:
    """Check that it is this car's turn (O1).

    Raises: RuleError when it is not this car's turn.
    """
    if next_to_play(table.race) != table.seat:
        raise RuleError("O1", "it is not this car's turn")


def bonus_of(table: Table) -> int:
    """Return the spaces that soft tyres may add in this turn (T3); 0 for none, and in a turn from the pits."""
    car, tyres = table.car, facts().tyres
    young = car["age"] <= tyres.bonus_age and not wet(table.race)
    if not table.race["options"]["tyres"] or not young or table.track.in_the_pits(table.space):
        return 0
    return tyres.bonus.get(car["tyres"], 0)


def begin_turn(table: Table, orders: Mapping[str, Json], *, whole: bool) -> bool:
    """Begin the turn with the start roll, if it is due (Y4). Return False when the car stalls and its turn is over.

    Raises: RuleError when a whole turn is ordered for a car that stalls.
    """
    table.add_event("turn", bonus=bonus_of(table))
    if not start_die_is_due(table):
        return True
    black = facts().black
    die = table.black("start")
    if die <= black.stall:
        if whole and (orders.get("gear") is not None or orders.get("path") is not None):
            raise RuleError("Y4", "the car stalls at the start and does not move in this turn")
        table.add_event("start", die=die, result="stalled", spaces=0)
        return False
    great = die >= (black.great_basic if table.basic else black.great_advanced)
    table.add_event(
        "start", die=die, result="great" if great else "normal", spaces=facts().great_spaces if great else 0
    )
    return True


def check_gear(table: Table, orders: Mapping[str, Json]) -> None:
    """Check that the ordered gear can be chosen, whatever the start die and the gear die show (G1, G2, Y4).

    Raises: RuleError when it cannot be chosen. Nothing is rolled.
    """
    gear = gears.known(orders.get("gear"))
    gears.price(table.race, table.car, gear)
    if start_die_is_due(table):
        gears.price(table.race, table.car, gear, great=True)


def start_die_is_due(table: Table) -> bool:
    """Return whether the turn begins with the start die (Y4)."""
    return bool(table.race["options"]["start_roll"] and not table.car["started"])


def choose_gear(table: Table, orders: Mapping[str, Json], *, whole: bool) -> None:
    """Choose a gear, pay for it and roll its die (G). A car that stalls ends its turn instead.

    Raises: RuleError when the gear cannot be chosen, also when the start die has been rolled, unless `check_gear` has
    checked it before.
    """
    if not begin_turn(table, orders, whole=whole):
        end_of_turn(table, driven=False)
        return
    turn = table.turn
    great: bool = turn["great"]
    given = orders.get("gear")
    gear = 1 if great and given is None else gears.known(given)
    price = gears.price(table.race, table.car, gear, great=great)
    for area, number in price.items():
        table.lose(area, number, "shift")
    table.add_event("gear", gear=gear)
    if not great:
        spaces = table.dice.gear(f"{table.seat} {table.race['round']} gear {gear}", gear)
        table.add_event("roll", gear=gear, spaces=spaces, strain=facts().strain_shows.get(gear) == spaces)
    table.phase(MOVING)


def put_out_if_stuck(table: Table, search: Search) -> bool:
    """Put the car out and end its movements when no path is legal and payable (M7). Return whether it was so."""
    if search.payable():
        return False
    put_out_without_path(table, search)
    table.phase(DONE)
    return True


def nitro_of(table: Table, orders: Mapping[str, Json]) -> int:
    """Return the spaces that nitro adds to the count (N1); 0 when it is not ordered.

    Raises: RuleError when the car may not use nitro in this turn.
    """
    if not orders.get("nitro"):
        return 0
    car = table.car
    if not table.race["options"]["nitro"] or not car["nitro"] or table.turn["great"]:
        raise RuleError("N1", "there is no nitro in this turn")
    return int(car["gear"])


def bonus_used(table: Table, orders: Mapping[str, Json]) -> int:
    """Return the spaces that the tyre bonus adds to the count (T3); 0 when it is not ordered.

    Raises: RuleError when the car has no tyre bonus in this turn.
    """
    if not orders.get("bonus"):
        return 0
    if not table.turn["bonus"] or table.turn["great"]:
        raise RuleError("T3", "there is no tyre bonus in this turn")
    return int(table.turn["bonus"])


def move(table: Table, orders: Mapping[str, Json]) -> None:
    """Carry out the turn's first movement.

    Raises: RuleError when the movement is illegal or cannot be paid.
    """
    path = orders.get("path")
    if path is None:
        raise RuleError("M6", "give the path; it is empty when all is braked")
    nitro, bonus = nitro_of(table, orders), bonus_used(table, orders)
    search = search_for(table, MOVE, more=nitro + bonus)
    spaces = checked_path(search.drive, path)
    price = checked_price(search, spaces[-1], orders.get("tires"))
    if nitro:
        table.add_event("nitro", number=nitro)
    if bonus:
        table.add_event("bonus", number=bonus)
    drive(table, spaces, price)
    set_next_phase(table, finish=spaces[-1].lap > search.drive.laps)


def set_next_phase(table: Table, *, finish: bool) -> None:
    """Set the phase after a movement: the finish (R1), the box (P6), a slipstream (S1), or the end of the turn."""
    if not table.is_racing:
        table.phase(DONE)
    elif finish:
        finish_car(table)
        table.phase(DONE)
    elif table.track.kind[table.space] == BOX and table.turn["moved"] and table.turn["phase"] == MOVING:
        table.add_event("box")
        if table.basic:
            pits.refill(table)
        table.phase(DONE if table.basic else PIT)
    else:
        table.phase(SLIP if offered(table) else DONE)


def slip(table: Table, path: Json, *, bonus: bool) -> None:
    """Carry out one slipstream.

    Raises: RuleError when the car may not slipstream, or not along this path.
    """
    laps = table.race["options"]["laps"]
    slipstream(table, path, bonus=bonus)
    set_next_phase(table, finish=table.car["lap"] > laps)


def in_the_box(table: Table, decisions: Json) -> None:
    """Carry out the decisions in the box.

    Raises: RuleError when the decisions are illegal.
    """
    decisions = {} if decisions is None else decisions
    pits.carry_out_box_decisions(table, decisions)
    if table.turn["phase"] == PIT:
        table.phase(DONE)


def drive_out(table: Table, path: Json) -> None:
    """Drive out of the box after a fast stop.

    Raises: RuleError when the path is not the way out.
    """
    pits.leave(table, path)
    table.phase(DONE)


def play_whole_turn(table: Table, orders: Mapping[str, Json]) -> None:
    """Play a whole turn at once, with orders in the form of a scenario file.

    Raises: RuleError for the first illegal order.
    """
    check_turn(table)
    choose_gear(table, orders, whole=True)
    if table.race["turn"] is None:
        return
    _move_or_go_out(table, orders)
    if table.is_racing:
        _rest_of_turn(table, orders)
    end_of_turn(table)


def _move_or_go_out(table: Table, orders: Mapping[str, Json]) -> None:
    """Drive the ordered path. A car without any legal path is out, regardless of its orders (M7)."""
    try:
        move(table, orders)
    except RuleError:
        if not put_out_if_stuck(table, search_for(table, MOVE)):
            raise


def _rest_of_turn(table: Table, orders: Mapping[str, Json]) -> None:
    """Carry out the orders for slipstreams, the box and the way out. Orders for a phase that the turn does not reach
    are refused.
    """
    slips = orders.get("slip")
    for entry in slips if isinstance(slips, list | tuple) else [] if slips is None else [slips]:
        wish = entry if isinstance(entry, Mapping) else {}
        slip(table, wish.get("path") or [], bonus=bool(wish.get("bonus")))
        if not table.is_racing:
            return
    boxed = table.turn["phase"] == PIT
    if not boxed and (orders.get("pit") is not None or orders.get("out") is not None):
        raise RuleError("P6", "the car has not come into its box in this turn")
    if boxed:
        in_the_box(table, orders.get("pit"))
        if table.turn["phase"] == OUT or orders.get("out") is not None:
            drive_out(table, orders.get("out"))
