"""The layout of a stage: its tiles, their order and how each is turned (T1).

A stage is written {"tiles": [{"tile": "216a", "via": "DC", "at": [1, -3], "turn": 1}, …], "service": bool,
"boxes": 1}. When `at` or `turn` is missing, it follows from the tile before. When `via` is missing, the face is driven
as printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.contract import Json, StageError
from engine.dirt.facts import Face, faces


class TileError(StageError):
    """A stage that cannot be driven: the rule, and the number of the wrong tile (from 1) if one tile is wrong."""

    called = "tile"

    def __init__(self, message: str, *, rule: str = "T1", tile: int | None = None, **values: Json) -> None:
        super().__init__(message, rule=rule, piece=tile, **values)


EDGES = "ABCDEF"
NEIGHBOURS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
"""Axial steps over edges A to F of a tile that is not turned. A turn of 60 degrees clockwise moves each on by one."""

STAGE_WORDS = ("tiles", "service", "boxes", "last", "name", "designer")
TILE_WORDS = ("tile", "via", "at", "turn")
MOST_TILES = 62
MOST_BOXES = 9
FARTHEST = 100

FIRST_TILE = "a stage begins with a start tile, not %(face)s"
START_LATER = "a start tile lies only at the beginning: %(face)s"
LAST_TILE = "a stage ends with a finish tile, not %(face)s"
FINISH_EARLIER = "a finish tile lies only at the end: %(face)s"


@dataclass(frozen=True, slots=True)
class Laid:
    """A tile in its place: its face, driven from edge `via[0]` to edge `via[1]`, on hexagon (q, r), turned `turn`
    sixths clockwise.
    """

    face: Face
    via: str
    at: tuple[int, int]
    turn: int

    @property
    def backwards(self) -> bool:
        """Whether the tile is driven against the order of the face's printed sections."""
        return self.via != self.face.edges

    @property
    def way_out(self) -> int:
        """The direction in which the road leaves the tile: an index of NEIGHBOURS."""
        return (EDGES.index(self.via[1]) + self.turn) % len(EDGES)

    @property
    def leads_to(self) -> tuple[int, int]:
        """The hexagon behind the tile."""
        step = NEIGHBOURS[self.way_out]
        return self.at[0] + step[0], self.at[1] + step[1]

    def to_entry(self) -> dict[str, Any]:
        """Return the tile as an entry of a stage document."""
        return {"tile": self.face.name, "via": self.via, "at": list(self.at), "turn": self.turn}


def kinds(face: Face) -> set[str]:
    """Return the kinds of section on a face."""
    return {section.kind for section in face.sections}


