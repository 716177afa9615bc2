"""The geometry of a track in one plane: the position of each space, its outline, the lanes as lines. Nothing here knows
SVG.

    {"track": "monza"}, {"csv": text}, or either of the two words alone  →  Circuit

One unit is the median distance from a space to the next one. x points right, y down, headings are radians, clockwise
from the right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import atan2, cos, degrees, hypot, pi, radians, sin
from statistics import median

from engine.contract import Json
from engine.formula_d.track import BOX, CORNER, NOWHERE, PIT, Coordinates, Track, coordinates_of_spaces, load_track
from engine.formula_d.track_files import checked

Point = tuple[float, float]

MARGIN = 3.2
"""The distance from the outermost space to the edge of the picture."""
HALF = 0.27
"""The distance from the middle of a lane to its edge."""
HALF_WIDE, DRAWN_IN, STRAIGHT_END, FAR = 0.235, 0.06, 0.44, 1.7
MIDDLE = 2
MOST_TURNED = radians(23)
WIDEST = 300.0
"""The largest width or height of a picture. A larger track is scaled to fit."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A space at its position, with its outline."""

    index: int
    name: str
    x: float
    y: float
    heading: float
    outline: tuple[Point, ...]

    def beside(self, right: float, ahead: float = 0.0) -> Point:
        """Return the point that far to the right of the middle and ahead of it."""
        c, s = cos(self.heading), sin(self.heading)
        return self.x + ahead * c - right * s, self.y + ahead * s + right * c


@dataclass(frozen=True, slots=True)
class Bend:
    """A corner: its number, the stops that it requires, its spaces lane by lane, and the angle by which it turns
    (radians, positive to the right).
    """

    number: int
    stops: int
    lanes: tuple[tuple[int, ...], ...]
    turn: float

    @property
    def outside(self) -> int:
        """1 when the outside is to the right, -1 when it is to the left."""
        return -1 if self.turn > 0 else 1


@dataclass(frozen=True, slots=True, eq=False)  # one drawing for each track, so identity suffices
class Circuit:
    """The drawing of a track. `spots` are in the order of the file; `laps` are the lanes from the finish line round to
    it again; `spurs` are pieces of lanes that join other lanes; `pit` is the pit lane from its entry on; `bounds` are
    left, top, right and bottom of the picture.
    """

    source: str
    track: Track
    spots: tuple[Spot, ...]
    laps: tuple[tuple[int, ...], ...]
    spurs: tuple[tuple[int, ...], ...]
    pit: tuple[int, ...]
    bends: tuple[Bend, ...]
    bounds: tuple[float, float, float, float]

    def spot(self, name: str) -> Spot | None:
        """Return the space of that name; None when the track has none."""
        index = self.track.index.get(name)
        return None if index is None else self.spots[index]

    @property
    def middle(self) -> tuple[int, ...]:
        """The middle lane, once round."""
        return max(self.laps, key=lambda lap: (self.track.lane[lap[0]] == MIDDLE, len(lap)))

    def at(self, indices: Sequence[int]) -> list[Point]:
        """Return the middles of spaces."""
        return [(self.spots[one].x, self.spots[one].y) for one in indices]


def circuit(course: Json) -> Circuit:
    """Return the drawing of a course in any form that the engine reads: a document, the name of a ready-made track, or
    the text of an imported one.

    Raises: StageError when there is no such track, or when it has a fault.
    """
    if isinstance(course, Mapping):
        course = course.get("track") or course.get("csv") or ""
    return _circuit(str(course))


@lru_cache(maxsize=64)
def _circuit(track: str) -> Circuit:
    track = checked(track)
    road = load_track(track)
    placed = _in_units(road, coordinates_of_spaces(track))
    spots = tuple(_spots(road, placed))
    xs, ys = [spot.x for spot in spots], [spot.y for spot in spots]
    bounds = (min(xs) - MARGIN, min(ys) - MARGIN, max(xs) + MARGIN, max(ys) + MARGIN)
    laps, spurs = _lanes(road)
    bends = tuple(_bends(road, spots))
    return Circuit(track, road, spots, laps, spurs, _pit(road), bends, bounds)


def _in_units(road: Track, found: Sequence[Coordinates]) -> list[Coordinates]:
    """Return the coordinates in units of the median step, with headings in radians."""
    steps = [
        hypot(found[to].x - place.x, found[to].y - place.y)
        for place, to in zip(found, road.ahead, strict=True)
        if to != NOWHERE
    ]
    unit = median(steps) or 1.0
    wide = max(max(values) - min(values) for values in ([p.x for p in found], [p.y for p in found]))
    unit = max(unit, wide / WIDEST)
    left, top = min(place.x for place in found), min(place.y for place in found)
    return [Coordinates((p.x - left) / unit, (p.y - top) / unit, radians(p.heading % 360)) for p in found]


