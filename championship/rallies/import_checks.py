"""Checks that the games accept a rally that is imported from another site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.rallies.models import SpecialStage
from engine import registry
from engine.contract import Career, Courses, GameError, OptionError, offered


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
    courses = offered(registry.get(stage.rally.game), Courses)
    if courses is not None:
        courses.read_course(stage.spec)


def fits_luggage(game: str, luggage: Any) -> bool:
    """Whether the game can read this luggage of a car."""
    career = offered(registry.get(game), Career)
    try:
        return career is None or career.sheet_row(luggage) is not None
    except Exception:  # a game may raise anything for invalid data
        return False
