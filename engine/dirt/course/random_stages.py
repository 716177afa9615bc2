"""Random stages from one core box: laid tile by tile without overlap, easy or hard to drive (T1).

The same arguments always give the same stage: its chance is computed from the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from engine.chance import SeededChance
from engine.contract import GameError
from engine.dirt.course.compiled_stage import compiled
from engine.dirt.course.layout import EDGES, Laid, behind, read_stage
from engine.dirt.facts import CRASH_COLOURS, Face, faces, facts
from engine.dirt.plan import start, why_stuck
from engine.dirt.road import Road, limits_under_mud

LEAST_TILES = 3
HAZARDS = (1, 2, 3)
LEAN = 2
"""With hazard 1, how many times likelier a face is than one a step more dangerous. With hazard 3 it is the reverse."""
ATTEMPTS = 1000
OPEN_TILES = range(9, 14)
"""The possible numbers of tiles of an open stage. It can be driven in an evening."""
OPEN_ATTEMPTS = 20


def most_tiles() -> int:
    """Return the number of tiles of the longest stage from one box."""
    return 2 + len({face.number for face in _faces("road")})


def build(*, tiles: int, seed: int, hazard: int = 2, service: bool = False) -> dict[str, Any]:
    """Return a random stage of `tiles` tiles, in normal form.

    `hazard` from 1 to 3 steers the share of orange and red tiles and of tight bends. With 2 all faces are equally
    likely. With `service` the hexagon behind the finish stays free for the service park.

    Raises: GameError when the arguments are out of range, or no stage was found in ATTEMPTS attempts.
    """
    if not LEAST_TILES <= tiles <= most_tiles():
        raise GameError(f"a stage from one box has {LEAST_TILES} to {most_tiles()} tiles, not {str(tiles)[:20]}")
    if hazard not in HAZARDS:
        raise GameError(f"hazard goes from {HAZARDS[0]} to {HAZARDS[-1]}, not {str(hazard)[:20]}")
    draw = _Draw(seed, hazard)
    for _ in range(ATTEMPTS):
        road = _road(draw, tiles, service=service)
        if road is None:
            continue
        stage = read_stage({"tiles": [laid.to_entry() for laid in road], "service": service})
        if not list(dead_ends(stage)):
            return stage
    raise GameError(f"no stage of {tiles} tiles was found for seed {str(seed)[:20]}: try another one")


def of_the_week(*, seed: int) -> dict[str, Any]:
    """Return an open stage. Its length, from OPEN_TILES, and its hazard are computed from the seed too. When the
    resulting stage cannot be built, others are tried.

    Raises: GameError when OPEN_ATTEMPTS attempts give none.
    """
    draw = SeededChance(sha256(f"open stage {seed}".encode()).digest())
    for _ in range(OPEN_ATTEMPTS):
        tiles = OPEN_TILES[draw.number("tiles", len(OPEN_TILES))]
        hazard = HAZARDS[draw.number("hazard", len(HAZARDS))]
        try:
            return build(tiles=tiles, seed=draw.number("seed", 10**9), hazard=hazard)
        except GameError:
            continue
    raise GameError(f"no open stage was found for seed {str(seed)[:20]}: try another one")


def dead_ends(stage: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the spaces and gears from which a car with all its dice has no legal move (M10), like a bump before
    water.
    """
    track = compiled(stage)
    road = Road(track, limits_under_mud(track, {}), {})
    for space in track.spaces:
        ahead = [track.spaces[one] for one in track.ahead[space.index]]
        if space.behind_finish or not any(one.water or one.jump is not None for one in ahead):
            continue
        for gear in range(facts().top_gear + 1):
            if why_stuck(road, start(road, space.index, gear, {})):
                yield space.name, gear


def to_toml(stage: Mapping[str, Any]) -> str:
    """Return a stage as the text of a TOML file that the command line and the pages can read."""
    tiles = "".join(
        f'    {{ tile = "{tile["tile"]}", via = "{tile["via"]}", at = [{tile["at"][0]}, {tile["at"][1]}], '
        f"turn = {tile['turn']} }},\n"
        for tile in stage["tiles"]
    )
    boxes = f"boxes = {stage['boxes']}\n" if stage["boxes"] > 1 else ""
    return f"service = {'true' if stage['service'] else 'false'}\n{boxes}tiles = [\n{tiles}]\n"


class _Draw:
    """Draws random faces and turns. The hazard makes dangerous faces more or less likely."""

    def __init__(self, seed: int, hazard: int) -> None:
        self.chance = SeededChance(sha256(f"stage {seed}".encode()).digest())
        self.lean = hazard - HAZARDS[len(HAZARDS) // 2]

    def turn(self) -> int:
        return self.chance.number("turn", len(EDGES))

    def faces(self, kind: str, used: set[str]) -> Iterator[tuple[Face, str]]:
        """Yield the faces of that kind in random order, each in every direction that its signs allow, without the tile
        numbers in use.
        """
        left = [
            (face, via)
            for face in _faces(kind)
            for via in ((face.edges, face.edges[::-1]) if kind == "road" else (face.edges,))
            if face.number not in used
        ]
        weights = [self._weight(face) for face, _ in left]
        while left:
            place = self.chance.number("face", sum(weights))
            chosen = 0
            while place >= weights[chosen]:
                place -= weights[chosen]
                chosen += 1
            weights.pop(chosen)
            yield left.pop(chosen)

    def _weight(self, face: Face) -> int:
        steps = danger(face) if self.lean > 0 else most_danger() - danger(face)
        weight: int = LEAN ** (abs(self.lean) * steps)
        return weight


@cache
def danger(face: Face) -> int:
    """Return how dangerous a face is, in steps: 0 to 2 for its colour, plus one for each two gears by which the limit
    of its tightest bend is below the highest gear.
    """
    limits = [limit for section in face.sections for limit in (*section.inner, *section.outer)]
    top = facts().top_gear
    return CRASH_COLOURS.index(face.hazard) + (top - min(limits, default=top)) // 2


@cache
def most_danger() -> int:
    """Return the danger of the most dangerous face."""
    return max(danger(face) for face in _faces("road"))


@cache
def _faces(kind: str) -> tuple[Face, ...]:
    """Return the faces with a start line, with a finish line, or ("road") all others that have a road."""
    found = []
    for face in faces().values():
        lines = {section.kind for section in face.sections} & {"start", "finish"}
        if face.sections and (kind in lines or (kind == "road" and not lines)):
            found.append(face)
    return tuple(found)


def _road(draw: _Draw, tiles: int, *, service: bool) -> list[Laid] | None:
    """Return a random chain of tiles from start to finish, or None when it ran into itself."""
    face, via = next(draw.faces("start", set()))
    first = Laid(face, via, (0, 0), draw.turn())
    road = [first]
    taken = {first.at, _hexagon_before(first)}
    used = {face.number}
    while len(road) < tiles:
        last = len(road) == tiles - 1
        for face, via in draw.faces("finish" if last else "road", used):
            laid = behind(road[-1], face, via)
            if laid.leads_to not in taken or (last and not service):
                break
        else:
            return None
        road.append(laid)
        taken.add(laid.at)
        used.add(face.number)
    return road


def _hexagon_before(first: Laid) -> tuple[int, int]:
    """Return the hexagon before the start tile. It stays free for the cars that wait to start."""
    return Laid(first.face, first.via[::-1], first.at, first.turn).leads_to
