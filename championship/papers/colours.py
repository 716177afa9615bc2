"""The colours and patterns of papers and pictures. They are the same as on the pages (static/css/tokens.css).

No two of the ten drivers have the same pattern, so that colour-blind people can distinguish them too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import cos, pi, radians, sin

EARTH = "#1e1812"
EARTH_2 = "#32281e"
EARTH_INK = "#f5ecdb"
EARTH_SOFT = "#c9b797"
SHEET = "#faf6ec"
PAPER = "#ece3d2"
SUNK = "#dfd3bc"
LINE = "#cbbb9e"
YELLOW = "#f2be22"
PLATE = "#fffdf6"
PLATE_INK = "#1e1812"
RED = "#b8301c"
WHITE = "#ffffff"
DRIVERS = (
    *("#d1432a", "#1d5fa8", "#f2be22", "#17734a", "#2a2521", "#7cc0ea", "#d77fb4", "#f6f0e2", "#7b22d8", "#a5a582"),
)
"""By `Entry.colour`."""
PATTERNS = (
    ("plain", WHITE),
    ("rising", WHITE),
    ("dots", EARTH),
    ("level", WHITE),
    ("chequers", WHITE),
    ("upright", EARTH),
    ("crosses", EARTH),
    ("falling", RED),
    ("belt", WHITE),
    ("half", EARTH),
)
"""The pattern on the driver's colour, and its ink; by `Entry.colour`."""
SLOPES = {"rising": (135,), "level": (0,), "upright": (90,), "crosses": (45, 135), "falling": (45,)}
"""Directions of a pattern's stripes, in degrees. The y axis points down, as on a page."""

Point = tuple[float, float]
Shape = list[Point]


def rgb(colour: str) -> tuple[int, int, int]:
    """ "#f2be22" as red, green and blue."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def pattern(colour: int, width: float, height: float, step: float) -> tuple[str, list[Shape]]:
    """The ink of a driver's pattern and its polygons, clipped to a box of that size.

    `step` is the distance between its parts, in the units of the box.
    """
    kind, ink = PATTERNS[colour]
    clipped = (_clipped(shape, width, height) for shape in _shapes(kind, width, height, step))
    return ink, [shape for shape in clipped if len(shape) > 2]


def _shapes(kind: str, width: float, height: float, step: float) -> Iterator[Shape]:
    for angle in SLOPES.get(kind, ()):
        yield from _stripes(angle, width, height, step, step * (0.2 if kind == "crosses" else 0.36))
    if kind == "belt":
        yield _box(0, 0.35 * height, width, 0.3 * height)
    elif kind == "half":
        yield [(0, 0), (width, height), (0, height)]
    elif kind in ("dots", "chequers"):
        side = step / 2
        for column, row in product(range(int(width / side) + 1), range(int(height / side) + 1)):
            if kind == "chequers" and (column + row) % 2:
                yield _box(column * side, row * side, side, side)
            elif kind == "dots" and (column + row) % 2 == 0:
                yield _dot((column + 0.5) * side, (row + 0.5) * side, 0.6 * side)


def _box(left: float, top: float, width: float, height: float) -> Shape:
    return [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]


def _dot(x: float, y: float, radius: float) -> Shape:
    return [(x + radius * cos(corner * pi / 4), y + radius * sin(corner * pi / 4)) for corner in range(8)]


def _stripes(angle: int, width: float, height: float, step: float, thick: float) -> Iterator[Shape]:
    """Stripes in one direction, long enough to cross the box."""
    along, reach = radians(angle), width + height
    (ax, ay), (nx, ny) = (cos(along), sin(along)), (-sin(along), cos(along))
    count = int(reach / step) + 1
    for number in range(-count, count + 1):
        corners = ((-reach, number * step), (reach, number * step), (reach, number * step + thick))
        yield [
            (width / 2 + ax * far + nx * off, height / 2 + ay * far + ny * off)
            for far, off in (*corners, (-reach, number * step + thick))
        ]


def _clipped(shape: Shape, width: float, height: float) -> Shape:
    """A convex polygon, clipped to the box, one edge after another."""
    for axis, limit, sign in ((0, 0.0, 1), (0, width, -1), (1, 0.0, 1), (1, height, -1)):
        kept: Shape = []
        for before, here in zip([*shape[-1:], *shape[:-1]], shape, strict=True):
            inside, was = (sign * (point[axis] - limit) >= 0 for point in (here, before))
            if inside != was:
                share = (limit - before[axis]) / (here[axis] - before[axis])
                kept.append((before[0] + share * (here[0] - before[0]), before[1] + share * (here[1] - before[1])))
            if inside:
                kept.append(here)
        shape = kept
    return shape
