"""The moves that a driver may come to lay later in a turn: for a page that goes on without the service.

A plan leads from the car over spaces and gears. For each space and gear that a plan can reach, the legal next moves are
listed as if no die were laid yet: the page counts the dice. `legal_moves` has the last word on every plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.contract import State
from engine.dirt.course.compiled_stage import Track
from engine.dirt.fold import damage_of
from engine.dirt.plan import CarInPlan, Step, alongside, start, steps
from engine.dirt.road import Road
from engine.dirt.stage import phase, to_play
from engine.dirt.table import leads, road_for
from engine.dirt.turn import forced_to_stand

LONGEST = 12
"""Moves of a plan. No set of dice allows more."""
ROADS = 16
"""Roads whose moves are kept."""

Car = tuple[int, int]
"""The space and the gear of a car in a plan."""


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
    known = _moves_alone(road.track, road.limits, road.flying_start, road.redline)
    found: dict[tuple[str, int], tuple[LaterMove, ...]] = {}
    front = {(at.space, at.gear): at}
    for _move in range(min(LONGEST, at.gears + at.coasts + at.brakes)):
        following: dict[Car, CarInPlan] = {}
        for car in front.values():
            moves = _moves(road, car, known)
            found[_name(road, car)] = moves.later
            following |= {each: _renewed(road, at, each) for each in moves.leads_to}
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


class _Moves(NamedTuple):
    """The moves of a car, where a plan may go on behind them, and the spaces on which other cars matter to them."""

    later: tuple[LaterMove, ...]
    leads_to: tuple[Car, ...]
    near: frozenset[int]


@lru_cache(maxsize=ROADS)
def _moves_alone(
    track: Track, limits: tuple[int | None, ...], flying_start: bool, redline: bool
) -> dict[tuple[int, ...], _Moves]:
    """Return what is known of the moves on this road without other cars: all but `met` of a car in a plan names them.
    The caller fills it in.
    """
    return {}


def _moves(road: Road, car: CarInPlan, known: dict[tuple[int, ...], _Moves]) -> _Moves:
    """Return the moves of a car. Where no other car is near, they are those of a car that is alone (M6 to M9)."""
    key = (car.space, car.gear, car.used, car.gears, car.coasts, car.brakes)
    alone = known.get(key)
    if alone is None:
        alone = known[key] = _found(road.empty() if road.cars else road, car)
    return alone if alone.near.isdisjoint(road.cars) else _found(road, car)


def _found(road: Road, car: CarInPlan) -> _Moves:
    legal = steps(road, car)
    return _Moves(
        tuple(_later(road, step) for step in legal),
        tuple((step.after.space, step.after.gear) for step in legal if _goes(step)),
        _near(road, car.space),
    )


def _near(road: Road, space: int) -> frozenset[int]:
    """Return the spaces that a move from here may touch, those beside them (M7) and across from them (M8). A jump ends
    two spaces behind a bump at the most (M3).
    """
    track = road.track
    first = track.ahead[space]
    touched = {*first, *(each for one in first for each in (*track.ahead[one], *track.two_ahead[one]))}
    return frozenset(touched).union(*(track.beside[each] | track.across[each] for each in touched))


def _goes(step: Step) -> bool:
    """Return whether a plan may go on behind a step."""
    return not step.after.loss and not step.after.finished


def _renewed(road: Road, at: CarInPlan, where: Car) -> CarInPlan:
    """Return the car there with the dice of the beginning, alongside the cars that are beside it now."""
    space, gear = where
    return at._replace(space=space, gear=gear, met=alongside(road, space) if road.cars else frozenset())


def _name(road: Road, car: CarInPlan) -> tuple[str, int]:
    return road.track.spaces[car.space].name, car.gear


def _later(road: Road, step: Step) -> LaterMove:
    return LaterMove(str(step.move), road.track.spaces[step.after.space].name, bool(step.after.loss))
