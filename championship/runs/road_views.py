"""The interface between a game and what is told about a car outside its stage page, on the cards of my turns and in
mails: a small picture of the road around the car, and its place among the others.

Everything comes from the game's `view`, so it shows nothing that the driver may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from championship.catalogue import Part
from championship.runs.models import Run

Box = tuple[float, float, float, float]
"""Left, top, width and height, in the units of a game's map."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CarSpot:
    """A car on the road: its seat and its position. `heading` in radians, clockwise from the right; None for none.
    `behind`: how many borders of the course lie behind the place, in a game with splits; None where it is not known.
    """

    seat: str
    x: float
    y: float
    heading: float | None = None
    behind: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled outline, with the colour of its border or "" for none. `label`: a short name at its upper edge."""

    outline: Sequence[Point]
    fill: str
    border: str = ""
    label: str = ""

    @property
    def label_at(self) -> Point:
        """Where the middle of the label is: below the middle of the upper edge."""
        across, down = zip(*self.outline, strict=True)
        return (min(across) + max(across)) / 2, min(down) + LABEL


LABEL = 9.0
"""The distance from the upper edge of a shape to the middle of its label, in units of the map."""


@dataclass(frozen=True, slots=True)
class Road:
    """The road with the cars on it, in the units of the game's map.

    `reach`: half the width of the smallest picture around a car. `bounds`: the whole map. `land`: the address of the
    picture of the whole map without cars; "" where the picture is made of `shapes`, which a mail always shows.
    `ground`: the colour around them.
    """

    cars: Sequence[CarSpot]
    reach: float
    bounds: Box
    ground: str
    shapes: Callable[[Box], Sequence[Shape]]
    land: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of a car among `cars` cars. `other`: the seat of the car before it, or of the car behind it if it is
    first. `gap`: the distance to that car in words ("4 spaces"); "" when they are level, or nobody knows.
    """

    place: int
    cars: int
    other: str
    gap: str


class RoadViews(Protocol):
    """What a game provides."""

    def road(self, run: Run, view: Mapping[str, Any]) -> Road | None:
        """Return the road of a run with the cars that a view shows; None for nothing to show. No queries."""

    def standing(self, run: Run, view: Mapping[str, Any], seat: str) -> Standing | None:
        """Return the place of a seat as the view shows it; None when the game cannot tell. Pages do not call it for a
        game with splits. No queries.
        """


ROAD_VIEWS: Part[RoadViews] = Part("the road around a car")


class PlacesOnMap(Protocol):
    """What a game provides that has an ideal drive (`engine.contract.IdealDrive`)."""

    def points(self, run: Run, places: Sequence[str]) -> Sequence[Point]:
        """Return where these places of the course are on the map of `RoadViews.road`, those that it knows. No query."""


PLACES_ON_MAP: Part[PlacesOnMap] = Part("the places of a course on the map")

ASPECT = 2.0
"""The width of a picture, divided by its height."""
FARTHEST = 2.0
"""A picture may show this many times `reach`, so that another car is on it."""
CLEAR = 1.25
"""How much farther than the other car the picture reaches, so that the car is not cut."""


def window_around(road: Road, seat: str) -> Box | None:
    """Return the part of the map that a picture shows: the car in the middle, and the nearest other car if it is not
    too far away. Near an edge of the map the part moves inwards. None when the car is not on the road.
    """
    own = next((car for car in road.cars if car.seat == seat), None)
    if own is None:
        return None
    others = (max(abs(car.x - own.x), abs(car.y - own.y) * ASPECT) for car in road.cars if car.seat != seat)
    nearest = min(others, default=0.0) * CLEAR
    half = max(road.reach, nearest) if nearest <= FARTHEST * road.reach else road.reach
    left, top, width, height = road.bounds
    x = _within(own.x - half, 2 * half, left, width)
    y = _within(own.y - half / ASPECT, 2 * half / ASPECT, top, height)
    return x, y, 2 * half, 2 * half / ASPECT


def _within(start: float, length: float, first: float, room: float) -> float:
    """Return the start of a window that stays inside the map; one that is longer than the map is centred on it."""
    if length >= room:
        return first - (length - room) / 2
    return min(max(start, first), first + room - length)
