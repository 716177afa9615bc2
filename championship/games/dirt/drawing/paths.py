"""SVG path data from geometry: in hundredths of a hexagon's side, with at most one decimal, relative and short.

Every function returns the text of a `d` attribute or a coordinate. None of it comes from users.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import degrees, pi

from championship.catalogue import svg_paths
from championship.catalogue.svg_paths import number
from championship.games.dirt.drawing.centre_lines import Pose, SmoothLine

__all__ = [
    "SCALE",
    "Pen",
    "along",
    "angle",
    "at",
    "each",
    "lines",
    "number",
    "outlined",
    "polygon",
    "smooth",
    "strip",
    "upright",
]

SCALE = 100


def at(pose: Pose | tuple[float, float]) -> tuple[float, float]:
    """Return a point in drawing units."""
    x, y = (pose.x, pose.y) if isinstance(pose, Pose) else pose
    return x * SCALE, y * SCALE


def angle(heading: float) -> str:
    """Return a heading in degrees, for a transform."""
    return number((degrees(heading) + 180) % 360 - 180)


def upright(heading: float) -> str:
    """Return the angle, turned over where text along it would be upside down."""
    turned = (heading + pi / 2) % pi - pi / 2
    return number(degrees(turned))


class Pen(svg_paths.Pen):
    """Writes path data, also along a smooth line."""

    def follow(self, line: SmoothLine) -> None:
        """Continue along a line from the position of the pen."""
        pose = line.start
        for piece in line.pieces:
            pose = pose.ahead(piece.length, piece.turn)
            if piece.turn and piece.length > 1e-3:
                radius = abs(piece.length / piece.turn) * SCALE
                self.arc(radius, piece.turn > 0, abs(piece.turn) > pi, *at(pose))
            else:
                self.line(*at(pose))


def along(parts: Iterable[SmoothLine]) -> str:
    """Return consecutive lines as one line."""
    pen = Pen()
    for place, line in enumerate(parts):
        if not place:
            pen.move(*at(line.start))
        pen.follow(line)
    return pen.path()


def each(parts: Iterable[SmoothLine]) -> str:
    """Return separate lines in one path."""
    pen = Pen()
    for line in parts:
        pen.move(*at(line.start))
        pen.follow(line)
    return pen.path()


def strip(line: SmoothLine, left: float, right: float) -> str:
    """Return the area between two parallels of a line."""
    pen = Pen()
    near, far = line.beside(left), line.beside(right).reversed()
    pen.move(*at(near.start))
    pen.follow(near)
    pen.line(*at(far.start))
    pen.follow(far)
    pen.close()
    return pen.path()


def lines(pairs: Iterable[tuple[Pose, Pose]]) -> str:
    """Return straight lines in one path."""
    pen = Pen()
    for begin, end in pairs:
        pen.move(*at(begin))
        pen.line(*at(end))
    return pen.path()


@lru_cache(maxsize=4000)
def outlined(points: tuple[tuple[float, float], ...]) -> str:
    """Return the polygon of a space. Cached, because the same spaces are drawn repeatedly."""
    return polygon(points)


def polygon(points: Sequence[tuple[float, float]]) -> str:
    """Return a closed outline through points given in sides."""
    pen = Pen()
    for place, point in enumerate(points):
        (pen.line if place else pen.move)(*at(point))
    pen.close()
    return pen.path()


def smooth(points: Sequence[tuple[float, float]]) -> str:
    """Return a closed soft outline: the points are control points, and the middles between them are on the outline. It
    has no decimals: nothing fits closely to a soft outline, and the picture is lighter.
    """
    pen = Pen()
    last = points[-1]
    first = points[0]
    pen.move(*_whole((last[0] + first[0]) / 2, (last[1] + first[1]) / 2))
    for place, point in enumerate(points):
        following = points[(place + 1) % len(points)]
        pen.bend(*_whole(*point), *_whole((point[0] + following[0]) / 2, (point[1] + following[1]) / 2))
    pen.close()
    return pen.path()


def _whole(x: float, y: float) -> tuple[int, int]:
    return round(x * SCALE), round(y * SCALE)
