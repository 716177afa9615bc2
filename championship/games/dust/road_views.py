"""The position track with the cars on it, for cards and mails (runs.road_views)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from championship.games.dust.pages import cards_of
from championship.runs.models import Run
from championship.runs.road_views import Box, CarSpot, Road, Shape, Standing
from engine.dust.cards.card_set import CardSet

NARROWEST, HIGH, GAP = 44.0, 112.0, 4.0
"""A space of the longest row, and the distance between two, in units of the picture. All rows are as wide as that one,
so that the whole track fills the picture and none of them ends before its edge.
"""
ABREAST, NAMED = 30.0, 22.0
"""The distance between two cars on a space, and the part of a space above them that has its name."""
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
    width = max((place.left + place.wide for place in places.values()), default=NARROWEST) + GAP
    height = max((place.top + HIGH for place in places.values()), default=HIGH) + GAP
    return Road(
        cars=[
            CarSpot(name, *_beside(places[space], at, len(names)))
            for space, names in stand.items()
            for at, name in enumerate(names)
        ],
        reach=width / 2,
        bounds=(0.0, 0.0, width, height),
        ground=GROUND,
        shapes=lambda box: _shapes(places, box),
    )


def standing(run: Run, view: Mapping[str, Any], seat: str) -> Standing | None:
    """Return nothing: points are counted at the end of a stage, and hands are hidden before."""
    return None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a space is drawn, how wide it is, and its zone."""

    left: float
    top: float
    wide: float
    zone: str


def _places(cards: CardSet) -> dict[str, _Place]:
    """Return where each space is drawn, by its name."""
    found = {}
    most = max((len(names) for names in cards.rows.values()), default=1)
    for row, names in enumerate(cards.rows.values()):
        pitch = most * (NARROWEST + GAP) / max(len(names), 1)
        for column, name in enumerate(names):
            top = GAP + row * (HIGH + GAP)
            found[name] = _Place(GAP + column * pitch, top, pitch - GAP, cards.spaces[name].zone)
    return found


def _beside(place: _Place, at: int, count: int) -> tuple[float, float]:
    """Return the position of one of several cars on a space: two abreast where it is wide enough."""
    abreast = min(count, 2 if place.wide >= 2 * ABREAST else 1)
    rows = -(-count // abreast)
    row, column = divmod(at, abreast)
    here = abreast if row < rows - 1 else count - row * abreast
    down = min(ABREAST, (HIGH - NAMED) / rows)
    middle = place.top + NAMED + (HIGH - NAMED) / 2
    return place.left + place.wide / 2 + (column - (here - 1) / 2) * ABREAST, middle + (row - (rows - 1) / 2) * down


def _shapes(places: Mapping[str, _Place], box: Box) -> Sequence[Shape]:
    return [
        Shape(
            [
                (place.left, place.top),
                (place.left + place.wide, place.top),
                (place.left + place.wide, place.top + HIGH),
                (place.left, place.top + HIGH),
            ],
            ZONES.get(place.zone, OTHER_ZONE),
            BORDER,
            name,
        )
        for name, place in places.items()
        if place.left + place.wide > box[0] and place.left < box[0] + box[2]
    ]
