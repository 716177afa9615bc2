"""What the clock does to runs: reminders, deadlines, codrivers. Each row is claimed under a lock, so each is
done once.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from championship.rallies.models import Entry
from championship.runs.models import Run, Turn
from championship.runs.services.playing import drive_for
from championship.runs.services.waiting import call_codriver, tell, times_of

logger = logging.getLogger(__name__)


def act_on_deadlines(*, now: datetime, limit: int = 200) -> int:
    """Drive the turns that are due, each in a transaction of its own; how many that were.

    Due is who has let the deadline pass, and whom the codriver plays. A run that somebody else holds is left to
    them, or to the next sweep; one that cannot be driven stops no other. The driver is told what was done in
    their name.
    """
    due = Turn.objects.filter(Q(deadline__lte=now) | Q(place__entry__driven_by=Entry.DrivenBy.CODRIVER), ended_at=None)
    driven = 0
    for turn_id in due.order_by("deadline").values_list("pk", flat=True)[:limit]:
        try:
            driven += _drive_if_due(turn_id, now, call=True)
        except Exception:
            logger.exception("turn %s is due and could not be driven", turn_id)
    return driven


@transaction.atomic
def _drive_if_due(turn_id: int, now: datetime, *, call: bool = False) -> bool:
    """Drive one turn if it is still due. `call`: have a worker drive the codriver's turns that follow."""
    run = (
        Run.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("special_stage__rally")
        .filter(turns=turn_id, status=Run.Status.RUNNING)
        .first()
    )
    if run is None:
        return False
    turn = run.turns.select_related("place__entry__driver").get(pk=turn_id)
    played = turn.place.entry.driven_by == Entry.DrivenBy.CODRIVER
    if turn.ended_at is not None or not (played or turn.overdue(now)):
        return False
    drive_for(run, turn, now=now)
    if call:
        call_codriver(run)
    if not played:
        Turn.objects.filter(pk=turn.pk).update(missed=True)
        tell(turn, "turn driven for you")
    return True


def drive_codrivers(*, run_id: int, most: int = 60) -> bool:
    """Drive the turns of this run that the codriver plays, up to `most`; whether some may be left."""
    for _ in range(most):
        turn = Turn.objects.filter(run=run_id, ended_at=None, place__entry__driven_by=Entry.DrivenBy.CODRIVER).first()
        if turn is None or not _drive_if_due(turn.pk, timezone.now()):
            return False
    return True


def remind(*, now: datetime, limit: int = 500) -> int:
    """Write the reminders that are due; how many. A turn is reminded of once, and not when it is too late."""
    with transaction.atomic():
        turns = list(
            Turn.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(ended_at=None, remind_at__lte=now, deadline__gt=now)
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
    """An entry was handed to the codriver, or back: its open turns are due at once, or get their time anew.

    Who drives it is looked at under the lock, so that of two hand-overs the later one stands.
    """
    now = timezone.now()
    run_ids = list(Run.objects.filter(places__entry=entry, status=Run.Status.RUNNING).values_list("pk", flat=True))
    runs = list(Run.objects.select_for_update(of=("self",)).filter(pk__in=run_ids).order_by("pk"))
    entry = Entry.objects.select_related("rally").get(pk=entry.pk)
    for run in runs:
        for turn in run.turns.filter(ended_at=None, place__entry=entry):
            played = entry.driven_by == Entry.DrivenBy.CODRIVER
            turn.since = now
            turn.deadline, turn.remind_at = times_of(entry.rally, played=played, now=now)
            turn.save(update_fields=["deadline", "since", "remind_at"])
            if not played:
                tell(turn, "turn waits")
