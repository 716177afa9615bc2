"""The position track with the cars on it, for cards and mails (runs.road_views)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from championship.games.dust.pages import cards_of
from championship.runs.models import Run
from championship.runs.road_views import Box, CarSpot, Road, Shape, Standing
from engine.dust.cards.card_set import CardSet

WIDE, HIGH, GAP = 60.0, 76.0, 4.0
"""A space of the track, in units of the picture."""
ABREAST = 22.0
GROUND, BORDER = "#1e1812", "#32281e"
ZONES = {"red": "#a52a17", "yellow": "#f2be22"}
OTHER_ZONE = "#b9b1a3"


def road(run: Run, view: Mapping[str, Any]) -> Road:
    """Return the position track with the cars that still race (M1). Before a driver has a character nobody is on it."""
    places = _places(cards_of(run.state))
    stand: dict[str, list[str]] = {}
    for name, one in view["drivers"].items():
        if one["phase"] != "out" and one["space"] in places:
            stand.setdefault(one["space"], []).append(name)
    width = max((left + WIDE for left, _top, _zone in places.values()), default=WIDE) + GAP
    height = max((top + HIGH for _left, top, _zone in places.values()), default=HIGH) + GAP
    return Road(
        cars=[
            CarSpot(name, *_beside(places[space], at, len(names)))
            for space, names in stand.items()
            for at, name in enumerate(names)
        ],
        reach=3 * WIDE,
        bounds=(0.0, 0.0, width, height),
        ground=GROUND,
        shapes=lambda box: _shapes(places, box),
    )


def standing(run: Run, view: Mapping[str, Any], seat: str) -> Standing | None:
    """Return nothing: points are counted at the end of a stage, and hands are hidden before."""
    return None


def _places(cards: CardSet) -> dict[str, tuple[float, float, str]]:
    """Return the left upper corner and the zone of each space by its name."""
    found = {}
    for row, names in enumerate(cards.rows.values()):
        for column, name in enumerate(names):
            found[name] = (GAP + column * (WIDE + GAP), GAP + row * (HIGH + GAP), cards.spaces[name].zone)
    return found


def _beside(place: tuple[float, float, str], at: int, count: int) -> tuple[float, float]:
    """Return the position of one of several cars on a space."""
    rows = -(-count // 2)
    row, column = divmod(at, 2)
    across = 0.0 if row == rows - 1 and count % 2 else (column - 0.5) * ABREAST
    return place[0] + WIDE / 2 + across, place[1] + HIGH / 2 + 6 + (row - (rows - 1) / 2) * ABREAST


def _shapes(places: Mapping[str, tuple[float, float, str]], box: Box) -> Sequence[Shape]:
    return [
        Shape([(x, y), (x + WIDE, y), (x + WIDE, y + HIGH), (x, y + HIGH)], ZONES.get(zone, OTHER_ZONE), BORDER, name)
        for name, (x, y, zone) in places.items()
        if x + WIDE > box[0] and x < box[0] + box[2]
    ]
