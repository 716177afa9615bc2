"""What the clock does to runs: reminders, deadlines, codrivers. Each row is claimed under a lock, so each is
done once, however many sweeps and workers there are.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from championship import clock
from championship.rallies.models import Entry
from championship.rallies.services import excuse_closing
from championship.runs.models import Run, Sweep, Turn
from championship.runs.services.following import follow_run
from championship.runs.services.missing import miss, stand_in
from championship.runs.services.playing import drive_for
from championship.runs.services.timing import TIMED, excuse, follow, lasts
from championship.runs.services.together import drive_together
from championship.runs.services.waiting import call_codriver, played_by_now, tell

logger = logging.getLogger(__name__)

DEADLINES = "deadlines"
"""The sweep's row."""
OUTAGE = timedelta(minutes=10)
"""So long without a sweep, and the clock stood still: who let a deadline pass meanwhile has not missed it."""
GRACE = timedelta(hours=1)
"""What such a driver has left at least, and who would have less when the clock goes again."""
CLAIM = timedelta(seconds=50)
"""For so long a turn is left to the worker whom a sweep gave it; a message that was lost delays it to the next one."""
CHUNK = 50
"""Turns in one task."""


def due_turns(now: datetime) -> QuerySet[Turn]:
    """Turns that the clock has to make: whose driver has let the deadline pass, and whom the codriver plays.

    Nothing is due in a rally that is paused, or driven to practise.
    """
    return Turn.objects.filter(
        Q(deadline__lte=now) | Q(place__entry__driven_by=Entry.DrivenBy.CODRIVER),
        ended_at=None,
        run__status=Run.Status.RUNNING,
        run__special_stage__rally__paused_at=None,
        run__special_stage__rally__practice=False,
    )


def sweep(*, now: datetime, limit: int = 20_000) -> list[list[int]]:
    """Take the turns that are due, for `drive_due`, in chunks by their ids. Another sweep does not take them as well.

    What is taken and not driven is taken again by a sweep a little later: a chunk may be lost.
    """
    excuse_outage(now=now)
    with transaction.atomic():
        free = due_turns(now).filter(Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM))
        ids = list(
            free.select_for_update(skip_locked=True, of=("self",))
            .order_by("deadline", "pk")
            .values_list("pk", flat=True)[:limit]
        )
        Turn.objects.filter(pk__in=ids).update(claimed_at=now)
    return [ids[first : first + CHUNK] for first in range(0, len(ids), CHUNK)]


def drive_due(*, turn_ids: Iterable[int], now: datetime) -> int:
    """Drive these turns if they are still due: what is plain together, all else each in a transaction of its own;
    how many that were.

    A run that somebody else holds is left to them, or to the next sweep; one that cannot be driven stops no other.
    The driver is told what was done in their name.
    """
    turns = list(turn_ids)
    done: set[int] = set()
    if len(turns) > 1:
        try:
            done = drive_together(turns, now=now)
        except Exception:
            logger.exception("%s due turns could not be driven together", len(turns))
    driven = len(done)
    for turn_id in turns:
        if turn_id in done:
            continue
        try:
            driven += _drive_if_due(turn_id, now, call=True)
        except Exception:
            logger.exception("turn %s is due and could not be driven", turn_id)
    return driven


def act_on_deadlines(*, now: datetime, limit: int = 200) -> int:
    """Drive up to `limit` turns that are due, here and now; how many that were."""
    return drive_due(turn_ids=list(due_turns(now).order_by("deadline").values_list("pk", flat=True)[:limit]), now=now)


@transaction.atomic
def _drive_if_due(turn_id: int, now: datetime, *, call: bool = False, wait: bool = False) -> bool:
    """Drive one turn if it is still due. `call`: have a worker drive the codriver's turns that follow; `wait`: for
    whoever holds the run, instead of leaving it to them.
    """
    run = (
        Run.objects.select_for_update(skip_locked=not wait, of=("self",))
        .select_related("special_stage__rally")
        .filter(turns=turn_id, status=Run.Status.RUNNING)
        .first()
    )
    if run is None or run.special_stage.rally.paused_at is not None:
        return False
    turn = run.turns.select_for_update(of=("self",)).select_related("place__entry__driver").get(pk=turn_id)
    turn.run = turn.place.run = run
    now = max(now, turn.since)  # it may have begun while the run was waited for
    handed_over = turn.place.entry.driven_by == Entry.DrivenBy.CODRIVER
    if turn.ended_at is not None or not (handed_over or turn.overdue(now)):
        return False
    if follow(turn, now=now):  # what moves its deadline was committed, and its own follow-up was lost
        turn.save(update_fields=TIMED)
        if not turn.overdue(now):
            return False
    if turn.place.played:
        drive_for(run, turn, now=now)
    elif turn.stands_in:
        stand_in(run, turn, now=now)
    else:
        miss(run, turn, now=now)
    if call:
        call_codriver(run, now=now)
    return True


