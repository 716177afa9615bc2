"""The moves that a driver may come to lay later in a turn: for a page that goes on without the service.

A plan leads from the car over spaces and gears. For each space and gear that a plan can reach, the legal next moves are
listed as if no die were laid yet: the page counts the dice. `legal_moves` has the last word on every plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.contract import State
from engine.dirt.fold import damage_of
from engine.dirt.plan import CarInPlan, Step, alongside, start, steps
from engine.dirt.road import Road
from engine.dirt.stage import phase, to_play
from engine.dirt.table import leads, road_for
from engine.dirt.turn import forced_to_stand

LONGEST = 12
"""Moves of a plan. No set of dice allows more."""


@dataclass(frozen=True, slots=True)
class LaterMove:
    """A move from a space in a gear: its text in a plan, the space on which the car ends, and whether control is lost
    there for certain.
    """

    text: str
    to: str
    loses: bool


@dataclass(frozen=True, slots=True)
class Onward:
    """Where a turn begins, the dice for it, and the moves from each space in each gear that a plan can reach."""

    space: str
    gear: int
    gears: int
    coasts: int
    brakes: int
    leads: bool
    moves: Mapping[tuple[str, int], tuple[LaterMove, ...]]


def onward(state: State, driver: str) -> Onward | None:
    """Return the moves of this driver's turn that begins in this state; None where no plan can be laid."""
    if to_play(state) != (driver,) or phase(state) != "plan" or forced_to_stand(state, driver):
        return None
    road, me = road_for(state, driver), state["drivers"][driver]
    at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
    found: dict[tuple[str, int], tuple[LaterMove, ...]] = {}
    front = {(at.space, at.gear): at}
    for _move in range(min(LONGEST, at.gears + at.coasts + at.brakes)):
        following: dict[tuple[int, int], CarInPlan] = {}
        for car in front.values():
            legal = steps(road, car)
            found[_name(road, car)] = tuple(_later(road, step) for step in legal)
            following |= {
                (step.after.space, step.after.gear): _renewed(road, at, step) for step in legal if _goes(step)
            }
        front = {key: car for key, car in following.items() if _name(road, car) not in found}
    return Onward(
        me["space"],
        at.gear,
        at.gears,
        at.coasts,
        at.brakes,
        leads(state, driver),
        {k: v for k, v in found.items() if v},
    )


def _goes(step: Step) -> bool:
    """Return whether a plan may go on behind a step."""
    return not step.after.loss and not step.after.finished


def _renewed(road: Road, at: CarInPlan, step: Step) -> CarInPlan:
    """Return the car after a step with the dice of the beginning, alongside the cars that are beside it now."""
    met = alongside(road, step.after.space) if road.cars else step.after.met
    return at._replace(space=step.after.space, gear=step.after.gear, met=met)


def _name(road: Road, car: CarInPlan) -> tuple[str, int]:
    return road.track.spaces[car.space].name, car.gear


def _later(road: Road, step: Step) -> LaterMove:
    return LaterMove(str(step.move), road.track.spaces[step.after.space].name, bool(step.after.loss))
