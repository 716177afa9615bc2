"""Details of a place on the map: a tile with its hazard and mud, a space with its limit, and the cars there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from championship.games.dirt import maps
from championship.games.dirt.words import space_words
from championship.runs.models import Seat
from championship.runs.run_pages import PlaceShown
from championship.runs.watch.selectors import RunPage
from engine.dirt.course.compiled_stage import GRID, Space, Track, compiled
from engine.dirt.game import game
from engine.dirt.road import limits_under_mud

TEMPLATE = "dirt/place.html"
HAZARDS = {
    "yellow": gettext_lazy("yellow"),
    "orange": gettext_lazy("orange"),
    "red": gettext_lazy("red"),
}
KINDS = {
    "lane": gettext_lazy("a lane of a row"),
    "slide": gettext_lazy("half of a slide: the car goes through it sideways"),
    "inner": gettext_lazy("inside of the bend"),
    "outer": gettext_lazy("outside of the bend: the car drifts through it"),
    "single": gettext_lazy("over the whole width: one car at a time"),
    "shortcut": gettext_lazy("a shortcut beside the road: each space of it draws a token"),
}


TERMS = {"slide": "slide", "inner": "cut", "outer": "drift", "single": "single", "shortcut": "shortcut"}
"""What the rulebook explains about a kind of space (rulebook/figures.toml)."""


@dataclass(frozen=True, slots=True)
class TileShown:
    """A tile: its place in the stage, the number printed on it, its road in words, its hazard, its mud markers as they
    count for the viewer, and its start or finish line.
    """

    number: int
    name: str
    road: str
    sections: str
    hazard: str
    hazard_words: str
    mud: int
    mud_words: str
    lines: list[str]
    service: bool


@dataclass(frozen=True, slots=True)
class SpaceShown:
    """A space: its name in words, its kind, the limit as printed and as it applies to the viewer (0: closed), and
    sentences about its effects on a car.
    """

    name: str
    where: str
    kind: str
    limit: int | None
    printed: int | None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TileLink:
    """A tile in the list of all tiles: its number, its hazard, and the words of its hazard."""

    number: int
    hazard: str
    words: str


@dataclass(frozen=True, slots=True)
class PlaceLink:
    """A link to another place: the name in its address, its words, and whether it is the current place."""

    name: str
    words: str
    here: bool = False


def place_at(page: RunPage, x: float, y: float) -> str:
    """Return the name of the space at a point of the map, or of the tile beside the road; "" outside the tiles."""
    found = maps.place_at(page.run.stage, x, y)
    return (found[1] or str(found[0])) if found else ""


def place(page: RunPage, name: str) -> PlaceShown | None:
    """Return a tile by its number ("3") or a space by its name ("3.1.l"), as it applies to the viewer's car; None when
    the stage has no place of that name.
    """
    track = compiled(page.run.stage)
    index = track.index.get(name)
    if index == GRID or (index is None and not (name.isdecimal() and name.isascii() and len(name) <= len("99"))):
        return None
    number = track.spaces[index].tile if index is not None else int(name)
    if not 0 < number <= track.tiles:
        return None
    viewer = page.mine.name if page.mine else None
    view = game().view(page.run.state, viewer)
    mud = {int(tile): sum(thrown.values()) - thrown.get(viewer, 0) for tile, thrown in view["mud"].items()}
    here = [track.spaces[index]] if index is not None else [space for space in track.spaces if space.tile == number]
    context = {
        "tile": _tile(page, number, mud.get(number, 0)),
        "space": _space(track, here[0], limits_under_mud(track, mud)[here[0].index]) if index is not None else None,
        "standing": _standing(page, view, {space.name for space in here}),
        "spaces": [
            PlaceLink(space.name, space_words(space.name), space.name == name)
            for space in track.spaces
            if space.tile == number and space.index != GRID
        ],
        "tiles": list(_neighbours(number, track.tiles)),
        "terms": list(_terms(track, here, mud=bool(mud.get(number)))),
    }
    title = space_words(name) if index is not None else _("Tile %(number)d") % {"number": number}
    return PlaceShown(TEMPLATE, title, maps.outline_of(page.run.stage, name), context)


def tiles(page: RunPage) -> list[TileLink]:
    """Return all tiles of the stage, for the list of links."""
    hazards = {space.tile: space.hazard for space in compiled(page.run.stage).spaces}
    return [
        TileLink(number, hazard, _("hazard %(hazard)s") % {"hazard": HAZARDS[hazard]})
        for number, hazard in sorted(hazards.items())
    ]


def _tile(page: RunPage, number: int, mud: int) -> TileShown:
    stage = page.run.stage
    row = maps.rows(stage)[number - 1]
    lines = [_("start line")] if number == 1 else [_("finish line")] if number == len(stage["tiles"]) else []
    hazard = next(space.hazard for space in compiled(stage).spaces if space.tile == number)
    lost = ngettext(
        "%(count)d mud marker: the limits of its bends are one lower for you.",
        "%(count)d mud markers: the limits of its bends are that much lower for you.",
        mud,
    )
    return TileShown(
        number=number,
        name=row.tile,
        road=row.road,
        sections=row.sections,
        hazard=hazard,
        hazard_words=str(HAZARDS[hazard]),
        mud=mud,
        mud_words=lost % {"count": mud} if mud else "",
        lines=lines,
        service=number == len(stage["tiles"]) and bool(stage.get("service")),
    )


def _space(track: Track, space: Space, limit: int | None) -> SpaceShown:
    notes = []
    if space.jump is not None:
        notes.append(_("a bump with the number %(number)d: from that gear on the car flies") % {"number": space.jump})
    if space.water:
        notes.append(_("water: only a coast die or gear 1 goes through"))
    if space.kind == "lane" and any(track.spaces[other].kind == "slide" for other in track.across[space.index]):
        notes.append(_("a slide lies across both lanes"))
    if space.behind_finish:
        notes.append(_("behind the finish line: here the stage ends"))
    return SpaceShown(
        name=space.name,
        where=space_words(space.name),
        kind=str(KINDS[space.kind]),
        limit=None if limit is None else max(0, limit),
        printed=space.limit,
        notes=notes,
    )


def _terms(track: Track, spaces: Sequence[Space], *, mud: bool) -> Iterator[str]:
    """Yield the terms of the rulebook for what lies on these spaces of one tile."""
    yield spaces[0].hazard
    if mud:
        yield "mud"
    for space in spaces:
        if space.limit is not None:
            yield "limit"
        if space.kind in TERMS:
            yield TERMS[space.kind]
        if any(track.spaces[other].kind == "slide" for other in track.across[space.index]):
            yield "slide"
        if space.jump is not None:
            yield "bump"
        if space.water:
            yield "water"
        if space.behind_finish:
            yield "finish"


def _standing(page: RunPage, view: Mapping[str, Any], names: set[str]) -> list[Seat]:
    """Return the seats of the cars on or beside one of these spaces."""
    return [
        seat
        for seat in page.seats
        if (driver := view["drivers"][seat.name])["space"] in names and not driver["finished"] and not driver["retired"]
    ]


def _neighbours(number: int, count: int) -> Iterator[PlaceLink]:
    for other, words in ((number - 1, _("Tile before")), (number + 1, _("Tile behind"))):
        if 0 < other <= count:
            yield PlaceLink(str(other), words)
