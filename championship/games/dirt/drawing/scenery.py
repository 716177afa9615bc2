"""The scenery beside the road. Its random numbers are seeded with the face's name, so that a tile always looks the
same.

face, road, shortcuts  →  patches of ground and things (trees, rocks, bales, people), in the upright tile's frame
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import cos, hypot, pi, sin
from random import Random

from championship.games.dirt.drawing.centre_lines import APOTHEM, HALF
from championship.games.dirt.drawing.spaces import SIDE, Layout, Point, layout

TRIES = 420
ROADSIDE = 0.07
SIGN_ALONG = 0.11
SIGN_BESIDE = HALF + 0.085
CLUMPED = 0.7
TIGHT = 2
NEAR_SIGN = 0.35
CORNER, MIDDLE_OF_EDGE = 0.74, 0.63

# Names of symbols with the room that each needs (radius in sides).
ROOM = {"fir": 0.105, "pine": 0.085, "oak": 0.12, "tree": 0.095, "bush": 0.06, "rock": 0.06, "stone": 0.035}
ROOM |= {"tuft": 0.035, "bale": 0.05, "stump": 0.035, "logs": 0.085, "barn": 0.15, "hut": 0.11, "bloom": 0.05}
ROOM |= {"crowd": 0.09}
LOW = ("tuft", "stone", "bloom", "stump", "crowd")


@dataclass(frozen=True, slots=True)
class Landscape:
    """A kind of landscape: how many of each thing, and its one big patch ("" for none)."""

    things: dict[str, int]
    patch: str = ""


LANDSCAPES = (
    Landscape({"fir": 17, "pine": 15, "stump": 3, "bush": 4, "logs": 2, "tuft": 5}),
    Landscape({"oak": 8, "tree": 13, "bush": 8, "tuft": 7, "bloom": 3, "stone": 2}),
    Landscape({"bush": 6, "tree": 6, "bloom": 7, "tuft": 11, "stone": 4, "oak": 2}, "pond"),
    Landscape({"rock": 7, "stone": 9, "bush": 7, "pine": 7, "tuft": 10}, "heather"),
    Landscape({"bale": 7, "tree": 5, "bush": 5, "barn": 1, "hut": 1, "oak": 2, "tuft": 7}, "field"),
    Landscape({"fir": 8, "tree": 8, "oak": 4, "bush": 6, "rock": 2, "tuft": 7, "pine": 5}),
)


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing on the tile: the symbol's name and its position."""

    symbol: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Patch:
    """A piece of ground with its own look: `kind` "0" to "3", "field", "pond" or "heather"; its soft outline."""

    kind: str
    outline: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Scenery:
    """The surroundings of one tile. `tint` 0 to 4 shades the ground; `label` is where the tile's number is printed;
    `streams` are the courses of a ford's water, as points from one side to the other.
    """

    tint: int
    patches: tuple[Patch, ...]
    things: tuple[Thing, ...]
    label: Point
    streams: tuple[tuple[Point, ...], ...]


@dataclass(slots=True)
class _Room:
    """The occupied area: the road as points, and round places."""

    road: list[Point]
    rounds: list[tuple[float, float, float]] = field(default_factory=list)

    def clearance(self, x: float, y: float) -> float:
        """Return the distance from here to the road's edge or the nearest thing."""
        free = float(min((x - px) ** 2 + (y - py) ** 2 for px, py in self.road) ** 0.5) - HALF
        for px, py, radius in self.rounds:
            if (x - px) ** 2 + (y - py) ** 2 < (free + radius) ** 2:
                free = min(free, hypot(x - px, y - py) - radius)
        return free

    def fits(self, x: float, y: float, radius: float) -> bool:
        """Return whether the clearance is more than a radius. Faster than `clearance`, because every thing is checked
        with it.
        """
        near = (radius + HALF) ** 2
        if any((x - px) ** 2 + (y - py) ** 2 < near for px, py in self.road):
            return False
        return all((x - px) ** 2 + (y - py) ** 2 >= (radius + taken) ** 2 for px, py, taken in self.rounds)

    def take(self, x: float, y: float, radius: float) -> None:
        self.rounds.append((x, y, radius))


