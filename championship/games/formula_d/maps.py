"""The game's implementation of championship.stages.stage_pages.StageMaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import degrees
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from championship.games.formula_d.drawing import circuit, circuit_svg
from championship.games.formula_d.drawing import small_svg as sketch
from championship.games.formula_d.drawing.map_background import picture
from championship.stages.stage_pages import Land, Spec, Table
from engine.contract import GameError, StageError
from engine.formula_d.track import file_of, weather_of
from engine.formula_d.track_files import read
from engine.toml_text import toml_of

__all__ = [
    "character",
    "land",
    "map_svg",
    "rating",
    "read_text",
    "small_svg",
    "summary",
    "table",
    "write_text",
]


FAST, TECHNICAL, HARD = 60, 50, 3
"""Spaces for each corner from which a circuit is fast, and up to which it is technical; stops of a hard corner."""


@dataclass(frozen=True, slots=True)
class Part:
    """A straight or a corner: its name, its stops (0 on a straight), the numbers of its spaces from the left lane to
    the right one, and the angle by which it turns (degrees, positive to the right; 0 on a straight).
    """

    name: str
    stops: int
    spaces: tuple[int, int, int]
    turn: int


def map_svg(spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
    """Return the circuit with nothing on it."""
    return circuit_svg(spec, title=title, ident=ident)


def land(road: str) -> Land:
    """Return the picture under the map of a ready-made track.

    Raises: StageError when there is no such track.
    """
    return picture(road)


def small_svg(spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
    """Return the road over its land, without detail."""
    return sketch(spec, title=title, ident=ident)


def summary(spec: Spec) -> str:
    """Return the numbers of corners and spaces."""
    drawing = circuit(spec)
    spaces = sum(not drawing.track.in_the_pits(at) for at in range(len(drawing.spots)))
    corners = len(drawing.bends)
    words = [
        ngettext("%(count)d corner", "%(count)d corners", corners) % {"count": corners},
        ngettext("%(count)d space", "%(count)d spaces", spaces) % {"count": spaces},
    ]
    return ", ".join(words)


def character(spec: Spec) -> str:
    """Return the numbers of corners and spaces, and how the circuit drives; "" for one that cannot be read."""
    try:
        corners = corners_of(spec)
        said = summary(spec)
    except (GameError, KeyError, TypeError, AttributeError):
        return ""
    apart = sum(sum(part.spaces) for part in parts_of(spec)) / max(1, len(corners))
    pace = (
        pgettext("character of a circuit", "fast")
        if apart >= FAST
        else pgettext("character of a circuit", "technical")
        if apart <= TECHNICAL
        else pgettext("character of a circuit", "mixed")
    )
    hard = sum(corner.stops >= HARD for corner in corners)
    told = ngettext("a corner of three stops", "%(n)d corners of three stops", hard) % {"n": hard}
    return ", ".join([said, pace, *([told] if hard else [])])


def table(spec: Spec) -> Table | None:
    """Return the circuit in words, part by part, in driving order from the finish line."""
    heads = (_("Part"), _("Stops"), _("Turns"), _("Spaces: left, middle, right"))
    rows: list[tuple[str, ...]] = [
        (
            part.name,
            str(part.stops) if part.stops else "–",
            _turns(part.turn) if part.stops else "–",
            " · ".join(map(str, part.spaces)),
        )
        for part in parts_of(spec)
    ]
    return Table(_("The circuit, part by part"), heads, rows)


def corners_of(spec: Spec) -> list[Part]:
    """Return the corners of a circuit in driving order."""
    return [part for part in parts_of(spec) if part.stops]


def parts_of(spec: Spec) -> list[Part]:
    """Return straights and corners in driving order from the finish line."""
    drawing = circuit(spec)
    road = drawing.track
    turns = {bend.number: bend.turn for bend in drawing.bends}
    lanes: dict[str, list[int]] = {}
    stops: dict[str, int] = {}
    first: dict[str, int] = {}
    for at, name in enumerate(road.spaces):
        if road.in_the_pits(at):
            continue
        area = name.partition(".")[0]
        lanes.setdefault(area, [0, 0, 0])[road.lane[at] - 1] += 1
        stops[area] = road.stops[at]
        first[area] = min(first.get(area, road.along[at]), road.along[at])
    parts = []
    for area in sorted(first, key=lambda area: first[area]):
        left, middle, right = lanes[area]
        turn = round(degrees(turns[int(area[1:])])) if stops[area] else 0
        parts.append(Part(area, stops[area], (left, middle, right), turn))
    return parts


def _turns(turn: int) -> str:
    if abs(turn) < 20:
        return _("hardly")
    words = _("to the right, %(degrees)d°") if turn > 0 else _("to the left, %(degrees)d°")
    return words % {"degrees": abs(turn)}


def rating(result: Mapping[str, Any], *, short: bool = False) -> list[tuple[str, str]]:
    """Return nothing: codrivers of this game rate no circuits."""
    return []


def read_text(text: str) -> dict[str, Any]:
    """Return a course from a track file, or from TOML around one.

    Raises: StageError when the text cannot be read.
    """
    if not text.lstrip().startswith(("csv", "track")):
        course: dict[str, Any] = read({"csv": text})
        return course
    try:
        return toml_of(text)
    except ValueError as error:
        raise StageError(_("This is not TOML: %(why)s"), why=str(error)) from error


def write_text(spec: Spec) -> str:
    """Return the track file of a course; for a ready-made track with its title and weather; "" for an empty draft."""
    if not spec:
        return ""
    if "csv" in spec:
        return str(spec["csv"])
    road = circuit(spec).track
    return f"# title: {road.title}\n# weather: {_weather_text(road.weather)}\n{file_of(road.name)}"


def _weather_text(faces: tuple[str, ...]) -> str:
    """Return a weather table in the words of a track file (F7).

    Raises: StageError when the words cannot express it.
    """
    kinds = list(dict.fromkeys(faces))
    words = ", ".join(
        f"{kind} {faces.index(kind) + 1}-{len(faces) - tuple(reversed(faces)).index(kind)}" for kind in kinds
    )
    weather_of(words)
    return words
