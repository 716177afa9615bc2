"""The drawn map of a stage: the land, which depends on the stage alone (a separate picture, see map_background.py), the
small sketch for lists, and the symbols for the overlay (overlay.py).

Colours, widths and fonts are classes: those of the land in land.css, all others in static/css/map.css. So the reader's
colour scheme applies and no style is inline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import cos, pi, sin

from django.utils.html import escape

from championship.catalogue.svg_elements import Box, box_of
from championship.games.dirt.drawing import paths, road_drawing
from championship.games.dirt.drawing.layout import Drawing, corners
from championship.games.dirt.drawing.scenery import scenery

PACKAGE = "championship.games.dirt.drawing"
# Objects in the service park: symbol, distance ahead of the middle and to the right of the drive, angle.
PARKED = (
    ("tent", -0.3, 0.37, 0.0),
    ("tent", 0.0, 0.38, 0.0),
    ("tent", 0.3, 0.35, 0.0),
    ("tent", -0.16, -0.37, pi),
    ("tent", 0.14, -0.38, pi),
    ("truck", 0.42, -0.22, 0.9),
    ("truck", 0.48, 0.1, 1.5),
    ("truck", -0.42, -0.38, 0.2),
)


@dataclass(frozen=True, slots=True)
class MapLabels:
    """The texts on the map, in the reader's language."""

    start: str
    finish: str
    service: str


@cache
def _symbols(name: str) -> str:
    return (files(PACKAGE) / name).read_text("utf-8")


def pieces(ident: str) -> str:
    """Return the symbols of moving things: cars and mud."""
    return f"<defs>{_symbols('pieces.svg').replace('@', escape(ident) + '-')}</defs>"


def viewbox(drawing: Drawing) -> Box:
    """Return the viewBox of the picture."""
    return box_of(drawing.bounds, paths.SCALE)


@lru_cache(maxsize=64)
def land(drawing: Drawing, ident: str, labels: MapLabels) -> str:
    """Return everything that does not move, in full detail."""
    hexagons = "".join(paths.polygon(outline) for outline in _hexagons(drawing))
    ident = escape(ident)
    parts = (
        f'<path id="{ident}-hexagons" class="shade" d="{hexagons}"/><use href="#{ident}-hexagons" class="slab"/>',
        f'<use href="#{ident}-hexagons" class="apron"/>',
        _ground(drawing, ident),
        f'<use href="#{ident}-hexagons" class="grass" fill="url(#{ident}-grass)"/>',
        _yard(drawing),
        road_drawing.roads(drawing, ident),
        road_drawing.fords(drawing),
        road_drawing.paint(drawing),
        road_drawing.bumps(drawing, ident),
        f'<use href="#{ident}-hexagons" class="seams"/>',
        road_drawing.walls(drawing),
        _park(drawing, ident, escape(labels.service)),
        _things(drawing, ident),
        f'<use href="#{ident}-hexagons" class="light" fill="url(#{ident}-sun)"/>',
        road_drawing.gates(drawing, escape(labels.start), escape(labels.finish)),
        road_drawing.limits(drawing, ident),
        road_drawing.hazards(drawing, ident),
        _numbers(drawing),
    )
    body = "".join(parts)
    used = (symbol for name, symbol in _drawn_symbols().items() if f"#{ident}-{name}" in body)
    return f"<defs>{''.join(used).replace('@', ident + '-')}</defs>{body}"


@cache
def _drawn_symbols() -> Mapping[str, str]:
    """Return the symbols of things on the land by name. The file has one symbol a line."""
    lines = _symbols("symbols.svg").splitlines()
    return {line.partition('id="@')[2].partition('"')[0]: line for line in lines if line}


@lru_cache(maxsize=128)
def sketch(drawing: Drawing) -> str:
    """Return a small map for lists: ground, road, start and finish."""
    tinted: dict[int, list[str]] = {}
    for tile in drawing.tiles:
        tint = scenery(tile.name, tile.backwards).tint
        tinted.setdefault(tint, []).append(paths.polygon(tile.corners()))
    ground = "".join(f'<path class="ground t{tint}" d="{"".join(d)}"/>' for tint, d in sorted(tinted.items()))
    bed = paths.along(tile.centre_line for tile in drawing.tiles)
    first, last = drawing.tiles[0].centre_line.start, drawing.tiles[-1].centre_line.end
    ends = "".join(
        f'<circle class="{name}" cx="{paths.number(paths.at(pose)[0])}" cy="{paths.number(paths.at(pose)[1])}" r="24"/>'
        for name, pose in (("from", first), ("to", last))
    )
    return f'{ground}<path class="verge" d="{bed}"/><path class="bed" d="{bed}"/>{ends}'


