"""Standing orders: a turn, or what is left of it, rolled as its driver said beforehand; and plans laid before the turn.

Orders are JSON-plain: the `plan`, and how it is rolled in the words of manner.Manner. odds.py weighs a plan by the same
words, so that what it promises is what is driven here.
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
"""The order that drives on under standing orders, in any phase of a turn."""
_NOT_MANNER = ("do", "plan")


def play(state: State, driver: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
    """Drive on until the turn ends or the driver must decide. What is drawn is what the same orders given one by one
    would draw.

    Raises: RuleError, always before the first draw: a refusal tells nothing of the dice.
    """
    plan, manner = _read(orders)
    if manner.secure:
        odds(state, driver, plan, orders=_manner_words(orders))  # R3: no way the dice may fall asks too much
    made, told = state["drivers"].get(driver, {}).get("turns"), list[Event]()
    while order := next_order(state, driver, orders):
        state, events = stage.play(state, driver, order, chance)
        told += events
        if state["drivers"][driver]["turns"] != made:
            break
    if not told:
        raise RuleError("R6", "these standing orders do not say where control is to be lost: lay the dice again")
    return state, tuple(told)


def next_order(state: State, driver: str, orders: Orders) -> dict[str, Json] | None:
    """The next order of a turn under standing orders; None where the driver must decide: after a loss of control flat
    out, unless they say `as_laid`.

    Raises: RuleError when it is another's turn or what cannot be ordered so.
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
        return {"do": _about_next(state, driver, laid, manner)}
    if half["roll"] == turns.ONE_BY_ONE:
        return {"do": "sisu" if manner.saves(laid[half["made"] - 1].after.gear) else "accept"}
    return _lost_flat_out(state, driver, laid, manner)


def _about_next(state: State, driver: str, laid: tuple[Step, ...], manner: Manner) -> str:
    """R1, R3: roll, secure or stop."""
    half, me = state["turn"], state["drivers"][driver]
    dice = turns.dice_of(laid[half["made"]].move.die, leads=leads(state, driver))
    price = turns.securing_price(half["secured"], len(dice))
    return manner.before(half["made"] + 1, half["warnings"], price, me["tokens"], calm=half["sisu"])


def _lost_flat_out(state: State, driver: str, laid: tuple[Step, ...], manner: Manner) -> dict[str, Json] | None:
    """R5 to R7: SISU where it saves the turn, else the loss as it was laid, if that is said."""
    half = state["turn"]
    made, rule = turns.first_trouble(laid, half["faces"], sisu=half["sisu"])
    after = laid[made - 1].after
    sound = rule != after.loss and laid[-1].after.loss is None
    if sound and state["drivers"][driver]["sisu"] and manner.saves(after.gear):
        return {"do": "sisu"}
    if half["phase"] == "lost":
        return {"do": "accept"}
    return {"do": "relay", "plan": " ".join(half["plan"].split()[:made])} if manner.as_laid else None


def _read(orders: Orders) -> tuple[str, Manner]:
    """The plan and the manner.

    Raises: RuleError for words and values that are none.
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
    """The stage as if it were this driver's turn now, every car where it stands. Who opens the next round is who would
    if it began now.

    Raises: RuleError for who is to play already, or drives no more.
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
    """What a plan and its standing orders meet in a state in which this driver is to play: the car; for each move where
    it ends, in which gear, on which dice, by which rule control is lost there for certain, which cars are beside it.

    Raises: RuleError for what cannot be laid or rolled so, and for orders that leave the driver something to decide.
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
    """The drivers whose cars stand beside the space on which a move ends, in starting order."""
    there = {road.track.spaces[space].name for space in road.track.beside[step.after.space].intersection(road.cars)}
    return [name for name in state["starters"] if state["drivers"][name]["space"] in there]


def changed(kept: Mapping[str, Any], now: Mapping[str, Any]) -> RuleError | None:
    """Why a plan should not be driven as it was meant to be, given its outlook then and now; None when nothing that
    matters has changed. What has become easier does not count.
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
