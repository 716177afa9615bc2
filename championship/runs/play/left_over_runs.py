"""Runs that could not be ended when their open stage closed."""

from __future__ import annotations

from championship.rallies.models import SpecialStage
from championship.runs.models import Run


def is_left_over(run: Run) -> bool:
    """Return whether the run could not be ended when its open stage closed. Nobody drives in it any more, and only
    `retire_late` ends it. No query when the stage and its rally are loaded.
    """
    stage = run.special_stage
    closed = stage.rally.for_everybody and stage.status != SpecialStage.Status.RUNNING
    return closed and run.status == Run.Status.RUNNING
