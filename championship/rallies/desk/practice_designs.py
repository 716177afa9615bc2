"""The designs of practice stages, which say by their names what is practised on them."""

from __future__ import annotations

from championship.rallies.models import SpecialStage


def practice_design(game: str, exercise: str = "") -> str:
    """Return the name of the design of a practice stage: that of the lessons, or of an exercise."""
    return f"Practice: {game} {exercise}".strip()


def exercise_practised(special_stage: SpecialStage) -> str:
    """Return the exercise that is practised on this stage; "" for the lessons. One query at most."""
    design = special_stage.design
    return "" if design is None else design.name.removeprefix(practice_design(special_stage.rally.game)).strip()