def inside_hexagon(x: float, y: float, margin: float) -> bool:
    """Return whether a point of the upright tile is at least `margin` away from its edges."""
    x, y = abs(x), abs(y)
    return y <= APOTHEM - margin and x * APOTHEM + y / 2 <= APOTHEM - margin


def sign_places(plan: Layout) -> tuple[Point, Point]:
    """Return the positions of the warning signs: at both ends, on the driver's right."""
    ends = (SIGN_ALONG, plan.centre_line.length - SIGN_ALONG)
    first, last = (plan.centre_line.at(end, SIGN_BESIDE) for end in ends)
    return (first.x, first.y), (last.x, last.y)


@lru_cache(maxsize=256)
def scenery(name: str, backwards: bool) -> Scenery:
    """Return the surroundings of a face's road. The signs' side depends on the direction, and nothing may cover the
    signs.
    """
    plan = layout(name, backwards)
    chance = Random(f"landscape {name}")  # noqa: S311 - the same trees every time; nothing secret
    room = _occupied(plan)
    label = _label(room)
    room.take(*label, 0.15)
    streams = tuple(_streams(plan, room))
    for stream in streams:
        for x, y in stream:
            room.take(x, y, 0.05)
    landscape = LANDSCAPES[chance.randrange(len(LANDSCAPES))]
    patches = (*_stains(chance), *_big_patch(chance, room, landscape.patch))
    things = (*_crowds(plan, room), *_things(chance, room, landscape.things))
    return Scenery(chance.randrange(5), patches, things, label, streams)


def _occupied(plan: Layout) -> _Room:
    count = max(12, round(plan.centre_line.length / 0.09))
    poses = [plan.centre_line.at(plan.centre_line.length * place / count) for place in range(count + 1)]
    room = _Room([(pose.x, pose.y) for pose in poses])
    for space in plan.shortcuts:
        mx, my = space.middle.x, space.middle.y
        for x, y in space.outline[::2]:
            for part in (0.45, 1.0):
                room.take(mx + (x - mx) * part, my + (y - my) * part, 0.08)
    for x, y in sign_places(plan):
        room.take(x, y, 0.09)
    return room


def _label(room: _Room) -> Point:
    """Return the corner or edge with most room for the tile's number. Among equals the upper left is preferred."""
    parts = (8, 7, 9, 6, 10, 4, 2, 0, 3, 5, 11, 1)
    reach = {part: CORNER if part % 2 == 0 else MIDDLE_OF_EDGE for part in parts}
    places = [(reach[part] * cos(pi * part / 6), reach[part] * sin(pi * part / 6)) for part in parts]
    free = [min(room.clearance(*place), 0.14) for place in places]
    return places[free.index(max(free))]


def _streams(plan: Layout, room: _Room) -> Iterator[tuple[Point, ...]]:
    """Yield the water of a ford to both sides, up to the tile's edge or another part of the road."""
    for stretch in plan.stretches:
        if stretch.section.water:
            middle = (stretch.first + stretch.last) / 2
            yield (*reversed(_shore(plan, room, middle, -1)), *_shore(plan, room, middle, 1))


def _shore(plan: Layout, room: _Room, middle: float, side: int) -> list[Point]:
    """Return a stream from the road's edge outwards, in a slight curve. Near the tile's edge it goes around the warning
    sign.
    """
    ford = plan.centre_line.at(middle)
    near_end = min(middle, plan.centre_line.length - middle) < NEAR_SIGN
    inwards = (1 if middle < plan.centre_line.length / 2 else -1) if near_end else 0
    shore: list[Point] = []
    reach = HALF - 0.02
    while reach < 0.9:
        curve = 0.1 * sin((reach - HALF) * 6) * side
        aside = inwards * min(0.16, max(0.0, reach - HALF + 0.04) * 1.6)
        pose = plan.centre_line.at(middle + (aside or curve), side * reach)
        foreign = any(
            hypot(x - pose.x, y - pose.y) < HALF + 0.12 and hypot(x - ford.x, y - ford.y) > 0.5 for x, y in room.road
        )
        if foreign or not inside_hexagon(pose.x, pose.y, 0.1):
            break
        shore.append((pose.x, pose.y))
        reach += 0.07
    return shore