def drive_codrivers(*, run_id: int, most: int = 60) -> bool:
    """Drive the turns of this run that the codriver plays, up to `most`; whether some may be left.

    Whoever holds the run is waited for: they may not know yet that the codriver is to play next.
    """
    left_alone = None
    for _ in range(most):
        now = clock.now()
        turn = Turn.objects.filter(played_by_now(now), run=run_id, ended_at=None).first()
        if turn is None or turn.pk == left_alone:
            return False
        if not _drive_if_due(turn.pk, now, wait=True):  # somebody else made it meanwhile, or the rally is paused
            left_alone = turn.pk
    return True


@transaction.atomic
def excuse_outage(*, now: datetime) -> int:
    """Note that the clock goes, and give time back where it had stood still; how many turns that moved.

    After more than OUTAGE without a sweep, the time since the last one is not counted for any turn whose deadline has
    passed in it, or passes within GRACE from now, and GRACE is left at least. A sweep that was less late than that
    excuses nobody, and whoever has more than GRACE left keeps their deadline. A rally that is paused is no exception:
    what passed before the pause began is excused too. Where a stage closes, it closes later for all that is left of it.
    """
    swept, first = Sweep.objects.select_for_update().get_or_create(name=DEADLINES, defaults={"at": now})
    last, swept.at = swept.at, max(swept.at, now)
    swept.save(update_fields=["at"])
    if first or now - last <= OUTAGE:
        return 0
    asleep = _asleep(last, now).exclude(place__entry__driven_by=Entry.DrivenBy.CODRIVER)
    runs = asleep.filter(place__codriver_since=None).order_by("run").values_list("run_id", flat=True).distinct()
    moved = sum(_excuse(run_id, last, now) for run_id in runs)
    excuse_closing(last=last, now=now, least=GRACE)  # after the runs: these are locked before rallies
    return moved


def _asleep(last: datetime, now: datetime) -> QuerySet[Turn]:
    """Turns whose driver the clock, still since `last`, has kept from their time."""
    return Turn.objects.filter(
        ended_at=None,
        stands_in=False,
        since__lt=now,
        deadline__gt=last,
        deadline__lt=now + GRACE,
        run__status=Run.Status.RUNNING,
        run__special_stage__rally__practice=False,
    )


def _excuse(run_id: int, last: datetime, now: datetime) -> int:
    """Excuse the turns of one run. Who drives it at this moment is waited for: another of its cars may be due."""
    if not Run.objects.select_for_update().filter(pk=run_id, status=Run.Status.RUNNING).exists():
        return 0
    moved = 0
    turns = _asleep(last, now).filter(run=run_id).select_for_update(of=("self",))
    for turn in turns.select_related("run__special_stage__rally", "place__entry__driver"):
        turn.place.run = turn.run
        if not turn.place.played:
            excuse(turn, since=last, until=now, least=GRACE)
            turn.save(update_fields=TIMED)
            moved += 1
    return moved


def remind(*, now: datetime, limit: int = 500) -> int:
    """Write the reminders that are due, up to `limit`; how many. A driver is reminded of a deadline once, and not when
    it is too late. Turns are held for a CHUNK of them at a time: who drives one meanwhile waits for no more than that.

    A turn whose deadline has yet to follow a change is left to that.
    """
    told, behind, left = 0, set[int](), limit
    while left > 0:
        found, written = _remind_some(now, min(CHUNK, left), behind)
        told, left = told + written, left - CHUNK
        if found < CHUNK:
            break
    for run_id in behind:
        follow_run(run_id, now=now)
    return told


def _remind_some(now: datetime, most: int, behind: set[int]) -> tuple[int, int]:
    """Write up to so many reminders; how many were due and how many are written. Runs whose turns have yet to follow
    a change go into `behind`, and are passed over.
    """
    told = 0
    with transaction.atomic():
        turns = list(
            Turn.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(ended_at=None, remind_at__lte=now, deadline__gt=now)
            .filter(run__special_stage__rally__paused_at=None, run__special_stage__rally__practice=False)
            .exclude(run__in=behind)
            .select_related("run__special_stage__rally", "place__entry__driver")
            .order_by("remind_at")[:most]
        )
        for turn in turns:
            if lasts(turn):
                turn.remind_at, turn.reminded_of = None, turn.deadline
                tell(turn, "turn closes soon")
                told += 1
            else:
                behind.add(turn.run_id)
        Turn.objects.bulk_update(turns, ["remind_at", "reminded_of"])
    return len(turns), told
