"""The road around a car, and its place, for cards and mails (runs.road_views)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language, ngettext

from championship.games.formula_d import cars
from championship.games.formula_d.drawing import circuit, map_background
from championship.games.formula_d.drawing.geometry import Circuit
from championship.games.formula_d.drawing.paths import SCALE
from championship.runs.models import Run
from championship.runs.road_views import Box, CarSpot, Point, Road, Shape, Standing
from engine.formula_d.race import OUT, RACE, RACING

REACH = 6.5
"""Half the width of the smallest picture, in spaces."""
GROUND, TARMAC, BORDER, CORNER = "#8d9a6c", "#565250", "#8c8683", "#6d5650"


def road(run: Run, view: Mapping[str, Any]) -> Road:
    """Return the circuit with the cars that are on it."""
    drawing = circuit(run.stage)
    spots = {
        name: drawing.spot(car["space"])
        for name, car in view["cars"].items()
        if car["space"] is not None and car["status"] != OUT
    }
    left, top, right, bottom = (value * SCALE for value in drawing.bounds)
    source = map_background.road_of(drawing)
    address = ["formula_d", map_background.edition(), get_language() or "en", source]
    return Road(
        cars=[CarSpot(name, spot.x * SCALE, spot.y * SCALE, spot.heading) for name, spot in spots.items() if spot],
        reach=REACH * SCALE,
        bounds=(left, top, right - left, bottom - top),
        ground=GROUND,
        shapes=lambda box: _shapes(drawing, box),
        land=reverse("stages:land", args=address) if source else "",
    )


def points(run: Run, places: Sequence[str]) -> list[Point]:
    """Return the middles of these spaces (runs.road_views.PlacesOnMap)."""
    drawing = circuit(run.stage)
    return [(spot.x * SCALE, spot.y * SCALE) for name in places if (spot := drawing.spot(name)) is not None]


def standing(run: Run, view: Mapping[str, Any], seat: str) -> Standing | None:
    """Return the position in the race, and the distance in laps or spaces to the next car. None before the race."""
    own = view["cars"][seat]
    if view["stage"] != RACE or own["status"] != RACING or own["space"] is None:
        return None
    order = cars.in_order(view, [name for name, car in view["cars"].items() if car["status"] != OUT])
    place = order.index(seat)
    if len(order) < 2:
        return None
    other = order[place - 1] if place else order[1]
    return Standing(place + 1, len(order), other, _gap(view, view["cars"][other], own))


def _gap(view: Mapping[str, Any], other: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """Return the distance between two cars that still race; "" for none."""
    if other["status"] != RACING or other["space"] is None:
        return ""
    length = cars.length_of_lap(view)
    spaces = abs(cars.travelled(view, other) - cars.travelled(view, own))
    if spaces >= length:
        return ngettext("%(count)d lap", "%(count)d laps", spaces // length) % {"count": spaces // length}
    return ngettext("%(count)d space", "%(count)d spaces", spaces) % {"count": spaces} if spaces else ""


def _shapes(drawing: Circuit, box: Box) -> Sequence[Shape]:
    """Return the spaces that a picture shows."""
    left, top, width, height = (value / SCALE for value in box)
    return [
        Shape(
            [(x * SCALE, y * SCALE) for x, y in spot.outline],
            CORNER if drawing.track.corner[spot.index] else TARMAC,
            BORDER,
        )
        for spot in drawing.spots
        if left - 1 < spot.x < left + width + 1 and top - 1 < spot.y < top + height + 1
    ]
