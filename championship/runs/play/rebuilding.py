"""Rebuild a run's state from its events, which are the authoritative record."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from championship.runs.models import Run
from championship.runs.play.advancing_run import locked_run
from engine import registry

AT_ONCE = 100
"""Events read at a time."""


def rebuild(*, run: Run) -> dict[str, Any]:
    """Return the state that results from applying all events of a run to its initial state. It must equal `run.state`.
    Writes nothing.
    """
    rules = registry.get(run.game)
    state = rules.setup(run.stage, run.entrants, run.options)
    for data in run.events.order_by("number").values_list("data", flat=True).iterator(AT_ONCE):
        state = rules.apply(state, data)
    return state


@transaction.atomic
def check_snapshot(*, run: Run, write: bool = False) -> bool:
    """Return whether a run's stored state equals the state rebuilt from its events. The run is locked, so that nobody
    plays meanwhile. `write` replaces a wrong state.
    """
    run = locked_run(run.pk)
    state = rebuild(run=run)
    agrees = bool(state == run.state)
    if write and not agrees:
        run.state = state
        run.save(update_fields=["state"])
    return agrees
