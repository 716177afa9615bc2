"""The track (F1 to F7), compiled from its file into tuples. The index is the order of the file."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from engine.contract import Length, StageError
from engine.formula_d.facts import facts, read

STRAIGHT, CORNER, PIT, BOX = range(4)
NOWHERE = -1
ENTRY = "P.0.0"
KINDS = {"straight": STRAIGHT, "corner": CORNER, "pit": PIT, "stall": BOX}
COLUMNS = (
    *("space", "kind", "corner", "stops", "lane", "finish", "grid", "garage", "along"),
    *("next", "adjacent", "ahead", "beside", "x", "y", "heading", "derived"),
)
"""The columns of a track file."""

OWN_TITLE, WEATHER = "Own track", "rain 1-5, unsettled 6-11, good 12-20"
"""The default title and weather table (F7) of a club's own track."""

_SPACES_A_TURN = 19
"""Spaces that a car drives in a turn. Measured with the codriver on the eight tracks, with four cars and one lap: 295
to 409 spaces of track took 14 to 21 turns.
"""
_LATE = 8
"""The slowest car adds one round for every so many turns."""


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A track. A space is an index in the order of the file, so that paths compare space by space as X3 requires.

    `corner` is 0 outside corners. `along` orders the spaces round the lap (F4) and has no unit. `ahead` is -1 for a
    space without one. `last_way_in` is the `along` of the last space from which the pit lane is a next one (O3). `grid`
    has the spaces of the starting grid by place, `weather` the result of each face of the d20.
    """

    name: str
    title: str
    spaces: tuple[str, ...]
    index: Mapping[str, int]
    kind: tuple[int, ...]
    corner: tuple[int, ...]
    stops: tuple[int, ...]
    lane: tuple[int, ...]
    finish: tuple[bool, ...]
    along: tuple[int, ...]
    nexts: tuple[tuple[int, ...], ...]
    ahead: tuple[int, ...]
    beside: tuple[tuple[int, ...], ...]
    grid: tuple[int, ...]
    boxes: Mapping[str, int]
    entry: int
    last_way_in: int
    qualifying: int
    weather: tuple[str, ...]

    def crosses(self, at: int, to: int) -> bool:
        """Return whether a step crosses the finish line: on the track (F5), or from the pit lane onto it (P9)."""
        if self.kind[at] == PIT:
            return self.kind[to] < PIT
        return self.finish[to] and not self.finish[at]

    def in_the_pits(self, at: int) -> bool:
        """Return whether a space is in the pit lane or a box."""
        return self.kind[at] >= PIT


class Coordinates(NamedTuple):
    """The middle of a space and the driving direction there.

    `x` runs to the right and `y` downwards, in any unit; `heading` is in degrees, 0 to the right, clockwise.
    """

    x: float
    y: float
    heading: float


def names() -> tuple[str, ...]:
    """Return the names of the ready-made tracks."""
    return tuple(read("tracks.toml"))


@cache
def load_track(name: str) -> Track:
    """Return the compiled track for the name of a ready-made track or for the text of a club's own track.

    Raises: StageError when there is no such track.
    """
    if "\n" in name:
        return compile_own_track(name)
    lines = csv.DictReader(file_of(name).splitlines())
    about = read("tracks.toml")[name]
    return compile_track(name, about["title"], lines, _faces(about["weather"]))


def file_of(name: str) -> str:
    """Return the file text of a ready-made track.

    Raises: StageError when there is no such track.
    """
    if name not in names():
        raise StageError("there is no track %(name)s; there are: %(names)s", name=name[:40], names=", ".join(names()))
    return files("engine.formula_d").joinpath("data", "tracks", f"{name}.csv").read_text("utf-8")


def length(track: Any, options: Mapping[str, Any]) -> Length:
    """Return an estimate of the turns of a car and of the rounds of the race."""
    turns = -(-max(load_track(track).along) * int(options["laps"]) // _SPACES_A_TURN)
    return Length(turns, turns + turns // _LATE)


@lru_cache(maxsize=64)
def coordinates_of_spaces(name: str) -> tuple[Coordinates, ...]:
    """Return the coordinates of all spaces in the order of the file. `name` is the name of a ready-made track or the
    checked text of a club's own track.

    Raises: StageError when there is no such track.
    """
    text = name if "\n" in name else file_of(name)
    _, skipped = heading(text)
    rows = csv.DictReader(text.splitlines()[skipped:])
    return tuple(Coordinates(float(row["x"]), float(row["y"]), float(row["heading"])) for row in rows)


def _faces(ranges: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """Return the weather table (F7) with one word for each face."""
    table = [""] * facts().black.faces
    for result, (first, last) in ranges.items():
        table[first - 1 : last] = [result] * (last - first + 1)
    return tuple(table)


def compile_own_track(text: str) -> Track:
    """Return a club's own track, compiled from its checked text."""
    head, skipped = heading(text)
    lines = csv.DictReader(text.splitlines()[skipped:])
    return compile_track("own", head.get("title", OWN_TITLE), lines, weather_of(head.get("weather", WEATHER)))


