"""The road as one driver meets it: limits under mud, and where a die may take the car (M1 to M4, T3, T4, F1).

This module ignores the other cars; plan.py adds them, and the dice. Destinations are cached for a track and its limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from engine.dirt.course.compiled_stage import Track
from engine.dirt.moves import BURIED, WATER, WET_LANDING, Fault


class Destination(NamedTuple):
    """One place to which a die may take a car, ignoring the other cars: onto `space`, and on to `landing` if it jumps.
    `end` is the space where the move ends. `loss`, `risky` and `finished` are as in CarInPlan and Step.
    """

    space: int
    landing: int | None
    end: int
    loss: str | None
    risky: bool
    finished: bool


Destinations = dict[tuple[int, int, bool], tuple[Destination, ...]]


@dataclass(frozen=True, slots=True)
class Road:
    """The stage as one driver meets it now: limits after mud (M2), other cars on the track (space → gear), options.

    `known` caches the destinations on this track under these limits, by space, gear and whether the die may enter
    water.
    """

    track: Track
    limits: tuple[int | None, ...]
    cars: Mapping[int, int]
    flying_start: bool = True
    redline: bool = True
    known: Destinations = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", _destination_cache(self.track, self.limits))

    def empty(self) -> Road:
        """Return the same road without the other cars (M9)."""
        return replace(self, cars={})


@lru_cache(maxsize=128)
def _destination_cache(track: Track, limits: tuple[int | None, ...]) -> Destinations:
    """Return the cache that all roads over one track under the same limits share."""
    return {}


def limits_under_mud(track: Track, mud: Mapping[int, int]) -> tuple[int | None, ...]:
    """M2: return the limits by space. Each marker on a tile lowers the limits of its bends by one. Shortcuts and single
    spaces keep their limits.
    """
    if not any(mud.values()):
        return _printed_limits(track)
    return tuple(
        space.limit - mud.get(space.tile, 0)
        if space.limit is not None and space.kind in ("inner", "outer")
        else space.limit
        for space in track.spaces
    )


@lru_cache(maxsize=128)
def _printed_limits(track: Track) -> tuple[int | None, ...]:
    """Return the limits of all spaces on a road without mud."""
    return tuple(space.limit for space in track.spaces)


def why_closed(road: Road, space: int, *, takes_water: bool) -> Fault | None:
    """Return why a car may not enter a space, ignoring the other cars (M2, M4), else None. `takes_water`: the die may
    enter water.
    """
    if road.track.spaces[space].water and not takes_water:
        return WATER
    limit = road.limits[space]
    return BURIED if limit is not None and limit <= 0 else None


def why_no_landing(road: Road, space: int) -> Fault | None:
    """M3: return why a jump may not end on a space, ignoring the other cars, else None."""
    if road.track.spaces[space].water:
        return WET_LANDING
    return why_closed(road, space, takes_water=True)


def jumps(road: Road, gear: int, space: int) -> bool:
    """M3: return whether a car that enters this space in that gear jumps."""
    number = road.track.spaces[space].jump
    return number is not None and gear >= number


def landings(road: Road, gear: int, bump: int) -> tuple[int, ...]:
    """M3: return the spaces to which a jump may lead: one space on in the bump's own gear, two spaces on above it."""
    return road.track.ahead[bump] if gear == road.track.spaces[bump].jump else road.track.two_ahead[bump]


def destinations_from(road: Road, space: int, gear: int, *, takes_water: bool) -> tuple[Destination, ...]:
    """Return where a die of that gear may take a car from a space, ignoring the other cars (T3, T4, M1 to M4, F1)."""
    key = (space, gear, takes_water)
    found = road.known.get(key)
    if found is None:
        found = road.known[key] = tuple(_find_destinations(road, space, gear, takes_water=takes_water))
    return found


def _find_destinations(road: Road, space: int, gear: int, *, takes_water: bool) -> Iterator[Destination]:
    for entered in road.track.ahead[space]:
        if why_closed(road, entered, takes_water=takes_water):
            continue
        if not jumps(road, gear, entered):
            yield destination_at(road, gear, entered, None)
            continue
        for landing in landings(road, gear, entered):
            if not why_no_landing(road, landing):
                yield destination_at(road, gear, entered, landing)


def destination_at(road: Road, gear: int, space: int, landing: int | None) -> Destination:
    """Return the destination with its effects: control lost for certain (M1, M3), or at a warning (M3), or the
    finish (F1).
    """
    end = space if landing is None else landing
    limit = road.limits[end]
    above = 0 if landing is None else gear - (road.track.spaces[space].jump or 0)
    loss = "M1" if limit is not None and gear > limit else "M3" if above > 1 else None
    return Destination(space, landing, end, loss, above == 1, road.track.spaces[end].behind_finish)
