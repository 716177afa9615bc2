"""Whether a rally that comes from elsewhere is one that its game knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.rallies.models import SpecialStage
from engine import registry
from engine.contract import Career, Courses, GameError, OptionError, offered


def odd_column(game: str, options: Mapping[str, Any]) -> str:
    """Says "game" where nobody knows it, "options" where one cannot have its value, else empty. An option that is no
    more is left alone.
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
    """Let the game read a stage.

    Raises: whatever a game raises of a stage that is none.
    """
    courses = offered(registry.get(stage.rally.game), Courses)
    if courses is not None:
        courses.read_course(stage.spec)


def fits_luggage(game: str, luggage: Any) -> bool:
    """Whether the game can read what a car is said to bring from stage to stage."""
    career = offered(registry.get(game), Career)
    try:
        return career is None or career.sheet_row(luggage) is not None
    except Exception:  # whatever reading nonsense raises
        return False
