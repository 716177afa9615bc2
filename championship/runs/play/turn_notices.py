"""Queue and drop the notices about turns, and ask a worker to play the codriver's turns."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from championship.notices import services as notices
from championship.notices.services import Letter, drop_many
from championship.platform import task_dispatch
from championship.runs.models import Run, Turn
from championship.runs.watch.waiting_turns import codriver_may_play, orders_ahead_are_due, subject_of, subjects_of

WAITING_KINDS = ("turn waits", "turn closes soon")
"""Kinds of notices that say that a turn waits and until when."""


def drop_waiting_notices(turn: Turn) -> None:
    """Drop unsent notices that this turn waits, since it has ended or has its full time again."""
    drop_many(kinds=WAITING_KINDS, subject_keys=subjects_of(turn))


def codriver_to_play(run_id: int) -> None:
    """After the commit, have a worker play the codriver's turns in that run."""
    task_dispatch.after_commit(task_dispatch.named("championship.runs.tasks.drive_codrivers"), run_id)


def call_codriver(run: Run, *, now: datetime) -> None:
    """After the commit, ask a worker to play turns of this run if the codriver must play one now, or if orders ahead
    were left.

    Not while the rally is paused: only people play then.
    """
    due = run.turns.filter(codriver_may_play(now) | orders_ahead_are_due(), ended_at=None, to_come=False)
    if run.special_stage.rally.paused_at is None and due.exists():
        codriver_to_play(run.pk)


def notify_driver(turn: Turn, kind: str, **said: Any) -> None:
    """Queue a notice to the driver about this turn, once for each kind and deadline. `said` adds values to its context.
    In practice no notices are sent.
    """
    if turn.run.special_stage.rally.practice:
        return
    letter = letter_of(turn, kind, **said)
    notices.enqueue(
        recipient=letter.recipient,
        kind=letter.kind,
        subject_key=letter.subject_key,
        context=letter.context,
        link=letter.link,
        thread=letter.thread,
    )


def letter_of(turn: Turn, kind: str, **said: Any) -> Letter:
    """Return a notice to the driver about this turn."""
    rally = turn.run.special_stage.rally
    return Letter(
        recipient=turn.seat.entry.driver,
        kind=kind,
        subject_key=subject_of(turn, turn.given),
        context={
            "rally": rally.name,
            "game": rally.game,
            "stage": turn.run.special_stage.number,
            "deadline": turn.deadline,
            "turn": turn.pk,
            **said,
        },
        link=turn.run.get_absolute_url(),
        thread=f"rally {rally.key}",
    )
