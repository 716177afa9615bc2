"""A turn, from the plan to the last roll (D9, R1 to R7). ending.py has the end of the turn (E1 to E7, F1).

A turn goes through phases. In "plan" the driver lays dice. In "rolling" the dice are rolled one by one. In "lost" a
SISU token may still save the turn. In "relay" dice that were rolled flat out are laid again. In "spare" the spare wheel
may be taken. Each order leads to the next step. Each raises RuleError for orders that break its rule, before it draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, permutations
from typing import Any

from engine.contract import RuleError, State
from engine.dirt.ending import end_of_move, end_turn, lose_control, time_card
from engine.dirt.facts import facts
from engine.dirt.fold import damage_of
from engine.dirt.moves import COAST, GEAR, Die, Fault, read_plan, write_plan
from engine.dirt.plan import Step, lay_out, start, why_stuck
from engine.dirt.rally import waiting_seconds
from engine.dirt.road import Road
from engine.dirt.table import Table, leads, road_for

ONE_BY_ONE, FLAT_OUT = "one by one", "flat out"
READY, AT_ONCE = "ready", "at once"
"""How a SISU token is ordered before a roll. AT_ONCE, which plays it, is for scenarios and old records only."""
WAITS = Fault("E6", "another car stands where this one must be put back: it waits a turn")


class MissingDie(RuleError):
    """R6: a re-lay uses a die that was not rolled."""


# Before the first move ----------------------------------------------------------------------------


def forced_to_stand(state: State, driver: str) -> Fault | None:
    """E6, M9, M10: return why a driver's plan must stay empty this turn, or None when there is a move to make."""
    me = state["drivers"][driver]
    road = road_for(state, driver)
    if _cannot_be_put_back(road, me):
        return WAITS
    return why_stuck(road, start(road, road.track.index[me["space"]], me["gear"], damage_of(me)))


def _cannot_be_put_back(road: Road, me: Mapping[str, Any]) -> bool:
    """E6: return whether the car is beside the track and cannot be put back."""
    space = road.track.index[me["space"]]
    return not me["on_track"] and bool(({space} | road.track.across[space]) & road.cars.keys())


def stand(table: Table) -> None:
    """Play a turn with an empty plan. E6 and M10 cost the seconds of a loss of control, or E6 a card by option, and end
    in gear 0. M9 costs the time card.

    Raises: RuleError when there is a move to make (D9).
    """
    fault = forced_to_stand(table.state, table.driver)
    if fault is None:
        raise RuleError("D9", "a driver who can move moves at least one space")
    gear = table.me["gear"] if fault.rule == "M9" else 0
    stuck = fault.rule == "M10" and table.me["gear"] == 0
    table.add_event("wait", rule=fault.rule, gear=gear, on_track=fault is not WAITS)
    if fault is WAITS:
        table.add_event("card", gear=0, side="front", back=None, seconds=waiting_seconds(table.options))
    else:
        time_card(table)
    if stuck:
        table.add_event("retire", rule="M10")
    end_turn(table)


def lay(table: Table, text: str, roll: str, *, sisu: str = "", roll_first: bool = False) -> None:
    """Lay the plan and the way to roll it. Flat out, the dice are rolled at once. `sisu`: READY, AT_ONCE or "".
    `roll_first`: one by one, the first move is rolled at once too (R1).

    Raises: RuleError with the number of the move when the plan is illegal. When no move at all is legal, the error of a
    move names the rule that this move breaks.
    """
    moves = read_plan(text)
    if not moves:
        return stand(table)
    if roll not in (ONE_BY_ONE, FLAT_OUT):
        raise RuleError("R1", "dice are rolled one by one or flat out")
    road = table.road()
    if _cannot_be_put_back(road, table.me):
        raise RuleError(WAITS.rule, WAITS.message)
    at = start(road, road.track.index[table.me["space"]], table.me["gear"], table.damage())
    lay_out(road, at, moves)
    table.add_event("turn", plan=write_plan(moves), roll=roll)
    if sisu:
        use_sisu(table) if sisu == AT_ONCE else hold_sisu_ready(table)
    if roll == FLAT_OUT:
        roll_flat_out(table)
    elif roll_first:
        roll_next(table)
    return None


def laid(table: Table) -> tuple[Step, ...]:
    """Return the steps of the plan of this turn."""
    road = table.road()
    return lay_out(road, table.at_start(road), read_plan(table.turn["plan"]))


def dice_of(die: Die, *, leads: bool) -> list[str]:
    """Return the dice of one move: a gear die and its brakes, a coast die (a leader die for the driver who opens the
    round, D6), or a brake (D8).
    """
    if die.kind == GEAR:
        return [str(die.gear)] + ["brake"] * die.brakes
    return ["leader" if leads else "coast"] if die.kind == COAST else ["brake"]


# Rolling ------------------------------------------------------------------------------------------


