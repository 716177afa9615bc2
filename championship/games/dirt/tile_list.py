"""A stage as text: one tile a line, or TOML with a `tiles` list; and its tiles as rows of a table.

    216a DC 1,-3 turn 1      face, edges by which the road enters and leaves, hexagon, sixths of a turn clockwise

Everything after the face may be left out when the chain determines it. The engine checks whether the tiles fit (T1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.rallies.templatetags.times import stage_time
from championship.stages.stage_pages import Table
from engine.contract import StageError
from engine.dirt.course.compiled_stage import driven
from engine.dirt.course.layout import chain
from engine.dirt.facts import Face, Section
from engine.toml_text import toml_of

LINE = re.compile(
    r"""^\s*(?P<tile>\w+)
        (?:\s+(?P<via>[A-Fa-f]{2}))?
        (?:\s+\[?(?P<q>[+-]?\d{1,3})\s*,\s*(?P<r>[+-]?\d{1,3})\]?)?
        (?:\s+(?:turn\s*=?\s*)?(?P<turn>\d{1,3}))?\s*$""",
    re.VERBOSE,
)
MOST_CHARACTERS = 20_000
# T1: 10 tiles are a short stage, 14 a standard one, 18 a long one; other lengths have the name of the nearest.
STANDARD_FROM, LONG_FROM = 12, 16
STANDARD = 14


@dataclass(frozen=True, slots=True)
class Row:
    """One tile of a stage: its number in the stage, and its texts."""

    number: int
    tile: str
    road: str
    sections: str
    hazard: str


def read_text(text: str) -> dict[str, Any]:
    """Return a spec whose chain is not checked yet.

    Raises: StageError when a line or the TOML cannot be read; it names the line or the fault.
    """
    if len(text) > MOST_CHARACTERS:
        raise StageError(_("The list is too long for a stage."))
    if "=" in text and re.search(r"^\s*tiles\s*=", text, re.MULTILINE):
        read = read_toml(text)
        return {key: read[key] for key in ("tiles", "service", "boxes") if key in read}
    spec: dict[str, Any] = {"tiles": []}
    for count, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        tile = read_line(line)
        if tile is None:
            message = _("Line %(line)d is not understood: write a tile as in “216a DC 1,-3 turn 1”.")
            raise StageError(message % {"line": count}, piece=len(spec["tiles"]) + 1)
        spec["tiles"].append(tile)
    return spec


def read_toml(text: str) -> dict[str, Any]:
    """Return a TOML document.

    Raises: StageError when it is not TOML; it names the fault.
    """
    try:
        return toml_of(text.replace("\r\n", "\n"))
    except ValueError as error:
        raise StageError(_("This is not TOML: %(error)s.") % {"error": str(error).rstrip(".")}) from None


def read_line(line: str) -> dict[str, Any] | None:
    """Return a tile from a line; None when the line cannot be parsed."""
    found = LINE.match(line)
    if found is None:
        return None
    tile: dict[str, Any] = {"tile": found["tile"].lower()}
    if found["via"]:
        tile["via"] = found["via"].upper()
    if found["q"]:
        tile["at"] = [int(found["q"]), int(found["r"])]
    if found["turn"]:
        tile["turn"] = int(found["turn"])
    return tile


def write_text(spec: Mapping[str, Any]) -> str:
    """Return one tile a line, with all values."""
    road = chain(spec["tiles"])
    return "\n".join(f"{laid.face.name} {laid.via} {laid.at[0]},{laid.at[1]} turn {laid.turn}" for laid in road)


def summary(spec: Mapping[str, Any]) -> str:
    """Return the number of tiles, and whether the stage is short, standard or long."""
    count = len(spec["tiles"])
    length = _("long") if count >= LONG_FROM else _("standard length") if count >= STANDARD_FROM else _("short")
    tiles = ngettext("%(count)d tile", "%(count)d tiles", count) % {"count": count}
    park = _("with service park") if spec.get("service") else _("without service park")
    return f"{tiles}, {length}, {park}"


def rows(spec: Mapping[str, Any]) -> list[Row]:
    """Return the tiles in driving order with their road in words."""
    found = []
    for number, laid in enumerate(chain(spec["tiles"]), 1):
        words = words_of(laid.face, laid.via)
        found.append(Row(number, laid.face.name, words.road, words.sections, words.hazard))
    return found


@dataclass(frozen=True, slots=True)
class FaceWords:
    """A face as it is driven, in words: the road, all its sections, its important sections in short, the colour of its
    hazard.
    """

    road: str
    sections: str
    short: str
    hazard: str


def table(spec: Mapping[str, Any]) -> Table:
    """Return the stage's tiles as a table."""
    return Table(
        title=_("The road, tile by tile"),
        heads=("#", _("Tile"), _("Road"), _("Sections"), _("Hazard")),
        rows=[(str(row.number), row.tile, row.road, row.sections, row.hazard) for row in rows(spec)],
    )


