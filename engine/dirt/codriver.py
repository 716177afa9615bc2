"""Drivers the computer plays. The careful one: a plan without loss of control, rolled one by one, stopped in
time.

It weighs every space it may come to a stop on: how far that is, what the time card there costs, and whether
the next turn finds a way on from it in control. The weights are its temper, not rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.dirt import turn as turns
from engine.dirt.facts import facts
from engine.dirt.fold import damage_of
from engine.dirt.moves import read_plan, write_plan
from engine.dirt.plan import At, Step, lay_out, start, steps
from engine.dirt.road import Road
from engine.dirt.stage import phase
from engine.dirt.table import leads, road_for
from engine.ruleset import State

SECONDS_A_SECTION = 6
"""What the careful driver gives for one more section of road: about what a turn in middle gears costs a section."""
HOME_SECONDS = 60
"""What being over the line is worth besides."""
TRAPPED_SECONDS = 90
"""What it fears to pay where the next turn has no way on in control."""
LOOK_AHEAD = 3
"""Moves the next turn must find without a loss of control."""
PLANS_KEPT = 16
"""Half-made plans it goes on with at each length."""


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A half-made plan: `worth` of the spaces it may have stopped on, weighed by chance; `calm` and `tense` the
    chances to come here with none and with one warning less than the last it drives on with.
    """

    steps: tuple[Step, ...]
    worth: float
    chances: tuple[float, ...]

    def score(self, here: float) -> float:
        """What the plan is worth when it ends here."""
        return self.worth + sum(self.chances) * here


def orders(state: State, driver: str) -> dict[str, Any]:
    """The next orders in any phase of this driver's turn; a half-made turn of somebody else is finished carefully."""
    now = phase(state)
    if now == "plan":
        if turns.forced_to_stand(state, driver):
            return {"do": "turn", "plan": ""}
        return {"do": "lay", "plan": careful_plan(state, driver), "roll": turns.ONE_BY_ONE}
    half = state["turn"]
    if now == "rolling":
        return {"do": "stop" if half["made"] and _enough(state, driver) else "roll"}
    if now == "spare":
        return {"do": "spare", "take": False}
    if state["drivers"][driver]["sisu"] and half["rule"] in ("R2", "D7", "M3") and _sisu_helps(state, driver):
        return {"do": "sisu"}
    if now == "lost":
        return {"do": "accept"}
    return {"do": "relay", "plan": _shortest_relay(state, driver)}


def _laid(state: State, driver: str) -> tuple[Step, ...]:
    half = state["turn"]
    road = road_for(state, driver)
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    return lay_out(road, at, read_plan(half["plan"]))


def _enough(state: State, driver: str) -> bool:
    """Stop when the next warning loses control, or the next move does so for certain."""
    half = state["turn"]
    if half["warnings"] >= facts().warning_limit - 1 and not half["sisu"]:
        return True
    return _laid(state, driver)[half["made"]].after.loss is not None


def _sisu_helps(state: State, driver: str) -> bool:
    """R7: whether control is kept when the warnings are ignored."""
    half = state["turn"]
    if half["roll"] != turns.FLAT_OUT:
        return True
    return turns.first_trouble(_laid(state, driver), half["faces"], sisu=True)[1] is None


def _shortest_relay(state: State, driver: str) -> str:
    """R6: the plan as it was laid, up to the move that loses control: always legal."""
    half = state["turn"]
    laid = _laid(state, driver)
    made, _ = turns.first_trouble(laid, half["faces"], sisu=half["sisu"])
    return write_plan([step.move for step in laid[:made]])


def careful_plan(state: State, driver: str) -> str:
    """A legal plan, without a loss of control where there is one, for rolling one by one and stopping before
    the last warning.
    """
    road = road_for(state, driver)
    me = state["drivers"][driver]
    at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
    leading = leads(state, driver)
    first = steps(road, at)
    sound = [step for step in first if step.after.loss is None]
    if not sound:
        return write_plan([min(first, key=lambda step: (step.after.gear, str(step.move))).move])
    judge = _Judge(road, state)
    open_plans = [_grown(_Sketch((), 0.0, (1.0,)), step, judge, leading=leading) for step in sound]
    best = max(open_plans, key=judge.score)
    while open_plans:
        open_plans = sorted(open_plans, key=judge.score, reverse=True)[:PLANS_KEPT]
        best = max([best, open_plans[0]], key=judge.score)
        open_plans = [
            _grown(sketch, step, judge, leading=leading)
            for sketch in open_plans
            for step in steps(road, sketch.steps[-1].after)
            if step.after.loss is None
        ]
    return write_plan([step.move for step in best.steps])


def _grown(sketch: _Sketch, step: Step, judge: _Judge, *, leading: bool) -> _Sketch:
    """The plan one move longer: who now has too many warnings has stopped on this space."""
    known = facts()
    chances = list(sketch.chances)
    for die in turns.dice_of(step.move.die, leads=leading):
        warn = known.warnings[die] / known.faces
        chances = [
            (chances[n] if n < len(chances) else 0.0) * (1 - warn) + (chances[n - 1] * warn if n else 0.0)
            for n in range(len(chances) + 1)
        ]
    going = tuple(chances[: known.warning_limit - 1])
    stopped = sum(chances[known.warning_limit - 1 :])
    worth = sketch.worth + stopped * judge.worth(step.after)
    return _Sketch((*sketch.steps, step), worth, going)


class _Judge:
    """What it is worth to end a turn somewhere, remembered for one search."""

    def __init__(self, road: Road, state: State) -> None:
        self.road = road
        self.options = state["options"]
        self.known: dict[tuple[int, int], bool] = {}

    def score(self, sketch: _Sketch) -> float:
        return sketch.score(self.worth(sketch.steps[-1].after))

    def worth(self, at: At) -> float:
        gained: float = float(self.road.track.spaces[at.space].distance) * SECONDS_A_SECTION
        gained -= self.options[f"time_card_{at.gear}"]
        if at.finished:
            return gained + HOME_SECONDS
        return gained if self._free(at.space, at.gear) else gained - TRAPPED_SECONDS

    def _free(self, space: int, gear: int) -> bool:
        """Whether a fresh turn from here goes on a few moves in control."""
        if (space, gear) not in self.known:
            alone = self.road.empty()
            self.known[space, gear] = _way_on(alone, start(alone, space, gear, {}), LOOK_AHEAD)
        return self.known[space, gear]


def _way_on(road: Road, at: At, moves: int) -> bool:
    if moves == 0 or at.finished:
        return True
    return any(step.after.loss is None and _way_on(road, step.after, moves - 1) for step in steps(road, at))
