"""The road with its paint and signs: gravel, tracks, lines, limits, bumps, fords, shortcuts, signs.

Each function returns SVG markup for the whole stage: numbers and class names only, no text from users.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import cos, pi, radians, sin

from championship.games.dirt.drawing import paths
from championship.games.dirt.drawing.centre_lines import HALF, Piece, Pose, SmoothLine
from championship.games.dirt.drawing.layout import Drawing, Tile, across
from championship.games.dirt.drawing.scenery import scenery, sign_places
from championship.games.dirt.drawing.spaces import LINES, SIDE, Stretch

INSET = 0.015
LANE = HALF / 2
WHEEL = 0.055
DRIVE = 1.02
FORD = 0.115
Line = tuple[Pose, Pose]


def roads(drawing: Drawing, ident: str) -> str:
    """Return the gravel: a worn verge, the bed, its ragged edges and the ruts of earlier cars."""
    centre_lines = [tile.centre_line for tile in drawing.tiles]
    if drawing.service:
        centre_lines.append(SmoothLine(centre_lines[-1].end, (Piece(DRIVE),)))
    bed = paths.along(centre_lines)
    left, right = (
        paths.along(centre_line.beside(side * (HALF - 0.012)) for centre_line in centre_lines) for side in (-1, 1)
    )
    ruts = "".join(
        paths.along(centre_line.beside(lane * LANE + wheel * WHEEL) for centre_line in centre_lines)
        for lane in (-1, 1)
        for wheel in (-1, 1)
    )
    return (
        f'<path id="{ident}-bed" class="verge" d="{bed}"/><use href="#{ident}-bed" class="verge ragged"/>'
        f"{shortcuts(drawing, ident)}"
        f'<use href="#{ident}-bed" class="bed"/>'
        f'<path class="brim" d="{left}{right}"/><path class="brim worn" d="{left}{right}"/>'
        f'<use href="#{ident}-bed" class="crown"/>'
        f'<path class="ruts" d="{ruts}"/>'
        f'<use href="#{ident}-bed" class="gravel" stroke="url(#{ident}-gravel)"/>'
    )


def shortcuts(drawing: Drawing, ident: str) -> str:
    """Return the trodden corners beside the road, and the line around them."""
    d = _shortcut_outlines(drawing)
    if not d:
        return ""
    return (
        f'<path class="cut worn" d="{d}"/><path class="cut" d="{d}"/>'
        f'<path class="cut grain" d="{d}" fill="url(#{ident}-gravel)"/>'
    )


def _shortcut_outlines(drawing: Drawing) -> str:
    return "".join(
        paths.polygon(space.outline) for tile in drawing.tiles for space in tile.spaces if space.kind == "shortcut"
    )


def paint(drawing: Drawing) -> str:
    """Return the white lines: between sections and lanes, in bends between the paths, dashed across a slide row."""
    solid: list[Line] = []
    dashed: list[Line] = []
    lanes: list[SmoothLine] = []
    for tile in drawing.tiles:
        for place, stretch in enumerate(tile.stretches):
            if stretch.section.kind in LINES:
                continue
            before = tile.stretches[place - 1].section.kind if place else ""
            if before not in LINES and not (tile.number == 1 and place == 0):
                solid.append(across(tile.centre_line, stretch.first, INSET - HALF, HALF - INSET))
            if stretch.section.kind != "single":
                lanes.append(tile.centre_line.between(stretch.first, stretch.last))
            solid.extend(_path_lines(tile.centre_line, stretch))
            if stretch.section.slide:
                dashed.append(across(tile.centre_line, (stretch.first + stretch.last) / 2, INSET - HALF, HALF - INSET))
    rims = _shortcut_outlines(drawing)
    found = f'<path class="line" d="{paths.lines(solid)}"/><path class="line lane" d="{paths.each(lanes)}"/>'
    found += f'<path class="line slide" d="{paths.lines(dashed)}"/>'
    return found + (f'<path class="line rim" d="{rims}"/>' if rims else "")


def _path_lines(centre_line: SmoothLine, stretch: Stretch) -> Iterator[Line]:
    """Yield the lines that split the two paths of a bend into spaces."""
    section = stretch.section
    side = SIDE.get(section.inside or "", 0)
    for limits, to in ((section.inner, side), (section.outer, -side)):
        for place in range(1, len(limits)):
            along = stretch.first + (stretch.last - stretch.first) * place / len(limits)
            yield centre_line.at(along), centre_line.at(along, to * (HALF - INSET))


def limits(drawing: Drawing, ident: str) -> str:
    """Return speed limits in white discs, one on each space that has a limit."""
    discs, figures = [], []
    for space in drawing.spaces.values():
        if space.limit is None:
            continue
        x, y = (paths.number(value) for value in paths.at(space.middle))
        discs.append(f'<use href="#{ident}-limit" x="{x}" y="{y}"/>')
        figures.append(f'<text x="{x}" y="{y}" dy="3.3">{space.limit}</text>')
    return f'<g class="limits">{"".join(discs)}{"".join(figures)}</g>'


def hazards(drawing: Drawing, ident: str) -> str:
    """Return the warning signs at both ends of each tile, on the driver's right."""
    found = []
    for tile in drawing.tiles:
        for place in sign_places(tile.layout):
            x, y = (paths.number(value) for value in paths.at(tile.placed(*place)))
            found.append(f'<use href="#{ident}-{tile.hazard}" x="{x}" y="{y}"/>')
    return f'<g class="signs">{"".join(found)}</g>'


