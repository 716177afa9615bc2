"""Update open turns when something changes that their deadlines depend on: the rally's pace and pauses, holidays, who
drives.

Each function is called after the commit of the change, since runs are locked before rallies and people. If the process
dies in between, the sweep notices the change before it acts on a deadline or sends a reminder.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from championship.deadlines.lifecycle import TIMING_FIELDS, begin, follow, hand_back, hand_over
from championship.platform import clock
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.runs.play.turn_notices import call_codriver, drop_waiting_notices, notify_driver
from championship.runs.watch.waiting_turns import is_waited_for

logger = logging.getLogger(__name__)


@transaction.atomic
def follow_run(run_id: int, *, now: datetime) -> int:
    """Update deadlines and reminders of a run's open turns to the present facts. Returns how many turns changed."""
    run = Run.objects.select_for_update(of=("self",)).select_related("special_stage__rally").get(pk=run_id)
    if run.status != Run.Status.RUNNING:
        return 0
    moved = 0
    turns = run.turns.filter(ended_at=None).select_for_update(of=("self",))
    for turn in turns.select_related("seat__entry__driver"):
        turn.run = turn.seat.run = run
        if follow(turn, now=now):
            turn.save(update_fields=TIMING_FIELDS)
            moved += 1
    call_codriver(run, now=now)
    return moved


def follow_rally(*, rally: Rally) -> int:
    """Update open turns after a change of the rally's pace or reminders, or the end of a pause. Returns how many turns
    changed.
    """
    now = clock.now()
    return _follow_each(Run.objects.filter(special_stage__rally=rally, status=Run.Status.RUNNING), now)


def follow_person(*, person_id: int) -> int:
    """Update a driver's open turns after a change of their holidays, time zone or reminders. Returns how many turns
    changed.
    """
    now = clock.now()
    return _follow_each(Run.objects.filter(seats__entry__driver_id=person_id, status=Run.Status.RUNNING), now)


def _follow_each(runs: QuerySet[Run], now: datetime) -> int:
    """Update these runs, each in its own transaction. A run that fails stops no other; the sweep updates it later."""
    moved = 0
    for run_id in list(runs.order_by("pk").values_list("pk", flat=True)):
        try:
            moved += follow_run(run_id, now=now)
        except Exception:
            logger.exception("run %s could not follow a change", run_id)
    return moved


@transaction.atomic
def follow_handover(*, entry: Entry, full_time: bool = False) -> None:
    """Update open turns after an entry was handed to the codriver for good, or back: a hand-over for a turn or a stage
    ends with it. Handed to the codriver, they are due at
    once; handed back, they have the time that was left. `full_time`: an organiser has handed the entry back, so the
    driver has the full time.

    The present driver is read under the lock, so that of two changes at the same time the later one counts.
    """
    now = clock.now()
    run_ids = list(Run.objects.filter(seats__entry=entry, status=Run.Status.RUNNING).values_list("pk", flat=True))
    runs = list(
        Run.objects.select_for_update(of=("self",))
        .select_related("special_stage__rally")
        .filter(pk__in=run_ids)
        .order_by("pk")
    )
    for run in runs:
        run.seats.filter(entry=entry).exclude(handed_over="").update(codriver_since=None, handed_over="")
        turns = run.turns.filter(ended_at=None, seat__entry=entry).select_for_update(of=("self",))
        for turn in turns.select_related("seat__entry__driver"):
            turn.run = turn.seat.run = run
            if turn.codriver_drives:
                drop_waiting_notices(turn)
                hand_over(turn, now=now)
            elif full_time:
                drop_waiting_notices(turn)
                begin(turn, now=now)
            elif not hand_back(turn, now=now):
                continue
            turn.save(update_fields=TIMING_FIELDS)
            if is_waited_for(turn) and turn.deadline > now:
                notify_driver(turn, "turn waits")
