"""Reads texts as drafts of stages: lists of tiles, one a line, and TOML, with every fault and its line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from championship.games.dirt.tile_list import MOST_CHARACTERS, read_line, read_toml
from championship.stages import builders
from championship.stages.builders import Reading
from engine.contract import StageError, Survey
from engine.dirt.game import game

GAME = "dirt"
TOML = re.compile(r"^\s*(tiles\s*=|\[\[\s*tiles\s*\]\])", re.MULTILINE)
MOST_FAULTS = 20
CHAIN = "T1"
"""The rule that a stage is a chain of tiles."""


def read(text: str, settings: Mapping[str, Any], *, toml: bool = False) -> Reading:
    """Return a draft from a text. With `toml` the text must be TOML. What the text says takes precedence over
    `settings`.
    """
    if len(text) > MOST_CHARACTERS:
        return Reading(None, (_("The list is too long for a stage."),), rule=CHAIN)
    if toml or TOML.search(text):
        try:
            return _surveyed({**settings, **read_toml(text)})
        except StageError as error:
            return Reading(None, (error.message,), rule=error.rule or CHAIN)
    return _read_lines(text, settings)


def _read_lines(text: str, settings: Mapping[str, Any]) -> Reading:
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
    return _surveyed({**settings, "tiles": tiles}, lines, unread)


def _surveyed(spec: Mapping[str, Any], lines: Sequence[int] = (), unread: Mapping[int, str] | None = None) -> Reading:
    """Return the engine's verdict on a draft, each fault with its line where there are lines."""
    found: Survey = game().survey(spec)
    unread = unread or {}

    def placed(error: StageError) -> str:
        if error.piece is not None and error.piece in unread:
            return unread[error.piece]
        if error.piece is None or error.piece > len(lines):
            return builders.error_text(GAME, error)
        return _("Line %(line)d: %(message)s") % {
            "line": lines[error.piece - 1],
            "message": builders.error_text(GAME, error),
        }

    wrong = tuple(dict.fromkeys(map(placed, found.wrong)))
    if len(wrong) > MOST_FAULTS:
        more = _("… and %(count)d more.") % {"count": len(wrong) - MOST_FAULTS}
        wrong = (*wrong[:MOST_FAULTS], more)
    return Reading(found.course, wrong, tuple(map(placed, found.missing)), tuple(map(placed, found.doubts)), CHAIN)
