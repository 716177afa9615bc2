"""The likely dice to a space farther along the road: a plan from the end of a draft to there (D3 to D9).

Plans grow move by move towards the space. At each length the search keeps those with the fewest expected warnings for
their gear. Of the plans that arrive, the one with the lowest expected seconds is chosen, rolled one by one, with the
cards for losses of control that nothing avoids behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.contract import RuleError, State
from engine.dirt.codriver.value import chances
from engine.dirt.course.compiled_stage import Track
from engine.dirt.facts import facts
from engine.dirt.fold import damage_of
from engine.dirt.moves import COAST, read_plan, write_plan
from engine.dirt.odds import TurnOdds
from engine.dirt.plan import CarInPlan, Step, lay_out, start, steps
from engine.dirt.stage import phase, to_play
from engine.dirt.table import road_for

KEPT = 48
"""Plans that the search keeps at each length."""
WEIGHED = 16
"""Plans that arrive and are compared by their exact odds."""
GEAR_WORTH = 0.2
"""Expected warnings that a plan may have more than another for each gear that it is faster."""


def reach(state: State, driver: str, draft: str, space: str) -> str | None:
    """Return the draft with the moves that lead on to a space, or None when no safe plan leads there this turn.

    Raises: RuleError when it is another driver's turn, or the draft is illegal.
    """
    if to_play(state) != (driver,):
        raise RuleError("O1", "it is another driver's turn")
    road = road_for(state, driver)
    goal = road.track.index.get(space)
    if phase(state) != "plan" or goal is None:
        return None
    me = state["drivers"][driver]
    at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
    moves = read_plan(draft)
    laid = lay_out(road, at, moves)
    ways = _ways_to(road.track, goal)
    kept: list[tuple[Step, ...]] = [()]
    arrived: list[tuple[Step, ...]] = []
    while kept:
        longer = [
            (*plan, step)
            for plan in kept
            for step in steps(road, plan[-1].after if plan else laid[-1].after if laid else at)
            if step.after.loss is None and step.after.space in ways
        ]
        arrived += [plan for plan in longer if plan[-1].after.space == goal]
        kept = _best([plan for plan in longer if plan[-1].after.space != goal])
    if not arrived:
        return None
    odds = TurnOdds(state, driver)
    plans = [write_plan([*moves, *(step.move for step in plan)]) for plan in sorted(arrived, key=_cost)[:WEIGHED]]

    def seconds(plan: str) -> float:
        found = odds.odds(plan, {"roll": "one by one"})
        return found.seconds + found.cards_ahead

    return min(plans, key=seconds)


def _ways_to(track: Track, goal: int) -> set[int]:
    """Return the spaces from which the road leads to the goal, with the goal."""
    leads = {goal}
    farthest = track.spaces[goal].distance
    for space in sorted(track.spaces, key=lambda one: -one.distance):
        onward = set(track.ahead[space.index]) | set(track.two_ahead[space.index])
        if space.distance <= farthest and onward & leads:
            leads.add(space.index)
    return leads


def _best(plans: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
    """Return the best plan to each end, and of these the KEPT best."""
    best: dict[CarInPlan, tuple[Step, ...]] = {}
    for plan in sorted(plans, key=_cost):
        best.setdefault(plan[-1].after, plan)
    return list(best.values())[:KEPT]


def _cost(plan: Sequence[Step]) -> float:
    """Return the expected warnings of a plan, less what its gear is worth."""
    return sum(_warnings(step) for step in plan) - GEAR_WORTH * plan[-1].after.gear


def _warnings(step: Step) -> float:
    (none, one, _two), _dice = chances(step.move.die, facts().warnings[COAST])
    return one + 2 * (1 - none - one)