def fords(drawing: Drawing) -> str:
    """Return brooks that cross the road, widest in the ford."""
    brooks: list[str] = []
    waves: list[SmoothLine] = []
    for tile in drawing.tiles:
        for stream in scenery(tile.name, tile.backwards).streams:
            brooks.append(_brook([tile.placed(*point) for point in stream]))
        for stretch in tile.stretches:
            if stretch.section.water:
                waves.extend(_waves(tile.centre_line, stretch))
    if not brooks:
        return ""
    d = "".join(brooks)
    return f'<path class="water" d="{d}"/><path class="wave" d="{paths.each(waves)}"/>'


def _brook(course: list[tuple[float, float]]) -> str:
    """Return the outline of a brook along its course: widest where it crosses the road, thinner towards both ends."""
    ford = _widest_step(course) + 0.5
    shores: list[list[tuple[float, float]]] = [[], []]
    for place, (x, y) in enumerate(course):
        before, after = course[max(place - 1, 0)], course[min(place + 1, len(course) - 1)]
        dx, dy = after[0] - before[0], after[1] - before[1]
        reach = (dx * dx + dy * dy) ** 0.5 or 1.0
        reach_of_side = ford if place < ford else len(course) - 1 - ford
        far = max(abs(place - ford) - 0.5, 0.0) / max(reach_of_side - 0.5, 1.0)  # 0 at the road's edge, 1 at the end
        width = FORD * (1 - 0.85 * far**1.4)
        shores[0].append((x - dy / reach * width, y + dx / reach * width))
        shores[1].append((x + dy / reach * width, y - dx / reach * width))
    return paths.smooth([*shores[0], *reversed(shores[1])])


def _widest_step(course: list[tuple[float, float]]) -> int:
    """Return the index before the longest step of a course, which is the road: a brook has no points on it."""
    steps = [(bx - ax) ** 2 + (by - ay) ** 2 for (ax, ay), (bx, by) in pairwise(course)]
    return steps.index(max(steps))


def _waves(centre_line: SmoothLine, stretch: Stretch) -> Iterator[SmoothLine]:
    middle = (stretch.first + stretch.last) / 2
    for along, left, right in ((-0.045, -0.17, -0.09), (0.0, -0.06, 0.03), (0.05, 0.05, 0.16), (0.03, -0.19, -0.13)):
        begin = centre_line.at(middle + along, left)
        end = centre_line.at(middle + along, right)
        reach = ((end.x - begin.x) ** 2 + (end.y - begin.y) ** 2) ** 0.5
        yield _ripple(begin, reach)


def _ripple(begin: Pose, reach: float) -> SmoothLine:
    """Return a short ripple from a point to the driver's right."""
    return SmoothLine(Pose(begin.x, begin.y, begin.heading + pi / 2 - 0.35), (Piece(reach, 0.7),))


