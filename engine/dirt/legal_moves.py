"""The legal moves of the driver who is to play, with their dice and dangers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Json, RuleError, State
from engine.dirt import turn as turns
from engine.dirt.facts import facts
from engine.dirt.fold import damage_of
from engine.dirt.moves import read_plan
from engine.dirt.plan import CarInPlan, Step, lay_out, next_step, start, steps
from engine.dirt.rally import wheel_seconds
from engine.dirt.road import Road
from engine.dirt.stage import order_words, phase, to_play
from engine.dirt.table import leads, road_for


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal move behind a half-made plan, and its effects.

    `text` is the move as written in a plan. `to` is the space on which the car ends. `rolls` lists the dice of the
    move, each with the number of its warning faces. `loses` is the rule by which control is lost there for certain.
    `notes` are words like "jump" or "water".
    """

    text: str
    to: str
    gear: int
    rolls: tuple[tuple[str, int], ...]
    loses: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What a driver may do now. `phase` names the step. `orders` lists the words that `play` takes in this step.
    "sisu" is not listed where control is lost in spite of the token: R7 permits it there, but it helps nothing.

    `moves` are the moves that may be laid behind the draft. When the plan must stay empty, `forced` names the rule and
    `why` the reason.
    """

    phase: str
    orders: tuple[str, ...]
    moves: tuple[Choice, ...] = ()
    forced: str | None = None
    why: str = ""
    facts: Mapping[str, Json] = field(default_factory=dict)


def choices(state: State, driver: str, draft: str = "") -> Choices:
    """Return the legal moves behind a draft plan, or the orders that the present phase of a half-made turn takes.

    Raises: RuleError when it is another driver's turn, or the draft is illegal.
    """
    if to_play(state) != (driver,):
        raise RuleError("O1", "it is another driver's turn")
    now = phase(state)
    if now in ("plan", "relay"):
        return _moves_to_lay(state, driver, draft, now)
    return Choices(phase=now, orders=_useful_orders(state, driver), facts=_half_made(state, driver))


def _useful_orders(state: State, driver: str) -> tuple[str, ...]:
    """Return the orders of the present phase, without a SISU token that would not keep control."""
    words, half = order_words(state), state["turn"]
    if "sisu" not in words or half["roll"] != turns.FLAT_OUT:
        return words  # one by one, only warnings lead to the choice whether to use it
    road = road_for(state, driver)
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    laid = lay_out(road, at, read_plan(half["plan"]))
    kept = turns.early_end(laid, half["faces"], sisu=True)[1] is None
    return words if kept else tuple(word for word in words if word != "sisu")


def _moves_to_lay(state: State, driver: str, draft: str, now: str) -> Choices:
    """Return the moves that may be laid behind the draft. A re-lay takes only dice that were rolled (R6)."""
    road = road_for(state, driver)
    me, half = state["drivers"][driver], state["turn"]
    if half is None:
        fault = turns.forced_to_stand(state, driver)
        if fault:
            return Choices("plan", order_words(state), forced=fault.rule, why=fault.message)
        at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
    else:
        at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    laid = lay_out(road, at, read_plan(draft))
    end = laid[-1].after if laid else at
    leading = leads(state, driver)
    if now == "relay":
        _check_relay(state, road, at, laid)
    onward = [(step, step.after.loss) for step in steps(road, end)]
    if now == "relay":
        onward = _relay_moves(state, road, at, laid, [step for step, _ in onward])
    return Choices(
        now,
        _useful_orders(state, driver),
        moves=tuple(_choice(road, step, loses, leading=leading) for step, loses in onward),
        facts={**_tray(end, leading=leading), **(_half_made(state, driver) if half else {})},
    )


def refusals(state: State, driver: str, draft: str, moves: Sequence[str]) -> list[RuleError | None]:
    """Return for each of these moves why it cannot be laid behind a legal draft, or None when it can. In a re-lay a
    missing die is a reason too (R6).

    Raises: RuleError when the draft is not legal.
    """
    road = road_for(state, driver)
    half = state["turn"]
    me = half or state["drivers"][driver]
    at = start(road, road.track.index[me["space"]], me["gear"], half["damage"] if half else damage_of(me))
    laid = lay_out(road, at, read_plan(draft))
    found: list[RuleError | None] = []
    for move in moves:
        try:
            step = next_step(road, at, laid, read_plan(move)[0])
            if half:
                _check_relay(state, road, at, (*laid, step))
        except RuleError as error:
            found.append(error)
        else:
            found.append(None)
    return found


def _check_relay(state: State, road: Road, at: CarInPlan, laid: tuple[Step, ...]) -> None:
    """R6, D7: check that the draft of a re-lay takes only dice that were rolled, and keeps or avoids a flying start as
    the plan did.

    Raises: RuleError with the number of the move when it does not.
    """
    half = state["turn"]
    rolled = lay_out(road, at, read_plan(half["plan"]))
    if laid and laid[0].flying != rolled[0].flying:
        raise RuleError("D7", "a flying start is neither made nor dropped when the dice are laid again", move=1)
    for number in range(1, len(laid) + 1):
        try:
            turns.relaid_faces(rolled, half["faces"], laid[:number], sisu=half["sisu"])
        except turns.MissingDie as error:
            raise RuleError(error.rule, error.template, move=number, **error.values) from None
        except RuleError:
            continue


def _relay_moves(
    state: State, road: Road, at: CarInPlan, laid: tuple[Step, ...], onward: list[Step]
) -> list[tuple[Step, str | None]]:
    """R6, D7: return those of the moves `onward` whose dice were rolled and are not laid again yet.

    Each comes with the rule by which control is lost there with the faces that were rolled, or None. A re-lay must end
    on a move with such a rule.
    """
    half = state["turn"]
    rolled = lay_out(road, at, read_plan(half["plan"]))
    found: list[tuple[Step, str | None]] = []
    for step in onward:
        if not laid and step.flying != rolled[0].flying:
            continue
        try:
            faces = turns.relaid_faces(rolled, half["faces"], (*laid, step), sisu=half["sisu"])
        except turns.MissingDie:
            continue
        except RuleError:
            found.append((step, None))
        else:
            found.append((step, turns.early_end((*laid, step), faces, sisu=half["sisu"])[1]))
    return found


def _choice(road: Road, step: Step, loses: str | None, *, leading: bool) -> Choice:
    space = road.track.spaces[step.after.space]
    entered = road.track.spaces[road.track.index[step.move.space]]
    words = {
        "jump": step.move.landing is not None,
        "risky jump": step.risky,
        "water": entered.water,
        "shortcut": space.kind == "shortcut",
        "slide": space.kind == "slide",
        "drift": space.kind == "outer",
        "flying start": step.flying,
        "finish": step.after.finished,
    }
    warnings = facts().warnings
    return Choice(
        text=str(step.move),
        to=space.name,
        gear=step.after.gear,
        rolls=tuple((die, warnings[die]) for die in turns.dice_of(step.move.die, leads=leading)),
        loses=loses,
        notes=tuple(word for word, holds in words.items() if holds),
    )


def _tray(end: CarInPlan, *, leading: bool) -> dict[str, Json]:
    """Return the dice left after a draft: gear dice by number, how many of them may be laid, coasts, brakes."""
    known = facts()
    return {
        "gear": end.gear,
        "gear_dice": [gear for gear in range(1, known.top_gear + 1) if not end.used >> gear & 1] if end.gears else [],
        "gears_left": end.gears,
        "coasts_left": end.coasts,
        "brakes_left": end.brakes,
        "leads": leading,
    }


def _half_made(state: State, driver: str) -> Mapping[str, Any]:
    """Return the facts of a turn that has begun: its moves with their faces, warnings, the price of securing the next
    move.
    """
    half = state["turn"]
    road = road_for(state, driver)
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    laid = lay_out(road, at, read_plan(half["plan"]))
    leading = leads(state, driver)
    dice = [turns.dice_of(step.move.die, leads=leading) for step in laid]
    made = half["made"]
    price = turns.securing_price(half["secured"], len(dice[made])) if made < len(dice) else None
    return {
        "plan": half["plan"],
        "roll": half["roll"],
        "made": made,
        "warnings": half["warnings"],
        "warning_limit": facts().warning_limit,
        "sisu": half["sisu"],
        "ready": half.get("ready", False) and state["drivers"][driver]["sisu"],
        "rule": half["rule"],
        "dice": dice,
        "faces": half["faces"],
        "next_price": price,
        "tokens": state["drivers"][driver]["tokens"],
        "spare_repairs": state["options"]["spare_repairs"],
        "spare_seconds": wheel_seconds(state["options"]),
    }
