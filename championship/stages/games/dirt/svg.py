"""The drawn map of a stage as one SVG: a background that depends on the stage alone, and the overlay of overlay.py.

Colours, widths and fonts are classes of static/css/map.css, so that the page's scheme decides and no style is inline.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship.stages.games.dirt import ink, roadwork
from championship.stages.games.dirt.drawing import Drawing, Tile, corners
from championship.stages.games.dirt.landscape import scenery
from championship.stages.games.dirt.shapes import SIXTH, Pose

PACKAGE = "championship.stages.games.dirt"


@cache
def _symbols() -> str:
    return (files(PACKAGE) / "symbols.svg").read_text("utf-8")


def viewbox(drawing: Drawing) -> tuple[str, str, str, str]:
    """x, y, width, height of the picture."""
    left, top, right, bottom = (value * ink.SCALE for value in drawing.bounds)
    return ink.number(left), ink.number(top), ink.number(right - left), ink.number(bottom - top)


@lru_cache(maxsize=64)
def land(drawing: Drawing, ident: str, start: str, finish: str) -> str:
    """Everything that does not move, in full detail. `start` and `finish` are the words over the lines."""
    start, finish = escape(start), escape(finish)
    hexagons = "".join(ink.polygon(centre) for centre in _hexagons(drawing))
    x, y, width, height = viewbox(drawing)
    parts = (
        f"<defs>{_symbols().replace('@', ident + '-')}</defs>",
        f'<g class="table"><path id="{ident}-hexagons" class="shade" d="{hexagons}"/>',
        f'<use href="#{ident}-hexagons" class="apron"/></g>',
        _ground(drawing, ident),
        f'<use href="#{ident}-hexagons" class="grass" fill="url(#{ident}-grass)"/>',
        _park_ground(drawing),
        roadwork.roads(drawing, ident),
        roadwork.fords(drawing),
        roadwork.paint(drawing),
        roadwork.bumps(drawing, ident),
        f'<use href="#{ident}-hexagons" class="seams"/>',
        roadwork.walls(drawing),
        _park(drawing, ident),
        _things(drawing, ident),
        f'<use href="#{ident}-hexagons" class="light" fill="url(#{ident}-sun)"/>',
        roadwork.gates(drawing, start, finish),
        roadwork.limits(drawing, ident),
        roadwork.hazards(drawing, ident),
        _numbers(drawing),
    )
    return "".join(parts)


@lru_cache(maxsize=128)
def sketch(drawing: Drawing) -> str:
    """A small map for lists: ground, road, start and finish."""
    tinted: dict[int, list[str]] = {}
    for tile in drawing.tiles:
        tint = scenery(tile.name, tile.backwards).tint
        tinted.setdefault(tint, []).append(ink.polygon(tile.corners()))
    ground = "".join(f'<path class="ground t{tint}" d="{"".join(d)}"/>' for tint, d in sorted(tinted.items()))
    bed = ink.along(tile.way for tile in drawing.tiles)
    first, last = drawing.tiles[0].way.start, drawing.tiles[-1].way.end
    ends = "".join(
        f'<circle class="{name}" cx="{ink.number(ink.at(pose)[0])}" cy="{ink.number(ink.at(pose)[1])}" r="24"/>'
        for name, pose in (("from", first), ("to", last))
    )
    return f'{ground}<path class="verge" d="{bed}"/><path class="bed" d="{bed}"/>{ends}'


def _hexagons(drawing: Drawing) -> list[tuple[tuple[float, float], ...]]:
    found = [tile.corners() for tile in drawing.tiles]
    if drawing.service:
        found.append(corners((drawing.service.x, drawing.service.y)))
    return found


def _ground(drawing: Drawing, ident: str) -> str:
    """Hexagons in five worn greens with their patches."""
    tinted: dict[str, list[str]] = {}
    stains: dict[str, list[str]] = {}
    for tile in drawing.tiles:
        view = scenery(tile.name, tile.backwards)
        tinted.setdefault(f"t{view.tint}", []).append(ink.polygon(tile.corners()))
        for patch in view.patches:
            outline = ink.smooth([tile.placed(*point) for point in patch.outline])
            stains.setdefault(patch.kind, []).append(outline)
    if drawing.service:
        tinted.setdefault("t1", []).append(ink.polygon(corners((drawing.service.x, drawing.service.y))))
    found = "".join(f'<path class="ground {name}" d="{"".join(d)}"/>' for name, d in sorted(tinted.items()))
    for name, d in sorted(stains.items()):
        if name == "field":
            found += f'<path class="stain field" fill="url(#{ident}-field)" d="{"".join(d)}"/>'
        else:
            found += f'<path class="stain s{name}" d="{"".join(d)}"/>'
    return found


def _things(drawing: Drawing, ident: str) -> str:
    """Trees, rocks and bales of all tiles, the lower ones in front."""
    found = []
    for tile in drawing.tiles:
        for thing in scenery(tile.name, tile.backwards).things:
            x, y = ink.at(tile.placed(thing.x, thing.y))
            found.append((y, f'<use href="#{ident}-{thing.symbol}" x="{x:.0f}" y="{y:.0f}"/>'))
    return f'<g class="things">{"".join(text for _, text in sorted(found))}</g>'


def _numbers(drawing: Drawing) -> str:
    """The place of each tile in the stage, and small the number printed on it."""
    found = []
    for tile in drawing.tiles:
        x, y = (ink.number(v) for v in ink.at(tile.placed(*scenery(tile.name, tile.backwards).label)))
        found.append(
            f'<text x="{x}" y="{y}"><tspan class="place">{tile.number}</tspan><tspan x="{x}" dy="9">{tile.name}</tspan></text>'
        )
    return f'<g class="numbers">{"".join(found)}</g>'


def _park_ground(drawing: Drawing) -> str:
    """The gravel of the service park and the road to it."""
    if not drawing.service:
        return ""
    park, end = drawing.service, drawing.tiles[-1].way.end
    yard = [park.ahead(0.66 - 0.04 * (place % 2), SIXTH * 0).turned(0) for place in ()]
    del yard
    rim = [(park.x + 0.66 * c, park.y + 0.66 * s) for c, s in _circle(14)]
    drive = ink.lines([(end, Pose(park.x, park.y, 0.0))])
    return (
        f'<path class="verge drive" d="{drive}"/><path class="yard rim" d="{ink.smooth(rim)}"/>'
        f'<path class="yard" d="{ink.smooth(rim)}"/><path class="bed drive" d="{drive}"/>'
    )


def _circle(count: int) -> list[tuple[float, float]]:
    from math import cos, pi, sin

    return [
        ((1 + 0.05 * (place % 3 - 1)) * cos(2 * pi * place / count), (1 + 0.05 * (place % 2)) * sin(2 * pi * place / count))
        for place in range(count)
    ]


def _park(drawing: Drawing, ident: str) -> str:
    """Tents and trucks around the yard."""
    if not drawing.service:
        return ""
    park = drawing.service
    found = []
    for symbol, ahead, right, turn in (
        ("tent", 0.3, -0.3, 0.0),
        ("tent", 0.3, 0.0, 0.0),
        ("tent", 0.3, 0.3, 0.0),
        ("truck", 0.0, -0.38, 0.3),
        ("truck", -0.05, 0.4, -0.25),
        ("tent", -0.28, -0.36, 1.2),
    ):
        pose = park.ahead(ahead).beside(right)
        x, y = (ink.number(value) for value in ink.at(pose))
        turned = ink.angle(park.heading + 1.5707963 + turn)
        found.append(f'<use href="#{ident}-{symbol}" transform="translate({x} {y})rotate({turned})"/>')
    return f'<g class="park">{"".join(found)}</g>'


def wrapped(drawing: Drawing, body: str, *, ident: str, title: str, about: str, static: bool) -> SafeString:
    """The outer SVG element with its title and description. Title and description are text and get escaped."""
    x, y, width, height = viewbox(drawing)
    ident = escape(ident)
    named = f'aria-labelledby="{ident}-title {ident}-about"'
    head = f'<title id="{ident}-title">{escape(title)}</title><desc id="{ident}-about">{escape(about)}</desc>'
    role = f'role="img" {named}' if static else f'role="group" {named}'
    kind = "drawn small" if static else "drawn"
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{ident}" class="{kind}" viewBox="{x} {y} {width} {height}" '
        f'width="{width}" height="{height}" {role}>{head}{body}</svg>'
    )


def tile_of(drawing: Drawing, number: int) -> Tile | None:
    """The tile at that place of the stage, counted from 1."""
    return drawing.tiles[number - 1] if 0 < number <= len(drawing.tiles) else None
