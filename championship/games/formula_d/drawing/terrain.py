"""The distance of each point of the land from the nearest space, so that things are placed where there is room."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, cos, floor, hypot, pi, sin

from championship.games.formula_d.drawing.geometry import Circuit, Point

REACH = 9.0
"""Larger distances are not distinguished."""
CELL, MOST_CELLS = 0.5, 160
RAYS = 28


class Terrain:
    """The land of a circuit as a raster of distances."""

    def __init__(self, drawing: Circuit) -> None:
        left, top, right, bottom = drawing.bounds
        self.cell = max(CELL, (right - left) / MOST_CELLS, (bottom - top) / MOST_CELLS)
        self.left, self.top = left, top
        self.across, self.down = floor((right - left) / self.cell) + 1, floor((bottom - top) / self.cell) + 1
        self.far = [[REACH] * self.across for _ in range(self.down)]
        for spot in drawing.spots:
            self._stamp(spot.x, spot.y)

    def _stamp(self, x: float, y: float) -> None:
        reach = ceil(REACH / self.cell)
        column, row = floor((x - self.left) / self.cell), floor((y - self.top) / self.cell)
        for down in range(max(0, row - reach), min(self.down, row + reach + 1)):
            line, dy = self.far[down], self.top + down * self.cell - y
            for across in range(max(0, column - reach), min(self.across, column + reach + 1)):
                away = hypot(self.left + across * self.cell - x, dy)
                if away < line[across]:
                    line[across] = away

    def room(self, point: Point) -> float:
        """Return the distance from a point to the nearest space, at most `REACH`; 0 outside the picture."""
        column, row = (point[0] - self.left) / self.cell, (point[1] - self.top) / self.cell
        if not (0 <= column <= self.across - 1 and 0 <= row <= self.down - 1):
            return 0.0
        return self.far[round(row)][round(column)]

    def widest(self) -> Point:
        """Return the point with the most room around it. The room is limited by the distance to the edge of the picture
        plus 1.5.
        """
        best, found = -1.0, (self.left, self.top)
        for row, line in enumerate(self.far):
            for column, far in enumerate(line):
                edge = min(row, self.down - 1 - row, column, self.across - 1 - column) * self.cell
                value = min(far, 1.5 + edge)
                if value > best:
                    best, found = value, (self.left + column * self.cell, self.top + row * self.cell)
        return found

    def shore(self, centre: Point, *, away: float, most: float) -> list[Point]:
        """Return the outline of a lake around a point. It keeps `away` from all spaces and reaches at most `most`
        units.
        """
        outline = []
        for ray in range(RAYS):
            angle = 2 * pi * ray / RAYS
            reach = 0.0
            limit = most * (0.86 + 0.14 * sin(3 * angle + centre[0]))
            while reach < limit:
                ahead = (centre[0] + (reach + 0.25) * cos(angle), centre[1] + (reach + 0.25) * sin(angle))
                if self.room(ahead) < away:
                    break
                reach += 0.25
            outline.append(reach)
        eased = [
            min(outline[ray], (outline[ray - 1] + outline[ray] + outline[(ray + 1) % RAYS]) / 3) for ray in range(RAYS)
        ]
        return [
            (centre[0] + reach * cos(2 * pi * ray / RAYS), centre[1] + reach * sin(2 * pi * ray / RAYS))
            for ray, reach in enumerate(eased)
        ]


@lru_cache(maxsize=16)
def terrain(drawing: Circuit) -> Terrain:
    """Return the land of a circuit."""
    return Terrain(drawing)
