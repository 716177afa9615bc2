"""Who is waited for, what they are told of it, and what follows when nobody is left to play."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import F, Q

from championship.notices import services as notices
from championship.notices.services import Letter, drop_many
from championship.rallies.models import Entry
from championship.rallies.services import record_stage_time
from championship.runs.models import Practice, Run, SentAhead, Turn
from championship.runs.services.retirements import why_retired
from championship.runs.signals import codriver_to_play
from engine import registry

TOLD = ("turn waits", "turn closes soon")
"""Kinds of notices that say until when a turn waits."""


def withdraw_told(turn: Turn) -> None:
    """That this turn waits is not sent any more: it has ended, or has all its time again."""
    drop_many(kinds=TOLD, subject_keys=subjects_of(turn))


def subject_of(turn: Turn, given: int = 1) -> str:
    """What notices about this turn are about; `given`: about which of its deadlines, so that each is told once."""
    subject = f"run {turn.run_id} turn {turn.number}"
    return subject if given == 1 else f"{subject} again {given}"


def subjects_of(turn: Turn) -> list[str]:
    """What notices about any of its deadlines are about."""
    return [subject_of(turn, given) for given in range(1, turn.given + 1)]


def is_waited_for(turn: Turn) -> bool:
    """Whether a turn that begins waits for its driver, who then is told; the codriver's do not, nor those of a holiday
    during which it stands in.
    """
    return not turn.seat.played and not (turn.stands_in and turn.deadline <= turn.since)


def played_by_now(now: datetime) -> Q:
    """Which turns the codriver may make at once: of cars handed over for good, and of
    those it has the wheel of for the rest of a stage, when their turn comes; and those of rounds driven together that
    come up after the round's deadline.
    """
    at_the_wheel = Q(seat__codriver_since__isnull=False, deadline__lte=now)
    behind = Q(run__special_stage__rally__rounds_together=True, deadline__lte=now)
    return Q(seat__entry__driven_by=Entry.DrivenBy.CODRIVER) | at_the_wheel | behind


def orders_wait(turn: Turn) -> bool:
    """Whether its driver has sent orders ahead that nothing has kept from being carried out: one query."""
    return turn.seat.sent_ahead.filter(state=SentAhead.State.WAITING).exists()


def plan_is_due() -> Q:
    """Which turns had a plan sent ahead when they began, which nobody has driven yet."""
    waits = Q(seat__sent_ahead__state=SentAhead.State.WAITING)
    return waits & Q(seat__sent_ahead__sent_at__lte=F("since"))


def call_codriver(run: Run, *, now: datetime) -> None:
    """After the commit, let a worker drive the turns of this run that the codriver plays, if that is who is to play,
    and those whose plan was left.

    Not while the rally is paused: then only people drive.
    """
    due = run.turns.filter(played_by_now(now) | plan_is_due(), ended_at=None, to_come=False)
    if run.special_stage.rally.paused_at is None and due.exists():
        codriver_to_play.send(Run, run_id=run.pk)


def tell(turn: Turn, kind: str, **said: Any) -> None:
    """Write the driver a notice about this turn, once a kind and deadline given; `said` feeds its words. Practice is
    not written about.
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
    """What the driver is told about this turn."""
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
    """Everyone is in or has retired: the run is over, its times go to the rally, its secret may be shown."""
    result = registry.get(run.game).result(run.state)
    if result is None:
        raise AssertionError(f"nobody is to play in {run}, yet it is not over")
    run.status, run.finished_at = Run.Status.FINISHED, now
    run.save(update_fields=["status", "finished_at"])
    Practice.objects.filter(rally=run.special_stage.rally_id, ended_at=None).update(ended_at=now)
    entries = {seat.driver: seat.entry for seat in run.seats.select_related("entry")}
    reasons = why_retired(run, result)
    by_codriver = run.turns.filter(done__in=[Turn.Done.DRIVEN, Turn.Done.PENALISED, Turn.Done.STOOD_IN])
    helped = set(by_codriver.values_list("seat__driver", flat=True))
    for one in result.seats:
        record_stage_time(
            special_stage=run.special_stage,
            entry=entries[one.seat],
            measure=one.measure,
            rank=one.rank,
            retired=one.status == "retired",
            reason=reasons.get(one.seat, ""),
            detail=one.detail,
            car=one.luggage,
            stood_in=one.seat in helped,
        )
