"""Whole maps for pages: the land as a picture, and the moving things on it."""

from __future__ import annotations

from math import hypot

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext

from championship.catalogue.svg_elements import box_of, wrapped
from championship.games.formula_d.drawing import map_background, paths
from championship.games.formula_d.drawing.geometry import Circuit, Point, circuit
from championship.games.formula_d.drawing.marks import Scene
from championship.games.formula_d.drawing.overlay import overlay
from championship.games.formula_d.drawing.paths import SCALE
from championship.games.formula_d.drawing.road_drawing import plate_places
from championship.games.formula_d.drawing.scene import land, sketch, symbols
from engine.contract import Json

NOTHING = Scene()
PLATE, BETWEEN = 14.0, 18.0
"""How far from the middle of a plate and of a space a tap means it, in units of the map. A space is 38 long."""


def circuit_svg(course: Json, scene: Scene = NOTHING, *, title: str = "", ident: str = "map") -> SafeString:
    """Return the whole map of a course (a document, or the track of a race) with everything on it.

    Raises: StageError when there is no such track.
    """
    drawing = circuit(course)
    box = box_of(drawing.bounds, SCALE)
    named = title or drawing.track.title
    body = _body(drawing, scene, ident)
    return wrapped(box, body, ident=ident, kind="circuit", title=named, about=about(drawing), static=False)


def part_svg(
    course: Json, scene: Scene, bounds: tuple[float, float, float, float], *, title: str, told: str, ident: str
) -> SafeString:
    """Return the part of the map within bounds (left, top, right, bottom; in units of the plane) as a picture. `told`
    describes it to screen readers.
    """
    body = _body(circuit(course), scene, ident)
    left, top, right, bottom = bounds
    kind = "circuit part tall" if bottom - top > right - left else "circuit part"
    return wrapped(box_of(bounds, SCALE), body, ident=ident, kind=kind, title=title, about=told, static=True)


def overlay_svg(course: Json, scene: Scene, *, ident: str = "map", swap: bool = False) -> SafeString:
    """Return only the moving things, for the map of the same `ident`; with `swap` they replace the earlier ones."""
    return overlay(circuit(course), scene, ident=ident, swap=swap)


def small_svg(course: Json, *, title: str = "", ident: str = "map") -> SafeString:
    """Return the road over its land, without detail."""
    drawing = circuit(course)
    body = f'<g aria-hidden="true">{sketch(drawing, ident)}</g>'
    box = box_of(drawing.bounds, SCALE)
    named = title or drawing.track.title
    return wrapped(box, body, ident=ident, kind="circuit small", title=named, about=about(drawing), static=True)


def about(drawing: Circuit) -> str:
    """Return the description of the map for screen readers."""
    bends = len(drawing.bends)
    words = ngettext(
        "A circuit of %(spaces)d spaces with %(count)d corner.",
        "A circuit of %(spaces)d spaces with %(count)d corners.",
        bends,
    )
    spaces = sum(not drawing.track.in_the_pits(at) for at in range(len(drawing.spots)))
    return words % {"spaces": spaces, "count": bends}


def space_at(course: Json, x: float, y: float) -> str:
    """Return the name of the space at a point of the map, in the map's units; "" for none. Of overlapping spaces it is
    the one whose middle is nearest. The plate of a corner stands for the corner's middle space, and a finger between
    two spaces means the nearer one.
    """
    drawing = circuit(course)
    point = (x / SCALE, y / SCALE)
    near = [spot for spot in drawing.spots if abs(spot.x - point[0]) < 1 and abs(spot.y - point[1]) < 1]
    here = [spot for spot in near if covers(spot.outline, point)]
    if not here:
        for bend, (across, down) in plate_places(drawing):
            if abs(across * SCALE - x) <= PLATE and abs(down * SCALE - y) <= PLATE:
                middle = bend.lanes[1]
                return drawing.spots[middle[len(middle) // 2]].name
        here = [spot for spot in near if hypot(spot.x - point[0], spot.y - point[1]) * SCALE <= BETWEEN]
    best = min(here, key=lambda spot: hypot(spot.x - point[0], spot.y - point[1]), default=None)
    return best.name if best else ""


def outline_of(course: Json, name: str) -> str:
    """Return the outline of a space as path data; "" when the track has no space of that name."""
    spot = circuit(course).spot(name)
    return paths.polygon(spot.outline) if spot else ""


def covers(outline: tuple[Point, ...], point: Point) -> bool:
    """Return whether a point is inside an outline: a ray from it to the right crosses the outline an odd number of
    times.
    """
    x, y = point
    inside = False
    for place, (ax, ay) in enumerate(outline):
        bx, by = outline[place - 1]
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def _body(drawing: Circuit, scene: Scene, ident: str) -> str:
    """Return the land, and everything that moves on it."""
    moving = overlay(drawing, scene, ident=ident, swap=False)
    return f'<g aria-hidden="true">{_land(drawing, ident)}</g>{_pieces(ident)}{moving}'


def _land(drawing: Circuit, ident: str) -> str:
    """Return the picture of a ready-made track, or the land itself of an imported one."""
    road = map_background.road_of(drawing)
    if not road:
        return f'<g class="circuit-land">{land(drawing, f"{ident}-land", full=False)}</g>'
    x, y, width, height = box_of(drawing.bounds, SCALE)
    address = reverse("stages:land", args=["formula_d", map_background.edition(), get_language() or "en", road])
    return f'<image class="land" href="{address}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _pieces(ident: str) -> str:
    """Return the symbols of moving things: cars, debris, drops."""
    return f"<defs>{''.join(symbols('pieces.svg').values()).replace('@', escape(ident) + '-')}</defs>"
