"""The layout of a stage: every tile with its road and its spaces in one plane, in units of the hexagon's side.

    stage document {"tiles": [...], "service": bool}  →  Drawing

Nothing here knows SVG. The tests check on these values that the road continues over every edge (T1) and that every
space of the compiled stage has a position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, sin
from typing import Any

from championship.games.dirt.drawing.centre_lines import (
    APOTHEM,
    EDGES,
    HALF,
    SIXTH,
    Pose,
    SmoothLine,
    middle,
)
from championship.games.dirt.drawing.spaces import Layout, Point, Space, Stretch, layout
from engine.dirt.course.layout import NEIGHBOURS, chain

GRID = "grid"
MARGIN = 0.34


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile at its position. `centre_line` and `spaces` are in the plane of the stage, in driving order."""

    number: int
    layout: Layout
    backwards: bool
    at: tuple[int, int]
    centre: Point
    angle: float
    centre_line: SmoothLine
    spaces: tuple[Space, ...]

    @property
    def name(self) -> str:
        return self.layout.face.name

    @property
    def hazard(self) -> str:
        return self.layout.face.hazard

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        return self.layout.stretches

    def placed(self, x: float, y: float) -> Point:
        """Return a point of the upright tile in the plane of the stage."""
        c, s = cos(self.angle), sin(self.angle)
        return self.centre[0] + x * c - y * s, self.centre[1] + x * s + y * c

    def corners(self) -> tuple[Point, ...]:
        return corners(self.centre)


@dataclass(frozen=True, slots=True, eq=False)  # equal stages share one drawing, so identity suffices
class Drawing:
    """The layout of a stage. `spaces` by full name (T2), without `grid`. `service`: the middle of the service park with
    the heading of a car that drives in, None when the stage has none or no hexagon beside the finish is free.
    """

    tiles: tuple[Tile, ...]
    spaces: Mapping[str, Space]
    service: Pose | None
    bounds: tuple[float, float, float, float]

    def grid(self) -> tuple[SmoothLine, float, float]:
        """Return the area behind the start line where cars wait: the start tile's centre line, and where along it the
        area begins and ends.
        """
        start = self.tiles[0]
        line = next((s for s in start.stretches if s.section.kind == "start"), start.stretches[0])
        return start.centre_line, 0.0, line.first


def corners(centre: Point) -> tuple[Point, ...]:
    """Return the six corners of a hexagon, clockwise from the upper right."""
    return tuple((centre[0] + cos(SIXTH * place), centre[1] + sin(SIXTH * place)) for place in (5, 0, 1, 2, 3, 4))


def draw(spec: Mapping[str, Any]) -> Drawing:
    """Lay out a stage document in any form that the engine reads. The stage may be incomplete, but must have tiles.

    Raises: engine.contract.StageError when the engine cannot read the stage.
    """
    road = chain(spec["tiles"])
    tiles = tuple((laid.face.name, laid.backwards, laid.at, laid.turn) for laid in road)
    return _draw(tiles, bool(spec.get("service")))


@lru_cache(maxsize=128)
def _draw(laid: tuple[tuple[str, bool, tuple[int, int], int], ...], service: bool) -> Drawing:
    tiles = tuple(_tile(number, *one) for number, one in enumerate(laid, 1))
    spaces = {f"{tile.number}.{space.slot}": space for tile in tiles for space in tile.spaces}
    park = _service_park(tiles) if service else None
    hexagons = [tile.centre for tile in tiles] + ([(park.x, park.y)] if park else [])
    return Drawing(tiles, spaces, park, _bounds(hexagons))


def _tile(number: int, name: str, backwards: bool, at: tuple[int, int], turn: int) -> Tile:
    plan = layout(name, backwards)
    x, y = middle(*at)
    angle = SIXTH * turn
    spaces = tuple(space.placed(angle, x, y) for space in plan.spaces)
    return Tile(number, plan, backwards, at, (x, y), angle, plan.centre_line.placed(angle, x, y), spaces)


def _bounds(hexagons: list[Point]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of all hexagons with a margin."""
    xs, ys = [x for x, _ in hexagons], [y for _, y in hexagons]
    wide, high = 1 + MARGIN, APOTHEM + MARGIN
    return min(xs) - wide, min(ys) - high, max(xs) + wide, max(ys) + high


def _service_park(tiles: tuple[Tile, ...]) -> Pose | None:
    """Return the pose of the service park: the hexagon to which the finish leads, or the free one nearest to that
    direction.
    """
    finish = tiles[-1]
    taken = {tile.at for tile in tiles}
    end = finish.centre_line.end
    ahead = round((end.heading - SIXTH * (EDGES.index("A") - 1.5)) / SIXTH) % 6
    for step in (0, 1, -1, 2, -2, 3):
        edge = (ahead + step) % 6
        q, r = finish.at[0] + NEIGHBOURS[edge][0], finish.at[1] + NEIGHBOURS[edge][1]
        if (q, r) not in taken:
            return Pose(*middle(q, r), end.heading + SIXTH * step)
    return None


def across(centre_line: SmoothLine, along: float, left: float = -HALF, right: float = HALF) -> tuple[Pose, Pose]:
    """Return the two ends of a line across the road."""
    return centre_line.at(along, left), centre_line.at(along, right)


def covers(outline: Sequence[Point], point: Point) -> bool:
    """Return whether a point is inside an outline: a ray from it to the right crosses the outline an odd number of
    times.
    """
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside
