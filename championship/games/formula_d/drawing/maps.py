"""Whole maps for pages: the land as a picture, and what moves on it."""

from __future__ import annotations

from math import hypot

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext

from championship.games.formula_d.drawing import map_background, paths
from championship.games.formula_d.drawing.geometry import Circuit, Point, circuit
from championship.games.formula_d.drawing.marks import Scene
from championship.games.formula_d.drawing.overlay import overlay
from championship.games.formula_d.drawing.paths import SCALE
from championship.games.formula_d.drawing.scene import land, sketch, symbols
from championship.games.svg_elements import box_of, wrapped
from engine.contract import Json

NOTHING = Scene()


def circuit_svg(course: Json, scene: Scene = NOTHING, *, title: str = "", ident: str = "map") -> SafeString:
    """The whole map of a course (a document, or the track of a race) with all that stands on it.

    Raises:
        StageError: there is no such track.
    """
    drawing = circuit(course)
    moving = overlay(drawing, scene, ident=ident, swap=False)
    body = f'<g aria-hidden="true">{_land(drawing, ident)}</g>{_pieces(ident)}{moving}'
    box = box_of(drawing.bounds, SCALE)
    named = title or drawing.field.title
    return wrapped(box, body, ident=ident, kind="circuit", title=named, about=about(drawing), static=False)


def overlay_svg(course: Json, scene: Scene, *, ident: str = "map", swap: bool = False) -> SafeString:
    """Only what moves, for the map of the same `ident`; with `swap` it takes the place of what moved before."""
    return overlay(circuit(course), scene, ident=ident, swap=swap)


def small_svg(course: Json, *, title: str = "", ident: str = "map") -> SafeString:
    """The road over its land, without detail."""
    drawing = circuit(course)
    body = f'<g aria-hidden="true">{sketch(drawing, ident)}</g>'
    box = box_of(drawing.bounds, SCALE)
    named = title or drawing.field.title
    return wrapped(box, body, ident=ident, kind="circuit small", title=named, about=about(drawing), static=True)


def about(drawing: Circuit) -> str:
    """What a screen reader says of the whole."""
    bends = len(drawing.bends)
    words = ngettext(
        "A circuit of %(spaces)d spaces with %(count)d corner.",
        "A circuit of %(spaces)d spaces with %(count)d corners.",
        bends,
    )
    spaces = sum(not drawing.field.in_the_pits(at) for at in range(len(drawing.spots)))
    return words % {"spaces": spaces, "count": bends}


def space_at(course: Json, x: float, y: float) -> str:
    """The name of the space at a point of the map, in its own units; "" for none. What lies above counts first."""
    drawing = circuit(course)
    point = (x / SCALE, y / SCALE)
    near = [spot for spot in drawing.spots if abs(spot.x - point[0]) < 1 and abs(spot.y - point[1]) < 1]
    here = [spot for spot in near if covers(spot.outline, point)]
    best = min(here, key=lambda spot: hypot(spot.x - point[0], spot.y - point[1]), default=None)
    return best.name if best else ""


def outline_of(course: Json, name: str) -> str:
    """The outline of a space as path data; "" where the track has none of that name."""
    spot = circuit(course).spot(name)
    return paths.polygon(spot.outline) if spot else ""


def covers(outline: tuple[Point, ...], point: Point) -> bool:
    """Whether a point lies within an outline: a ray from it to the right leaves the area an odd number of times."""
    x, y = point
    inside = False
    for place, (ax, ay) in enumerate(outline):
        bx, by = outline[place - 1]
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def _land(drawing: Circuit, ident: str) -> str:
    """The picture of a ready-made track; the land of a brought one itself."""
    road = map_background.road_of(drawing)
    if not road:
        return f'<g class="circuit-land">{land(drawing, f"{ident}-land", full=False)}</g>'
    x, y, width, height = box_of(drawing.bounds, SCALE)
    address = reverse("stages:land", args=["formula_d", map_background.edition(), get_language() or "en", road])
    return f'<image class="land" href="{address}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _pieces(ident: str) -> str:
    """The symbols of what moves: cars, debris, drops."""
    return f"<defs>{''.join(symbols('pieces.svg').values()).replace('@', escape(ident) + '-')}</defs>"
