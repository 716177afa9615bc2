"""A stage as people write it: one tile a line, or TOML with a `tiles` list; and its tiles as rows of a table.

    216a DC 1,-3 turn 1      face, edges by which the road comes in and leaves, hexagon, sixths of a turn clockwise

Everything behind the face may be left out where the chain decides it. Whether the tiles fit, the engine says (T1).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.stages.games import Row
from engine.dirt.facts import Section, faces
from engine.dirt.layout import lay
from engine.dirt.track import driven
from engine.ruleset import StageError

LINE = re.compile(
    r"""^\s*(?P<tile>\w+)
        (?:\s+(?P<via>[A-Fa-f]{2}))?
        (?:\s+\[?(?P<q>[+-]?\d{1,3})\s*,\s*(?P<r>[+-]?\d{1,3})\]?)?
        (?:\s+(?:turn\s*=?\s*)?(?P<turn>\d{1,3}))?\s*$""",
    re.VERBOSE,
)
MOST_CHARACTERS = 20_000
# T1: 10 tiles are a short stage, 14 a standard one, 18 a long one; between them the nearer one names it.
STANDARD_FROM, LONG_FROM = 12, 16


def read_text(text: str) -> dict[str, Any]:
    """A spec, not yet checked for its chain. Errors: StageError naming the line or what is wrong with the TOML."""
    text = text.strip()
    if len(text) > MOST_CHARACTERS:
        raise StageError(_("The list is too long for a stage."))
    if "=" in text and re.search(r"^\s*tiles\s*=", text, re.MULTILINE):
        return _toml(text)
    spec: dict[str, Any] = {"tiles": []}
    for count, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        spec["tiles"].append(_tile(line, count, len(spec["tiles"]) + 1))
    return spec


def _toml(text: str) -> dict[str, Any]:
    try:
        read = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise StageError(_("This is not TOML: %(error)s.") % {"error": str(error).rstrip(".")}) from None
    return {key: read[key] for key in ("tiles", "service", "boxes") if key in read}


def _tile(line: str, count: int, place: int) -> dict[str, Any]:
    found = LINE.match(line)
    if found is None:
        raise StageError(
            _("Line %(line)d is not understood: write a tile as in “216a DC 1,-3 turn 1”.") % {"line": count},
            tile=place,
        )
    tile: dict[str, Any] = {"tile": found["tile"].lower()}
    if found["via"]:
        tile["via"] = found["via"].upper()
    if found["q"]:
        tile["at"] = [int(found["q"]), int(found["r"])]
    if found["turn"]:
        tile["turn"] = int(found["turn"])
    return tile


def write_text(spec: Mapping[str, Any]) -> str:
    """One tile a line, everything said."""
    road = lay(spec["tiles"], boxes=9)
    return "\n".join(f"{laid.face.name} {laid.via} {laid.at[0]},{laid.at[1]} turn {laid.turn}" for laid in road)


def summary(spec: Mapping[str, Any]) -> str:
    """Its tiles, and whether that is short, standard or long."""
    count = len(spec["tiles"])
    length = _("long") if count >= LONG_FROM else _("standard length") if count >= STANDARD_FROM else _("short")
    tiles = ngettext("%(count)d tile", "%(count)d tiles", count) % {"count": count}
    park = _("with service park") if spec.get("service") else _("without service park")
    return f"{tiles}, {length}, {park}"


def rows(spec: Mapping[str, Any]) -> list[Row]:
    """The tiles in driving order with their road in words."""
    found = []
    for number, laid in enumerate(lay(spec["tiles"], boxes=9), 1):
        face = faces()[laid.face.name]
        sections, shortcuts = driven(face, backwards=laid.backwards)
        words = [*_sections(sections), *(_shortcut(shortcut.limits) for shortcut in shortcuts)]
        road = _roads().get(face.shape, face.shape)
        found.append(Row(number, face.name, road, ", ".join(words), _hazards()[face.hazard]))
    return found


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