def heading(text: str) -> tuple[dict[str, str], int]:
    """Return the values in the comment lines at the top of a track file ("# title: ..."), and the number of these
    lines.
    """
    head: dict[str, str] = {}
    for number, line in enumerate(text.splitlines()):
        if not line.startswith("#"):
            return head, number
        name, _, value = line.lstrip("# ").partition(":")
        head[name.strip().lower()] = value.strip()
    return head, 0


def weather_of(words: str) -> tuple[str, ...]:
    """Return the weather table for a text such as "rain 1-5, unsettled 6-11, good 12-20".

    Raises: StageError when the text does not give each result of the d20 exactly one kind of weather (F7).
    """
    found = re.findall(r"(rain|unsettled|good) (\d{1,2})-(\d{1,2})", words)
    faces = sorted(face for _, first, last in found for face in range(int(first), int(last) + 1))
    if faces != list(range(1, facts().black.faces + 1)) or len({kind for kind, _, _ in found}) < len(found):
        raise StageError("the weather table gives every result of the die once: %(usual)s", rule="F7", usual=WEATHER)
    return _faces({kind: (int(first), int(last)) for kind, first, last in found})


def compile_track(name: str, title: str, lines: Iterable[Mapping[str, str]], weather: tuple[str, ...]) -> Track:
    """Return the track compiled from the lines of a file. `weather` is the table of F7, one word for each face."""
    rows = list(lines)
    spaces = tuple(row["space"] for row in rows)
    index = {space: place for place, space in enumerate(spaces)}
    along = {text: Decimal(text) for text in {row["along"] for row in rows}}
    rank = {value: place for place, value in enumerate(sorted(set(along.values())))}
    finish = tuple(bool(row["finish"]) for row in rows)
    ahead = tuple(index[row["ahead"]] if row["ahead"] else NOWHERE for row in rows)
    lane = tuple(int(row["lane"]) for row in rows)
    last = (at for at, to in enumerate(ahead) if to != NOWHERE and finish[to] and not finish[at] and lane[at] == 2)
    grid = sorted((int(row["grid"]), place) for place, row in enumerate(rows) if row["grid"])
    ways_in = (row for row in rows if ENTRY in row["next"].split() and KINDS[row["kind"]] < PIT)
    return Track(
        name=name,
        title=title,
        spaces=spaces,
        index=index,
        kind=tuple(KINDS[row["kind"]] for row in rows),
        corner=tuple(int(row["corner"] or 0) for row in rows),
        stops=tuple(int(row["stops"] or 0) for row in rows),
        lane=lane,
        finish=finish,
        along=tuple(rank[along[row["along"]]] for row in rows),
        nexts=tuple(tuple(sorted(index[to] for to in row["next"].split())) for row in rows),
        ahead=ahead,
        beside=tuple(tuple(sorted(index[to] for to in row["beside"].split())) for row in rows),
        grid=tuple(place for _, place in grid),
        boxes={row["garage"]: place for place, row in enumerate(rows) if row["garage"]},
        entry=index[ENTRY],
        last_way_in=max((rank[along[row["along"]]] for row in ways_in), default=NOWHERE),
        qualifying=next(last),
        weather=weather,
    )
