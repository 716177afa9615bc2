"""The spaces of one tile face: the position of each on the road, its outline, its middle and the pose of a car on it.

Everything is in driving order (T2) and in the frame of the upright tile with its middle at (0, 0). drawing.py puts the
tiles together. The engine knows the print on a face; this module only adds the geometry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, cos, hypot, pi, sin

from championship.games.dirt.drawing.centre_lines import (
    EDGES,
    HALF,
    SIXTH,
    Pose,
    Shape,
    SmoothLine,
    shape,
)
from engine.dirt.course.compiled_stage import driven
from engine.dirt.facts import Face, Section, Shortcut, faces

Point = tuple[float, float]

LINES = ("start", "finish")
ARC_ROW = 0.42
SHORTER = 0.72
SET_BACK, SET_BACK_OF_SEVERAL = 0.4, 0.3
SHORTCUT_DEPTH = 0.21
DRIFT = 1.15
DITCH = HALF + 0.13
TWISTED = 0.6
SIDE = {"left": -1, "right": 1}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A section of the road, or a line (of no length): where it begins and ends along the tile's centre line."""

    section: Section
    number: int
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Space:
    """One space. `slot`: its name without the tile; `kind`: as in the engine; `middle`: its centre, heading along the
    road; `car`: the pose of a car on it, along the road or across it in a drift or slide; `ditch`: its pose after a
    crash.
    """

    slot: str
    kind: str
    limit: int | None
    outline: tuple[Point, ...]
    middle: Pose
    car: Pose
    ditch: Pose

    def placed(self, angle: float, x: float, y: float) -> Space:
        """Return the space on a tile that was turned by `angle` and put at (x, y)."""
        c, s = cos(angle), sin(angle)
        outline = tuple((x + px * c - py * s, y + px * s + py * c) for px, py in self.outline)
        return Space(
            self.slot,
            self.kind,
            self.limit,
            outline,
            self.middle.placed(angle, x, y),
            self.car.placed(angle, x, y),
            self.ditch.placed(angle, x, y),
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """A face with its road: the centre line from the edge by which the car enters, the stretches, all spaces."""

    face: Face
    centre_line: SmoothLine
    stretches: tuple[Stretch, ...]
    spaces: tuple[Space, ...]

    @property
    def shortcuts(self) -> tuple[Space, ...]:
        return tuple(space for space in self.spaces if space.kind == "shortcut")


@lru_cache(maxsize=256)
def layout(name: str, backwards: bool) -> Layout:
    """Return the face of that name, driven as printed or backwards.

    Raises: KeyError when there is no such face.
    """
    face = faces()[name]
    form = shape(face.shape)
    quarter = SIXTH * (EDGES.index(face.edges[0]) - EDGES.index("D"))
    centre_line = form.centre_line.placed(quarter, 0.0, 0.0)
    cuts = _cuts(face.sections, form)
    if backwards:
        length = centre_line.length
        centre_line = centre_line.reversed()
        cuts = [(length - last, length - first) for first, last in reversed(cuts)]
    sections, shortcuts = driven(face, backwards=backwards)
    stretches = tuple(_numbered(sections, cuts))
    spaces = [space for stretch in stretches for space in _spaces(centre_line, stretch, stretches)]
    for count, shortcut in enumerate(shortcuts, 1):
        spaces.extend(_shortcut(centre_line, stretches, count, shortcut))
    return Layout(face, centre_line, stretches, tuple(spaces))


def _numbered(sections: tuple[Section, ...], cuts: list[tuple[float, float]]) -> Iterator[Stretch]:
    number = 0
    for section, (first, last) in zip(sections, cuts, strict=True):
        number += section.kind not in LINES
        yield Stretch(section, number, first, last)


def _cuts(sections: tuple[Section, ...], form: Shape) -> list[tuple[float, float]]:
    """Return the start and the end of each printed section: bends where the shape has them; the other sections share
    the legs.
    """
    bends = list(form.bends) or _even_bends(sections, form.centre_line.length)
    found: list[tuple[float, float]] = []
    begun = 0.0
    leg: list[Section] = []
    for section in sections:
        if section.kind != "bend":
            leg.append(section)
            continue
        first, last = bends.pop(0)
        found += _shared(leg, begun, first)
        found.append((first, last))
        leg, begun = [], last
    return found + _shared(leg, begun, form.centre_line.length)


def _even_bends(sections: tuple[Section, ...], length: float) -> list[tuple[float, float]]:
    """Return the bends on one smooth curve: the length that the rows leave, in equal parts."""
    count = sum(section.kind == "bend" for section in sections)
    if not count:
        return []
    each = (length - ARC_ROW * (len(sections) - count)) / count
    found, begun = [], 0.0
    for section in sections:
        reach = each if section.kind == "bend" else ARC_ROW
        if section.kind == "bend":
            found.append((begun, begun + reach))
        begun += reach
    return found


def _shared(leg: list[Section], begun: float, end: float) -> list[tuple[float, float]]:
    """Divide a leg evenly. The rows on the short side of a start or finish line are shorter."""
    if not leg:
        return []
    weights = [0.0 if section.kind in LINES else 1.0 for section in leg]
    line = next((place for place, section in enumerate(leg) if section.kind in LINES), None)
    if line is not None:
        short = range(line) if 2 * line < len(leg) else range(line + 1, len(leg))
        for place in short:
            weights[place] = SHORTER
    unit = (end - begun) / sum(weights)
    found = []
    for weight in weights:
        found.append((begun, begun + weight * unit))
        begun += weight * unit
    return found


def _strip(centre_line: SmoothLine, first: float, last: float, left: float, right: float) -> tuple[Point, ...]:
    """Return the outline of the part of the road between two cuts and two parallels."""
    part = centre_line.between(first, last)
    return (*part.beside(left).points(), *reversed(part.beside(right).points()))


def _inside(stretch: Stretch, stretches: tuple[Stretch, ...]) -> int:
    """Return the side (-1 left, 1 right) of the inside of this bend, or of the next bend, or else of the last one."""
    bends = [other for other in stretches if other.section.inside]
    if not bends:
        return 1
    ahead = [bend for bend in bends if bend.number >= stretch.number]
    return SIDE[(ahead or bends[-1:])[0].section.inside or "right"]


def _spaces(centre_line: SmoothLine, stretch: Stretch, stretches: tuple[Stretch, ...]) -> Iterator[Space]:
    section, first, last = stretch.section, stretch.first, stretch.last
    inside = _inside(stretch, stretches)
    outside = -inside if any(other.section.inside for other in stretches) else 0

    def space(slot: str, kind: str, limit: int | None, begin: float, end: float, left: float, right: float) -> Space:
        middle = centre_line.at((begin + end) / 2, (left + right) / 2)
        car = middle.turned(inside * DRIFT) if kind in ("slide", "outer") else middle
        ditch = centre_line.at((begin + end) / 2, DITCH * (outside or (1 if slot == "r" else -1)))
        name = f"{stretch.number}.{slot}"
        outline = _strip(centre_line, begin, end, left, right)
        return Space(name, kind, limit, outline, middle, car, ditch.turned(inside * TWISTED))

    if section.kind == "row":
        yield space("l", "lane", None, first, last, -HALF, 0.0)
        yield space("r", "lane", None, first, last, 0.0, HALF)
        if section.slide:
            half = (first + last) / 2
            yield space("s1", "slide", None, first, half, -HALF, HALF)
            yield space("s2", "slide", None, half, last, -HALF, HALF)
    elif section.kind == "bend":
        for slot, kind, limits, side in (
            ("i", "inner", section.inner, inside),
            ("o", "outer", section.outer, -inside),
        ):
            each = (last - first) / len(limits)
            for place, limit in enumerate(limits):
                begin = first + place * each
                left, right = sorted((0.0, side * HALF))
                yield space(f"{slot}{place + 1}", kind, limit, begin, begin + each, left, right)
    elif section.kind == "single":
        yield space("m", "single", section.limit, first, last, -HALF, HALF)


def _shortcut(
    centre_line: SmoothLine, stretches: tuple[Stretch, ...], count: int, shortcut: Shortcut
) -> Iterator[Space]:
    """Yield the spaces of a shortcut: the corner between the inside of the road and the chord over it, widened where it
    would be too thin to drive.
    """
    by_number = {stretch.number: stretch for stretch in stretches if stretch.section.kind not in LINES}
    leaves, joins = by_number[min(shortcut.leaves)], by_number[max(shortcut.joins)]
    before = by_number[max(shortcut.leaves)]
    side = _inside(before, tuple(s for s in stretches if s.number > before.number))
    first = leaves.first + _set_back(leaves, len(shortcut.leaves))
    last = joins.last - _set_back(joins, len(shortcut.joins))
    edge = centre_line.between(first, last).beside(side * HALF)
    bow = _bow(edge, side)
    parts = len(shortcut.limits)
    for place, limit in enumerate(shortcut.limits):
        begin, end = place / parts, (place + 1) / parts
        length = edge.length
        road = edge.between(begin * length, end * length).points()
        outside = [bow(begin + (end - begin) * step / 6) for step in range(7)]
        outline = _without_doubles((*road, *reversed(outside)))
        heading = atan2(outside[-1][1] - outside[0][1], outside[-1][0] - outside[0][0])
        middle = Pose(*_centroid(outline), heading)
        ditch = middle.beside(side * SHORTCUT_DEPTH)
        yield Space(f"k{count}.{place + 1}", "shortcut", limit, outline, middle, middle, ditch.turned(TWISTED))


def _set_back(stretch: Stretch, count: int) -> float:
    """Return how far into its outermost section a shortcut begins: less far when it touches several sections."""
    return (stretch.last - stretch.first) * (SET_BACK if count == 1 else SET_BACK_OF_SEVERAL)


def _bow(edge: SmoothLine, side: int) -> Callable[[float], Point]:
    """Return the outer rim of a shortcut as a function of a part from 0 to 1: the chord over the road's edge.

    Where the road turns little, the chord would leave only a sliver, so the rim is pushed out to a least depth. In a
    hairpin the other leg is in the way, so it is not.
    """
    begin, end = edge.start, edge.end
    dx, dy = end.x - begin.x, end.y - begin.y
    reach = hypot(dx, dy)
    away = (-dy / reach * side, dx / reach * side)
    depth = max(-(x - begin.x) * away[0] - (y - begin.y) * away[1] for x, y in edge.points())
    sharp = abs(sum(piece.turn for piece in edge.pieces)) > pi / 2
    push = 0.0 if sharp else max(0.0, SHORTCUT_DEPTH - depth)

    def rim(part: float) -> Point:
        out = push * sin(pi * part) ** 0.6 if 0 < part < 1 else 0.0
        return begin.x + dx * part + away[0] * out, begin.y + dy * part + away[1] * out

    return rim


def _without_doubles(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return the outline without points that repeat the previous one."""
    kept: list[Point] = []
    for point in points:
        if not kept or hypot(point[0] - kept[-1][0], point[1] - kept[-1][1]) > 1e-6:
            kept.append(point)
    if hypot(kept[0][0] - kept[-1][0], kept[0][1] - kept[-1][1]) <= 1e-6:
        kept.pop()
    return tuple(kept)


def _centroid(outline: tuple[Point, ...]) -> Point:
    """Return the centroid of a polygon."""
    area = x = y = 0.0
    for (ax, ay), (bx, by) in zip(outline, outline[1:] + outline[:1], strict=True):
        cross = ax * by - bx * ay
        area += cross
        x += (ax + bx) * cross
        y += (ay + by) * cross
    return x / (3 * area), y / (3 * area)
