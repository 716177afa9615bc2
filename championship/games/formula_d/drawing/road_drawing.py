"""The road: run-off, kerbs, tarmac, spaces, arrows, the finish line, the grid, the pit lane, a bridge.

Most of it is the same three lines, the lanes, drawn repeatedly with narrower strokes. So it works in any hairpin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import cos, hypot, sin

from championship.catalogue.svg_paths import number
from championship.games.formula_d.drawing import paths
from championship.games.formula_d.drawing.geometry import HALF, Bend, Circuit, Point, Spot
from championship.games.formula_d.drawing.paths import SCALE
from championship.games.formula_d.drawing.terrain import terrain
from engine.formula_d.track import CORNER, NOWHERE, PIT

KERB = 0.5
"""A bend that turns less (radians) has kerbs along both sides."""
GRAVEL_TURN = 0.6
TYRES_AWAY = 1.28
BOX_LONG, BOX_DEEP = 0.86, 0.5
GARAGE_DEEP, GARAGE_ROOM = 0.95, 0.62
STRIPE = 7
ARROW = 0.33
CLOSE = 6
"""Crossing steps of lanes that are at most this many steps apart along the track do not count as a crossing of
roads.
"""


def lanes(drawing: Circuit) -> str:
    """Return all lanes as one path."""
    laps = "".join(paths.curve(drawing.at(lap), closed=True) for lap in drawing.laps)
    return laps + "".join(paths.curve(drawing.at(spur)) for spur in drawing.spurs)


def middle(drawing: Circuit) -> str:
    """Return the middle lane as one path."""
    return paths.curve(drawing.at(drawing.middle), closed=True)


def pit_lane(drawing: Circuit) -> str:
    """Return the pit lane, from the track and back to it."""
    if not drawing.pit:
        return ""
    road = drawing.track
    before = [at for at, nexts in enumerate(road.nexts) if drawing.pit[0] in nexts and road.kind[at] != PIT]
    after = [to for to in road.nexts[drawing.pit[-1]] if road.kind[to] != PIT]
    points = drawing.at(drawing.pit)
    return paths.curve([*_halfway(drawing, before[-1:], points[0]), *points, *_halfway(drawing, after[:1], points[-1])])


def _halfway(drawing: Circuit, spaces: Sequence[int], end: Point) -> list[Point]:
    return [((x + end[0]) / 2, (y + end[1]) / 2) for x, y in drawing.at(spaces)]


def under(drawing: Circuit, ident: str, *, gravel: bool) -> str:
    """Return everything below the tarmac, the widest first."""
    road, mid = f'href="#{ident}-lanes"', f'href="#{ident}-middle"'
    sand = "".join(_outside(drawing, bend) for bend in drawing.bends if gravel and abs(bend.turn) > GRAVEL_TURN)
    found = [f'<use {road} class="fence"/><use {road} class="verge"/><use {mid} class="mown"/>']
    if sand:
        found.append(f'<path class="gravel" d="{sand}"/><path class="gravel raked" d="{sand}"/>')
    found.append(f'<use href="#{ident}-pit" class="apron"/>')
    if tyres := "".join(paths.curve(wall) for bend in drawing.bends for wall in _tyres(drawing, bend)):
        found.append(f'<path class="tyres" d="{tyres}"/><path class="tyres pale" d="{tyres}"/>')
    return "".join(found)


def _run(drawing: Circuit, lane: Sequence[int], before: int = 0, after: int = 0) -> list[Point]:
    """Return a lane of a bend with some extra spaces at both ends."""
    way = list(lane)
    for _ in range(before):
        way[:0] = [at for at, to in enumerate(drawing.track.ahead) if to == way[0] and at not in way][:1]
    for _ in range(after):
        if drawing.track.ahead[way[-1]] not in (NOWHERE, *way):
            way.append(drawing.track.ahead[way[-1]])
    return drawing.at(way)


def _outside(drawing: Circuit, bend: Bend) -> str:
    return paths.curve(_run(drawing, bend.lanes[2 if bend.outside > 0 else 0], 1, 2))


def _tyres(drawing: Circuit, bend: Bend) -> Iterator[list[Point]]:
    """Yield tyre walls outside of a bend, where there is room."""
    if abs(bend.turn) < GRAVEL_TURN:
        return
    land, wall = terrain(drawing), list[Point]()
    for at in bend.lanes[2 if bend.outside > 0 else 0]:
        point = drawing.spots[at].beside(bend.outside * TYRES_AWAY)
        if land.room(point) > TYRES_AWAY - 0.3:
            wall.append(point)
        else:
            if len(wall) > 2:
                yield wall
            wall = []
    if len(wall) > 2:
        yield wall


def kerbs(drawing: Circuit) -> str:
    """Return red and white kerbs: on the inside of each bend, and on the outside at its exit."""
    found = []
    for bend in drawing.bends:
        inner, outer = (0, 2) if bend.turn < 0 else (2, 0)
        found.append(paths.curve(_run(drawing, bend.lanes[inner])))
        if abs(bend.turn) < KERB:
            found.append(paths.curve(_run(drawing, bend.lanes[outer])))
        else:
            found.append(paths.curve(_run(drawing, bend.lanes[outer][-3:], 0, 2)))
    d = "".join(found)
    return f'<path class="kerb" d="{d}"/><path class="kerb red" d="{d}"/>'


def tarmac(ident: str) -> str:
    """Return the pit lane and the road, each with its white edge."""
    road, pit, mid = (f'href="#{ident}-{name}"' for name in ("lanes", "pit", "middle"))
    return (
        f'<use {pit} class="pit edge"/><use {road} class="road edge"/><use {pit} class="pit"/>'
        f'<use {mid} class="road wide"/><use {road} class="road"/><use {road} class="road worn"/>'
    )


def spaces(drawing: Circuit, only: frozenset[int] | None = None) -> str:
    """Return the outlines of all spaces: straights, bends by their stops, the pit lane, boxes."""
    kinds: dict[str, list[Spot]] = {}
    for spot in drawing.spots:
        if only is not None and spot.index not in only:
            continue
        road = drawing.track
        name = f"s{road.stops[spot.index]}" if road.kind[spot.index] == CORNER else "s0"
        if road.in_the_pits(spot.index):
            name = "pits"
        kinds.setdefault(name, []).append(spot)
    return "".join(
        f'<path class="cell {name}" d="{paths.polygons(spot.outline for spot in spots)}"/>'
        for name, spots in sorted(kinds.items())
    )


def arrows(drawing: Circuit) -> str:
    """Return the printed arrows in bends (F2): a small head towards each space that may come next."""
    road, found = drawing.track, list[str]()
    for spot in drawing.spots:
        if road.kind[spot.index] != CORNER:
            continue
        for to in road.nexts[spot.index]:
            other = drawing.spots[to]
            away = hypot(other.x - spot.x, other.y - spot.y) or 1.0
            ux, uy = (other.x - spot.x) / away, (other.y - spot.y) / away
            # An arrow to the side starts farther out, so that the heads of two arrows do not overlap.
            aside = 0.16 * (uy * cos(spot.heading) - ux * sin(spot.heading))
            x, y = spot.beside(aside)
            found.append(paths.polygon(_head(x + ARROW * ux, y + ARROW * uy, ux, uy)))
    return f'<path class="arrows" d="{"".join(found)}"/>' if found else ""


def _head(x: float, y: float, ux: float, uy: float) -> list[Point]:
    return [
        (x + 0.06 * ux, y + 0.06 * uy),
        (x - 0.05 * ux - 0.05 * uy, y - 0.05 * uy + 0.05 * ux),
        (x - 0.05 * ux + 0.05 * uy, y - 0.05 * uy - 0.05 * ux),
    ]


def line_and_grid(drawing: Circuit) -> str:
    """Return the chequered line before the spaces that follow it (F5), and the places of the grid."""
    light, dark = list[list[Point]](), list[list[Point]]()
    brackets, numbers = list[list[Point]](), list[str]()
    for spot in drawing.spots:
        if drawing.track.finish[spot.index]:
            for column in range(2):
                for row in range(4):
                    ahead, right = -0.5 + 0.11 * column, -HALF + 2 * HALF * row / 4
                    square = [
                        spot.beside(right, ahead),
                        spot.beside(right + HALF / 2, ahead),
                        spot.beside(right + HALF / 2, ahead + 0.11),
                        spot.beside(right, ahead + 0.11),
                    ]
                    (light if (column + row) % 2 else dark).append(square)
    for place, at in enumerate(drawing.track.grid, 1):
        spot = drawing.spots[at]
        brackets.append(
            [spot.beside(-0.19, 0.2), spot.beside(-0.19, 0.38), spot.beside(0.19, 0.38), spot.beside(0.19, 0.2)]
        )
        x, y = paths.at(spot.beside(0.0, -0.3))
        numbers.append(
            f'<text transform="translate({number(x)} {number(y)})rotate({paths.upright(spot.heading)})" '
            f'dy="2.4">{place}</text>'
        )
    return (
        f'<path class="grid-place" d="{"".join(paths.line(bracket) for bracket in brackets)}"/>'
        f'<path class="chequer" d="{paths.polygons(light)}"/><path class="chequer dark" d="{paths.polygons(dark)}"/>'
        f'<g class="grid-numbers">{"".join(numbers)}</g>'
    )


def pits(drawing: Circuit) -> str:
    """Return the boxes with their letters, and a garage behind each where there is room."""
    land, found, roofs = terrain(drawing), list[str](), list[str]()
    for name, at in drawing.track.boxes.items():
        spot = drawing.spots[at]
        lane = min((drawing.spots[one] for one in drawing.pit), key=lambda other: _distance(spot, other), default=None)
        if lane is None:
            continue
        right = (spot.x - lane.x) * -sin(spot.heading) + (spot.y - lane.y) * cos(spot.heading)
        side = 1 if right > 0 else -1
        team = f"team{'ABCDE'.find(name[0])}"
        back = spot.beside(side * (HALF + GARAGE_DEEP / 2))
        turn = paths.angle(spot.heading)
        rear = [spot.beside(side * (HALF + GARAGE_DEEP), long) for long in (-BOX_LONG / 2, 0.0, BOX_LONG / 2)]
        if min(land.room(corner) for corner in rear) > GARAGE_ROOM:
            roofs.append(_garage(back, turn, side, team))
        found.append(_box(name, spot, turn, team))
    return f'<g class="garages">{"".join(roofs)}</g><g class="boxes">{"".join(found)}</g>'


def _garage(back: Point, turn: str, side: int, team: str) -> str:
    """Return a garage with a stripe in the colour of its team along the front."""
    deep, long = GARAGE_DEEP * SCALE, BOX_LONG * SCALE + 4
    front = -deep / 2 if side > 0 else deep / 2 - STRIPE
    return (
        f'<g class="garage {team}" transform="translate({paths.place(back)})rotate({turn})">'
        f'<rect class="f-sh" x="{5 - long / 2:g}" y="{5 - deep / 2:g}" width="{long:g}" height="{deep:g}"/>'
        f'<rect class="wall" x="{-long / 2:g}" y="{-deep / 2:g}" width="{long:g}" height="{deep:g}"/>'
        f'<rect class="stripe" x="{-long / 2:g}" y="{front:g}" width="{long:g}" height="{STRIPE}"/></g>'
    )


def _box(name: str, spot: Spot, turn: str, team: str) -> str:
    long, deep = BOX_LONG * SCALE, BOX_DEEP * SCALE
    return (
        f'<g class="box {team}" transform="translate({paths.place((spot.x, spot.y))})">'
        f'<rect transform="rotate({turn})" x="{-long / 2:g}" y="{-deep / 2:g}" width="{long:g}" height="{deep:g}" '
        f'rx="2"/><text dy="3">{name}</text></g>'
    )


def _distance(one: Spot, other: Spot) -> float:
    return hypot(one.x - other.x, one.y - other.y)


def bridge(drawing: Circuit) -> str:
    """Return the upper road again where roads cross, with its shadow and rails."""
    above = _above(drawing)
    if not above:
        return ""
    decks = "".join(paths.curve(drawing.at(run[1:-1])) for run in above)
    road = "".join(paths.curve(drawing.at(run)) for run in above)
    spots = frozenset(at for run in above for at in run)
    return (
        f'<g class="bridge"><path class="shadow" d="{decks}"/><path class="rail" d="{decks}"/>'
        f'<path class="road edge" d="{decks}"/><path class="road" d="{road}"/><path class="road worn" d="{road}"/>'
        f"{spaces(drawing, spots)}</g>"
    )


def _above(drawing: Circuit) -> list[list[int]]:
    """Return the pieces of lanes that cross over others, each with three extra spaces at both ends. The longer of two
    crossing steps is the lower one, because no space lies on it.
    """
    steps = sorted(
        (min(drawing.spots[at].x, drawing.spots[to].x), at, to) for lap in drawing.laps for at, to in _ring(lap)
    )
    over = set[int]()
    for place, (_, at, to) in enumerate(steps):
        reach = max(drawing.spots[at].x, drawing.spots[to].x)
        for left, other, beyond in steps[place + 1 :]:
            if left > reach:
                break
            if {at, to} & {other, beyond} or not _cross(drawing, (at, to), (other, beyond)):
                continue
            if min(abs(drawing.track.along[at] - drawing.track.along[other]), 999) <= CLOSE:
                continue
            longer = _distance(drawing.spots[at], drawing.spots[to]) > _distance(
                drawing.spots[other], drawing.spots[beyond]
            )
            over |= {other, beyond} if longer else {at, to}
    runs = []
    for lap in drawing.laps:
        here = [place for place, at in enumerate(lap) if at in over]
        if here:
            runs.append([lap[place % len(lap)] for place in range(here[0] - 3, here[-1] + 4)])
    return runs


def _ring(lap: Sequence[int]) -> Iterator[tuple[int, int]]:
    yield from pairwise((*lap, lap[0]))


def _cross(drawing: Circuit, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two steps cross."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = drawing.at((*one, *other))

    def side(px: float, py: float, qx: float, qy: float, x: float, y: float) -> float:
        return (qx - px) * (y - py) - (qy - py) * (x - px)

    return (side(ax, ay, bx, by, cx, cy) > 0) != (side(ax, ay, bx, by, dx, dy) > 0) and (
        side(cx, cy, dx, dy, ax, ay) > 0
    ) != (side(cx, cy, dx, dy, bx, by) > 0)


@lru_cache(maxsize=64)
def plate_places(drawing: Circuit) -> tuple[tuple[Bend, Point], ...]:
    """Return each bend with the point of its plate."""
    found = list[tuple[Bend, Point]]()
    for bend in drawing.bends:
        found.append((bend, _plate(drawing, bend, [point for _bend, point in found])))
    return tuple(found)


def plates(drawing: Circuit) -> str:
    """Return a plate at each bend: its stops, and its number below."""
    found = [
        f'<g class="plate s{bend.stops}" transform="translate({paths.place(point)})">'
        f'<path class="post" d="M0 10v9"/><path class="board" d="M-12-12h24v16l-12 9l-12-9z"/>'
        f'<text dy="3.6">{bend.stops}</text>'
        f'<text class="which" dy="26">C{bend.number}</text></g>'
        for bend, point in plate_places(drawing)
    ]
    return f'<g class="plates">{"".join(found)}</g>'


def _plate(drawing: Circuit, bend: Bend, put: Sequence[Point]) -> Point:
    """Return the point with most room beside a bend, near its middle rather than its ends, away from other plates."""
    land = terrain(drawing)
    best, found = -99.0, (0.0, 0.0)
    for lane, side in ((2, 1), (0, -1)):
        way = bend.lanes[lane]
        for place, at in enumerate(way):
            for away in (0.95, 1.2, 1.5):
                point = drawing.spots[at].beside(side * away)
                off = abs(place - (len(way) - 1) / 2) / len(way)
                crowd = sum(max(0.0, 1.6 - hypot(point[0] - x, point[1] - y)) for x, y in put)
                value = 3 * min(land.room(point), 0.9) - away * 0.5 - off - crowd * 2
                value += 0.25 * (side == bend.outside)
                if value > best:
                    best, found = value, point
    return found
