"""What happened in a run, read for the pages that tell of it: its events in order, and its state after any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from championship.runs.models import Run
from engine import ruleset


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a run: its number from 1, the engine's words, the post and the turn it came with, when, by whom."""

    number: int
    data: dict[str, Any]
    post: int
    turn: int
    driver: str
    at: datetime
    by_codriver: bool


def events_of(run: Run) -> list[Happened]:
    """All events as far as `run` was read, in order: one query."""
    rows = run.events.filter(number__lte=run.events_told).order_by("number")
    fields = rows.values_list(
        "number", "data", "post__number", "post__turn__number", "post__turn__place__driver", "post__at", "post__by_id"
    )
    return [
        Happened(number, data, post, turn, driver, at, by is None)
        for number, data, post, turn, driver, at, by in fields
    ]


def state_after(run: Run, events: Sequence[Happened]) -> dict[str, Any]:
    """The state that these events, from the first one on, lead to."""
    rules = ruleset.get(run.game)
    state = rules.setup(run.stage, run.entrants, run.options)
    for event in events:
        state = rules.apply(state, event.data)
    return state
