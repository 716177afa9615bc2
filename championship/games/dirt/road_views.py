"""The road around a car, for cards and mails (runs.road_views)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language

from championship.games.dirt.drawing import map_background, paths
from championship.games.dirt.drawing.layout import Drawing, draw
from championship.games.dirt.drawing.overlay import car_poses
from championship.games.dirt.marks import Car
from championship.platform.bounded_input import whole_number
from championship.runs.models import Run
from championship.runs.road_views import Box, CarSpot, Road, Shape, Standing

REACH = 2.1
"""Half the width of the smallest picture, in sides of a hexagon."""
GROUND, TURF, EDGE = "#7f8f5c", "#93a26b", "#85945f"
ROAD, BORDER = "#d9bf93", "#8a6a43"


def road(run: Run, view: Mapping[str, Any]) -> Road:
    """Return the stage with the cars that are on it."""
    drawing = draw(run.stage)
    driven = [
        Car(space=one["space"], colour=0, number=name, on_track=one["on_track"])
        for name, one in view["drivers"].items()
        if not (one["finished"] or one["retired"])
    ]
    left, top, right, bottom = (value * paths.SCALE for value in drawing.bounds)
    address = [
        *("dirt", map_background.edition(), get_language() or "en"),
        map_background.road_of(drawing),
    ]
    return Road(
        cars=[
            CarSpot(car.number, pose.x * paths.SCALE, pose.y * paths.SCALE, pose.heading, _tiles_behind(car.space))
            for car, pose, _scale in car_poses(drawing, driven)
        ],
        reach=REACH * paths.SCALE,
        bounds=(left, top, right - left, bottom - top),
        ground=GROUND,
        shapes=lambda box: _shapes(drawing, box),
        land=reverse("stages:land", args=address),
    )


def _tiles_behind(space: str) -> int:
    """Return how many tiles lie behind a space: there is a split at the end of each. On the grid it is none."""
    tile = whole_number(space.partition(".")[0])
    return tile - 1 if tile else 0


def standing(run: Run, view: Mapping[str, Any], seat: str) -> Standing | None:
    """Return nothing: places are told by splits."""
    return None


def _shapes(drawing: Drawing, box: Box) -> Sequence[Shape]:
    """Return the hexagons that a picture shows, and the spaces on them."""
    left, top, width, height = (value / paths.SCALE for value in box)
    seen = [
        tile
        for tile in drawing.tiles
        if left - 1 < tile.centre[0] < left + width + 1 and top - 1 < tile.centre[1] < top + height + 1
    ]
    ground = [Shape(_scaled(tile.corners()), TURF, EDGE) for tile in seen]
    return [*ground, *(Shape(_scaled(space.outline), ROAD, BORDER) for tile in seen for space in tile.spaces)]


def _scaled(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(x * paths.SCALE, y * paths.SCALE) for x, y in points]
