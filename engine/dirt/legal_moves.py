"""What a driver sees when it is the turn to act: the legal ways on, with dice, dangers and the words for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Json, RuleError, State
from engine.dirt import turn as turns
from engine.dirt.facts import facts
from engine.dirt.fold import damage_of
from engine.dirt.moves import read_plan
from engine.dirt.plan import At, Step, lay_out, next_step, start, steps
from engine.dirt.road import Road
from engine.dirt.stage import orders_now, phase, to_play
from engine.dirt.table import leads, road_for


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal move behind a half-made plan, and what it would do.

    `text` is the move as written in a plan; `to` the space that the car ends on; `rolls` the dice it takes, each with
    the number of its warning faces; `loses` the rule by which control is lost there for certain; `notes` words like
    "jump" or "water".
    """

    text: str
    to: str
    gear: int
    rolls: tuple[tuple[str, int], ...]
    loses: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What a driver may do now. `phase` names the step; `orders` the words that `play` takes in it.

    In phase "plan", `moves` go on from the draft; `forced` names the rule when the plan must stay empty, and `why` the
    reason.
    """

    phase: str
    orders: tuple[str, ...]
    moves: tuple[Choice, ...] = ()
    forced: str | None = None
    why: str = ""
    facts: Mapping[str, Json] = field(default_factory=dict)


def choices(state: State, driver: str, draft: str = "") -> Choices:
    """The legal ways to go on from a draft plan, or the orders of the phase a half-made turn is in.

    Raises: RuleError.
    """
    if to_play(state) != (driver,):
        raise RuleError("O1", "it is another driver's turn")
    now = phase(state)
    if now in ("plan", "relay"):
        return _to_lay(state, driver, draft, now)
    return Choices(phase=now, orders=orders_now(state), facts=_half_made(state, driver))


def _to_lay(state: State, driver: str, draft: str, now: str) -> Choices:
    """Moves that go on from the draft; in a re-lay only with the dice that were rolled (R6)."""
    road = road_for(state, driver)
    me, half = state["drivers"][driver], state["turn"]
    if half is None:
        fault = turns.forced_to_stand(state, driver)
        if fault:
            return Choices("plan", orders_now(state), forced=fault.rule, why=fault.message)
        at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
    else:
        at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    laid = lay_out(road, at, read_plan(draft))
    end = laid[-1].after if laid else at
    leading = leads(state, driver)
    if now == "relay":
        _check_again(state, road, at, laid)
    onward = [(step, step.after.loss) for step in steps(road, end)]
    if now == "relay":
        onward = _again(state, road, at, laid, [step for step, _ in onward])
    return Choices(
        now,
        orders_now(state),
        moves=tuple(_choice(road, step, loses, leading=leading) for step, loses in onward),
        facts={**_tray(end, leading=leading), **(_half_made(state, driver) if half else {})},
    )


def refusals(state: State, driver: str, draft: str, moves: Sequence[str]) -> list[RuleError | None]:
    """Why each of these moves cannot be laid behind a legal draft, in a re-lay for want of its die too (R6).

    Raises: RuleError for a draft that is not legal.
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
                _check_again(state, road, at, (*laid, step))
        except RuleError as error:
            found.append(error)
        else:
            found.append(None)
    return found


def _check_again(state: State, road: Road, at: At, laid: tuple[Step, ...]) -> None:
    """R6, D7: whether a draft of a re-lay takes only dice that were rolled.

    Raises: RuleError naming the move.
    """
    half = state["turn"]
    rolled = lay_out(road, at, read_plan(half["plan"]))
    if laid and laid[0].flying != rolled[0].flying:
        raise RuleError("D7", "a flying start is neither made nor dropped when the dice are laid again", move=1)
    for number in range(1, len(laid) + 1):
        try:
            turns.dealt_again(rolled, half["faces"], laid[:number], sisu=half["sisu"])
        except turns.MissingDie as error:
            raise RuleError(error.rule, error.template, move=number, **error.values) from None
        except RuleError:
            continue


def _again(
    state: State, road: Road, at: At, laid: tuple[Step, ...], onward: list[Step]
) -> list[tuple[Step, str | None]]:
    """R6, D7: of the moves that go on, those whose dice were rolled and are not laid again yet.

    With each the rule by which control is lost there when the dice are dealt so; a re-lay must end on such a move.
    """
    half = state["turn"]
    rolled = lay_out(road, at, read_plan(half["plan"]))
    found: list[tuple[Step, str | None]] = []
    for step in onward:
        if not laid and step.flying != rolled[0].flying:
            continue
        try:
            faces = turns.dealt_again(rolled, half["faces"], (*laid, step), sisu=half["sisu"])
        except turns.MissingDie:
            continue
        except RuleError:
            found.append((step, None))
        else:
            found.append((step, turns.first_trouble((*laid, step), faces, sisu=half["sisu"])[1]))
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


def _tray(end: At, *, leading: bool) -> dict[str, Json]:
    """The dice that are left behind a draft: gear dice by number, how many of them may be laid, coasts, brakes."""
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
    """Where a turn that has begun stands: moves with their faces, warnings, what securing the next move costs."""
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
        "rule": half["rule"],
        "dice": dice,
        "faces": half["faces"],
        "next_price": price,
        "tokens": state["drivers"][driver]["tokens"],
        "spare_repairs": state["options"]["spare_repairs"],
        "spare_seconds": state["options"]["spare_seconds"],
    }
