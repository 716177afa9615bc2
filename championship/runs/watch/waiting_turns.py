"""Which turns wait for their drivers, which notices are sent about them, and what follows when no seat
is left to play.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import F, Q

from championship.notices import services as notices
from championship.notices.services import Letter, drop_many
from championship.rallies.clock.rounds_together import drives_together
from championship.rallies.models import Entry
from championship.rallies.services import Finish, record_back_after_stage, record_stage_times
from championship.runs.models import Practice, Run, Seat, SentAhead, Turn
from championship.runs.play.finishing import why_retired
from championship.runs.signals import codriver_to_play
from engine import registry

WAITING_KINDS = ("turn waits", "turn closes soon")
"""Kinds of notices that say that a turn waits and until when."""


def drop_waiting_notices(turn: Turn) -> None:
    """Drop unsent notices that this turn waits, since it has ended or has its full time again."""
    drop_many(kinds=WAITING_KINDS, subject_keys=subjects_of(turn))


def subject_of(turn: Turn, given: int = 1) -> str:
    """Return the subject key of notices about this turn. `given` numbers its deadlines, so that one notice is sent for
    each.
    """
    subject = f"run {turn.run_id} turn {turn.number}"
    return subject if given == 1 else f"{subject} again {given}"


def subjects_of(turn: Turn) -> list[str]:
    """Return the subject keys of notices about any of the turn's deadlines."""
    return [subject_of(turn, given) for given in range(1, turn.given + 1)]


def is_waited_for(turn: Turn) -> bool:
    """Return whether a turn that begins waits for its driver, who must then be notified. False for turns that the
    codriver plays, and for turns that begin in a holiday in which the codriver stands in.
    """
    return not turn.seat.codriver_drives and not (turn.stands_in and turn.deadline <= turn.since)


def codriver_may_play(now: datetime) -> Q:
    """Return the condition for turns that the codriver may play now: turns of cars that were handed over for good;
    after their deadline, turns of cars whose wheel the codriver has for this turn or the rest of the stage; and, in
    rounds driven together, turns that come up after the round's deadline.
    """
    at_the_wheel = Q(seat__codriver_since__isnull=False, deadline__lte=now)
    behind = Q(drives_together("run__special_stage__rally"), deadline__lte=now)
    return Q(seat__entry__driven_by=Entry.DrivenBy.CODRIVER) | at_the_wheel | behind


def may_codriver_play(turn: Turn, now: datetime) -> bool:
    """Return whether the codriver may play this turn now: `codriver_may_play` for a turn in memory."""
    at_the_wheel = turn.seat.codriver_since is not None
    behind = turn.run.special_stage.rally.together
    for_good = turn.seat.entry.driven_by == Entry.DrivenBy.CODRIVER
    return for_good or ((at_the_wheel or behind) and turn.deadline <= now)


def orders_wait(turn: Turn) -> bool:
    """Return whether the driver has orders ahead that wait. One query."""
    return turn.seat.sent_ahead.filter(state=SentAhead.State.WAITING).exists()


def plan_is_due() -> Q:
    """Return the condition for turns whose orders ahead were there when the turn began, and have not
    been played yet.
    """
    waits = Q(seat__sent_ahead__state=SentAhead.State.WAITING)
    return waits & Q(seat__sent_ahead__sent_at__lte=F("since"))


def call_codriver(run: Run, *, now: datetime) -> None:
    """After the commit, ask a worker to play turns of this run if the codriver must play one now, or if orders ahead
    were left.

    Not while the rally is paused: only people play then.
    """
    due = run.turns.filter(codriver_may_play(now) | plan_is_due(), ended_at=None, to_come=False)
    if run.special_stage.rally.paused_at is None and due.exists():
        codriver_to_play.send(Run, run_id=run.pk)


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


def finish_run(run: Run, *, now: datetime) -> None:
    """Finish a run in which every car has finished or retired: its results go to the rally, and its secret may be
    shown.
    """
    result = registry.get(run.game).result(run.state)
    if result is None:
        raise AssertionError(f"nobody is to play in {run}, yet it is not over")
    run.status, run.finished_at = Run.Status.FINISHED, now
    run.save(update_fields=["status", "finished_at"])
    Practice.objects.filter(rally=run.special_stage.rally_id, ended_at=None).update(ended_at=now)
    entries = {seat.driver: seat.entry for seat in run.seats.select_related("entry__driver")}
    for seat in run.seats.filter(handed_over=Seat.HandedOver.STAGE):
        record_back_after_stage(entry=entries[seat.driver], special_stage=run.special_stage)
    reasons = why_retired(run, result)
    by_codriver = run.turns.exclude(done__in=["", Turn.Done.RETIRED])
    helped = set(by_codriver.values_list("seat__driver", flat=True))
    finishes = [
        Finish(
            entry=entries[one.seat],
            measure=one.measure,
            rank=one.rank,
            retired=one.status == "retired",
            reason=reasons.get(one.seat, ""),
            detail=one.detail,
            car=one.luggage,
            stood_in=one.seat in helped,
        )
        for one in result.seats
    ]
    record_stage_times(special_stage=run.special_stage, finishes=finishes)
