"""Queue and drop the notices about turns, and ask a worker to play the codriver's turns."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from championship.notices import services as notices
from championship.notices.services import Letter, drop_many
from championship.platform import clock, task_dispatch
from championship.runs.models import Run, Turn
from championship.runs.play.open_pages import OPEN_FOR
from championship.runs.watch.waiting_turns import codriver_may_play, orders_ahead_are_due, subject_of, subjects_of

WAITING_KINDS = ("turn waits", "turn closes soon")
"""Kinds of notices that say that a turn waits and until when."""
SHARE = 6
"""The mail of a turn that was seen waits for this part of the turn's time at most."""


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
    In practice no notices are sent, and none in an evening, where everybody has the page open.
    """
    if turn.run.special_stage.rally.practice or turn.run.special_stage.rally.keeps_seconds:
        return
    letter = letter_of(turn, kind, **said)
    notices.enqueue(
        recipient=letter.recipient,
        kind=letter.kind,
        subject_key=letter.subject_key,
        context=letter.context,
        link=letter.link,
        thread=letter.thread,
        mail_after=letter.mail_after,
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
        mail_after=_mail_after(turn, clock.now()) if kind == "turn waits" else None,
    )


def _mail_after(turn: Turn, now: datetime) -> datetime | None:
    """Return until when the mail of a turn that begins waits; None when it goes out at once.

    It waits when the driver has the page of the run open: then the driver probably sees the turn there. It goes out
    nevertheless if the driver posts nothing (`selectors.turn_not_begun`), and always before the reminder.
    """
    seen = turn.seat.seen_open_at
    if seen is None or now - seen > OPEN_FOR:
        return None
    waits = [timedelta(minutes=settings.SEEN_TURN_MAIL_MINUTES), (turn.deadline - now) / SHARE]
    if turn.remind_at is not None:
        waits.append(turn.remind_at - now)
    return max(now + min(waits), now)
