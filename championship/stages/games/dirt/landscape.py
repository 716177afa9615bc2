"""What grows and lies beside the road: scattered by the tile's number, so that a tile looks the same wherever it lies.

    face, road, shortcuts  →  patches of ground and things (trees, rocks, bales, people), in the frame of the upright tile
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import cos, hypot, pi, sin
from random import Random

from championship.stages.games.dirt.shapes import APOTHEM, HALF
from championship.stages.games.dirt.spaces import Layout, Point, layout

TRIES = 150
ROADSIDE = 0.075
EDGE = 0.05
SIGN_ALONG = 0.11
SIGN_BESIDE = HALF + 0.085

# Names of symbols with the room each takes (radius in sides), and how often a landscape has them.
ROOM = {"fir": 0.105, "pine": 0.085, "oak": 0.12, "tree": 0.095, "bush": 0.06, "rock": 0.06, "stone": 0.035}
ROOM |= {"tuft": 0.035, "bale": 0.05, "stump": 0.035, "logs": 0.085, "barn": 0.15, "hut": 0.11, "bloom": 0.05}
LANDSCAPES: tuple[tuple[str, dict[str, int]], ...] = (
    ("forest", {"fir": 9, "pine": 9, "stump": 2, "bush": 3, "logs": 1, "tuft": 3}),
    ("grove", {"oak": 5, "tree": 7, "bush": 5, "tuft": 4, "bloom": 2, "stone": 1}),
    ("meadow", {"bush": 4, "tree": 3, "bloom": 5, "tuft": 7, "stone": 3, "oak": 1}),
    ("heath", {"rock": 5, "stone": 6, "bush": 4, "pine": 3, "tuft": 6}),
    ("farm", {"bale": 6, "tree": 3, "bush": 3, "barn": 1, "tuft": 5, "hut": 1}),
    ("wood edge", {"fir": 4, "tree": 5, "oak": 2, "bush": 4, "rock": 1, "tuft": 4}),
)


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that stands on the tile: the symbol's name and where."""

    symbol: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Patch:
    """A piece of ground with a look of its own: `kind` 0 to 3 or "field"; its soft outline."""

    kind: str
    outline: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Scenery:
    """One tile's surroundings. `tint` 0 to 4 shades the ground; `label` is where the tile's number is printed;
    `streams` where the water of a ford runs, as points from one side to the other."""

    tint: int
    patches: tuple[Patch, ...]
    things: tuple[Thing, ...]
    label: Point
    streams: tuple[tuple[Point, ...], ...]


@dataclass(slots=True)
class _Room:
    """What is taken already: the road as points, and round places."""

    road: list[Point]
    rounds: list[tuple[float, float, float]] = field(default_factory=list)

    def clearance(self, x: float, y: float) -> float:
        """How far it is from here to the road's edge or to anything else."""
        free = min(hypot(x - px, y - py) for px, py in self.road) - HALF
        for px, py, radius in self.rounds:
            free = min(free, hypot(x - px, y - py) - radius)
        return free

    def take(self, x: float, y: float, radius: float) -> None:
        self.rounds.append((x, y, radius))


def inside_hexagon(x: float, y: float, margin: float) -> bool:
    """Whether a point of the upright tile is at least `margin` away from its edges."""
    x, y = abs(x), abs(y)
    return y <= APOTHEM - margin and x * APOTHEM + y / 2 <= APOTHEM - margin


def sign_places(plan: Layout) -> tuple[Point, Point]:
    """Where the warning signs stand: at both ends, on the driver's right."""
    ends = (SIGN_ALONG, plan.way.length - SIGN_ALONG)
    first, last = (plan.way.at(end, SIGN_BESIDE) for end in ends)
    return (first.x, first.y), (last.x, last.y)


@lru_cache(maxsize=256)
def scenery(name: str, backwards: bool) -> Scenery:
    """The surroundings of a face's road. The signs' side depends on the direction, and nothing may grow over them."""
    plan = layout(name, backwards)
    chance = Random(f"landscape {name}")  # noqa: S311 - the same trees every time, nothing secret
    room = _taken(plan)
    label = _label(room)
    room.take(*label, 0.15)
    streams = tuple(_streams(plan, room))
    for stream in streams:
        for x, y in stream:
            room.take(x, y, 0.07)
    _kind, wanted = LANDSCAPES[chance.randrange(len(LANDSCAPES))]
    patches = tuple(_patches(chance, _kind))
    things = sorted(_things(chance, room, wanted), key=lambda thing: thing.y)
    return Scenery(chance.randrange(5), patches, tuple(things), label, streams)


