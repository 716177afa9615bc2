"""The game's implementation of championship.stages.stage_pages.StageMaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from championship.catalogue.svg_elements import wrapped
from championship.games.dirt.character import character
from championship.games.dirt.drawing import map_background, map_drawing, paths
from championship.games.dirt.drawing.centre_lines import APOTHEM
from championship.games.dirt.drawing.layout import Drawing, covers, draw
from championship.games.dirt.drawing.map_background import land
from championship.games.dirt.drawing.overlay import overlay
from championship.games.dirt.marks import Car, Step, Target
from championship.games.dirt.tile_list import rating, read_text, rows, summary, table, write_text
from championship.platform.bounded_input import whole_number
from championship.stages.stage_pages import Spec

__all__ = [
    "character",
    "land",
    "map_svg",
    "outline_of",
    "overlay_svg",
    "place_at",
    "rating",
    "read_text",
    "rows",
    "small_svg",
    "spots",
    "summary",
    "table",
    "write_text",
]


def map_svg(
    spec: Spec,
    *,
    cars: Sequence[Car] = (),
    path: Sequence[Step] = (),
    targets: Sequence[Target] = (),
    mud: Mapping[int, int] | None = None,
    highlight: int | None = None,
    title: str = "",
    ident: str = "map",
) -> SafeString:
    """Return the whole map: the land as a picture, and the overlay on it."""
    drawing = draw(spec)
    x, y, width, height = map_drawing.viewbox(drawing)
    address = reverse(
        "stages:land", args=["dirt", map_background.edition(), get_language() or "en", map_background.road_of(drawing)]
    )
    moving = overlay(
        drawing,
        cars=cars,
        path=path,
        targets=targets,
        mud=mud or {},
        highlight=highlight,
        ident=ident,
        swap=False,
    )
    picture = f'<image class="land" href="{address}" x="{x}" y="{y}" width="{width}" height="{height}"/>'
    body = f'<g aria-hidden="true">{picture}</g>{map_drawing.pieces(ident)}{moving}'
    return wrapped(
        map_drawing.viewbox(drawing),
        body,
        ident=ident,
        kind="drawn",
        title=title or _("Stage map"),
        about=_about(drawing),
        static=False,
    )


def overlay_svg(
    spec: Spec,
    *,
    cars: Sequence[Car] = (),
    path: Sequence[Step] = (),
    targets: Sequence[Target] = (),
    mud: Mapping[int, int] | None = None,
    highlight: int | None = None,
    ident: str = "map",
    swap: bool = False,
) -> SafeString:
    """Return only the moving things, for the map with the same `ident`."""
    return overlay(
        draw(spec),
        cars=cars,
        path=path,
        targets=targets,
        mud=mud or {},
        highlight=highlight,
        ident=ident,
        swap=swap,
    )


def place_at(spec: Spec, x: float, y: float) -> tuple[int, str] | None:
    """Return the tile and the space at a point. Of overlapping spaces, such as a slide and its lanes, it is the one
    whose middle is nearest.
    """
    drawing = draw(spec)
    point = (x / paths.SCALE, y / paths.SCALE)
    for tile in drawing.tiles:
        across, along = abs(point[0] - tile.centre[0]), abs(point[1] - tile.centre[1])
        if along <= APOTHEM and across * APOTHEM + along / 2 <= APOTHEM:
            here = [space for space in tile.spaces if covers(space.outline, point)]
            nearest = min(here, key=lambda s: hypot(s.middle.x - point[0], s.middle.y - point[1]), default=None)
            return tile.number, f"{tile.number}.{nearest.slot}" if nearest else ""
    return None


def outline_of(spec: Spec, place: str) -> str:
    """Return the outline of a tile by its number, or of a space by its name; "" when there is none."""
    drawing = draw(spec)
    if place in drawing.spaces:
        return paths.polygon(drawing.spaces[place].outline)
    number = whole_number(place)
    if number and number <= len(drawing.tiles):
        return paths.polygon(drawing.tiles[number - 1].corners())
    return ""


def spots(spec: Spec, places: Iterable[str]) -> dict[str, tuple[str, str, str]]:
    """Return the middle of each of these spaces, x and y as drawn, and its outline. Others are left out."""
    spaces = draw(spec).spaces
    found = {}
    for place in places:
        if place in spaces:
            x, y = (paths.number(value) for value in paths.at(spaces[place].middle))
            found[place] = (x, y, paths.outlined(spaces[place].outline))
    return found


def small_svg(spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
    """Return the road over its hexagons, without detail."""
    drawing = draw(spec)
    body = f'<g aria-hidden="true">{map_drawing.sketch(drawing)}</g>'
    return wrapped(
        map_drawing.viewbox(drawing),
        body,
        ident=ident,
        kind="drawn small",
        title=title or _("Stage map"),
        about=_about(drawing),
        static=True,
    )


def _about(drawing: Drawing) -> str:
    count = len(drawing.tiles)
    return ngettext("A stage of %(count)d tile.", "A stage of %(count)d tiles.", count) % {"count": count}
