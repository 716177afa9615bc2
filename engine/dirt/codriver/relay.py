"""R6: choose how to lay dice again after a roll flat out, so that the loss of control costs least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.contract import RuleError
from engine.dirt.codriver.search import Seat
from engine.dirt.facts import facts
from engine.dirt.plan import CarInPlan, Step, start, steps
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
    shown = _faces_by_die(plan, half["faces"])
    road = seat.road
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
            found = seat.lost(step.after, seat.tokens, has_sisu=seat.has_sisu)
            may_lose = most >= facts().warning_limit or step.after.loss or step.risky
            if found < worth and may_lose and _is_legal_relay(plan, half, longer):
                best, worth = longer, found
            if least < facts().warning_limit and step.after not in seen:
                seen.add(step.after)
                waiting.append(longer)
    return best


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