def rule_that_ends_turn(step: Step, shown: int, total: int, *, sisu: bool) -> str | None:
    """Return the rule by which a move ends the turn: M1, M3 or R2 with a loss of control, D7 without. Return None when
    the car drives on.

    `shown` counts the warnings on this move's dice, `total` those of the turn up to and including this move. With SISU
    neither counts (R7).
    """
    if step.after.loss:
        return step.after.loss
    if sisu:
        return None
    if step.flying and shown:
        return "D7"
    if step.risky and shown:
        return "M3"
    return "R2" if total >= facts().warning_limit else None


def roll_next(table: Table) -> None:
    """R1: roll the next move's dice. The car makes the move in any case."""
    steps = laid(table)
    made = table.turn["made"]
    *before, dice = _dice(table, steps[: made + 1])
    faces = table.roll(made + 1, dice, list(chain.from_iterable(before)))
    table.add_event("roll", move=made + 1, dice=dice, faces=faces)
    _arrive(table, steps[made])


def secure_next(table: Table) -> None:
    """R3: pay for the next move's dice instead of rolling them. The n-th die secured this turn costs n seconds."""
    step = laid(table)[table.turn["made"]]
    (dice,) = _dice(table, [step])
    price = securing_price(table.turn["secured"], len(dice))
    if price > table.me["tokens"]:
        raise RuleError(
            "R3",
            "securing that move costs %(price)d s, there are %(tokens)d second tokens",
            price=price,
            tokens=table.me["tokens"],
        )
    table.add_event("secure", move=table.turn["made"] + 1, dice=dice, seconds=price)
    _arrive(table, step)


def securing_price(secured: int, dice: int) -> int:
    """R3: return the price in seconds of securing `dice` more dice when `secured` dice have been secured this turn."""
    return sum(range(secured + 1, secured + dice + 1))


def stop(table: Table) -> None:
    """R1: end the move without more rolls.

    Raises: RuleError before the first move (D9).
    """
    if table.turn["made"] == 0:
        raise RuleError("D9", "a driver who can move moves at least one space")
    end_of_move(table)


def _dice(table: Table, steps: Sequence[Step]) -> list[list[str]]:
    """Return the dice of each step as this driver rolls them."""
    leading = leads(table.state, table.driver)
    return [dice_of(step.move.die, leads=leading) for step in steps]


def _arrive(table: Table, step: Step) -> None:
    """Make one move that was rolled one by one, and end the turn when this move ends it."""
    shown = sum(table.turn["faces"][-1])
    drive(table, [step])
    rule = rule_that_ends_turn(step, shown, table.turn["warnings"], sisu=table.turn["sisu"])
    if rule is None:
        if _is_made(table):
            end_of_move(table)
    elif rule != step.after.loss and table.me["sisu"]:
        table.add_event("phase", phase="lost", rule=rule)
        if _is_sisu_ready(table):
            use_sisu(table)
    else:
        if _is_sisu_ready(table):
            table.add_event("sisu stays")
        end_by_rule(table, rule)


def _is_made(table: Table) -> bool:
    """Return whether all moves of the plan are made. The finish is always the last of them (F1)."""
    return bool(table.turn["made"] == len(table.turn["plan"].split()))


def drive(table: Table, steps: Sequence[Step]) -> None:
    """Move the car along these steps. Draw a token on each shortcut space (M5)."""
    for step in steps:
        space = table.track.spaces[step.after.space]
        table.add_event("move", space=space.name, gear=step.after.gear, plan=str(step.move))
        if space.kind == "shortcut":
            table.draw_token(1, space.tile)


# The SISU token -----------------------------------------------------------------------------------


def hold_sisu_ready(table: Table) -> None:
    """R7: hold the SISU token ready before a roll. It is used when a warning would end the turn and the token keeps
    control. Otherwise it stays with the driver.
    """
    _check_sisu(table)
    if _is_sisu_ready(table):
        raise RuleError("R7", "the SISU token is ready already")
    table.add_event("sisu ready")


def _check_sisu(table: Table) -> None:
    if not table.me["sisu"]:
        raise RuleError("R7", "there is no SISU token left")


def _is_sisu_ready(table: Table) -> bool:
    return bool(table.me["sisu"] and table.turn.get("ready"))


def use_sisu(table: Table) -> None:
    """R7: use the SISU token. All warnings of this turn become harmless, also those that have been rolled."""
    _check_sisu(table)
    flat_out = table.turn["phase"] in ("relay", "lost") and table.turn["roll"] == FLAT_OUT
    waiting = table.turn["phase"] == "lost"
    table.add_event("sisu")
    if flat_out:
        settle_flat_out(table)
    elif waiting and _is_made(table):
        end_of_move(table)


def end_by_rule(table: Table, rule: str) -> None:
    """End the turn by a rule that a roll has met. D7 ends it in gear 2 where the car is. All others lose control."""
    if rule == "D7":
        end_of_move(table)
    else:
        lose_control(table, rule)


