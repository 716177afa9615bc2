"""Open turns follow what their deadlines depend on: the rally's pace and pauses, holidays, who drives.

Each is called after the commit of the change, since runs are locked before rallies and people. Should the process
die in between, the sweep finds out before it acts on a deadline or writes a reminder.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from championship import clock
from championship.deadlines.lifecycle import TIMED, begin, follow, hand_back, hand_over
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.runs.services.awaited_turns import call_codriver, is_waited_for, tell, withdraw_told


@transaction.atomic
def follow_run(run_id: int, *, now: datetime) -> int:
    """Set deadlines and reminders of a run's open turns by what holds now; how many turns that changed."""
    run = Run.objects.select_for_update(of=("self",)).select_related("special_stage__rally").get(pk=run_id)
    if run.status != Run.Status.RUNNING:
        return 0
    moved = 0
    turns = run.turns.filter(ended_at=None).select_for_update(of=("self",))
    for turn in turns.select_related("seat__entry__driver"):
        turn.run = turn.seat.run = run
        if follow(turn, now=now):
            turn.save(update_fields=TIMED)
            moved += 1
    call_codriver(run, now=now)
    return moved


def follow_rally(*, rally: Rally) -> int:
    """The rally's pace or its reminders have changed, or it goes on after a pause; how many turns that changed."""
    now = clock.now()
    runs = Run.objects.filter(special_stage__rally=rally, status=Run.Status.RUNNING).order_by("pk")
    return sum(follow_run(run_id, now=now) for run_id in runs.values_list("pk", flat=True))


def follow_person(*, person_id: int) -> int:
    """A person has other holidays, nights elsewhere, or wants other reminders; how many turns that changed."""
    now = clock.now()
    runs = Run.objects.filter(seats__entry__driver_id=person_id, status=Run.Status.RUNNING).order_by("pk")
    return sum(follow_run(run_id, now=now) for run_id in runs.values_list("pk", flat=True))


@transaction.atomic
def change_hands(*, entry: Entry, anew: bool = False) -> None:
    """An entry was handed to the codriver, or back: its open turns are due at once, or have the time that was left.
    `anew`: an organiser has handed it back, and they have all their time.

    Who drives it is looked at under the lock, so that of two hand-overs the later one stands.
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
        turns = run.turns.filter(ended_at=None, seat__entry=entry).select_for_update(of=("self",))
        for turn in turns.select_related("seat__entry__driver"):
            turn.run = turn.seat.run = run
            if turn.played:
                withdraw_told(turn)
                hand_over(turn, now=now)
            elif anew:
                withdraw_told(turn)
                begin(turn, now=now)
            elif not hand_back(turn, now=now):
                continue
            turn.save(update_fields=TIMED)
            if is_waited_for(turn) and turn.deadline > now:
                tell(turn, "turn waits")