def _taken(plan: Layout) -> _Room:
    count = max(12, round(plan.way.length / 0.07))
    poses = [plan.way.at(plan.way.length * place / count) for place in range(count + 1)]
    room = _Room([(pose.x, pose.y) for pose in poses])
    for space in plan.shortcuts:
        for x, y in (*space.outline, (space.middle.x, space.middle.y)):
            room.take(x, y, 0.07)
    for x, y in sign_places(plan):
        room.take(x, y, 0.09)
    return room


def _label(room: _Room) -> Point:
    """The corner or edge with most room for the tile's number, the upper left one when it will do."""
    places = [(0.76 * cos(pi * part / 6), 0.76 * sin(pi * part / 6)) for part in (8, 7, 9, 6, 10, 4, 2, 0, 3, 5, 11, 1)]
    free = [min(room.clearance(*place), 0.14) for place in places]
    return places[free.index(max(free))]


def _streams(plan: Layout, room: _Room) -> Iterator[tuple[Point, ...]]:
    """From a ford to both sides as far as there is room, in a slight curve."""
    for stretch in plan.stretches:
        if not stretch.section.water:
            continue
        middle = (stretch.first + stretch.last) / 2
        shores = []
        for side in (-1, 1):
            shore: list[Point] = []
            reach = HALF
            while reach < 0.8:
                pose = plan.way.at(middle + 0.12 * sin((reach - HALF) * 5) * side, side * reach)
                near = [p for p in room.road if hypot(p[0] - pose.x, p[1] - pose.y) < HALF + 0.09]
                own = plan.way.at(middle)
                foreign = any(hypot(p[0] - own.x, p[1] - own.y) > 0.45 for p in near)
                if foreign or not inside_hexagon(pose.x, pose.y, 0.06):
                    break
                shore.append((pose.x, pose.y))
                reach += 0.08
            shores.append(shore)
        yield (*reversed(shores[0]), *shores[1])


def _patches(chance: Random, kind: str) -> Iterator[Patch]:
    """Soft stains on the ground, and on a farm a ploughed field."""
    for place in range(5):
        angle, distance = chance.uniform(0, 2 * pi), chance.uniform(0.15, 0.6)
        size = chance.uniform(0.16, 0.36)
        name = "field" if kind == "farm" and not place else str(place % 4)
        yield Patch(name, _stain(chance, distance * cos(angle), distance * sin(angle), size))


def _stain(chance: Random, x: float, y: float, size: float) -> tuple[Point, ...]:
    points = []
    for place in range(8):
        reach = size * chance.uniform(0.7, 1.25)
        px, py = x + reach * cos(pi * place / 4), y + reach * sin(pi * place / 4)
        while not inside_hexagon(px, py, 0.02):
            px, py = px * 0.96, py * 0.96
        points.append((px, py))
    return tuple(points)


def _things(chance: Random, room: _Room, wanted: dict[str, int]) -> Iterator[Thing]:
    """Throw the wanted things at random places and keep those that find room, big ones first."""
    queue = [name for name, count in wanted.items() for _ in range(count)]
    queue.sort(key=lambda name: -ROOM[name])
    for name in queue:
        for _ in range(TRIES // len(queue) + 4):
            x, y = chance.uniform(-0.95, 0.95), chance.uniform(-APOTHEM, APOTHEM)
            radius = ROOM[name]
            if inside_hexagon(x, y, EDGE + radius * 0.7) and room.clearance(x, y) > radius + _gap(name):
                room.take(x, y, radius * 0.8)
                yield Thing(name, x, y)
                break


def _gap(name: str) -> float:
    """Low things come close to the road."""
    return 0.03 if name in ("tuft", "stone", "bloom", "stump") else ROADSIDE


def spread(points: Sequence[Point], least: float) -> list[Point]:
    """Only points at least that far apart."""
    kept: list[Point] = []
    for x, y in points:
        if all(hypot(x - px, y - py) >= least for px, py in kept):
            kept.append((x, y))
    return kept
