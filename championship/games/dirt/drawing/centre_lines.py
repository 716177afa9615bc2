"""The road's centre line on a tile: lines and arcs only, so that every parallel line is exact too.

The unit is the hexagon's side. The origin is the hexagon's middle, x points right, y down, and angles are in radians,
clockwise. Edges have letters clockwise from the top, A to F. Every shape enters by edge D, the bottom one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import atan2, cos, hypot, pi, sin, sqrt, tan

EDGES = "ABCDEF"
SIXTH = pi / 3
APOTHEM = sqrt(3) / 2
ROAD = 0.44
HALF = ROAD / 2


@dataclass(frozen=True, slots=True)
class Pose:
    """A point and the direction of travel through it."""

    x: float
    y: float
    heading: float

    def ahead(self, length: float, turn: float = 0.0) -> Pose:
        """Return the pose after `length`, with the heading changed evenly by `turn`."""
        if abs(turn) < 1e-9:
            return Pose(self.x + length * cos(self.heading), self.y + length * sin(self.heading), self.heading)
        radius = length / turn
        end = self.heading + turn
        return Pose(
            self.x + radius * (sin(end) - sin(self.heading)),
            self.y - radius * (cos(end) - cos(self.heading)),
            end,
        )

    def beside(self, right: float) -> Pose:
        """Return the pose `right` to the driver's right (negative: left), with the same heading."""
        return Pose(self.x - right * sin(self.heading), self.y + right * cos(self.heading), self.heading)

    def turned(self, angle: float) -> Pose:
        """Return the same point with a heading `angle` further clockwise."""
        return Pose(self.x, self.y, self.heading + angle)

    def placed(self, angle: float, x: float, y: float) -> Pose:
        """Return the pose after its tile was turned by `angle` around its middle and put at (x, y)."""
        return Pose(
            x + self.x * cos(angle) - self.y * sin(angle),
            y + self.x * sin(angle) + self.y * cos(angle),
            self.heading + angle,
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line: its length, and the change of the heading over it (0: straight)."""

    length: float
    turn: float = 0.0


@dataclass(frozen=True, slots=True)
class SmoothLine:
    """A smooth line of pieces that starts at a pose."""

    start: Pose
    pieces: tuple[Piece, ...]

    @property
    def length(self) -> float:
        return sum(piece.length for piece in self.pieces)

    @property
    def end(self) -> Pose:
        pose = self.start
        for piece in self.pieces:
            pose = pose.ahead(piece.length, piece.turn)
        return pose

    def at(self, along: float, right: float = 0.0) -> Pose:
        """Return the pose `along` the line, moved `right` across it."""
        pose = self.start
        for piece in self.pieces:
            if along <= piece.length + 1e-9:
                return pose.ahead(along, piece.turn * along / piece.length if piece.length else 0.0).beside(right)
            along -= piece.length
            pose = pose.ahead(piece.length, piece.turn)
        return pose.ahead(along).beside(right)

    def between(self, first: float, last: float) -> SmoothLine:
        """Return the part from `first` to `last` along the line."""
        kept = []
        begun = 0.0
        for piece in self.pieces:
            lower, upper = max(first, begun), min(last, begun + piece.length)
            if upper - lower > 1e-9:
                kept.append(Piece(upper - lower, piece.turn * (upper - lower) / piece.length))
            begun += piece.length
        return SmoothLine(self.at(first), tuple(kept))

    def beside(self, right: float) -> SmoothLine:
        """Return the parallel line `right` to the driver's right. An arc never shrinks beyond its centre."""
        return SmoothLine(
            self.start.beside(right),
            tuple(Piece(max(piece.length - piece.turn * right, 1e-6), piece.turn) for piece in self.pieces),
        )

    def reversed(self) -> SmoothLine:
        """Return the same line, driven in the other direction."""
        return SmoothLine(
            self.end.turned(pi), tuple(Piece(piece.length, -piece.turn) for piece in reversed(self.pieces))
        )

    def placed(self, angle: float, x: float, y: float) -> SmoothLine:
        """Return the line on a tile that was turned by `angle` and put at (x, y)."""
        return SmoothLine(self.start.placed(angle, x, y), self.pieces)

    def points(self, step: float = 0.08) -> list[tuple[float, float]]:
        """Return points along the line, on arcs at most about `step` radians apart."""
        pose = self.start
        found = [(pose.x, pose.y)]
        for piece in self.pieces:
            count = max(1, round(abs(piece.turn) / step))
            for _ in range(count):
                pose = pose.ahead(piece.length / count, piece.turn / count)
                found.append((pose.x, pose.y))
        return found


@dataclass(frozen=True, slots=True)
class Shape:
    """The course of the road over a tile from edge D to `exit_edge`. `bends`: the start and the end of each bend along
    it.
    """

    centre_line: SmoothLine
    exit_edge: str
    bends: tuple[tuple[float, float], ...] = ()


def outward(edge: str) -> float:
    """Return the direction from the hexagon's middle to that edge."""
    return -pi / 2 + SIXTH * EDGES.index(edge)


def gate(edge: str) -> Pose:
    """Return the pose of a car that enters by the middle of an edge."""
    angle = outward(edge)
    return Pose(APOTHEM * cos(angle), APOTHEM * sin(angle), angle - pi)


def _joined(start: Pose, end: Pose) -> tuple[Piece, ...]:
    """Return one arc, with a straight before or after it, from pose to pose. Their tangents must meet between them."""
    turn = (end.heading - start.heading + pi) % (2 * pi) - pi
    dx, dy = end.x - start.x, end.y - start.y
    cross = sin(turn)
    before = (dx * sin(end.heading) - dy * cos(end.heading)) / cross
    after = (cos(start.heading) * dy - sin(start.heading) * dx) / cross
    tangent = min(before, after)
    arc = Piece(abs(turn) * tangent / tan(abs(turn) / 2), turn)
    pieces = (Piece(before - tangent), arc, Piece(after - tangent))
    return tuple(piece for piece in pieces if piece.length > 1e-6)


def _around(point: tuple[float, float], radius: float, heading: float) -> Pose:
    """Return the pose of a driver who goes clockwise around a point with that heading."""
    return Pose(*point, heading).beside(-radius)


def _length(pieces: tuple[Piece, ...]) -> float:
    return sum(piece.length for piece in pieces)


def _corner(point: tuple[float, float], radius: float, bow: float, turn: float, exit_edge: str, more: float) -> Shape:
    """Return a shape that enters by D, bends left by `bow`, then right around a point, and leaves as the mirror image.
    The bend is the arc around the point and `more` at each end.
    """
    start = gate("D")
    leg = _joined(start, _around(point, radius, start.heading - bow))
    arc = Piece(radius * (turn + 2 * bow), turn + 2 * bow)
    begins = _length(leg)
    return Shape(SmoothLine(start, (*leg, arc, *leg[::-1])), exit_edge, ((begins - more, begins + arc.length + more),))


def _straight() -> Shape:
    return Shape(SmoothLine(gate("D"), (Piece(2 * APOTHEM),)), "A")


def _arc() -> Shape:
    return Shape(SmoothLine(gate("D"), (Piece(1.5 * SIXTH, SIXTH),)), "B")


def _tight() -> Shape:
    arc = Piece(SIXTH, 2 * SIXTH)
    return Shape(SmoothLine(gate("D"), (arc,)), "C", ((0.0, arc.length),))


def _hairpin(depth: float, radius: float) -> Shape:
    """Return a hairpin around the point `depth` beyond the hexagon's middle, as seen from the corner between D and
    C.
    """
    axis = SIXTH
    return _corner((-depth * cos(axis), -depth * sin(axis)), radius, pi / 6, 2 * SIXTH, "C", 0.0)


def _elbow(radius: float) -> Shape:
    start = gate("D")
    leg = Piece(APOTHEM - radius * tan(SIXTH / 2))
    arc = Piece(radius * SIXTH, SIXTH)
    more = 0.03
    return Shape(SmoothLine(start, (leg, arc, leg)), "B", ((leg.length - more, leg.length + arc.length + more),))


def _double_hairpin(point: tuple[float, float], radius: float, bow: float, less: float) -> Shape:
    """Return a shape that goes clockwise around a point, crosses the middle, and does the same the other way around to
    A.
    """
    start = gate("D")
    leg = _joined(start, _around(point, radius, start.heading - bow))
    apart = hypot(*point)
    across = sqrt(apart * apart - radius * radius)
    crossing = atan2(-point[1], -point[0]) + atan2(radius, across)
    turn = crossing - start.heading + bow
    arc = Piece(radius * turn, turn)
    half = (*leg, arc)
    back = tuple(Piece(piece.length, -piece.turn) for piece in reversed(half))
    centre_line = SmoothLine(start, (*half, Piece(2 * across), *back))
    first = (_length(leg), _length(half) - less)
    return Shape(centre_line, "A", (first, (centre_line.length - first[1], centre_line.length - first[0])))


def _wiggle(first: float, second: float) -> Shape:
    """Return a shape that bends right by `first`, in the middle left beyond straight ahead by `second`, and then
    mirrors this.
    """
    ratio = (cos(first) - cos(second)) / (1 - cos(first))
    inner = APOTHEM / (ratio * sin(first) + sin(first) + sin(second))
    half = (Piece(ratio * inner * first, first), Piece(inner * (first + second), -first - second))
    back = tuple(Piece(piece.length, -piece.turn) for piece in reversed(half))
    return Shape(SmoothLine(gate("D"), (*half, *back)), "A")


@cache
def shape(name: str) -> Shape:
    """Return the shape of that name. Its measures are read off the printed faces.

    Raises: KeyError when there is no such shape.
    """
    drawn: dict[str, Callable[[], Shape]] = {
        "straight": _straight,
        "arc": _arc,
        "tight": _tight,
        "hairpin": lambda: _hairpin(-0.28, 0.24),
        "long hairpin": lambda: _hairpin(0.28, 0.24),
        "elbow": lambda: _elbow(0.45),
        "wide elbow": lambda: _corner((0.07, 0.07 * tan(pi / 6)), 0.28, pi / 6, SIXTH, "B", 0.02),
        "bulge": lambda: _corner((0.07, 0.0), 0.27, 0.66, 0.0, "A", 0.11),
        "double hairpin": lambda: _double_hairpin((-0.25, 0.14), 0.24, 1.0, 0.03),
        "wiggle": lambda: _wiggle(pi / 10, pi / 6),
    }
    return drawn[name]()


def middle(q: int, r: int) -> tuple[float, float]:
    """Return the middle of the hexagon [q, r] of a stage."""
    return 1.5 * q, 2 * APOTHEM * (r + q / 2)