def rating(result: Mapping[str, Any], *, short: bool = False) -> list[tuple[str, str]]:
    """Return the results of many runs of a stage by a codriver; `short`: only its time and the share of runs with a
    crash.
    """
    sections = result["sections"]
    length = ngettext("%(count)d section", "%(count)d sections", sections) % {"count": sections}
    facts = [] if short else [(_("Length"), length)]
    if result["par"] is not None:
        facts.append((_("Par time"), stage_time(result["par"])))
        if not short:
            facts.append((_("Half of all runs"), " – ".join(map(stage_time, result["quartiles"]))))
    facts.append((_("Runs with a crash"), f"{round(100 * result['crash_share'])} %"))
    if result["most_dangerous_tile"] and not short:
        facts.append((_("Most dangerous tile"), str(result["most_dangerous_tile"])))
    return facts


def words_of(face: Face, via: str) -> FaceWords:
    """Return the words for a face that is driven from one edge to the other."""
    sections, shortcuts = driven(face, backwards=via != face.edges)
    cuts = [_shortcut(shortcut.limits) for shortcut in shortcuts]
    matters = [word for section in sections if (word := _in_short(section))]
    return FaceWords(
        road=_roads().get(face.shape, face.shape),
        sections=", ".join([*_sections(sections), *cuts]),
        short=", ".join([*matters, *cuts]) or _length(sections),
        hazard=_hazards()[face.hazard],
    )


def _length(sections: tuple[Section, ...]) -> str:
    count = sum(section.kind not in ("start", "finish") for section in sections)
    return ngettext("%(count)d row", "%(count)d rows", count) % {"count": count}


def _in_short(section: Section) -> str:
    """Return the reason to slow down for a section, as short as possible; "" when there is none."""
    if section.kind == "bend":
        return f"{_limits(section.inner)}/{_limits(section.outer)}"
    if section.kind == "single":
        return _("single space") + (f" {section.limit}" if section.limit else "")
    if section.jump:
        return _("bump %(number)d") % {"number": section.jump}
    return _("ford") if section.water else ""


def _limits(limits: Iterable[int]) -> str:
    return "-".join(str(limit) for limit in limits)


def _shortcut(limits: tuple[int, ...]) -> str:
    return _("shortcut %(limits)s") % {"limits": _limits(limits)}


def _sections(sections: tuple[Section, ...]) -> Iterable[str]:
    for section in sections:
        if section.kind == "bend":
            side = _("bend to the right") if section.inside == "right" else _("bend to the left")
            yield f"{side} {_limits(section.inner)}/{_limits(section.outer)}"
        elif section.kind == "single":
            yield _("single space") + (f" {section.limit}" if section.limit else "")
        elif section.kind == "start":
            yield _("start line")
        elif section.kind == "finish":
            yield _("finish line")
        elif section.jump:
            yield _("bump %(number)d") % {"number": section.jump}
        elif section.water:
            yield _("ford")
        else:
            yield _("slide row") if section.slide else _("row")


def _roads() -> dict[str, str]:
    return {
        "straight": _("straight"),
        "arc": _("long curve"),
        "tight": _("tight curve"),
        "hairpin": _("hairpin"),
        "long hairpin": _("long hairpin"),
        "elbow": _("corner"),
        "wide elbow": _("wide corner"),
        "bulge": _("bow"),
        "double hairpin": _("double hairpin"),
        "wiggle": _("narrow place"),
    }


def _hazards() -> dict[str, str]:
    return {"yellow": _("yellow"), "orange": _("orange"), "red": _("red")}
