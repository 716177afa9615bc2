"""Standing orders, which play a turn or the rest of it as the driver ordered before, and plans sent before the turn.

Orders are plain JSON: the `plan`, and how to roll it in the fields of roll_policy.Manner. odds.py uses the same fields,
so its odds are those of the turn that is played here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.chance import Chance
from engine.contract import Event, GameError, Json, Orders, RuleError, State
from engine.dirt import stage
from engine.dirt import turn as turns
from engine.dirt.facts import facts
from engine.dirt.fold import copied, damage_of
from engine.dirt.moves import read_plan
from engine.dirt.odds import odds
from engine.dirt.plan import Step, lay_out, start
from engine.dirt.road import Road
from engine.dirt.roll_policy import Manner, manner_of
from engine.dirt.table import leads, on_the_road, road_for

STANDING = "standing"
"""The order word of standing orders. They may be sent in any phase of a turn."""
_NOT_MANNER = ("do", "plan")


def play(
    state: State, driver: str, orders: Orders, chance: Chance, *, sisu_at_once: bool = False
) -> tuple[State, tuple[Event, ...]]:
    """Play until the turn ends or the driver must decide. The draws are the same as with single orders. `sisu_at_once`:
    as in an old record, in which `sisu` plays the token before the dice.

    Raises: RuleError when the orders are illegal, always before the first draw, so that a refusal reveals no dice.
    """
    plan, manner = _read(orders)
    if manner.secure and not sisu_at_once:
        odds(state, driver, plan, orders=_manner_words(orders))  # R3: raises if it may get too expensive
    made, all_events = state["drivers"].get(driver, {}).get("turns"), list[Event]()
    play_order = stage.play_sisu_at_once if sisu_at_once else stage.play
    while order := next_order(state, driver, orders):
        state, events = play_order(state, driver, order, chance)
        all_events += events
        if state["drivers"][driver]["turns"] != made:
            break
    if not all_events:
        raise RuleError("R6", "these standing orders do not say where control is to be lost: lay the dice again")
    return state, tuple(all_events)


def next_order(state: State, driver: str, orders: Orders) -> dict[str, Json] | None:
    """Return the next single order of a turn under standing orders, or None when the driver must decide: after a loss
    of control flat out without `as_laid`.

    Raises: RuleError when it is another driver's turn, or the orders are illegal.
    """
    if stage.to_play(state) != (driver,):
        raise RuleError("O1", "it is another driver's turn")
    plan, manner = _read(orders)
    half = state["turn"]
    if half is None:
        if plan.split():
            manner.check(len(plan.split()))
        return {"do": "lay", "plan": plan, "roll": manner.roll, "sisu": manner.sisu}
    now = half["phase"]
    if now == "spare":
        return {"do": "spare", "take": manner.spare}
    road = road_for(state, driver)
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    laid = lay_out(road, at, read_plan(half["plan"]))
    if now == "rolling":
        return {"do": _roll_secure_or_stop(state, driver, laid, manner)}
    if half["roll"] == turns.ONE_BY_ONE:
        return {"do": "sisu" if manner.saves(laid[half["made"] - 1].after.gear) else "accept"}
    return _lost_flat_out(state, driver, laid, manner)


def _roll_secure_or_stop(state: State, driver: str, laid: tuple[Step, ...], manner: Manner) -> str:
    """R1, R3: return whether to roll, secure or stop."""
    half, me = state["turn"], state["drivers"][driver]
    dice = turns.dice_of(laid[half["made"]].move.die, leads=leads(state, driver))
    price = turns.securing_price(half["secured"], len(dice))
    return manner.before(half["made"] + 1, half["warnings"], price, me["tokens"], sisu_in_use=half["sisu"])


def _lost_flat_out(state: State, driver: str, laid: tuple[Step, ...], manner: Manner) -> dict[str, Json] | None:
    """R5 to R7: return the order after a loss of control flat out: SISU when it saves the turn, else the plan as it was
    laid, up to the loss, if `as_laid` says so.
    """
    half = state["turn"]
    made, rule = turns.early_end(laid, half["faces"], sisu=half["sisu"])
    after = laid[made - 1].after
    sound = rule != after.loss and laid[-1].after.loss is None
    if sound and state["drivers"][driver]["sisu"] and manner.saves(after.gear):
        return {"do": "sisu"}
    if half["phase"] == "lost":
        return {"do": "accept"}
    return {"do": "relay", "plan": " ".join(half["plan"].split()[:made])} if manner.as_laid else None


def _read(orders: Orders) -> tuple[str, Manner]:
    """Return the plan and the manner of standing orders.

    Raises: RuleError when a field or a value is not valid.
    """
    plan = orders.get("plan", "")
    if not isinstance(plan, str):
        raise RuleError("D3", "a plan is written in words")
    try:
        return plan, manner_of(_manner_words(orders))
    except RuleError:
        raise
    except GameError as error:
        raise RuleError("R1", error.template, **error.values) from None


def _manner_words(orders: Orders) -> dict[str, Json]:
    return {word: value for word, value in orders.items() if word not in _NOT_MANNER}


# Plans laid before the turn -----------------------------------------------------------------------


def ahead(state: State, driver: str) -> State:
    """Return the state as if it were this driver's turn now, with every car where it is. If the turn is in the next
    round, its leader is the driver who would open it if it began now.

    Raises: RuleError when it is this driver's turn already, or the car drives no more.
    """
    if driver not in state["drivers"] or not on_the_road(state, driver):
        raise RuleError("O1", "this car drives no more on this stage")
    if stage.to_play(state) == (driver,):
        raise RuleError("O1", "it is this driver's turn already")
    new = copied(state, driver)
    new["turn"] = None
    if driver not in state["queue"] and state["options"]["leader_dice"]:
        new["leader"] = (stage.road_order(state) or [driver])[0]
    new["queue"] = [driver, *(other for other in state["queue"] if other != driver)]
    return new


def outlook(state: State, driver: str, orders: Orders) -> dict[str, Json]:
    """Return the outlook of a plan and its standing orders in a state in which this driver is to play: the car; and for
    each move the space where it ends, the gear, the dice, the rule by which control is lost there for certain, and the
    drivers beside it.

    Raises: RuleError when the plan or the orders are illegal, or leave the driver something to decide.
    """
    plan, manner = _read(orders)
    if not plan.split():
        raise RuleError("D9", "there is no plan to send ahead")
    if manner.roll == turns.FLAT_OUT and not manner.as_laid:
        raise RuleError("R6", "say beforehand that after a loss flat out the dice stay as they are laid")
    fault = turns.forced_to_stand(state, driver)
    if fault is not None:
        raise RuleError(fault.rule, fault.message)
    odds(state, driver, plan, orders=_manner_words(orders))
    me, road = state["drivers"][driver], road_for(state, driver)
    damage = damage_of(me)
    laid = lay_out(road, start(road, road.track.index[me["space"]], me["gear"], damage), read_plan(plan))
    leading = leads(state, driver)
    return {
        "car": {**{word: me[word] for word in ("space", "gear", "on_track", "tokens", "sisu", "spare")}, **damage},
        "moves": [
            {
                "to": road.track.spaces[step.after.space].name,
                "gear": step.after.gear,
                "dice": turns.dice_of(step.move.die, leads=leading),
                "loses": step.after.loss,
                "beside": _beside(state, road, step),
            }
            for step in laid
        ],
    }


def _beside(state: State, road: Road, step: Step) -> list[str]:
    """Return the drivers whose cars are beside the space on which a move ends, in starting order."""
    there = {road.track.spaces[space].name for space in road.track.beside[step.after.space].intersection(road.cars)}
    return [name for name in state["starters"] if state["drivers"][name]["space"] in there]


def changed(kept: Mapping[str, Any], now: Mapping[str, Any]) -> RuleError | None:
    """Return why a plan should not be driven any more, given its outlook when it was sent and now. Return None when
    nothing that matters has changed. Changes for the better do not count.
    """
    if kept["car"] != now["car"]:
        return RuleError("O1", "the car is not as it was when the plan was laid")
    warnings = facts().warnings
    for number, (was, is_now) in enumerate(zip(kept["moves"], now["moves"], strict=True), 1):
        if is_now["loses"] and not was["loses"]:
            return RuleError(is_now["loses"], "control would be lost there for certain now", move=number)
        if any(warnings[die] > warnings[before] for before, die in zip(was["dice"], is_now["dice"], strict=True)):
            return RuleError("D6", "the car opens the road now: leader dice in place of coast dice", move=number)
        if strangers := [name for name in is_now["beside"] if name not in was["beside"]]:
            return RuleError("M7", "car %(car)s stands beside that space now", move=number, car=strangers[0])
    return None
