"""Codrivers: drivers that the computer plays, from a novice to an ace.

All decide in the same way, by the expected rest of the stage: value.py computes the worth of a place, search.py
compares plans. They differ in their numbers in codrivers.toml. Each order is computed from the state alone, so a
codriver can also finish a turn that somebody else has begun.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.contract import Decision, Json, State
from engine.dirt import turn as turns
from engine.dirt.codriver.relay import best_relay
from engine.dirt.codriver.search import Choice, Seat, best_plan, one_by_one
from engine.dirt.codriver.value import NAMES, NEVER, Outlook, Value, Wheel, preferences, value_of
from engine.dirt.facts import facts
from engine.dirt.fold import damage_of
from engine.dirt.moves import COAST, read_plan, write_plan
from engine.dirt.plan import Step, lay_out, start
from engine.dirt.rally import wheel_seconds
from engine.dirt.road import Road
from engine.dirt.stage import phase
from engine.dirt.table import leads, on_the_road, road_for

CAUTIOUS = "cautious"
__all__ = ["CAUTIOUS", "NAMES", "orders", "plan_choice", "time_control"]


def orders(state: State, driver: str, codriver: str = CAUTIOUS) -> dict[str, Any]:
    """Return the next orders in any phase of this driver's turn.

    Raises: GameError when there is no such codriver.
    """
    now = phase(state)
    if now == "plan":
        if turns.forced_to_stand(state, driver):
            return {"do": "lay", "plan": ""}
        plan, roll = _shortened(plan_choice(state, driver, codriver), preferences(codriver).most_moves)
        return {"do": "lay", "plan": write_plan([step.move for step in plan]), "roll": roll}
    if now == "rolling":
        return _roll_on(state, driver, codriver)
    if now == "lost":
        return {"do": "sisu" if _should_use_sisu(state, driver, codriver) else "accept"}
    if now == "relay":
        return _lay_again(state, driver, codriver)
    return {"do": "spare", "take": _should_take_spare_wheel(state, driver, codriver)}


def _shortened(choice: Choice, most: int) -> tuple[Sequence[Step], str]:
    """Return the first `most` moves of a plan, and how to roll them; all with 0. It does not end in a loss of control
    if a shorter part of it does not.
    """
    if not most or len(choice.plan) <= most:
        return choice.plan, choice.roll
    laid = choice.plan[:most]
    while len(laid) > 1 and laid[-1].after.loss:
        laid = laid[:-1]
    return laid, turns.ONE_BY_ONE


def plan_choice(state: State, driver: str, codriver: str = CAUTIOUS) -> Choice:
    """Return the plan that a codriver lays at the start of a turn, and how it rolls it. There must be a legal move."""
    road = road_for(state, driver)
    me = state["drivers"][driver]
    at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
    return best_plan(seat_of(state, driver, codriver, road), at)


def time_control(decisions: Sequence[Decision]) -> dict[str, Json]:
    """F3, F4: return a codriver's answers to the decisions between two stages. It uses the spare wheel, which costs
    nothing now and repairs a die for the whole next stage. It takes no penalties: they cost seconds, and a later start
    saves none.
    """
    answers: Mapping[str, Json] = {"spare": True, "penalties": 0}
    return {decision.name: answers[decision.name] for decision in decisions}


# The inputs of a decision -------------------------------------------------------------------------


def value_here(state: State, driver: str, codriver: str, road: Road) -> Value:
    """Return the worth of places for this driver.

    Gear damage is rounded down to an even number, so that a few tables serve all cars. Where the spare wheel may repair
    it, it is not rounded: the worth of the wheel is the difference.
    """
    known, options = facts(), state["options"]
    damage = damage_of(state["drivers"][driver])
    gears, coasts = known.gear_dice - damage["gear"] // 2 * 2, max(0, known.coast_dice - damage["coast"])
    wheel = None
    if _wheel_in_sight(state, driver) and options["spare_repairs"] == "gear":
        gears = known.gear_dice - damage["gear"]
        wheel = Wheel(wheel_seconds(options), gears + 1, coasts)
    elif _wheel_in_sight(state, driver):
        wheel = Wheel(wheel_seconds(options), gears, max(0, known.coast_dice - damage["coast"] + 1))
    alone = sum(on_the_road(state, other) for other in state["drivers"]) == 1
    last = state["stage"]["last"]
    outlook = Outlook(
        cards=(options["loss_seconds"], *(options[f"time_card_{gear}"] for gear in range(1, known.top_gear + 1))),
        sisu_card=options["sisu_seconds"],
        gears=gears,
        coasts=coasts,
        brakes=max(0, known.brake_dice - damage["brake"]),
        coast_warnings=known.warnings["leader" if alone and leads(state, driver) else COAST],
        damage_carried=not last and not state["stage"].get("service", False),
        sisu_carried=not last and options["sisu"] != "stage",
        flying_start=road.flying_start,
        redline=road.redline,
        wheel=wheel,
    )
    return value_of(road.track, road.limits, outlook, codriver)


def _wheel_in_sight(state: State, driver: str) -> bool:
    """E4: return whether the driver has a spare wheel, and damage that it repairs since before the turn. The wheel also
    repairs between stages at no cost (F3), so what it saves there is the same either way.
    """
    me, half = state["drivers"][driver], state["turn"]
    damage = half["damage"] if half else damage_of(me)
    return bool(me["spare"] and damage[state["options"]["spare_repairs"]])


def seat_of(state: State, driver: str, codriver: str, road: Road) -> Seat:
    """Return the seat at the start of a turn, or in the middle of the present turn."""
    me, half = state["drivers"][driver], state["turn"]
    spent = turns.securing_price(0, half["secured"]) if half else 0
    return Seat(
        road=road,
        value=value_here(state, driver, codriver, road),
        tokens=me["tokens"] + spent,
        has_sisu=me["sisu"],
        coast_warnings=facts().warnings["leader" if leads(state, driver) else COAST],
    )


def _laid(state: State, road: Road) -> tuple[Step, ...]:
    """Return the plan of the turn that is half made."""
    half = state["turn"]
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    return lay_out(road, at, read_plan(half["plan"]))


# Rolling ------------------------------------------------------------------------------------------


def _roll_on(state: State, driver: str, codriver: str) -> dict[str, Any]:
    """R1, R3: return the order to roll, secure or stop."""
    half, road = state["turn"], road_for(state, driver)
    plan = _laid(state, road)
    seat = seat_of(state, driver, codriver, road)
    if half["sisu"]:
        return {"do": "stop" if half["made"] and best_end(seat, plan, half["made"]) == half["made"] else "roll"}
    drive = one_by_one(seat, plan, made=half["made"], warnings=half["warnings"], secured=half["secured"])
    return {"do": drive.do}


def best_end(seat: Seat, plan: Sequence[Step], made: int) -> int:
    """Return after how many moves it is best to stop when warnings do no harm (R7)."""
    tokens = seat.tokens

    def ends(number: int) -> float:
        after = plan[number - 1].after
        return NEVER if after.loss and number > made else seat.rest(after, tokens, has_sisu=False)

    return min(range(made, len(plan) + 1), key=ends)


def _should_use_sisu(state: State, driver: str, codriver: str) -> bool:
    """R7: return whether it is better to use the SISU token now than to keep it."""
    half, road = state["turn"], road_for(state, driver)
    plan = _laid(state, road)
    seat = seat_of(state, driver, codriver, road)
    tokens = state["drivers"][driver]["tokens"]
    if half["roll"] == turns.FLAT_OUT:
        end, here = len(plan), plan[0].after
    else:
        end, here = best_end(seat, plan, half["made"]), plan[half["made"] - 1].after
    if plan[end - 1].after.loss:
        return False
    kept = seat.rest if half["rule"] == "D7" else seat.lost
    return seat.rest(plan[end - 1].after, tokens, has_sisu=False) < kept(here, tokens, has_sisu=True)


# Flat out and lost --------------------------------------------------------------------------------


def _lay_again(state: State, driver: str, codriver: str) -> dict[str, Any]:
    """R6, R7: return the order to use SISU when it saves the turn and is better, else the re-lay that costs least."""
    half, road = state["turn"], road_for(state, driver)
    plan, seat = _laid(state, road), seat_of(state, driver, codriver, road)
    tokens = state["drivers"][driver]["tokens"]
    again = best_relay(seat, plan, half)
    saved = NEVER
    if seat.has_sisu and turns.early_end(plan, half["faces"], sisu=True)[1] is None:
        saved = seat.rest(plan[-1].after, tokens, has_sisu=False)
    if saved < seat.lost(again[-1].after, tokens, has_sisu=seat.has_sisu):
        return {"do": "sisu"}
    return {"do": "relay", "plan": write_plan([step.move for step in again])}


# The spare wheel ----------------------------------------------------------------------------------


def _should_take_spare_wheel(state: State, driver: str, codriver: str) -> bool:
    """E4: return whether the spare wheel's card, with one marker less and gear 0, is better than the time card."""
    road, me = road_for(state, driver), state["drivers"][driver]
    value = value_here(state, driver, codriver, road)
    space = road.track.index[me["space"]]
    kept = value.cards[me["gear"]] * value.start(space, me["gear"], has_sisu=me["sisu"])
    return bool(value.with_wheel(space, has_sisu=me["sisu"]) < kept)