def whole_number(value: object) -> bool:
    """Return whether a value is an integer and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def check_words(given: Mapping[str, Any], known: Sequence[str], place: int | None = None) -> None:
    """Check that a document has no unknown keys. An unknown key is probably a typing error.

    Raises: StageError when it has one.
    """
    for word in given:
        if word not in known:
            raise TileError(
                "%(word).40r is not known here; the words are %(known)s", tile=place, word=word, known=", ".join(known)
            )


def face_of(entry: Mapping[str, Any], place: int) -> Face:
    """Return the face that an entry names.

    Raises: StageError when there is no such face, or the face has no road.
    """
    name = entry.get("tile")
    face = faces().get(name) if isinstance(name, str) else None
    if face is None:
        raise TileError("there is no tile face %(name).40r in the core box", tile=place, name=name)
    if not face.sections:
        raise TileError("%(name)s has no road; the service park is not part of the chain", tile=place, name=name)
    return face


def via_of(entry: Mapping[str, Any], face: Face, place: int) -> str:
    """Return the edges by which the road comes in and leaves, as printed when the entry does not name them.

    Raises: StageError when the face cannot be driven by these edges.
    """
    via = entry.get("via", face.edges)
    if via not in (face.edges, face.edges[::-1]):
        raise TileError(
            "%(face)s is driven %(edges)s or %(reversed)s, not %(via).10r",
            tile=place,
            face=face.name,
            edges=face.edges,
            reversed=face.edges[::-1],
            via=via,
        )
    if via != face.edges and kinds(face) & {"start", "finish"}:
        raise TileError(
            "%(face)s lies backwards: its road signs say %(edges)s", tile=place, face=face.name, edges=face.edges
        )
    return str(via)


def given_place(entry: Mapping[str, Any], place: int) -> tuple[tuple[int, int] | None, int | None]:
    """Return the hexagon and the turn that an entry names, each None when the entry does not name it.

    Raises: StageError when one of them is not possible.
    """
    at, turn = entry.get("at"), entry.get("turn")
    if at is not None and not (
        isinstance(at, list | tuple) and len(at) == 2 and all(map(whole_number, at)) and on_the_table(at)
    ):
        raise TileError("a hexagon is given by two whole numbers, q and r", tile=place)
    if turn is not None and not (whole_number(turn) and 0 <= turn < len(EDGES)):
        raise TileError("a tile is turned 0 to 5 sixths", tile=place)
    return (tuple(at) if at is not None else None), turn


def on_the_table(at: Sequence[int]) -> bool:
    """Return whether both coordinates of a hexagon are in the allowed range."""
    return all(abs(number) < FARTHEST for number in at)


def lay(entries: Sequence[Mapping[str, Any]], *, boxes: int = 1) -> tuple[Laid, ...]:
    """Lay the tiles one after the other and check the whole stage (T1).

    Raises: StageError with the number of the first tile that does not fit.
    """
    road = chain(entries)
    _check_ends(road)
    _check_boxes(road, boxes)
    return road


def chain(entries: Sequence[Mapping[str, Any]]) -> tuple[Laid, ...]:
    """Lay the tiles of a stage that may be half made. Check that the road runs on and no two tiles share a hexagon.
    Start, finish and the number of copies of each tile are not checked.

    Raises: StageError with the number of the first tile that does not fit.
    """
    if len(entries) > MOST_TILES:
        raise too_many()
    road: list[Laid] = []
    taken: dict[tuple[int, int], int] = {}
    for place, entry in enumerate(entries, 1):
        face, via, wanted = read_entry(entry, place)
        laid = fit(road[-1] if road else None, face, via, wanted, place)
        if laid.at in taken:
            raise overlap(laid, place, taken[laid.at])
        taken[laid.at] = place
        road.append(laid)
    return tuple(road)


def too_many() -> StageError:
    """T1: return the error for more tiles than two boxes hold."""
    return TileError("a stage has at most %(most)d tiles", tile=MOST_TILES + 1, most=MOST_TILES)


def overlap(laid: Laid, place: int, other: int) -> StageError:
    """T1: return the error for tile number `place` on the hexagon of tile number `other`."""
    return TileError("%(face)s lies on the hexagon of tile %(other)d", tile=place, face=laid.face.name, other=other)


def read_entry(entry: object, place: int) -> tuple[Face, str, tuple[tuple[int, int] | None, int | None]]:
    """Return the face of tile number `place`, its edges, and its hexagon and turn if they are named.

    Raises: StageError when the entry cannot be read.
    """
    if not isinstance(entry, Mapping):
        raise TileError("a tile is written with its face, edges, hexagon and turn", tile=place)
    check_words(entry, TILE_WORDS, place)
    face = face_of(entry, place)
    return face, via_of(entry, face, place), given_place(entry, place)


def fit(
    before: Laid | None, face: Face, via: str, wanted: tuple[tuple[int, int] | None, int | None], place: int
) -> Laid:
    """Return the tile in its place behind the tile before it.

    Raises: StageError when the entry names another hexagon or turn, or the road leads too far away.
    """
    at, turn = wanted
    if before is None:
        return Laid(face, via, at or (0, 0), turn or 0)
    following = behind(before, face, via)
    next_at, next_turn = following.at, following.turn
    if not on_the_table(next_at):
        raise TileError("the road leads too far from hexagon 0,0: lay the start tile there", tile=place)
    if at is not None and at != next_at:
        raise TileError(
            "%(face)s lies on %(here)s, but the road before it leads to %(there)s",
            tile=place,
            face=face.name,
            here=f"{at[0]},{at[1]}",
            there=f"{next_at[0]},{next_at[1]}",
        )
    if turn is not None and turn != next_turn:
        raise TileError(
            "the road does not run on: %(face)s must be turned %(wanted)d, not %(turn)d",
            tile=place,
            face=face.name,
            wanted=next_turn,
            turn=turn,
        )
    return following


def behind(before: Laid, face: Face, via: str) -> Laid:
    """Return a tile in its place behind another one, so that the road runs on over their common edge."""
    turn = (before.way_out + len(EDGES) // 2 - EDGES.index(via[0])) % len(EDGES)
    return Laid(face, via, before.leads_to, turn)


def _check_ends(road: Sequence[Laid]) -> None:
    if len(road) < 2:
        raise TileError("a stage needs a start tile, a finish tile and a road between them")
    for fault in faults_of_ends([(place, laid.face) for place, laid in enumerate(road, 1)], len(road)):
        raise fault


def faults_of_ends(tiles: Sequence[tuple[int, Face]], last: int) -> Iterator[StageError]:
    """T1: yield an error for each start or finish tile that is not at its end, and for each end without its tile."""
    for place, face in tiles:
        lines = kinds(face)
        if (place == 1) != ("start" in lines):
            yield TileError(FIRST_TILE if place == 1 else START_LATER, tile=place, face=face.name)
        if (place == last) != ("finish" in lines):
            yield TileError(LAST_TILE if place == last else FINISH_EARLIER, tile=place, face=face.name)


def _check_boxes(road: Sequence[Laid], boxes: int) -> None:
    for fault in faults_of_boxes([(place, laid.face) for place, laid in enumerate(road, 1)], boxes):
        raise fault


def faults_of_boxes(tiles: Sequence[tuple[int, Face]], boxes: int) -> Iterator[StageError]:
    """T1: yield an error for each tile that is used more often than there are boxes."""
    used: dict[str, int] = {}
    for place, face in tiles:
        used[face.number] = used.get(face.number, 0) + 1
        if used[face.number] > boxes:
            yield TileError(
                "tile %(number)s is used %(times)d times: choose another one or allow more boxes",
                tile=place,
                number=face.number,
                times=used[face.number],
            )


def read_stage(spec: object) -> dict[str, Any]:
    """Return a stage document in normal form: every tile with face, edges, hexagon and turn.

    Raises: StageError when the stage cannot be driven (T1).
    """
    tiles, service, boxes = read_words(spec)
    if not tiles:
        raise TileError("a stage needs a list of tiles")
    return stage_document(lay(tiles, boxes=boxes), service=service, boxes=boxes)


def stage_document(road: Sequence[Laid], *, service: bool, boxes: int) -> dict[str, Any]:
    """Return a stage document in normal form."""
    return {"tiles": [laid.to_entry() for laid in road], "service": service, "boxes": boxes}


def read_words(spec: object) -> tuple[list[Any], bool, int]:
    """Return the entries, service and boxes of a stage document. The entries are not checked yet.

    Raises: StageError when the document has unknown keys or values of another type.
    """
    if not isinstance(spec, Mapping):
        raise TileError("a stage is a document with a list of tiles")
    check_words(spec, STAGE_WORDS)
    tiles, service, boxes = spec.get("tiles"), spec.get("service", False), spec.get("boxes", 1)
    if not isinstance(tiles, list | tuple):
        raise TileError("a stage needs a list of tiles")
    if not isinstance(service, bool):
        raise TileError("service is true or false")
    if not whole_number(boxes) or not 1 <= boxes <= MOST_BOXES:
        raise TileError("boxes is a whole number from 1 to 9")
    return [as_entry(tile) for tile in tiles], service, boxes


def as_entry(tile: object) -> Any:
    """Return a tile as a mapping. `tile` may also be a plain name, or a row [face, via, q, r, turn] of the library."""
    if isinstance(tile, str):
        return {"tile": tile}
    if isinstance(tile, list | tuple) and len(tile) == 5:
        face, via, q, r, turn = tile
        return {"tile": face, "via": via, "at": [q, r], "turn": turn}
    return tile
