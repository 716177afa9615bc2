"""Whose turn it is: the open turn of a run, its deadline and reminder, and what follows when the stage is over."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from championship.notices import services as notices
from championship.notices.many import Letter, drop_many
from championship.rallies.models import Entry
from championship.rallies.services import record_stage_time
from championship.runs import tasks
from championship.runs.models import Place, Practice, Run, Turn
from championship.runs.services.retiring import why_retired
from championship.runs.services.timing import begin, left_in_bank
from engine import ruleset


def wait_for_next(run: Run, *, now: datetime) -> None:
    """Close turns that have ended, open those of who plays next; hand over stage times when nobody is left to play.

    The run row is locked, or new. A driver whom the codriver plays is due at once; anyone else is told.
    """
    rules = ruleset.get(run.game)
    playing = set(rules.to_play(run.state))
    for turn in run.turns.filter(ended_at=None).select_related("place__entry"):
        if turn.place.driver in playing and rules.turns_made(run.state, turn.place.driver) == turn.made_before:
            playing.remove(turn.place.driver)
        else:
            _end_turn(turn, now)
    for place in run.places.filter(driver__in=playing).select_related("entry__driver"):
        _open_turn(run, place, made_before=rules.turns_made(run.state, place.driver), now=now)
    if not rules.to_play(run.state):
        finish_run(run, now=now)


def _end_turn(turn: Turn, now: datetime) -> None:
    """The driver has made the turn: nobody is reminded of it any more, and what was not used goes to the bank."""
    turn.ended_at = now
    turn.save(update_fields=["ended_at"])
    left = left_in_bank(turn, now=now)
    if left is not None:
        Entry.objects.filter(pk=turn.place.entry_id).update(bank_seconds=left)
    withdraw_told(turn)


TOLD = ("turn waits", "turn closes soon")
"""Kinds of notices that say until when a turn waits."""


def withdraw_told(turn: Turn) -> None:
    """That this turn waits is not sent any more: it has ended, or has its time anew."""
    drop_many(kinds=TOLD, subject_keys=subjects_of(turn))


def subject_of(turn: Turn, given: int = 1) -> str:
    """What notices about this turn are about; `given`: about which of its deadlines, so that each is told once."""
    subject = f"run {turn.run_id} turn {turn.number}"
    return subject if given == 1 else f"{subject} again {given}"


def subjects_of(turn: Turn) -> list[str]:
    """What notices about any of its deadlines are about."""
    return [subject_of(turn, given) for given in range(1, turn.given + 1)]


def _open_turn(run: Run, place: Place, *, made_before: int, now: datetime) -> None:
    turn = Turn(run=run, number=run.turns.count() + 1, place=place, made_before=made_before)
    begin(turn, now=now)
    turn.save()
    if is_waited_for(turn):
        tell(turn, "turn waits")


def is_waited_for(turn: Turn) -> bool:
    """Whether a turn that begins waits for its driver, who then is told; the codriver's do not, nor those of a holiday
    during which it stands in.
    """
    return not turn.place.played and not (turn.stands_in and turn.deadline <= turn.since)


def played_by_now(now: datetime) -> Q:
    """Which turns the codriver may make at once, none of them missed by anybody: of cars handed over for good, and of
    those it has the wheel of for the rest of a stage, when their turn comes.
    """
    return Q(place__entry__driven_by=Entry.DrivenBy.CODRIVER) | Q(
        place__codriver_since__isnull=False, deadline__lte=now
    )


def call_codriver(run: Run, *, now: datetime) -> None:
    """After the commit, let a worker drive the turns of this run that the codriver plays, if that is who is to play.

    Not while the rally is paused: then only people drive.
    """
    if run.special_stage.rally.paused_at is None and run.turns.filter(played_by_now(now), ended_at=None).exists():
        run_id = run.pk
        transaction.on_commit(lambda: tasks.drive_codrivers.delay(run_id), robust=True)


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
        recipient=turn.place.entry.driver,
        kind=kind,
        subject_key=subject_of(turn, turn.given),
        context={
            "rally": rally.name,
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
    result = ruleset.get(run.game).result(run.state)
    if result is None:
        raise AssertionError(f"nobody is to play in {run}, yet it is not over")
    run.status, run.finished_at = Run.Status.FINISHED, now
    run.save(update_fields=["status", "finished_at"])
    Practice.objects.filter(rally=run.special_stage.rally_id, ended_at=None).update(ended_at=now)
    entries = {place.driver: place.entry for place in run.places.select_related("entry")}
    reasons = why_retired(run, result)
    for finish in result.finishes:
        record_stage_time(
            special_stage=run.special_stage,
            entry=entries[finish.driver],
            seconds=finish.seconds,
            retired=finish.retired,
            cards_seconds=finish.cards_seconds,
            car=finish.car,
            why=reasons.get(finish.driver, ""),
        )
