"""A stage on the table: which tiles, in which order, turned how (T1).

A stage is written {"tiles": [{"tile": "216a", "via": "DC", "at": [1, -3], "turn": 1}, …], "service": bool,
"boxes": 1}. Where `at` and `turn` are missing the chain decides them; `via` may be missing where the face
says it (driven as printed).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.contract import Json, StageError
from engine.dirt.facts import Face, faces


class TileError(StageError):
    """A stage that cannot be driven: the rule, and the tile to blame (counted from 1) where there is one."""

    called = "tile"

    def __init__(self, message: str, *, rule: str = "T1", tile: int | None = None, **values: Json) -> None:
        super().__init__(message, rule=rule, piece=tile, **values)


EDGES = "ABCDEF"
NEIGHBOURS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
"""Axial steps over edges A to F of a tile that lies upright; a turn of 60 degrees clockwise moves each on by one."""

STAGE_WORDS = ("tiles", "service", "boxes", "last", "designer")
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
    """A tile as it lies: its face, driven from edge `via[0]` to edge `via[1]`, on hexagon (q, r), turned `turn`
    sixths.
    """

    face: Face
    via: str
    at: tuple[int, int]
    turn: int

    @property
    def backwards(self) -> bool:
        """Driven against the order of the face's printed sections."""
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

    def written(self) -> dict[str, Any]:
        """The tile as a stage document has it."""
        return {"tile": self.face.name, "via": self.via, "at": list(self.at), "turn": self.turn}


def kinds(face: Face) -> set[str]:
    """The kinds of section on a face."""
    return {section.kind for section in face.sections}


def whole_number(value: object) -> bool:
    """Whether it is an integer that is no boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def check_words(given: Mapping[str, Any], known: Sequence[str], place: int | None = None) -> None:
    """What a document says that nobody reads is a slip of the pen.

    Raises: StageError.
    """
    for word in given:
        if word not in known:
            raise TileError(
                "%(word).40r says nothing here; the words are %(known)s", tile=place, word=word, known=", ".join(known)
            )


def face_of(entry: Mapping[str, Any], place: int) -> Face:
    """The face that an entry names.

    Raises: StageError.
    """
    name = entry.get("tile")
    face = faces().get(name) if isinstance(name, str) else None
    if face is None:
        raise TileError("there is no tile face %(name).40r in the core box", tile=place, name=name)
    if not face.sections:
        raise TileError("%(name)s has no road; the service park is not part of the chain", tile=place, name=name)
    return face


def via_of(entry: Mapping[str, Any], face: Face, place: int) -> str:
    """The edges by which the road comes in and leaves, as printed where nothing is said.

    Raises: StageError.
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


def wanted_place(entry: Mapping[str, Any], place: int) -> tuple[tuple[int, int] | None, int | None]:
    """The hexagon and the turn as given, None where the chain shall decide."""
    at, turn = entry.get("at"), entry.get("turn")
    if at is not None and not (
        isinstance(at, list | tuple) and len(at) == 2 and all(map(whole_number, at)) and on_the_table(at)
    ):
        raise TileError("a hexagon is given by two whole numbers, q and r", tile=place)
    if turn is not None and not (whole_number(turn) and 0 <= turn < len(EDGES)):
        raise TileError("a tile is turned 0 to 5 sixths", tile=place)
    return (tuple(at) if at is not None else None), turn


def on_the_table(at: Sequence[int]) -> bool:
    """Whether a hexagon is near enough to the first one to have an address."""
    return all(abs(number) < FARTHEST for number in at)


def lay(entries: Sequence[Mapping[str, Any]], *, boxes: int = 1) -> tuple[Laid, ...]:
    """Lay the tiles one after the other and check the chain (T1).

    Raises: StageError with the first tile that does not fit.
    """
    road = chain(entries)
    _check_ends(road)
    _check_boxes(road, boxes)
    return road


def chain(entries: Sequence[Mapping[str, Any]]) -> tuple[Laid, ...]:
    """Lay the tiles of a stage that may be half made: the road runs on, and no two lie on one hexagon. Which tiles they
    are and how often is not asked.

    Raises: StageError as of `lay`.
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
    """T1: more tiles than two boxes hold."""
    return TileError("a stage has at most %(most)d tiles", tile=MOST_TILES + 1, most=MOST_TILES)


def overlap(laid: Laid, place: int, other: int) -> StageError:
    """T1: tile number `place` lies where tile number `other` does."""
    return TileError("%(face)s lies on the hexagon of tile %(other)d", tile=place, face=laid.face.name, other=other)


def read_entry(entry: object, place: int) -> tuple[Face, str, tuple[tuple[int, int] | None, int | None]]:
    """Face, way, and the hexagon and turn where they are said, of tile number `place`.

    Raises: StageError.
    """
    if not isinstance(entry, Mapping):
        raise TileError("a tile is written with its face, edges, hexagon and turn", tile=place)
    check_words(entry, TILE_WORDS, place)
    face = face_of(entry, place)
    return face, via_of(entry, face, place), wanted_place(entry, place)


def fit(
    before: Laid | None, face: Face, via: str, wanted: tuple[tuple[int, int] | None, int | None], place: int
) -> Laid:
    """The tile as it lies behind the one before it.

    Raises: StageError when it was asked to lie elsewhere.
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
    """A tile as it lies behind another one, the road running on over their edge."""
    turn = (before.way_out + len(EDGES) // 2 - EDGES.index(via[0])) % len(EDGES)
    return Laid(face, via, before.leads_to, turn)


def _check_ends(road: Sequence[Laid]) -> None:
    if len(road) < 2:
        raise TileError("a stage needs a start tile, a finish tile and a road between them")
    for fault in faults_of_ends([(place, laid.face) for place, laid in enumerate(road, 1)], len(road)):
        raise fault


def faults_of_ends(tiles: Sequence[tuple[int, Face]], last: int) -> Iterator[StageError]:
    """What stands at the wrong end, or not at its end, tile by tile (T1): start and finish tiles lie at the ends."""
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
    """Tiles that lie oftener than there are boxes (T1)."""
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
    """A stage document in normal form, every tile with face, edges, hexagon and turn.

    Raises: StageError (T1).
    """
    tiles, service, boxes = read_words(spec)
    if not tiles:
        raise TileError("a stage needs a list of tiles")
    return written(lay(tiles, boxes=boxes), service=service, boxes=boxes)


def written(road: Sequence[Laid], *, service: bool, boxes: int) -> dict[str, Any]:
    """A stage document in normal form."""
    return {"tiles": [laid.written() for laid in road], "service": service, "boxes": boxes}


def read_words(spec: object) -> tuple[list[Any], bool, int]:
    """The entries, service and boxes that a stage document says; its tiles are not read yet.

    Raises: StageError.
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
    """A tile as a mapping; also as a plain name, or as the row [face, via, q, r, turn] of the library."""
    if isinstance(tile, str):
        return {"tile": tile}
    if isinstance(tile, list | tuple) and len(tile) == 5:
        face, via, q, r, turn = tile
        return {"tile": face, "via": via, "at": [q, r], "turn": turn}
    return tile
