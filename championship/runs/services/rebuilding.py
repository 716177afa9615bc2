"""The events are the truth: a run's state told by them alone."""

from __future__ import annotations

from typing import Any

from championship.runs.models import Run
from engine import ruleset


def rebuild(*, run: Run) -> dict[str, Any]:
    """The state that folding all events of a run over its setup gives. It must equal `run.state`; nothing is
    written.
    """
    rules = ruleset.get(run.game)
    state = rules.setup(run.stage, run.entrants, run.options)
    for data in run.events.order_by("number").values_list("data", flat=True):
        state = rules.apply(state, data)
    return state
