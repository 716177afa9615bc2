"""Stages in a list: a line each, or a line for each tile. The tiles are written as in a stage document (T1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from engine.contract import CourseColumn, Json, StageError
from engine.dirt.course import random_stages

COLUMNS = (
    CourseColumn(
        "tiles",
        "tiles",
        (
            *("tiles", "tile", "faces", "face", "layout", "route", "road", "course", "kacheln", "kachel", "platten"),
            *("platte", "plattchen", "strecke", "verlauf", "kafle", "kafel", "kafelki", "plytki", "plytka", "trasa"),
            *("uklad", "tuiles", "tuile", "parcours", "losetas", "tessere", "dilky", "tegels"),
        ),
        several=True,
    ),
    CourseColumn("seed", "seed of a random stage", ("seed", "random seed", "zufall", "startwert", "ziarno", "graine")),
    CourseColumn("length", "number of tiles", ("length", "number of tiles", "lange", "anzahl", "dlugosc", "longueur")),
    CourseColumn(
        "service",
        "service park",
        ("service", "service park", "servicepark", "serwis", "park serwisowy", "assistance"),
    ),
)
TILE = re.compile(r"\d{1,4}[a-z]", re.IGNORECASE)
VIA = re.compile(r"[A-F]{2}", re.IGNORECASE)
BETWEEN = re.compile(r"[\s,;|/>→–—-]+")
YES = frozenset({"1", "yes", "y", "true", "x", "ja", "j", "tak", "t", "oui", "si", "sí", "ano", "✓", "✔"})
NO = frozenset({"", "0", "no", "n", "false", "nein", "nie", "non", "ne", "nee", "-", "–"})
LARGEST_SEED = 2**31 - 1


def course_of(values: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """Return the draft of a stage from its tiles, or the random stage of a seed with that number of tiles.

    Raises: StageError when a word is no tile, or when there are neither tiles nor a seed.
    """
    words = [word for cell in values.get("tiles", ()) for word in BETWEEN.split(cell) if word]
    service = _service(values)
    if words:
        return {"tiles": list(_tiles(words)), "service": service}
    seed, length = _number(values, "seed"), _number(values, "length")
    if seed is None:
        raise StageError("the line has neither tiles nor a seed")
    if length is None:
        raise StageError("a random stage needs the number of its tiles beside the seed")
    return random_stages.build(tiles=length, seed=seed, service=service)


def _tiles(words: Sequence[str]) -> Iterator[dict[str, Json]]:
    """Yield the tiles; two letters behind a tile are the edges that it is driven from and to."""
    tile: dict[str, Json] = {}
    for word in words:
        if TILE.fullmatch(word):
            if tile:
                yield tile
            tile = {"tile": word.lower()}
        elif tile and "via" not in tile and VIA.fullmatch(word):
            tile["via"] = word.upper()
        else:
            raise StageError("%(word)s is no tile: write 202a, or 202a AD", word=word[:40])
    yield tile


def _service(values: Mapping[str, Sequence[str]]) -> bool:
    said = {cell.strip().casefold() for cell in values.get("service", ())}
    if not said <= YES | NO:
        raise StageError("write yes or no for the service park")
    return bool(said & YES)


def _number(values: Mapping[str, Sequence[str]], name: str) -> int | None:
    said = [cell.strip() for cell in values.get(name, ()) if cell.strip()]
    if not said:
        return None
    if len(set(said)) > 1 or not said[0].isascii() or not said[0].isdigit() or int(said[0][:12]) > LARGEST_SEED:
        raise StageError("%(word)s is no number of at most nine digits", word=said[-1][:40])
    return int(said[0])
