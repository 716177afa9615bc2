"""Checks of a half-made stage: its errors, what it lacks, and which tiles fit where (T1).

A half-made stage is written like a whole one, {"tiles": [...], "service": bool, "boxes": 1}, from its start tile on.
Its road may end anywhere, and it may have no tiles at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from engine.contract import StageError, Survey
from engine.dirt.course.compiled_stage import compiled
from engine.dirt.course.layout import (
    EDGES,
    LAST_TILE,
    MOST_TILES,
    Laid,
    TileError,
    behind,
    chain,
    faults_of_boxes,
    faults_of_ends,
    fit,
    kinds,
    on_the_table,
    overlap,
    read_entry,
    read_words,
    stage_document,
    too_many,
)
from engine.dirt.course.random_stages import dead_ends
from engine.dirt.facts import Face, faces

LONG = 18
"""T1: the number of tiles of a long stage for four drivers."""


def survey(draft: Any) -> Survey:
    """Return the findings on a half-made stage. Never raises: the result lists all errors, tile by tile."""
    try:
        entries, service, boxes = read_words(draft)
    except StageError as error:
        return Survey(course=None, wrong=(error,))
    seen = _Reading(entries, boxes)
    wrong = tuple(sorted(seen.faults, key=lambda fault: fault.piece or 0))
    if wrong:
        return Survey(course=None, wrong=wrong)
    road = seen.road
    stage = stage_document(road, service=service, boxes=boxes)
    missing = tuple(_missing(road))
    sections, spaces = _length(tuple((laid.face.name, laid.via) for laid in road))
    doubts = () if missing else tuple(_doubts(road, stage))
    return Survey(course=stage, missing=missing, doubts=doubts, sections=sections, spaces=spaces)


def placements(draft: Any, place: int | None = None) -> tuple[dict[str, Any], ...]:
    """Return the tiles that fit, as entries of a stage document: behind the last tile of a half-made stage, or in place
    of tile number `place`. In the second case the rest of the road turns with the new tile.

    A tile fits when nothing overlaps, this tile is not used more often than there are boxes, and the road ends in the
    finish or has room to go on.

    Raises: StageError when the draft has an error.
    """
    entries, _service, boxes = read_words(draft)
    road = chain(entries)
    at = len(road) if place is None else place - 1
    if not 0 <= at <= len(road) or (place is not None and at == len(road)):
        return ()
    before, rest = road[:at], road[at + 1 :]
    left = _OpenPlace(before, rest, boxes)
    found = []
    for laid in _candidates(before, road[at] if place is not None else None):
        if left.holds(laid):
            found.append(laid.to_entry())
    return tuple(found)


class _Reading:
    """Reads all entries and collects the errors of those that are wrong."""

    def __init__(self, entries: Sequence[Any], boxes: int) -> None:
        self.faults: list[StageError] = []
        self.road: list[Laid] = []
        self.tiles: list[tuple[int, Face]] = []
        self.taken: dict[tuple[int, int], int] = {}
        self.before: Laid | None = None
        if len(entries) > MOST_TILES:
            self.faults.append(too_many())
            return
        for place, entry in enumerate(entries, 1):
            self._read(entry, place)
        self.faults.extend(faults_of_boxes(self.tiles, boxes))
        ends = faults_of_ends(self.tiles, len(entries))
        self.faults.extend(fault for fault in ends if fault.template != LAST_TILE)

    def _read(self, entry: Any, place: int) -> None:
        try:
            face, via, wanted = read_entry(entry, place)
        except StageError as error:
            self.faults.append(error)
            self.before = None
            return
        self.tiles.append((place, face))
        try:
            laid = fit(self.before, face, via, wanted, place)
        except StageError as error:
            self.faults.append(error)
            at, turn = wanted
            self.before = Laid(face, via, at, turn) if at is not None and turn is not None else None
            return
        if self.before is None and place > 1 and None in wanted:
            return  # its place is unknown because the tile before it could not be read
        if laid.at in self.taken:
            self.faults.append(overlap(laid, place, self.taken[laid.at]))
        self.taken.setdefault(laid.at, place)
        self.before = laid
        self.road.append(laid)


def _missing(road: Sequence[Laid]) -> Iterator[StageError]:
    """Yield what a road without errors still needs before it is a whole stage."""
    if not road:
        yield TileError("a stage begins with a start tile: lay one")
        return
    last = road[-1]
    if "finish" in kinds(last.face):
        return
    yield TileError("the stage has no finish yet")
    taken = {laid.at: place for place, laid in enumerate(road, 1)}
    if last.leads_to in taken:
        yield TileError(
            "the road runs into tile %(other)d: take the last tile back, or turn it",
            tile=len(road),
            other=taken[last.leads_to],
        )
    elif len(road) >= MOST_TILES:
        yield too_many()


def _doubts(road: Sequence[Laid], stage: dict[str, Any]) -> Iterator[StageError]:
    """Yield what is allowed in a stage but drivers may dislike."""
    taken = {laid.at: place for place, laid in enumerate(road, 1)}
    first = road[0]
    behind_start = Laid(first.face, first.via[::-1], first.at, first.turn).leads_to
    if behind_start in taken:
        yield TileError(
            "the cars that wait before the start stand on tile %(other)d", tile=1, other=taken[behind_start]
        )
    if stage["service"] and road[-1].leads_to in taken:
        yield TileError(
            "the hexagon after the finish is taken by tile %(other)d: the service park is beside it",
            tile=len(road),
            other=taken[road[-1].leads_to],
        )
    if len(road) > LONG:
        yield TileError("%(tiles)d tiles are more than a long stage has (%(long)d)", tiles=len(road), long=LONG)
    for name, gear in _dead_ends(tuple((laid.face.name, laid.via) for laid in road)):
        yield TileError(
            "in gear %(gear)d a car on %(space)s has no way on: before water, a bump needs another gear",
            rule="M10",
            tile=int(name.split(".")[0]),
            gear=gear,
            space=name,
        )


@lru_cache(maxsize=256)
def _dead_ends(tiles: tuple[tuple[str, str], ...]) -> tuple[tuple[str, int], ...]:
    """Return one dead end of each tile that has any: its first space, with the lowest gear."""
    stage = {"tiles": [{"tile": name, "via": via} for name, via in tiles]}
    worst: dict[str, tuple[str, int]] = {}
    for name, gear in dead_ends(stage):
        worst.setdefault(name.split(".")[0], (name, gear))
    return tuple(worst.values())


def _length(tiles: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    """Return the numbers of sections and spaces of the road before the finish."""
    if not tiles:
        return 0, 0
    track = compiled({"tiles": [{"tile": name, "via": via} for name, via in tiles]})
    driven = [space for space in track.spaces[1:] if not space.behind_finish]
    return len({space.section for space in driven}), len(driven)


@cache
def _driven() -> tuple[tuple[Face, str], ...]:
    """Return every face with a road, in each direction that its signs allow."""
    found = []
    for face in faces().values():
        if face.sections:
            found.append((face, face.edges))
            if not kinds(face) & {"start", "finish"}:
                found.append((face, face.edges[::-1]))
    return tuple(found)


def _candidates(before: Sequence[Laid], instead_of: Laid | None) -> Iterator[Laid]:
    """Yield the tiles whose kind fits in this place: start tiles in all turns first in the stage, other tiles later."""
    for face, via in _driven():
        if ("start" in kinds(face)) == bool(before):
            continue
        if before:
            yield behind(before[-1], face, via)
        else:
            at = instead_of.at if instead_of else (0, 0)
            yield from (Laid(face, via, at, turn) for turn in range(len(EDGES)))


@dataclass(frozen=True, slots=True)
class _OpenPlace:
    """A stage with one open place: the tiles before it and the rest behind it."""

    before: Sequence[Laid]
    rest: Sequence[Laid]
    boxes: int

    def holds(self, laid: Laid) -> bool:
        """Return whether the tile fits in the open place, with the rest behind it."""
        road = [*self.before, laid]
        for tile in self.rest:
            road.append(behind(road[-1], tile.face, tile.via))
        in_the_finish = "finish" in kinds(road[-1].face)
        if any("finish" in kinds(tile.face) for tile in road[:-1]):
            return False
        if len({tile.at for tile in road}) < len(road) or not all(on_the_table(tile.at) for tile in road):
            return False
        if sum(tile.face.number == laid.face.number for tile in road) > self.boxes:
            return False
        if in_the_finish:
            return len(road) <= MOST_TILES
        return len(road) < MOST_TILES and all(tile.at != road[-1].leads_to for tile in road)
