"""The offered tiles, sorted by the direction of their road, with a picture and words for each.

Building.placements  →  directions ("left": 21 tiles, "straight on": 26, …)  →  the offers of one direction
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from championship.games.dirt.drawing import map_background
from championship.games.dirt.tile_list import words_of
from engine.dirt.course.compiled_stage import driven
from engine.dirt.course.layout import EDGES, kinds
from engine.dirt.facts import Face, faces

FINISH = "finish"
ORDER = ("1", "2", "3", "4", "5", FINISH)
STRAIGHT = 3


@dataclass(frozen=True, slots=True)
class RoadDirection:
    """A direction in which the road can continue: its key in the URL, its name, the number of tiles, the angle of its
    arrow in degrees, and the digit of its keyboard shortcut.
    """

    key: str
    name: str
    count: int
    angle: int
    digit: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A tile that fits: its value in a form, its picture as it would lie, and words."""

    value: str
    tile: str
    picture: str
    road: str
    facts: str
    words: str
    hazard: str


def value_of(placement: Mapping[str, Any]) -> str:
    """Return a placement as a form sends it."""
    return f"{placement['tile']}.{placement['via']}.{placement['turn']}"


def direction_of(placement: Mapping[str, Any], *, first: bool) -> str:
    """Return the direction of the road: sixths clockwise from where it enters; for the first tile, from the top of the
    map.
    """
    if "finish" in kinds(faces()[placement["tile"]]):
        return FINISH
    enters, leaves = (EDGES.index(edge) for edge in placement["via"])
    if first:
        return str((leaves + placement["turn"]) % len(EDGES))
    return str((leaves - enters) % len(EDGES))


def directions(placements: Sequence[Mapping[str, Any]], *, first: bool) -> list[RoadDirection]:
    """Return the open directions, from hard left to hard right, the finish last."""
    counted: dict[str, int] = {}
    for placement in _distinct(placements):
        key = direction_of(placement, first=first)
        counted[key] = counted.get(key, 0) + 1
    names = _compass() if first else _names()
    order = names if first else ORDER
    straight = 0 if first else STRAIGHT
    return [
        RoadDirection(key, names[key], counted[key], 0 if key == FINISH else (int(key) - straight) * 60, digit)
        for digit, key in enumerate(order, 1)
        if key in counted
    ]


def offers(placements: Sequence[Mapping[str, Any]], direction: str, *, first: bool) -> list[Offer]:
    """Return the tiles that lead in that direction. Of two placements of a tile that drive the same, one is returned;
    it can be turned.
    """
    here = [placement for placement in placements if direction_of(placement, first=first) == direction]
    return [_offer(placement) for placement in _distinct(here)]


def picture_of(tile: str, via: str, turn: int) -> str:
    """Return the URL of the picture of a single tile."""
    return reverse(
        "stages:land", args=["dirt", map_background.edition(), get_language() or "en", f"{tile}.{via}.0.0.{turn}"]
    )


def _distinct(placements: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the placements without those that drive the same as an earlier one, from and to the same edges."""
    found: dict[Any, Mapping[str, Any]] = {}
    for placement in placements:
        face: Face = faces()[placement["tile"]]
        enters, leaves = (EDGES.index(edge) for edge in placement["via"])
        turned = tuple((edge + placement["turn"]) % len(EDGES) for edge in (enters, leaves))
        drives = driven(face, backwards=placement["via"] != face.edges)
        found.setdefault((face.name, turned, drives), placement)
    return list(found.values())


def _offer(placement: Mapping[str, Any]) -> Offer:
    tile, via, turn = placement["tile"], placement["via"], placement["turn"]
    words = words_of(faces()[tile], via)
    return Offer(
        value=value_of(placement),
        tile=tile,
        picture=picture_of(tile, via, turn),
        road=words.road,
        facts=words.short,
        words=words.sections,
        hazard=words.hazard,
    )


def _names() -> dict[str, str]:
    return {
        "1": _("hard left"),
        "2": pgettext("direction", "left"),
        "3": _("straight on"),
        "4": pgettext("direction", "right"),
        "5": _("hard right"),
        FINISH: _("finish"),
    }


def _compass() -> dict[str, str]:
    return {
        "4": _("down to the left"),
        "5": _("up to the left"),
        "0": pgettext("direction", "up"),
        "1": _("up to the right"),
        "2": _("down to the right"),
        "3": pgettext("direction", "down"),
    }
