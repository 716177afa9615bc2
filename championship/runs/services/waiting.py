"""Whose turn it is: the open turn of a run, its deadline and reminder, and what follows when the stage is over."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from championship.notices import services as notices
from championship.rallies.models import Entry, Rally
from championship.rallies.services import record_stage_time
from championship.runs import tasks
from championship.runs.models import Place, Run, Turn
from engine import ruleset


def wait_for_next(run: Run, *, now: datetime) -> None:
    """Close turns that have ended, open those of who plays next; hand over stage times when nobody is left to play.

    The run row is locked, or new. A driver whom the codriver plays is due at once; anyone else is told.
    """
    rules = ruleset.get(run.game)
    playing = set(rules.to_play(run.state))
    for turn in run.turns.filter(ended_at=None).select_related("place"):
        if turn.place.driver in playing and rules.turns_made(run.state, turn.place.driver) == turn.made_before:
            playing.remove(turn.place.driver)
        else:
            _end_turn(turn, now)
    for place in run.places.filter(driver__in=playing).select_related("entry__driver"):
        _open_turn(run, place, made_before=rules.turns_made(run.state, place.driver), now=now)
    if not rules.to_play(run.state):
        finish_run(run, now=now)


def _end_turn(turn: Turn, now: datetime) -> None:
    """The driver has made the turn: nobody is reminded of it any more."""
    turn.ended_at = now
    turn.save(update_fields=["ended_at"])
    for kind in ("turn waits", "turn closes soon"):
        notices.drop(kind=kind, subject_key=subject_of(turn))


def subject_of(turn: Turn) -> str:
    """What notices about this turn are about."""
    return f"run {turn.run_id} turn {turn.number}"


def _open_turn(run: Run, place: Place, *, made_before: int, now: datetime) -> None:
    rally = run.special_stage.rally
    played = place.entry.driven_by == Entry.DrivenBy.CODRIVER
    deadline, remind_at = times_of(rally, played=played, now=now)
    turn = Turn.objects.create(
        run=run,
        number=run.turns.count() + 1,
        place=place,
        made_before=made_before,
        since=now,
        deadline=deadline,
        remind_at=remind_at,
    )
    if not played:
        tell(turn, "turn waits")


def call_codriver(run: Run) -> None:
    """After the commit, let a worker drive the turns of this run that the codriver plays, if that is who is to play."""
    if run.turns.filter(ended_at=None, place__entry__driven_by=Entry.DrivenBy.CODRIVER).exists():
        run_id = run.pk
        transaction.on_commit(lambda: tasks.drive_codrivers.delay(run_id), robust=True)


def times_of(rally: Rally, *, played: bool, now: datetime) -> tuple[datetime, datetime | None]:
    """When a turn that opens now is due, and when its driver is reminded; the codriver's are due at once."""
    if played:
        return now, None
    deadline = now + timedelta(hours=rally.turn_hours)
    return deadline, deadline - timedelta(hours=rally.reminder_hours) if rally.reminder_hours else None


def tell(turn: Turn, kind: str) -> None:
    """Write the driver a notice about this turn, once a kind."""
    run = turn.run
    notices.enqueue(
        recipient=turn.place.entry.driver,
        kind=kind,
        subject_key=subject_of(turn),
        context={
            "rally": run.special_stage.rally.name,
            "stage": run.special_stage.number,
            "deadline": turn.deadline,
            "turn": turn.pk,
        },
        link=run.get_absolute_url(),
    )


def finish_run(run: Run, *, now: datetime) -> None:
    """Everyone is in or has retired: the run is over, its times go to the rally, its secret may be shown."""
    result = ruleset.get(run.game).result(run.state)
    if result is None:
        raise AssertionError(f"nobody is to play in {run}, yet it is not over")
    run.status, run.finished_at = Run.Status.FINISHED, now
    run.save(update_fields=["status", "finished_at"])
    entries = {place.driver: place.entry for place in run.places.select_related("entry")}
    for finish in result.finishes:
        record_stage_time(
            special_stage=run.special_stage,
            entry=entries[finish.driver],
            seconds=finish.seconds,
            retired=finish.retired,
            cards_seconds=finish.cards_seconds,
            car=finish.car,
        )