def _stains(chance: Random) -> Iterator[Patch]:
    """Yield soft stains on the ground."""
    for place in range(8):
        angle, distance = chance.uniform(0, 2 * pi), chance.uniform(0.1, 0.7)
        size = chance.uniform(0.12, 0.38)
        yield Patch(str(place % 4), _blot(chance, distance * cos(angle), distance * sin(angle), size))


def _big_patch(chance: Random, room: _Room, kind: str) -> Iterator[Patch]:
    """Yield the field, pond or heather of the landscape, where there is most room for it."""
    if not kind:
        return
    tries = [(chance.uniform(-0.7, 0.7), chance.uniform(-0.6, 0.6)) for _ in range(30)]
    x, y = max(tries, key=lambda place: min(room.clearance(*place), 0.3 - 0.1 * hypot(*place)))
    size = min(room.clearance(x, y) - 0.03, 0.2 if kind == "pond" else 0.32)
    if size < 0.1:
        return
    yield Patch(kind, _blot(chance, x, y, size))
    if kind == "pond":
        room.take(x, y, size * 0.95)


def _blot(chance: Random, x: float, y: float, size: float) -> tuple[Point, ...]:
    points = []
    for place in range(8):
        reach = size * chance.uniform(0.75, 1.25)
        px, py = x + reach * cos(pi * place / 4), y + reach * sin(pi * place / 4)
        while not inside_hexagon(px, py, 0.02):
            px, py = px * 0.96, py * 0.96
        points.append((px, py))
    return tuple(points)


def _crowds(plan: Layout, room: _Room) -> Iterator[Thing]:
    """Yield spectators: on the outside of tight bends, and at bumps and fords."""
    for stretch in plan.stretches:
        section = stretch.section
        tight = section.kind == "bend" and min(section.inner) <= TIGHT
        if not (tight or section.jump or section.water):
            continue
        middle = (stretch.first + stretch.last) / 2
        side = -SIDE.get(section.inside or "left", -1)
        for along, beside in ((0.0, 0.17), (0.2, 0.16), (-0.2, 0.16)):
            pose = plan.centre_line.at(middle + along, side * (HALF + beside))
            if inside_hexagon(pose.x, pose.y, 0.08) and room.fits(pose.x, pose.y, 0.1):
                room.take(pose.x, pose.y, ROOM["crowd"])
                yield Thing("crowd", pose.x, pose.y)


def _things(chance: Random, room: _Room, wanted: dict[str, int]) -> Iterator[Thing]:
    """Yield things at random places, mostly in clumps, big ones first. A thing that finds no room is left out."""
    queue = [name for name, count in wanted.items() for _ in range(count)]
    queue.sort(key=lambda name: -ROOM[name])
    clumps = [(chance.uniform(-0.8, 0.8), chance.uniform(-0.7, 0.7)) for _ in range(4)]
    for name in queue:
        radius = ROOM[name]
        for _ in range(TRIES // len(queue)):
            x, y = chance.uniform(-0.95, 0.95), chance.uniform(-APOTHEM, APOTHEM)
            if chance.random() < CLUMPED:
                cx, cy = clumps[chance.randrange(len(clumps))]
                x, y = cx + chance.gauss(0, 0.2), cy + chance.gauss(0, 0.2)
            gap = 0.03 if name in LOW else ROADSIDE
            if inside_hexagon(x, y, radius * 0.45) and room.fits(x, y, radius * 0.85 + gap * 0.6):
                room.take(x, y, radius * 0.75)
                yield Thing(name, x, y)
                break
