"""The scenery beside a track: stands, trees, houses, water, lamps. The same track always has the same land."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import cos, hypot, pi, sin
from random import Random
from typing import Any

from championship.games.formula_d.drawing.geometry import Circuit, Point, Spot
from championship.games.formula_d.drawing.terrain import Terrain, terrain

PACKAGE = "championship.games.formula_d.drawing"
STAND_LONG, STAND_DEEP, STAND_AWAY = 4.4, 1.5, 2.35
STAND_ROOM, TREE_ROOM, HOUSE_ROOM, LAMP_ROOM = 1.3, 1.42, 1.75, 1.0
MOST_STANDS = 12
LAMP_EVERY = 4
LETTER, TITLE_ROOM = 0.62, 1.5
"""The width of a letter of the title in parts of its height, and the distance of the title from the road."""
PARK_ROOM, MOST_PARKS = 1.7, 3
HARBOUR, TROPIC, PALM_SHARE = "harbour", "tropic", 0.4


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a track's land, from scenery.toml."""

    land: str
    water: float
    trees: int
    firs: float
    houses: int
    gravel: bool


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing on the land: its symbol, its position, its angle (radians)."""

    symbol: str
    x: float
    y: float
    angle: float = 0.0


@dataclass(frozen=True, slots=True)
class Title:
    """The name of the track on the ground: its middle, and the height of its letters."""

    x: float
    y: float
    high: float


@dataclass(frozen=True, slots=True)
class Scenery:
    """Everything on the land of a track."""

    look: Look
    title: Title | None
    parks: tuple[Thing, ...]
    patches: tuple[tuple[int, tuple[Point, ...]], ...]
    water: tuple[Point, ...]
    boats: tuple[Thing, ...]
    stands: tuple[Thing, ...]
    houses: tuple[Thing, ...]
    trees: tuple[Thing, ...]
    lamps: tuple[Thing, ...]


@cache
def _looks() -> Mapping[str, Look]:
    looks: dict[str, Any] = tomllib.loads((files(PACKAGE) / "scenery.toml").read_text("utf-8"))
    return {name: Look(**look) for name, look in looks.items()}


@lru_cache(maxsize=32)
def scenery(drawing: Circuit) -> Scenery:
    """Return the land of a track."""
    look = _looks().get(drawing.source, _looks()["own"])
    land = terrain(drawing)
    draw = Random(zlib.crc32(drawing.source.encode()))  # noqa: S311 - decoration of a map, the same every time
    water = _water(drawing, land, look)
    occupied: list[tuple[float, float, float]] = [(x, y, 0.9) for x, y in water]
    stands = tuple(_stands(drawing, land, occupied))
    title = _title(drawing, land, water, occupied)
    parks = tuple(_parks(drawing, land, draw, water, occupied))
    houses = tuple(_houses(drawing, land, look, draw, water, occupied))
    return Scenery(
        look=look,
        title=title,
        parks=parks,
        patches=tuple(_patches(drawing, draw)),
        water=water,
        boats=tuple(_boats(look, water, draw)),
        stands=stands,
        houses=houses,
        trees=tuple(_trees(drawing, land, look, draw, water, occupied)),
        lamps=tuple(_lamps(drawing, land)),
    )


def _anywhere(drawing: Circuit, draw: Random) -> Point:
    left, top, right, bottom = drawing.bounds
    return draw.uniform(left + 0.6, right - 0.6), draw.uniform(top + 0.6, bottom - 0.6)


def _free(occupied: list[tuple[float, float, float]], x: float, y: float, reach: float) -> bool:
    return all(hypot(x - other, y - more) >= reach + far for other, more, far in occupied)


def _patches(drawing: Circuit, draw: Random) -> Iterator[tuple[int, tuple[Point, ...]]]:
    """Yield worn and lush patches of the ground."""
    for _ in range(26):
        x, y = _anywhere(drawing, draw)
        wide, high = draw.uniform(1.6, 4.8), draw.uniform(1.0, 2.8)
        turn = draw.uniform(0, pi)
        rim = []
        for step in range(9):
            angle, reach = 2 * pi * step / 9, draw.uniform(0.75, 1.1)
            ahead, right = reach * wide * cos(angle), reach * high * sin(angle)
            rim.append((x + ahead * cos(turn) - right * sin(turn), y + ahead * sin(turn) + right * cos(turn)))
        yield draw.randrange(4), tuple(_within(drawing, point) for point in rim)


def _within(drawing: Circuit, point: Point) -> Point:
    left, top, right, bottom = drawing.bounds
    return min(max(point[0], left), right), min(max(point[1], top), bottom)


def _water(drawing: Circuit, land: Terrain, look: Look) -> tuple[Point, ...]:
    if not look.water:
        return ()
    centre = land.widest()
    if land.room(centre) < 3:
        return ()
    return tuple(_within(drawing, point) for point in land.shore(centre, away=2.1, most=look.water))


def _boats(look: Look, water: tuple[Point, ...], draw: Random) -> Iterator[Thing]:
    """Yield boats: many in a harbour, a few on a lake."""
    if not water:
        return
    x, y = sum(x for x, _ in water) / len(water), sum(y for _, y in water) / len(water)
    wide = min(hypot(px - x, py - y) for px, py in water)
    if wide < 1.5:
        return
    count = 26 if look.land == HARBOUR else 4
    put: list[Point] = []
    for _ in range(count * 8):
        rim = water[draw.randrange(len(water))]
        part = draw.uniform(0.1, 0.82)
        bx, by = x + (rim[0] - x) * part, y + (rim[1] - y) * part
        if len(put) < count and all(hypot(bx - px, by - py) > 0.75 for px, py in put):
            put.append((bx, by))
            yield Thing(f"boat{draw.randrange(2)}", bx, by, draw.uniform(-0.5, 0.5))


def _stands(drawing: Circuit, land: Terrain, occupied: list[tuple[float, float, float]]) -> Iterator[Thing]:
    """Yield stands at the start, then outside of the bends, the hardest first, where there is room."""
    count = 0
    for spot, side in _views(drawing):
        x, y = spot.beside(side * STAND_AWAY)
        corners = [
            spot.beside(side * (STAND_AWAY + deep), long)
            for deep in (-STAND_DEEP / 2, 0, STAND_DEEP / 2)
            for long in (-STAND_LONG / 2, -STAND_LONG / 4, 0, STAND_LONG / 4, STAND_LONG / 2)
        ]
        if min(land.room(corner) for corner in corners) < STAND_ROOM or not _free(occupied, x, y, 2.2):
            continue
        angle = spot.heading + (pi if side < 0 else 0.0)
        occupied += [(*spot.beside(side * STAND_AWAY, long), 1.0) for long in (-1.6, 0.0, 1.6)]
        yield Thing(f"stand{count % 2}", x, y, angle)
        count += 1
        if count == MOST_STANDS:
            return


def _views(drawing: Circuit) -> Iterator[tuple[Spot, int]]:
    """Yield good places for spectators: a space of an outer lane, and the side."""
    outer = {lane: next((lap for lap in drawing.laps if drawing.track.lane[lap[0]] == lane), ()) for lane in (1, 3)}
    for step in (2, -4, 7, -9, -14, 12):
        for lane, side in ((3, 1), (1, -1)):
            if outer[lane]:
                yield drawing.spots[outer[lane][step % len(outer[lane])]], side
    for bend in sorted(drawing.bends, key=lambda bend: -bend.stops):
        way = bend.lanes[2 if bend.outside > 0 else 0]
        for part in (0.5, 0.15, 0.85):
            yield drawing.spots[way[int((len(way) - 1) * part)]], bend.outside
    for lane, side in ((3, 1), (1, -1)):
        for at in outer[lane][::6]:
            yield drawing.spots[at], side


def _title(
    drawing: Circuit, land: Terrain, water: tuple[Point, ...], occupied: list[tuple[float, float, float]]
) -> Title | None:
    """Return the largest title that fits on one line; None when none fits."""
    left, top, right, bottom = drawing.bounds
    for high in (2.6, 2.2, 1.8, 1.5, 1.2, 1.0):
        wide = LETTER * high * len(drawing.track.title)
        found, best = None, 0.0
        y = top + high
        while y < bottom - high:
            x = left + wide / 2 + 1
            while x < right - wide / 2 - 1:
                line = [
                    (x + wide * (part / 10 - 0.5), y + down) for part in range(11) for down in (-high / 2, high / 2)
                ]
                room = min(land.room(point) for point in line)
                dry = not any(_inside(water, point) for point in line) if water else True
                if room > max(best, TITLE_ROOM) and dry and all(_free(occupied, *point, 0.1) for point in line):
                    found, best = Title(x, y, high), room
                x += 1.0
            y += 0.5
        if found:
            steps = int(wide / 0.5) + 1
            occupied += [(found.x - wide / 2 + wide * step / steps, found.y, high * 0.55) for step in range(steps + 1)]
            return found
    return None


def _parks(
    drawing: Circuit,
    land: Terrain,
    draw: Random,
    water: tuple[Point, ...],
    occupied: list[tuple[float, float, float]],
) -> Iterator[Thing]:
    """Yield car parks of the spectators."""
    count = 0
    for _ in range(60):
        x, y = _anywhere(drawing, draw)
        askew = draw.choice((0.0, pi / 2))
        wide, high = (2.4, 1.5) if not askew else (1.5, 2.4)
        rim = [(x + a * wide, y + b * high) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        if min(land.room(point) for point in rim) < PARK_ROOM or not _free(occupied, x, y, 2.3):
            continue
        if water and any(_inside(water, point) for point in rim):
            continue
        occupied += [(x + a * wide * 0.5, y + b * high * 0.5, 1.25) for a in (-1, 1) for b in (-1, 1)]
        yield Thing("park", x, y, askew)
        count += 1
        if count == MOST_PARKS:
            return


def _houses(
    drawing: Circuit,
    land: Terrain,
    look: Look,
    draw: Random,
    water: tuple[Point, ...],
    occupied: list[tuple[float, float, float]],
) -> Iterator[Thing]:
    """Yield houses in rows of streets that have an angle."""
    askew = draw.uniform(-0.3, 0.3)
    for _ in range(look.houses):
        x, y = _anywhere(drawing, draw)
        inside = water and _inside(water, (x, y))
        if land.room((x, y)) < HOUSE_ROOM or inside or not _free(occupied, x, y, 0.5):
            continue
        occupied.append((x, y, 0.5))
        yield Thing(f"house{draw.randrange(4)}", x, y, askew + draw.choice((0, pi / 2)))


def _trees(
    drawing: Circuit,
    land: Terrain,
    look: Look,
    draw: Random,
    water: tuple[Point, ...],
    occupied: list[tuple[float, float, float]],
) -> Iterator[Thing]:
    """Yield woods and single trees: more where the wood is thick, none on the road."""
    waves = [(draw.uniform(0.12, 0.3), draw.uniform(0.12, 0.3), draw.uniform(0, 2 * pi)) for _ in range(3)]
    for _ in range(look.trees):
        x, y = _anywhere(drawing, draw)
        thick = sum(sin(a * x + b * y + c) for a, b, c in waves) / 3
        if draw.random() > 0.4 + 1.1 * thick or land.room((x, y)) < TREE_ROOM:
            continue
        if (water and _inside(water, (x, y))) or not _free(occupied, x, y, 0.12):
            continue
        occupied.append((x, y, 0.16))
        kind = "fir" if draw.random() < look.firs else "tree"
        if kind == "tree" and look.land == TROPIC and draw.random() < PALM_SHARE:
            kind = "palm"
        yield Thing(f"{kind}{draw.randrange(2)}", x, y)


def _inside(outline: tuple[Point, ...], point: Point) -> bool:
    x, y = point
    inside = False
    for place, (ax, ay) in enumerate(outline):
        bx, by = outline[place - 1]
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def _lamps(drawing: Circuit, land: Terrain) -> Iterator[Thing]:
    """Yield floodlights along the road, for the night."""
    for lap in drawing.laps:
        lane = drawing.track.lane[lap[0]]
        if lane == 2:
            continue
        side = 1 if lane == 3 else -1
        for at in lap[LAMP_EVERY // 2 + lane :: LAMP_EVERY * 2]:
            x, y = drawing.spots[at].beside(side * 1.25)
            if land.room((x, y)) >= LAMP_ROOM:
                yield Thing("lamp", x, y, drawing.spots[at].heading + (pi if side < 0 else 0.0))
