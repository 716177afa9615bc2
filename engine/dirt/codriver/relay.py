"""R6: the ways to lay dice again after a roll flat out, and the one by which the loss of control costs least."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.contract import RuleError, State
from engine.dirt.codriver.search import Seat
from engine.dirt.facts import facts
from engine.dirt.moves import read_plan, write_plan
from engine.dirt.plan import CarInPlan, Step, lay_out, start, steps
from engine.dirt.road import Road
from engine.dirt.table import road_for
from engine.dirt.turn import dice_of, early_end, relaid_faces

MOST_RELAYS_CONTINUED = 400
"""The most half-made re-lays that the search continues. The plan as it was laid is always considered."""


def best_relay(seat: Seat, plan: Sequence[Step], half: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the best legal re-lay found for a plan that was rolled flat out. `half` is the turn in the state.

    Plans are laid move by move from the dice that were rolled. Of two plans after which the car is the same, only the
    first is continued.
    """
    made, _ = early_end(plan, half["faces"], sisu=half["sisu"])
    best = tuple(plan[:made])
    worth = seat.lost(best[-1].after, seat.tokens, has_sisu=seat.has_sisu)
    for laid in _may_lose(seat.road, plan, half):
        found = seat.lost(laid[-1].after, seat.tokens, has_sisu=seat.has_sisu)
        if found < worth and _is_legal_relay(plan, half, laid):
            best, worth = laid, found
    return best


class Spot(NamedTuple):
    """Where control may be lost: the re-lay that leads there, the name of the space, and the gear before the card."""

    plan: str
    space: str
    gear: int


def spots(state: State, driver: str) -> list[Spot]:
    """Return each space and gear in which the driver of a turn that was rolled flat out may lose control (R6), with a
    legal re-lay: the shortest found, with the fewest shortcuts (M5). The farthest space comes first.
    """
    road, half = road_for(state, driver), state["turn"]
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    plan = lay_out(road, at, read_plan(half["plan"]))
    spaces = road.track.spaces
    made, _ = early_end(plan, half["faces"], sisu=half["sisu"])
    found = [laid for laid in _may_lose(road, plan, half) if _is_legal_relay(plan, half, laid)]
    best: dict[tuple[int, int], tuple[Step, ...]] = {}
    for laid in sorted((tuple(plan[:made]), *found), key=lambda laid: (_shortcuts(road, laid), len(laid))):
        best.setdefault((laid[-1].after.space, laid[-1].after.gear), laid)
    return [
        Spot(write_plan([step.move for step in best[space, gear]]), spaces[space].name, gear)
        for space, gear in sorted(best, key=lambda end: (-spaces[end[0]].distance, *end))
    ]


def _shortcuts(road: Road, laid: Sequence[Step]) -> int:
    return sum(road.track.spaces[step.after.space].kind == "shortcut" for step in laid)


def _may_lose(road: Road, plan: Sequence[Step], half: Mapping[str, Any]) -> Iterator[tuple[Step, ...]]:
    """Yield plans from the rolled dice whose last move may lose control with the faces that they show."""
    shown = _faces_by_die(plan, half["faces"])
    waiting: list[tuple[Step, ...]] = [()]
    seen: set[CarInPlan] = set()
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    for _round in range(MOST_RELAYS_CONTINUED):
        if not waiting:
            break
        laid = waiting.pop()
        for step in steps(road, laid[-1].after if laid else at):
            longer = (*laid, step)
            least, most = _warnings(longer, shown)
            if least < 0 or (not laid and step.flying != plan[0].flying):
                continue
            if most >= facts().warning_limit or step.after.loss or step.risky:
                yield longer
            if least < facts().warning_limit and step.after not in seen:
                seen.add(step.after)
                waiting.append(longer)


def _faces_by_die(plan: Sequence[Step], faces: Sequence[Sequence[bool]]) -> dict[str, list[bool]]:
    """Return the faces that were rolled with each die, those without a warning first."""
    shown: dict[str, list[bool]] = {}
    for step, rolled in zip(plan, faces, strict=True):
        for die, face in zip(dice_of(step.move.die, leads=False), rolled, strict=True):
            shown.setdefault(die, []).append(face)
    return {die: sorted(rolled) for die, rolled in shown.items()}


def _warnings(laid: Sequence[Step], shown: Mapping[str, list[bool]]) -> tuple[int, int]:
    """Return the fewest and the most warnings on the dice of a re-lay, or (-1, -1) when one of them was not rolled."""
    dice = [die for step in laid for die in dice_of(step.move.die, leads=False)]
    least = most = 0
    for die in set(dice):
        count, faces = dice.count(die), shown.get(die, [])
        if count > len(faces):
            return -1, -1
        least += sum(faces[:count])
        most += sum(faces[-count:])
    return least, most


def _is_legal_relay(plan: Sequence[Step], half: Mapping[str, Any], laid: Sequence[Step]) -> bool:
    try:
        relaid_faces(plan, half["faces"], laid, sisu=half["sisu"])
    except RuleError:
        return False
    return True
