"""The land of a circuit, in full detail and small: everything that does not move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files

from django.utils.html import escape

from championship.catalogue.svg_elements import box_of
from championship.catalogue.svg_paths import number
from championship.games.formula_d.drawing import paths, road_drawing
from championship.games.formula_d.drawing.geometry import Circuit, Point
from championship.games.formula_d.drawing.paths import SCALE
from championship.games.formula_d.drawing.scenery import PACKAGE, Scenery, Thing, scenery


@cache
def symbols(name: str) -> Mapping[str, str]:
    """Return the symbols that are drawn more than once, by name. The file has one symbol a line."""
    lines = (files(PACKAGE) / name).read_text("utf-8").splitlines()
    return {line.partition('id="@')[2].partition('"')[0]: line for line in lines if line}


@lru_cache(maxsize=24)
def land(drawing: Circuit, ident: str, *, full: bool = True) -> str:
    """Return everything that does not move, without the element around it. Without `full` the land has fewer things on
    it, for a page that contains the land itself.
    """
    view = scenery(drawing) if full else thinned(scenery(drawing))
    x, y, width, height = box_of(drawing.bounds, SCALE)
    whole = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    ident = escape(ident)
    parts = (
        f'<rect class="ground" {whole}/>',
        _patches(view),
        f'<rect fill="url(#{ident}-blades)" {whole}/>',
        _water(view),
        _title(drawing, view),
        road_drawing.under(drawing, ident, gravel=view.look.gravel),
        _things(view.boats, ident),
        road_drawing.kerbs(drawing),
        road_drawing.tarmac(ident),
        road_drawing.spaces(drawing),
        road_drawing.arrows(drawing),
        road_drawing.line_and_grid(drawing),
        road_drawing.pits(drawing),
        road_drawing.bridge(drawing),
        _things(view.parks, ident),
        _things((*view.stands, *view.houses, *view.trees), ident),
        f'<rect class="dusk" {whole}/>',
        _things(view.lamps, ident),
        road_drawing.plates(drawing),
    )
    body = "".join(parts)
    used = (text for name, text in symbols("symbols.svg").items() if f"#{ident}-{name}" in body)
    defs = (
        f'<path id="@lanes" d="{road_drawing.lanes(drawing)}"/><path id="@middle" d="{road_drawing.middle(drawing)}"/>'
        f'<path id="@pit" d="{road_drawing.pit_lane(drawing)}"/>{"".join(used)}{_patterns()}'
    )
    return f'<defs>{defs.replace("@", ident + "-")}</defs><g class="{view.look.land}">{body}</g>'


def thinned(view: Scenery) -> Scenery:
    """Return the land with every fourth tree and house, and without patches of other green."""
    return replace(view, patches=(), trees=view.trees[::4], houses=view.houses[::4])


@cache
def _patterns() -> str:
    return (files(PACKAGE) / "patterns.svg").read_text("utf-8").replace("\n", "")


def _patches(view: Scenery) -> str:
    by_kind: dict[int, list[tuple[Point, ...]]] = {}
    for kind, outline in view.patches:
        by_kind.setdefault(kind, []).append(outline)
    return "".join(
        f'<path class="patch p{kind}" d="{"".join(paths.smooth(outline) for outline in outlines)}"/>'
        for kind, outlines in sorted(by_kind.items())
    )


def _water(view: Scenery) -> str:
    if not view.water:
        return ""
    d = paths.smooth(view.water)
    x, y = (sum(values) / len(view.water) for values in zip(*view.water, strict=True))
    inner = paths.smooth([(x + (px - x) * 0.86, y + (py - y) * 0.86) for px, py in view.water])
    return f'<path class="bank" d="{d}"/><path class="water" d="{d}"/><path class="deep" d="{inner}"/>'


def _title(drawing: Circuit, view: Scenery) -> str:
    """Return the name of the track, as mown into the grass."""
    if view.title is None:
        return ""
    x, y = paths.at((view.title.x, view.title.y))
    size = view.title.high * SCALE
    return (
        f'<text class="title" x="{number(x)}" y="{number(y + 0.35 * size)}" font-size="{number(size)}">'
        f"{escape(drawing.track.title.upper())}</text>"
    )


def _things(things: Iterable[Thing], ident: str) -> str:
    """Return things, sorted so that lower ones are drawn in front."""
    found = []
    for thing in sorted(things, key=lambda thing: thing.y):
        x, y = paths.at((thing.x, thing.y))
        where = f'x="{x:.0f}" y="{y:.0f}"'
        if thing.angle:
            where = f'transform="translate({number(x)} {number(y)})rotate({paths.angle(thing.angle)})"'
        found.append(f'<use href="#{ident}-{thing.symbol}" {where}/>')
    return "".join(found)


@lru_cache(maxsize=64)
def sketch(drawing: Circuit, ident: str) -> str:
    """Return a small map for lists: ground, water, road, corners, the finish line."""
    view = scenery(drawing)
    x, y, width, height = box_of(drawing.bounds, SCALE)
    road = f'<use href="#{escape(ident)}-road"'
    bends: dict[int, list[str]] = {}
    for bend in drawing.bends:
        bends.setdefault(bend.stops, []).append(paths.curve(drawing.at(bend.lanes[1])))
    corners = "".join(f'<path class="corner s{stops}" d="{"".join(d)}"/>' for stops, d in sorted(bends.items()))
    water = f'<path class="water" d="{paths.smooth(view.water)}"/>' if view.water else ""
    line = "".join(
        f'<path class="line" d="{paths.line([spot.beside(-1.4, -0.5), spot.beside(1.4, -0.5)])}"/>'
        for spot in drawing.spots
        if drawing.track.finish[spot.index] and drawing.track.lane[spot.index] == 2
    )
    return (
        f'<defs><path id="{escape(ident)}-road" d="{road_drawing.middle(drawing)}"/></defs>'
        f'<g class="{view.look.land}"><rect class="ground" x="{x}" y="{y}" width="{width}" height="{height}"/>{water}'
        f'{road} class="verge"/>{road} class="road edge"/>{road} class="road"/>{corners}{line}</g>'
    )
