"""Courses as text, of games that have no stage builder: read one with all its faults, and show an example."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from championship.platform.refusals import Refused
from championship.stages import builders, stage_pages
from engine import registry
from engine.contract import CourseImport, Courses, GameError, StageError, offered, required

LONGEST_EXAMPLE = 2_000
"""An example with more characters is not shown."""


def read(game: str, text: str) -> dict[str, Any]:
    """Return the course that a text describes, in the normal form of its game.

    Raises: Refused (field text) when the text has faults, or the course cannot be driven; it lists all, one a line.
    """
    rules = registry.get(game)
    try:
        draft = stage_pages.get(game).read_text(text)
        found = required(rules, CourseImport).survey(draft)
        faults = [builders.error_text(game, fault) for fault in (*found.wrong, *found.missing)]
        if faults:
            raise Refused("\n".join(faults), field="text", rule=(*found.wrong, *found.missing)[0].rule)
        course: dict[str, Any] = required(rules, Courses).read_course(draft)
    except StageError as error:
        raise Refused(builders.error_text(game, error), field="text", rule=error.rule) from error
    except GameError as error:
        raise Refused(error.words(_), field="text") from error
    return course


def example(game: str) -> str:
    """Return a course of the game's library as text; "" when there is none, or its text is long."""
    rules = registry.get(game)
    courses = offered(rules, Courses)
    for spec in courses.library().values() if courses else ():
        text = required(rules, CourseImport).write_course(required(rules, Courses).read_course(spec))
        return text if len(text) <= LONGEST_EXAMPLE else ""
    return ""