def _hexagons(drawing: Drawing) -> list[tuple[tuple[float, float], ...]]:
    found = [tile.corners() for tile in drawing.tiles]
    if drawing.service:
        found.append(corners((drawing.service.x, drawing.service.y)))
    return found


def _ground(drawing: Drawing, ident: str) -> str:
    """Return the hexagons in five greens, with their patches."""
    tinted: dict[str, list[str]] = {}
    stains: dict[str, list[str]] = {}
    for tile in drawing.tiles:
        view = scenery(tile.name, tile.backwards)
        tinted.setdefault(f"t{view.tint}", []).append(paths.polygon(tile.corners()))
        for patch in view.patches:
            outline = paths.smooth([tile.placed(*point) for point in patch.outline])
            stains.setdefault(patch.kind, []).append(outline)
    if drawing.service:
        tinted.setdefault("t1", []).append(paths.polygon(corners((drawing.service.x, drawing.service.y))))
    found = "".join(f'<path class="ground {name}" d="{"".join(d)}"/>' for name, d in sorted(tinted.items()))
    for name, d in sorted(stains.items()):
        fill = f' fill="url(#{ident}-field)"' if name == "field" else ""
        found += f'<path class="stain s-{name}"{fill} d="{"".join(d)}"/>'
    return found


def _things(drawing: Drawing, ident: str) -> str:
    """Return the trees, rocks and bales of all tiles, sorted so that lower ones are drawn in front."""
    found = []
    for tile in drawing.tiles:
        for thing in scenery(tile.name, tile.backwards).things:
            x, y = paths.at(tile.placed(thing.x, thing.y))
            found.append((y, f'<use href="#{ident}-{thing.symbol}" x="{x:.0f}" y="{y:.0f}"/>'))
    return f'<g class="things">{"".join(text for _, text in sorted(found))}</g>'


def _numbers(drawing: Drawing) -> str:
    """Return the place of each tile in the stage, and in small type the number printed on it. A single tile has no
    place.
    """
    alone = len(drawing.tiles) == 1
    found = []
    for tile in drawing.tiles:
        x, y = (paths.number(v) for v in paths.at(tile.placed(*scenery(tile.name, tile.backwards).label)))
        found.append(
            f'<text x="{x}" y="{y}"><tspan class="place">{"" if alone else tile.number}</tspan>'
            f'<tspan x="{x}" dy="9">{tile.name}</tspan></text>'
        )
    return f'<g class="numbers">{"".join(found)}</g>'


def _yard(drawing: Drawing) -> str:
    """Return the gravel of the service park."""
    if not drawing.service:
        return ""
    park = drawing.service
    rim = []
    for place in range(16):
        reach = 0.63 + 0.035 * (place % 3 - 1)
        angle = park.heading + 2 * pi * place / 16
        rim.append((park.x + reach * cos(angle), park.y + reach * sin(angle)))
    d = paths.smooth(rim)
    return f'<path class="yard rim" d="{d}"/><path class="yard" d="{d}"/>'


def _park(drawing: Drawing, ident: str, word: str) -> str:
    """Return the tents and trucks on both sides of the drive."""
    if not drawing.service:
        return ""
    park = drawing.service
    found = []
    for symbol, ahead, right, turn in PARKED:
        pose = park.ahead(ahead).beside(right)
        x, y = (paths.number(value) for value in paths.at(pose))
        turned = paths.angle(park.heading + turn)
        found.append(f'<use href="#{ident}-{symbol}" transform="translate({x} {y})rotate({turned})"/>')
    x, y = (paths.number(value) for value in paths.at(park.ahead(-0.02)))
    found.append(f'<text x="{x}" y="{y}" dy="3.4">{word}</text>')
    return f'<g class="park">{"".join(found)}</g>'
