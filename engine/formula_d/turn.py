"""A turn in the race (A1), phase by phase: gear, move, slip, pit, out. Each function carries out one decision."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract import Json, RuleError
from engine.formula_d import gears, pits
from engine.formula_d.bill import MOVE, Search
from engine.formula_d.ending import end_of_turn, finished
from engine.formula_d.facts import facts
from engine.formula_d.field import BOX
from engine.formula_d.moving import drive, search_for, settled, undriveable, walked
from engine.formula_d.race import next_to_play, wet
from engine.formula_d.slipstream import offered, slipstream
from engine.formula_d.table import Table

GEAR, MOVING, SLIP, PIT, OUT, DONE = "gear", "move", "slip", "pit", "out", "done"


def check_turn(table: Table) -> None:
    """O1.

    Raises:
        RuleError: it is another car's turn, or nobody's.
    """
    if next_to_play(table.race) != table.seat:
        raise RuleError("O1", "it is not this car's turn")


def bonus_of(table: Table) -> int:
    """T3: the spaces that soft tyres may add in this turn; 0 for none. Not from the pits."""
    car, tyres = table.car, facts().tyres
    young = car["age"] <= tyres.bonus_age and not wet(table.race)
    if not table.race["options"]["tyres"] or not young or table.track.in_the_pits(table.space):
        return 0
    return tyres.bonus.get(car["tyres"], 0)


def begin_turn(table: Table, orders: Mapping[str, Json], *, whole: bool) -> bool:
    """The start roll (Y4). Return False when the car stalls and its turn is over.

    Raises:
        RuleError: a whole turn is ordered for a car that stalls.
    """
    table.tell("turn", bonus=bonus_of(table))
    if not table.race["options"]["start_roll"] or table.car["started"]:
        return True
    black = facts().black
    die = table.black("start")
    if die <= black.stall:
        if whole and (orders.get("gear") is not None or orders.get("path") is not None):
            raise RuleError("Y4", "the car stalls at the start and does not move in this turn")
        table.tell("start", die=die, result="stalled", spaces=0)
        return False
    great = die >= (black.great_basic if table.basic else black.great_advanced)
    table.tell("start", die=die, result="great" if great else "normal", spaces=facts().great_spaces if great else 0)
    return True


def choose_gear(table: Table, orders: Mapping[str, Json], *, whole: bool) -> None:
    """The gear and its die (G); then the movement, unless nothing is left to drive (M7).

    Raises:
        RuleError: the gear cannot be chosen.
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
    table.tell("gear", gear=gear)
    if not great:
        spaces = table.dice.gear(f"{table.seat} {table.race['round']} gear {gear}", gear)
        table.tell("roll", gear=gear, spaces=spaces, strain=facts().strain_shows.get(gear) == spaces)
    table.phase(MOVING)


def stuck(table: Table, search: Search) -> bool:
    """M7: where no path is legal and payable the car is out, and its turn over."""
    if search.payable():
        return False
    undriveable(table, search)
    table.phase(DONE)
    return True


def nitro_of(table: Table, orders: Mapping[str, Json]) -> int:
    """N1: the spaces that nitro adds to the count; 0 where it is not ordered.

    Raises:
        RuleError: there is no nitro to be had.
    """
    if not orders.get("nitro"):
        return 0
    car = table.car
    if not table.race["options"]["nitro"] or not car["nitro"] or table.turn["great"]:
        raise RuleError("N1", "there is no nitro in this turn")
    return int(car["gear"])


def bonus_used(table: Table, orders: Mapping[str, Json]) -> int:
    """T3: the spaces that the tyre bonus adds to the count; 0 where it is not ordered.

    Raises:
        RuleError: there is no tyre bonus to be had.
    """
    if not orders.get("bonus"):
        return 0
    if not table.turn["bonus"] or table.turn["great"]:
        raise RuleError("T3", "there is no tyre bonus in this turn")
    return int(table.turn["bonus"])


def move(table: Table, orders: Mapping[str, Json]) -> None:
    """The turn's first movement.

    Raises:
        RuleError: the movement is not legal, or cannot be paid.
    """
    path = orders.get("path")
    if path is None:
        raise RuleError("M6", "give the path; it is empty when all is braked")
    nitro, bonus = nitro_of(table, orders), bonus_used(table, orders)
    search = search_for(table, MOVE, more=nitro + bonus)
    spaces = walked(search.drive, path)
    bill = settled(search, spaces[-1], orders.get("tires"))
    if nitro:
        table.tell("nitro", number=nitro)
    if bonus:
        table.tell("bonus", number=bonus)
    drive(table, spaces, bill)
    after(table, finish=spaces[-1].lap > search.drive.laps)


def after(table: Table, *, finish: bool) -> None:
    """What follows a movement: the finish (R1), the box (P6), a slipstream where S1 holds, or the end of the turn."""
    if not table.races:
        table.phase(DONE)
    elif finish:
        finished(table)
        table.phase(DONE)
    elif table.track.kind[table.space] == BOX and table.turn["moved"] and table.turn["phase"] == MOVING:
        table.tell("box")
        if table.basic:
            pits.refill(table)
        table.phase(DONE if table.basic else PIT)
    else:
        table.phase(SLIP if offered(table) else DONE)


def slip(table: Table, path: Json, *, bonus: bool) -> None:
    """One slipstream.

    Raises:
        RuleError: the car may not slipstream, or not so.
    """
    laps = table.race["options"]["laps"]
    slipstream(table, path, bonus=bonus)
    after(table, finish=table.car["lap"] > laps)


def in_the_box(table: Table, decisions: Json) -> None:
    """The decisions in the box.

    Raises:
        RuleError: they are not to be taken.
    """
    decisions = {} if decisions is None else decisions
    pits.decided(table, decisions)
    if table.turn["phase"] == PIT:
        table.phase(DONE)


def drive_out(table: Table, path: Json) -> None:
    """The way out after a fast stop.

    Raises:
        RuleError: the path is not the way out.
    """
    pits.leave(table, path)
    table.phase(DONE)


def whole(table: Table, orders: Mapping[str, Json]) -> None:
    """A whole turn at once, in the form of a scenario file.

    Raises:
        RuleError: the first thing that is illegal.
    """
    check_turn(table)
    choose_gear(table, orders, whole=True)
    if table.race["turn"] is None:
        return
    _move_or_go_out(table, orders)
    if table.races:
        _rest(table, orders)
    end_of_turn(table)


def _move_or_go_out(table: Table, orders: Mapping[str, Json]) -> None:
    """Drive the ordered path. Where there is none to drive the car is out, whatever is ordered (M7)."""
    try:
        move(table, orders)
    except RuleError:
        if not stuck(table, search_for(table, MOVE)):
            raise


def _rest(table: Table, orders: Mapping[str, Json]) -> None:
    """Slipstreams, the box, the way out: what is not used is left out, what is not to be had is refused."""
    slips = orders.get("slip")
    for entry in slips if isinstance(slips, list | tuple) else [] if slips is None else [slips]:
        wish = entry if isinstance(entry, Mapping) else {}
        slip(table, wish.get("path") or [], bonus=bool(wish.get("bonus")))
        if not table.races:
            return
    boxed = table.turn["phase"] == PIT
    if not boxed and (orders.get("pit") is not None or orders.get("out") is not None):
        raise RuleError("P6", "the car has not come into its box in this turn")
    if boxed:
        in_the_box(table, orders.get("pit"))
        if table.turn["phase"] == OUT or orders.get("out") is not None:
            drive_out(table, orders.get("out"))
