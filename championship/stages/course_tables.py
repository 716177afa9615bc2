"""Courses as lines of a list, as each game reads them (the capability `CourseTable`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from championship import catalogue
from championship.platform.refusals import Refused
from championship.stages import builders
from engine import registry
from engine.contract import CourseColumn, Courses, CourseTable, GameError, StageError, offered, required


def games() -> list[tuple[str, str]]:
    """The games of whose courses lists can be read: name and title."""
    having = [name for name in catalogue.names() if offered(registry.get(name), CourseTable) is not None]
    return [(name, str(catalogue.get(name))) for name in having]


def columns_of(game: str) -> tuple[CourseColumn, ...]:
    """The columns that the game knows; () when it reads no such lists, or is not there."""
    table = offered(registry.get(game), CourseTable) if game in catalogue.names() else None
    return table.course_columns if table is not None else ()


def read(game: str, values: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the course of a line in the normal form of its game. `values`: cells by the names of the columns.

    Raises: Refused with all of its faults.
    """
    rules = registry.get(game)
    table = required(rules, CourseTable)
    try:
        draft = table.course_of(values)
        survey = table.survey(draft)
        faults = [builders.error_text(game, fault) for fault in (*survey.wrong, *survey.missing)]
        if faults:
            raise Refused(" ".join(faults))
        course: dict[str, Any] = required(rules, Courses).read_course(draft)
    except StageError as error:
        raise Refused(builders.error_text(game, error)) from error
    except GameError as error:
        raise Refused(error.words(_)) from error
    return course
