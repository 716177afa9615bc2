"""Random stages out of one core box: laid tile by tile without overlap, easy to drive or hard (T1).

The same request always comes to the same stage: it is drawn as chance draws, from a secret that the seed names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from engine.chance import Seeded
from engine.contract import GameError
from engine.dirt.compiled_stage import compiled
from engine.dirt.facts import Face, faces, facts
from engine.dirt.layout import EDGES, Laid, behind, read_stage
from engine.dirt.plan import no_way, start
from engine.dirt.road import Road, limits_under_mud
from engine.dirt.table import CRASH_COLOURS

LEAST_TILES = 3
HAZARDS = (1, 2, 3)
LEAN = 2
"""How much likelier a face is than one that is a step more dangerous, where little hazard is wanted; and the other way
round where much is.
"""
ATTEMPTS = 1000
OPEN_TILES = range(9, 14)
"""Tiles of a stage for everybody: it is driven within an evening."""
OPEN_ATTEMPTS = 20


def most_tiles() -> int:
    """Tiles in the longest stage that one box makes."""
    return 2 + len({face.number for face in _faces("road")})


def build(*, tiles: int, seed: int, hazard: int = 2, service: bool = False) -> dict[str, Any]:
    """A stage of so many tiles, in normal form. `hazard` from 1 to 3 steers the share of orange and red tiles and of
    tight bends; 2 takes faces as they come. With `service` the hexagon behind the finish stays free for the service
    park.

    Raises: GameError for what cannot be built.
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
        stage = read_stage({"tiles": [laid.written() for laid in road], "service": service})
        if not list(dead_ends(stage)):
            return stage
    raise GameError(f"no stage of {tiles} tiles was found for seed {str(seed)[:20]}: try another one")


def of_the_week(*, seed: int) -> dict[str, Any]:
    """A stage for everybody: its length, within OPEN_TILES, and its hazard follow from the seed too. Where a seed gives
    no stage the next ones are tried.

    Raises: GameError where OPEN_ATTEMPTS seeds give none.
    """
    draw = Seeded(sha256(f"open stage {seed}".encode()).digest())
    for _ in range(OPEN_ATTEMPTS):
        tiles = OPEN_TILES[draw.number("tiles", len(OPEN_TILES))]
        hazard = HAZARDS[draw.number("hazard", len(HAZARDS))]
        try:
            return build(tiles=tiles, seed=draw.number("seed", 10**9), hazard=hazard)
        except GameError:
            continue
    raise GameError(f"no open stage was found for seed {str(seed)[:20]}: try another one")


def dead_ends(stage: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Spaces and gears from which a car with all its dice has no way on (M10), like a bump before water."""
    track = compiled(stage)
    road = Road(track, limits_under_mud(track, {}), {})
    for space in track.spaces:
        ahead = [track.spaces[one] for one in track.ahead[space.index]]
        if space.behind_finish or not any(one.water or one.jump is not None for one in ahead):
            continue
        for gear in range(facts().top_gear + 1):
            if no_way(road, start(road, space.index, gear, {})):
                yield space.name, gear


def written(stage: Mapping[str, Any]) -> str:
    """A stage as a TOML file that the command line and the pages read."""
    tiles = "".join(
        f'    {{ tile = "{tile["tile"]}", via = "{tile["via"]}", at = [{tile["at"][0]}, {tile["at"][1]}], '
        f"turn = {tile['turn']} }},\n"
        for tile in stage["tiles"]
    )
    boxes = f"boxes = {stage['boxes']}\n" if stage["boxes"] > 1 else ""
    return f"service = {'true' if stage['service'] else 'false'}\n{boxes}tiles = [\n{tiles}]\n"


class _Draw:
    """Faces and turns drawn at random, dangerous ones more or less often."""

    def __init__(self, seed: int, hazard: int) -> None:
        self.chance = Seeded(sha256(f"stage {seed}".encode()).digest())
        self.lean = hazard - HAZARDS[len(HAZARDS) // 2]

    def turn(self) -> int:
        return self.chance.number("turn", len(EDGES))

    def faces(self, kind: str, used: set[str]) -> Iterator[tuple[Face, str]]:
        """The faces of that kind, tile numbers in use left out, in an order drawn at random, each driven both ways
        where its signs allow.
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
    """How dangerous a face is: steps of its colour, and one for each two gears that its tightest bend is below the
    highest.
    """
    limits = [limit for section in face.sections for limit in (*section.inner, *section.outer)]
    top = facts().top_gear
    return CRASH_COLOURS.index(face.hazard) + (top - min(limits, default=top)) // 2


@cache
def most_danger() -> int:
    """The danger of the worst face."""
    return max(danger(face) for face in _faces("road"))


@cache
def _faces(kind: str) -> tuple[Face, ...]:
    """The faces with a start line, with a finish line, or all others that hold a road."""
    found = []
    for face in faces().values():
        lines = {section.kind for section in face.sections} & {"start", "finish"}
        if face.sections and (kind in lines or (kind == "road" and not lines)):
            found.append(face)
    return tuple(found)


def _road(draw: _Draw, tiles: int, *, service: bool) -> list[Laid] | None:
    """A chain of tiles from start to finish; None when it ran into itself."""
    face, via = next(draw.faces("start", set()))
    first = Laid(face, via, (0, 0), draw.turn())
    road = [first]
    taken = {first.at, _before(first)}
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


def _before(first: Laid) -> tuple[int, int]:
    """The hexagon from which the road comes to the start tile: cars that wait there need room."""
    return Laid(first.face, first.via[::-1], first.at, first.turn).leads_to