def bumps(drawing: Drawing, ident: str) -> str:
    """Return crests across both lanes, lit on the near side, with their number between the lanes."""
    shades = {"lit": [], "lit faint": [], "dark": [], "dark faint": []}  # type: dict[str, list[str]]
    plates = []
    for tile in drawing.tiles:
        for stretch in tile.stretches:
            if stretch.section.jump is None:
                continue
            crest = (stretch.first + stretch.last) / 2
            for name, begin, end in (
                ("lit faint", -0.15, -0.07),
                ("lit", -0.07, 0.0),
                ("dark", 0.0, 0.045),
                ("dark faint", 0.045, 0.13),
            ):
                part = tile.centre_line.between(crest + begin, crest + end)
                shades[name].append(paths.strip(part, 0.005 - HALF, HALF - 0.005))
            x, y = (paths.number(value) for value in paths.at(tile.centre_line.at(crest)))
            plates.append(
                f'<use href="#{ident}-bump" x="{x}" y="{y}"/><text x="{x}" y="{y}" dy="3">{stretch.section.jump}</text>'
            )
    if not plates:
        return ""
    crests = "".join(f'<path class="crest {name}" d="{"".join(parts)}"/>' for name, parts in shades.items())
    return f'<g class="bumps">{crests}{"".join(plates)}</g>'


def walls(drawing: Drawing) -> str:
    """Return stone walls on both sides of a single space, because two cars do not fit there. None on a tile with a
    shortcut.
    """
    centre_lines = [
        tile.centre_line.between(stretch.first + 0.02, stretch.last - 0.02).beside(side * (HALF - 0.01))
        for tile in drawing.tiles
        for stretch in tile.stretches
        if stretch.section.kind == "single" and not tile.layout.shortcuts
        for side in (-1, 1)
    ]
    if not centre_lines:
        return ""
    d = paths.each(centre_lines)
    return (
        f'<path class="wall-shadow" d="{d}" transform="translate(1.6 2)"/>'
        f'<path class="wall" d="{d}"/><path class="wall top" d="{d}"/>'
    )


def gates(drawing: Drawing, start: str, finish: str) -> str:
    """Return the start line with its arch and the chequered finish; `start` and `finish` are their texts, escaped."""
    found = []
    for tile in drawing.tiles:
        for stretch in tile.stretches:
            if stretch.section.kind == "start":
                found.append(_gate(tile, stretch.first, "start", start))
            elif stretch.section.kind == "finish":
                found.append(_gate(tile, stretch.first, "finish", finish))
    return "".join(found)


def _gate(tile: Tile, along: float, kind: str, word: str) -> str:
    pose = tile.centre_line.at(along)
    x, y = (paths.number(value) for value in paths.at(pose))
    text = paths.upright(pose.heading + pi / 2)
    squares = "".join(
        f"M{-4.4 + 4.4 * row:.1f} {-22 + 5.5 * column:.1f}h4.4v5.5h-4.4z"
        for row in (0, 1)
        for column in range(8)
        if (row + column) % 2
    )
    line = '<path class="chequer" d="M-4.4-22h8.8v44h-8.8z"/>' + (
        f'<path class="chequer dark" d="{squares}"/>' if kind == "finish" else '<path class="go" d="M-1.6-22v44"/>'
    )
    turned = paths.angle(pose.heading)
    return (
        f'<g class="gate {kind}" transform="translate({x} {y})"><g transform="rotate({turned})">{line}'
        '<path class="m-sh" d="M9-29h8v62h-8z"/><path class="leg" d="M6-32h7v6h-7zM6 26h7v6h-7z"/>'
        '<path class="banner" d="M5-30h9v60h-9z"/></g>'
        f'<g transform="rotate({text})"><text y="{_beyond(pose, text)}" dy="2.6">{word}</text></g></g>'
    )


def _beyond(pose: Pose, text: str) -> str:
    """Return the y of the banner's middle in the frame of its text. The banner is ahead of the line, which is up or
    down for the reader.
    """
    along = cos(pose.heading) * -sin(radians(float(text))) + sin(pose.heading) * cos(radians(float(text)))
    return paths.number(9.5 if along > 0 else -9.5)
