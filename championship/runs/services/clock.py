"""What the clock does to runs: reminders, deadlines, codrivers. Each row is claimed under a lock, so each is
done once.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from championship.rallies.models import Entry
from championship.runs.models import Run, Turn
from championship.runs.services.playing import drive_for
from championship.runs.services.waiting import tell, times_of


def act_on_deadlines(*, now: datetime, limit: int = 200) -> int:
    """Drive the turns whose deadline has passed, each in a transaction of its own; how many that were.

    A run that somebody else holds is left to them, or to the next sweep. The driver is told what was done in
    their name.
    """
    due = Turn.objects.filter(ended_at=None, deadline__lte=now).order_by("deadline").values_list("pk", flat=True)
    return sum(_drive_if_due(turn_id, now) for turn_id in due[:limit])


@transaction.atomic
def _drive_if_due(turn_id: int, now: datetime) -> bool:
    run = (
        Run.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("special_stage__rally")
        .filter(turns=turn_id, status=Run.Status.RUNNING)
        .first()
    )
    if run is None:
        return False
    turn = run.turns.select_related("place__entry__driver").get(pk=turn_id)
    if not turn.overdue(now):
        return False
    drive_for(run, turn, now=now)
    if turn.place.entry.driven_by == Entry.DrivenBy.PERSON:
        Turn.objects.filter(pk=turn.pk).update(missed=True)
        tell(turn, "turn driven for you")
    return True


def drive_codrivers(*, run_id: int, most: int = 60) -> bool:
    """Drive the turns of this run that the codriver plays and that are due, up to `most`; whether some may be left."""
    for _ in range(most):
        turn = Turn.objects.filter(
            run=run_id, ended_at=None, deadline__lte=timezone.now(), place__entry__driven_by=Entry.DrivenBy.CODRIVER
        ).first()
        if turn is None or not _drive_if_due(turn.pk, timezone.now()):
            return False
    return True


def remind(*, now: datetime, limit: int = 500) -> int:
    """Write the reminders that are due; how many. A turn is reminded of once."""
    with transaction.atomic():
        turns = list(
            Turn.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(ended_at=None, remind_at__lte=now)
            .select_related("run__special_stage__rally", "place__entry__driver")
            .order_by("remind_at")[:limit]
        )
        for turn in turns:
            turn.remind_at = None
            tell(turn, "turn closes soon")
        Turn.objects.bulk_update(turns, ["remind_at"])
    return len(turns)


@transaction.atomic
def change_hands(*, entry: Entry) -> None:
    """An entry was handed to the codriver, or back: its open turns are due at once, or get their time anew."""
    now = timezone.now()
    entry = Entry.objects.select_related("rally").get(pk=entry.pk)
    run_ids = list(Run.objects.filter(places__entry=entry, status=Run.Status.RUNNING).values_list("pk", flat=True))
    for run in Run.objects.select_for_update(of=("self",)).filter(pk__in=run_ids).order_by("pk"):
        for turn in run.turns.filter(ended_at=None, place__entry=entry):
            played = entry.driven_by == Entry.DrivenBy.CODRIVER
            turn.since = now
            turn.deadline, turn.remind_at = times_of(entry.rally, played=played, now=now)
            turn.save(update_fields=["deadline", "since", "remind_at"])
