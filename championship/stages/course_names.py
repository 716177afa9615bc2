"""The names of courses: what a game calls its own ones, and what a ready-made one without a name is called by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from championship.stages import stage_pages
from engine import registry
from engine.contract import Courses, offered


def name_by_source(source: str) -> str:
    """Return the name, in English, of a ready-made stage that has no name of its own. `source` is "collection/course",
    or the course's name.
    """
    collection, slash, number = source.partition("/")
    return f"Rally {collection}, stage {number}" if slash else source.replace("_", " ").title()


def own_name(course: object) -> str:
    """Return the course's own `name` or `title`; "" where it has none."""
    said = course if isinstance(course, Mapping) else {}
    return next((said[key] for key in ("name", "title") if isinstance(said.get(key), str) and said[key]), "")


def name_of(game: str, spec: Mapping[str, Any]) -> str:
    """Return the name of a course that is driven: its own, or that of the ready-made course that it is; "" where
    only numbers name that, for a course that a club has made, and where the game is not installed. No query.
    """
    if not spec or game not in registry.names():
        return ""
    return own_name(spec) or _library(game).get(_text(spec), "")


def described(game: str, spec: Mapping[str, Any], name: str = "") -> str:
    """Return the name of a course that is driven, and its character: "Wet Meadow: fast, a ford". `name`: what a club
    calls it. "" where there is nothing to say.
    """
    return ": ".join(filter(None, (name or name_of(game, spec), stage_pages.character_of(game, spec))))


@cache
def _library(game: str) -> Mapping[str, str]:
    """Return the names of a game's ready-made courses, by the courses in normal form, as text."""
    courses = offered(registry.get(game), Courses)
    if courses is None:
        return {}
    return {
        _text(courses.read_course(printed)): own_name(printed) or ("" if "/" in source else name_by_source(source))
        for source, printed in courses.library().items()
    }


def _text(course: object) -> str:
    return json.dumps(course, sort_keys=True, separators=(",", ":"))
