"""Checks that the games accept a rally that is imported from another site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.rallies.models import SpecialStage
from engine import registry
from engine.contract import Career, Column, Courses, GameError, OptionError, offered

MOST_COUNTED = 10_000
"""The most damage of one kind that the sheet shows."""


def invalid_column(game: str, options: Mapping[str, Any]) -> str:
    """The column that is not valid: "game" for an unknown game, "options" for an option with an invalid value, else "".

    Options that the game does not have any more are ignored.
    """
    try:
        rules = registry.get(game)
    except GameError:
        return "game"
    try:
        for option in rules.options:
            if option.name in options:
                option.clean(options[option.name])
    except OptionError:
        return "options"
    return ""


def read_stage(stage: SpecialStage) -> None:
    """Let the game parse a stage. A game may raise any exception when the stage is not valid."""
    read_course(stage.rally.game, stage.spec)


def read_course(game: str, spec: Any) -> None:
    """Let the game parse a course. A game may raise any exception when the course is not valid."""
    courses = offered(registry.get(game), Courses)
    if courses is not None:
        courses.read_course(spec)


def fits_luggage(game: str, luggage: Any) -> bool:
    """Whether the game can read this luggage of a car, and the rally sheet can show it."""
    career = offered(registry.get(game), Career)
    try:
        row = {} if career is None else career.sheet_row(luggage)
        return career is None or all(_fits_column(column, row[column.key]) for column in career.sheet_columns)
    except Exception:  # a game may raise anything for invalid data
        return False


def _fits_column(column: Column, value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_COUNTED if column.part else isinstance(value, bool | int)