def accept(table: Table) -> None:
    """Keep the SISU token and accept the roll. One by one, the car is already on its last space. Flat out, only a
    failed flying start comes to this phase (D7), and the car has yet to make its one move.
    """
    rule = table.turn["rule"]
    if table.turn["roll"] == FLAT_OUT:
        drive(table, laid(table)[:1])
    end_by_rule(table, rule)


# Flat out -----------------------------------------------------------------------------------------


def roll_flat_out(table: Table) -> None:
    """R4: roll all dice at once. Each die that is not a brake earns a second token."""
    dice = _dice(table, laid(table))
    faces = [
        table.roll(move, dice[move - 1], list(chain.from_iterable(dice[: move - 1])))
        for move in range(1, len(dice) + 1)
    ]
    earned = sum(die != "brake" for together in dice for die in together)
    table.add_event("roll all", dice=dice, faces=faces, seconds=earned)
    settle_flat_out(table)


def early_end(steps: Sequence[Step], faces: Sequence[Sequence[bool]], *, sisu: bool) -> tuple[int, str | None]:
    """Return how many moves of a plan are made, and the rule that ends it early (None: it is driven whole)."""
    total = 0
    for number, (step, shown) in enumerate(zip(steps, faces, strict=True), 1):
        total += sum(shown)
        if rule := rule_that_ends_turn(step, sum(shown), total, sisu=sisu):
            return number, rule
    return len(steps), None


def settle_flat_out(table: Table) -> None:
    """R5: drive the plan when control is kept, else use a SISU token that is ready and keeps it (R7), else begin the
    re-lay (R6). A failed flying start ends after one space (D7).
    """
    steps = laid(table)
    _, rule = early_end(steps, table.turn["faces"], sisu=table.turn["sisu"])
    if rule is None:
        drive(table, steps)
        end_of_move(table)
    elif rule == "D7" and not table.me["sisu"]:
        drive(table, steps[:1])
        end_of_move(table)
    else:
        table.add_event("phase", phase="lost" if rule == "D7" else "relay", rule=rule)
        if _is_sisu_ready(table):
            saves = early_end(steps, table.turn["faces"], sisu=True)[1] is None
            use_sisu(table) if saves else table.add_event("sisu stays")


def relay(table: Table, text: str) -> None:
    """R6: lay the same dice again, with the faces that they show. The last move and no earlier one loses control."""
    moves = read_plan(text)
    if not moves:
        raise RuleError("R6", "lay at least one of the dice again")
    road = table.road()
    steps = lay_out(road, table.at_start(road), moves)
    before = laid(table)
    if steps[0].flying != before[0].flying:
        raise RuleError("D7", "a flying start is neither made nor dropped when the dice are laid again", move=1)
    faces = relaid_faces(before, table.turn["faces"], steps, sisu=table.turn["sisu"])
    rule = early_end(steps, faces, sisu=table.turn["sisu"])[1]
    assert rule is not None
    table.add_event("relay", plan=write_plan(moves), faces=faces)
    drive(table, steps)
    lose_control(table, rule)


def relaid_faces(
    before: Sequence[Step], faces: Sequence[Sequence[bool]], steps: Sequence[Step], *, sisu: bool
) -> list[list[bool]]:
    """R6: return the faces of the dice of a re-lay, move by move. Equal dice may change places: the result is the first
    deal that loses control on the last move and on no earlier one.

    Raises: MissingDie when the re-lay uses a die that was not rolled.
    Raises: RuleError when no deal loses control so.
    """
    shown: dict[str, list[bool]] = {}
    for step, rolled in zip(before, faces, strict=True):
        for die, face in zip(dice_of(step.move.die, leads=False), rolled, strict=True):
            shown.setdefault(die, []).append(face)
    places = [dice_of(step.move.die, leads=False) for step in steps]
    wanted = [die for together in places for die in together]
    for die in wanted:
        if wanted.count(die) > len(shown.get(die, ())):
            raise MissingDie(
                "R6", "you must lay the same dice again: there is no other %(die)s die among them", die=die
            )
    equal = [die for die in ("coast", "brake") if die in wanted]
    for deal in _deals(shown, wanted, equal):
        dealt = [[next(deal[die]) for die in together] for together in places]
        made, rule = early_end(steps, dealt, sisu=sisu)
        if made == len(steps) and rule is not None:
            return dealt
    raise RuleError("R6", "control must be lost on the last move laid and on no earlier one")


def _deals(
    shown: Mapping[str, list[bool]], wanted: Sequence[str], equal: Sequence[str]
) -> Iterator[dict[str, Iterator[bool]]]:
    """Yield all ways to deal the rolled faces to the dice that are laid again: the faces in order, by die. Only dice of
    the same kind (`equal`) can change places.
    """
    if not equal:
        yield {die: iter(shown[die]) for die in set(wanted)}
        return
    die, *others = equal
    for order in sorted(set(permutations(shown[die], wanted.count(die)))):
        for deal in _deals(shown, wanted, others):
            yield {**deal, die: iter(order)}
