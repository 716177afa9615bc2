"""SVG path data from the plane of a track: `SCALE` drawing units for a unit of the plane. None of it comes from
users.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import pi

from championship.catalogue.svg_paths import Pen, number
from championship.games.formula_d.drawing.geometry import Point, turned

SCALE = 40


def at(point: Point) -> Point:
    """Return a point in drawing units."""
    return point[0] * SCALE, point[1] * SCALE


def place(point: Point) -> str:
    """Return a point for a transform."""
    x, y = at(point)
    return f"{number(x)} {number(y)}"


def angle(heading: float) -> str:
    """Return a heading in degrees, for a transform."""
    return number(turned(heading))


def upright(heading: float) -> str:
    """Return the angle, turned over where text along it would be upside down."""
    return number(turned((heading + pi / 2) % pi - pi / 2))


def polygon(points: Sequence[Point]) -> str:
    """Return a closed outline."""
    pen = Pen()
    for number_, point in enumerate(points):
        (pen.line if number_ else pen.move)(*at(point))
    pen.close()
    return pen.path()


def polygons(outlines: Iterable[Sequence[Point]]) -> str:
    """Return closed outlines in one path."""
    return "".join(polygon(outline) for outline in outlines)


def line(points: Sequence[Point]) -> str:
    """Return a line with corners."""
    pen = Pen()
    for number_, point in enumerate(points):
        (pen.line if number_ else pen.move)(*at(point))
    return pen.path()


def curve(points: Sequence[Point], *, closed: bool = False) -> str:
    """Return a smooth line through all points (Catmull-Rom)."""
    if len(points) < 3:
        return line(points)
    last = len(points) - 1
    pen = Pen()
    pen.move(*at(points[0]))
    for place_ in range(1, len(points) + closed):
        here = points[place_ % len(points)]
        before = points[place_ - 1]
        after = points[(place_ + 1) % len(points)] if closed or place_ < last else here
        control = (here[0] - (after[0] - before[0]) / 6, here[1] - (after[1] - before[1]) / 6)
        pen.glide(*at(control), *at(here))
    if closed:
        pen.close()
    return pen.path()


def smooth(points: Sequence[Point]) -> str:
    """Return a closed soft outline: the points are control points, and the middles between them are on the outline."""
    first, last = points[0], points[-1]
    pen = Pen()
    pen.move((last[0] + first[0]) / 2 * SCALE, (last[1] + first[1]) / 2 * SCALE)
    for place_, point in enumerate(points):
        following = points[(place_ + 1) % len(points)]
        middle = ((point[0] + following[0]) / 2, (point[1] + following[1]) / 2)
        pen.bend(*at(point), *at(middle))
    pen.close()
    return pen.path()
