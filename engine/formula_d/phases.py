"""Play a turn phase by phase; for scenarios and old records also whole. `game` and `scenario` call this module.

A phase with nothing to decide is played automatically: a stall, M7, a box without a choice, a single way out.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract import Json, RuleError
from engine.formula_d import pits, qualifying, start, turn
from engine.formula_d.ending import end_of_turn, go_on
from engine.formula_d.movement.moving import search_for
from engine.formula_d.movement.path_price import MOVE, OUT, ends
from engine.formula_d.movement.slipstream import possible
from engine.formula_d.race import GARAGE, QUALIFYING, RACE, Race, next_to_play
from engine.formula_d.setup import prepared
from engine.formula_d.table import Table

PASS, RESIGN = "pass", "resign"

_DUE = {
    "garage": "first make the decisions in the garage",
    "gear": "first choose the gear",
    "move": "first choose the movement",
    "slip": "first follow in the slipstream, or pass",
    "pit": "first make the decisions in the box",
    "out": "first choose the way out of the box",
}


def phase_of(race: Race) -> str:
    """Return the step of the turn that is due."""
    if race["stage"] == GARAGE:
        return GARAGE
    return str(race["turn"]["phase"]) if race["turn"] else turn.GEAR


def whole_turn(table: Table, orders: Mapping[str, Json]) -> None:
    """Play a whole turn at once, for scenarios and old records only.

    Raises: RuleError for the first illegal order, also when dice have been rolled.
    """
    if table.race["stage"] == QUALIFYING:
        qualifying.play_whole_turn(table, orders)
        _next_lap(table)
    else:
        turn.play_whole_turn(table, orders)


def was_checked_late(table: Table, orders: Mapping[str, Json]) -> bool:
    """Return whether orders have a form that is taken from records only: a whole turn, which has no phase, or a gear
    that cannot be chosen, for a car whose turn begins with the start die.
    """
    if table.race["stage"] == GARAGE or next_to_play(table.race) != table.seat:
        return False
    if orders.get("do") is None:
        return True
    if table.race["stage"] != RACE or phase_of(table.race) != turn.GEAR or orders.get("do") != turn.GEAR:
        return False
    try:
        turn.check_gear(table, orders)
    except RuleError:
        return turn.start_die_is_due(table)
    return False


def step(table: Table, do: Json, orders: Mapping[str, Json], *, recorded: bool = False) -> None:
    """Play one phase of a turn, and the automatic phases after it.

    `recorded`: the orders are those of a record. Earlier versions rolled the start die before they checked the gear,
    so a car that stalled could have any gear ordered.

    Raises: RuleError when the orders are illegal, or belong to another phase, always before the first draw unless they
    are recorded.
    """
    turn.check_turn(table)
    due = phase_of(table.race)
    if do != due and (do, due) != (PASS, turn.SLIP):
        raise RuleError("A1", _DUE[due])
    if table.race["stage"] == QUALIFYING:
        _step_of_qualifying(table, due, orders)
        return
    if due == turn.GEAR and not recorded:
        turn.check_gear(table, orders)
    _STEPS[due](table, orders)
    _pass_over(table)


def _step_of_qualifying(table: Table, due: str, orders: Mapping[str, Json]) -> None:
    if due == turn.GEAR:
        qualifying.choose_gear(table, orders)
        qualifying.end_lap_if_stuck(table)
    else:
        qualifying.move(table, orders)
    _next_lap(table)


def _next_lap(table: Table) -> None:
    """Let the next car begin when a lap of qualifying is over; after the last car, go on to the race (Q1)."""
    if not qualifying.next_car(table):
        start.before_the_race(table)


def _gear(table: Table, orders: Mapping[str, Json]) -> None:
    turn.choose_gear(table, orders, whole=False)


def _move(table: Table, orders: Mapping[str, Json]) -> None:
    turn.move(table, orders)


def _slip(table: Table, orders: Mapping[str, Json]) -> None:
    if orders.get("do") == PASS:
        table.phase(turn.DONE)
    else:
        turn.slip(table, orders.get("path") or [], bonus=bool(orders.get("bonus")))


def _pit(table: Table, orders: Mapping[str, Json]) -> None:
    turn.in_the_box(table, orders)


def _out(table: Table, orders: Mapping[str, Json]) -> None:
    turn.drive_out(table, orders.get("path"))


_STEPS = {turn.GEAR: _gear, turn.MOVING: _move, turn.SLIP: _slip, turn.PIT: _pit, turn.OUT: _out}


def _pass_over(table: Table) -> None:
    """Play the phases in which the driver has nothing to decide."""
    while table.race["turn"]:
        due = phase_of(table.race)
        if due == turn.MOVING:
            if not turn.put_out_if_stuck(table, search_for(table, MOVE)):
                return
            end_of_turn(table)
        elif due == turn.SLIP:
            if possible(table):
                return
            table.phase(turn.DONE)
        elif due == turn.PIT:
            if len(pits.choices(table)) > 1:
                return
            turn.in_the_box(table, {})
        elif due == turn.OUT:
            ways = ends(search_for(table, OUT))
            if len(ways) > 1 or ways[0][0].driven:
                return
            turn.drive_out(table, [])
        else:
            end_of_turn(table)


def prepare(table: Table, orders: Mapping[str, Json]) -> None:
    """Carry out the decisions of a driver in the garage (T1, Y5).

    Raises: RuleError when this car has nothing to decide, or the orders are illegal.
    """
    if table.race["stage"] != GARAGE or table.seat not in table.race["left"]:
        raise RuleError("O1", "there is nothing to decide in the garage")
    table.add_event("prepared", **prepared(table.race, table.seat, orders))
    start.out_of_the_garage(table)


def resign(table: Table) -> None:
    """Take a car off the track and out of the race for good, in or out of turn.

    Raises: RuleError when the car no longer races.
    """
    race = table.race
    if not table.is_racing or race["stage"] not in (GARAGE, QUALIFYING, RACE):
        raise RuleError("R2", "the car races no more")
    due = next_to_play(race) == table.seat
    if due and race["turn"] and race["turn"]["strain"] and race["stage"] == RACE:
        table.out("R2", "resigned", stays=False)
        end_of_turn(table)
        return
    table.out("R2", "resigned", stays=False)
    if due:
        table.add_event("done", points=0)
    _continue_without_car(table)


def _continue_without_car(table: Table) -> None:
    """Continue after a car has resigned."""
    stage = table.race["stage"]
    if stage == GARAGE:
        table.add_event("left")
        start.out_of_the_garage(table)
    elif stage == QUALIFYING:
        _next_lap(table)
    else:
        go_on(table)
