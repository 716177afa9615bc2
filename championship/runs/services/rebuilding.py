"""The events are the truth: a run's state told by them alone."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from championship.runs.models import Run
from championship.runs.services.moving_run import locked_run
from engine import registry


def rebuild(*, run: Run) -> dict[str, Any]:
    """The state that folding all events of a run over its setup gives. It must equal `run.state`; nothing is
    written.
    """
    rules = registry.get(run.game)
    state = rules.setup(run.stage, run.entrants, run.options)
    for data in run.events.order_by("number").values_list("data", flat=True):
        state = rules.apply(state, data)
    return state


@transaction.atomic
def check_snapshot(*, run: Run, write: bool = False) -> bool:
    """Whether a run's state is what its events give, compared while nobody plays; `write` puts a wrong one right."""
    run = locked_run(run.pk)
    state = rebuild(run=run)
    agrees = bool(state == run.state)
    if write and not agrees:
        run.state = state
        run.save(update_fields=["state"])
    return agrees