def _spots(road: Track, placed: Sequence[Coordinates]) -> Iterator[Spot]:
    before: dict[int, int] = {}
    for at, to in enumerate(road.ahead):
        if to != NOWHERE and road.kind[at] != BOX and (to not in before or _distance(placed, at, to) < FAR):
            before[to] = at
    for at, place in enumerate(placed):
        ends = [_end(placed, at, to, forward) for to, forward in ((before.get(at, NOWHERE), -1), (road.ahead[at], 1))]
        if road.kind[at] == BOX:
            ends = [_straight(place, -1), _straight(place, 1)]
        (rear_left, rear_right), (front_left, front_right) = ends
        left, right = (_offset(place, place.heading, 0.0, side * HALF_WIDE) for side in (-1, 1))
        outline = (rear_left, left, front_left, front_right, right, rear_right)
        yield Spot(at, road.spaces[at], place.x, place.y, place.heading, outline)


def _distance(placed: Sequence[Coordinates], at: int, to: int) -> float:
    return hypot(placed[to].x - placed[at].x, placed[to].y - placed[at].y)


def _offset(place: Coordinates | Point, heading: float, ahead: float, right: float) -> Point:
    c, s = cos(heading), sin(heading)
    return place[0] + ahead * c - right * s, place[1] + ahead * s + right * c


def _straight(place: Coordinates, forward: int) -> tuple[Point, Point]:
    return (
        _offset(place, place.heading, forward * STRAIGHT_END, -HALF_WIDE),
        _offset(place, place.heading, forward * STRAIGHT_END, HALF_WIDE),
    )


def _end(placed: Sequence[Coordinates], at: int, to: int, forward: int) -> tuple[Point, Point]:
    """Return the left and the right end of a space's edge towards the next (1) or the previous space (-1) of its
    lane.
    """
    place = placed[at]
    if to == NOWHERE or not 0.05 < _distance(placed, at, to) < FAR:
        return _straight(place, forward)
    other = placed[to]
    way = atan2((other.y - place.y) * forward, (other.x - place.x) * forward)
    turned = (way - place.heading + pi) % (2 * pi) - pi
    heading = place.heading + min(max(turned, -MOST_TURNED), MOST_TURNED)
    reach = _distance(placed, at, to) / 2
    part = max(reach - DRAWN_IN, reach / 2) / (2 * reach)
    middle = (place.x + (other.x - place.x) * part, place.y + (other.y - place.y) * part)
    return _offset(middle, heading, 0.0, -HALF_WIDE), _offset(middle, heading, 0.0, HALF_WIDE)


def _lanes(road: Track) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """Return the lanes that lead round, and the pieces of lanes that join other lanes."""
    laps, spurs, seen = [], [], set[int]()
    track = [at for at in range(len(road.spaces)) if not road.in_the_pits(at)]
    entered = {to for to in road.ahead if to != NOWHERE}
    begins = sorted(track, key=lambda at: (not road.finish[at], at in entered, at))
    for begin in begins:
        way, at = list[int](), begin
        while at not in seen:
            seen.add(at)
            way.append(at)
            at = road.ahead[at]
        if way and at == begin:
            laps.append(tuple(way))
        elif way:
            spurs.append((*way, at))
    return tuple(laps), tuple(spurs)


def _pit(road: Track) -> tuple[int, ...]:
    """Return the spaces of the pit lane, past every box."""
    way, at = list[int](), road.entry
    while at != NOWHERE and at not in way and road.kind[at] == PIT:
        way.append(at)
        at = next((to for to in road.nexts[at] if road.kind[to] == PIT), NOWHERE)
    return tuple(way)


def _bends(road: Track, spots: Sequence[Spot]) -> Iterator[Bend]:
    for number in sorted({corner for corner in road.corner if corner}):
        here = [at for at, corner in enumerate(road.corner) if corner == number and road.kind[at] == CORNER]
        lanes = tuple(_in_order(road, [at for at in here if road.lane[at] == lane]) for lane in (1, 2, 3))
        middle = max(lanes, key=len)
        way = [middle[0], *middle, road.ahead[middle[-1]]]
        turn = sum((spots[to].heading - spots[at].heading + pi) % (2 * pi) - pi for at, to in pairwise(way))
        yield Bend(number, road.stops[here[0]], lanes, turn)


def _in_order(road: Track, lane: Sequence[int]) -> tuple[int, ...]:
    """Return the spaces of a lane in driving order."""
    return tuple(sorted(lane, key=lambda at: road.along[at]))


def turned(heading: float) -> float:
    """Return a heading in degrees, from -180 up to 180."""
    return (degrees(heading) + 180) % 360 - 180
