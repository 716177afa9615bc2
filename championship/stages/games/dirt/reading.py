"""Texts that become drafts: lists of tiles, one a line, and TOML, with all that is wrong and where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from championship.stages.games.bench import Reading, said
from championship.stages.games.dirt.tile_list import MOST_CHARACTERS, read_line, read_toml
from engine import ruleset
from engine.ruleset import StageError, Survey

TOML = re.compile(r"^\s*(tiles\s*=|\[\[\s*tiles\s*\]\])", re.MULTILINE)
MOST_FAULTS = 20


def read(text: str, settings: Mapping[str, Any], *, toml: bool = False) -> Reading:
    """A draft from a text; `toml` where it can be nothing else. What the text says goes before `settings`."""
    if len(text) > MOST_CHARACTERS:
        return Reading(None, (_("The list is too long for a stage."),))
    if toml or TOML.search(text):
        try:
            return _judged({**settings, **read_toml(text)})
        except StageError as error:
            return Reading(None, (error.message,))
    return _of_lines(text, settings)


def _of_lines(text: str, settings: Mapping[str, Any]) -> Reading:
    tiles: list[Any] = []
    lines: list[int] = []
    unread: dict[int, str] = {}
    for count, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        lines.append(count)
        tile = read_line(line)
        if tile is None:
            unread[len(lines)] = _("Line %(line)d is not understood: write a tile as in “216a DC 1,-3 turn 1”.") % {
                "line": count
            }
        tiles.append(tile)
    return _judged({**settings, "tiles": tiles}, lines, unread)


def _judged(spec: Mapping[str, Any], lines: Sequence[int] = (), unread: Mapping[int, str] | None = None) -> Reading:
    """What the engine says of it, each fault with its line where there are lines."""
    found: Survey = ruleset.get("dirt").survey(spec)
    unread = unread or {}

    def placed(error: StageError) -> str:
        if error.tile is not None and error.tile in unread:
            return unread[error.tile]
        if error.tile is None or error.tile > len(lines):
            return said(error)
        return _("Line %(line)d: %(message)s") % {"line": lines[error.tile - 1], "message": said(error)}

    wrong = tuple(dict.fromkeys(map(placed, found.wrong)))
    if len(wrong) > MOST_FAULTS:
        more = _("… and %(count)d more.") % {"count": len(wrong) - MOST_FAULTS}
        wrong = (*wrong[:MOST_FAULTS], more)
    return Reading(found.stage, wrong, tuple(map(placed, found.missing)), tuple(map(placed, found.doubts)))
