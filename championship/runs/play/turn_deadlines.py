"""What the clock does in runs: acting on the deadlines of turns, and playing the codriver's turns. The sweep calls
`Turns`.

A run that another process has locked is left to that process, or to the next sweep.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from championship.deadlines.customers import Outage
from championship.deadlines.lifecycle import TIMING_FIELDS, excuse, follow
from championship.deadlines.services.sweeping import acts_of, without_unexcused
from championship.platform import clock
from championship.rallies.models import Entry
from championship.runs.models import Run, Turn
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import is_left_over, load_runs
from championship.runs.play.deadline_changes import follow_run
from championship.runs.play.evening_time import asks_the_others
from championship.runs.play.missed_deadlines import drive_batch, handle_missed_deadline, stand_in
from championship.runs.play.playing import drive_for
from championship.runs.play.turn_notices import notify_driver
from championship.runs.watch.deadline_health import unwaited_runs
from championship.runs.watch.waiting_turns import (
    codriver_may_play,
    has_orders_ahead,
    may_codriver_play,
    orders_ahead_are_due,
)

logger = logging.getLogger(__name__)

RALLY = "run__special_stage__rally"


class Turns:
    """Turns that wait for their drivers, with the interface that the sweep needs."""

    name = "turns"
    locks = 1
    unit = "run"

    def rows(self) -> QuerySet[Turn]:
        """Return the open turns whose time runs. In a paused rally or in practice none is due."""
        return Turn.objects.filter(
            ended_at=None, run__status=Run.Status.RUNNING, **{f"{RALLY}__paused_at": None, f"{RALLY}__practice": False}
        )

    def brisk(self, rows: QuerySet[Turn]) -> QuerySet[Turn]:
        """Return the turns among these of rallies that are driven at the pace of an evening."""
        return rows.filter(**{f"{RALLY}__evening_since__isnull": False})

    def due(self, now: datetime) -> QuerySet[Turn]:
        """Return the turns that the clock must play: their deadline has passed, or the codriver drives the car, or an
        earlier post left their orders ahead to a worker.
        """
        open_turns = Turn.objects.filter(ended_at=None, to_come=False).order_by().values("pk")
        late = open_turns.filter(deadline__lte=now)
        handed_over = open_turns.filter(seat__entry__driven_by=Entry.DrivenBy.CODRIVER)
        with_orders_ahead = open_turns.filter(orders_ahead_are_due())
        # A union, so that each part uses its own index. With OR, PostgreSQL reads all rows.
        return self.rows().filter(pk__in=late.union(handed_over, with_orders_ahead, all=True))

    def act(self, row_ids: Collection[int], now: datetime) -> int:
        """Play these turns if they are still due. Returns how many were."""
        return drive_due(turn_ids=row_ids, now=now)

    def with_related(self, rows: QuerySet[Turn]) -> QuerySet[Turn]:
        """Add stage, rally and driver to the query."""
        return rows.select_related(RALLY, "seat__entry__driver")

    def remind(self, row: Turn) -> None:
        """Queue the notice that the turn closes soon, unless the driver's orders already wait for the cars ahead."""
        if not (row.to_come and has_orders_ahead(row)):
            notify_driver(row, "turn closes soon")

    def follow(self, row_ids: Collection[int], now: datetime) -> None:
        """Update the open turns of these turns' runs to the present facts."""
        runs = Turn.objects.filter(pk__in=row_ids).order_by("run").values_list("run_id", flat=True).distinct()
        for run_id in list(runs):
            follow_run(run_id, now=now)

    def affected(self, outage: Outage) -> list[int]:
        """Return the runs with turns whose drivers were kept from playing by an outage of the clock, also in paused
        rallies.
        """
        waiting = self.brisk(_all_waiting()) if outage.brisk else _all_waiting()
        asleep = outage.affected(waiting).exclude(seat__entry__driven_by=Entry.DrivenBy.CODRIVER)
        runs = asleep.filter(seat__codriver_since=None).order_by("run").values_list("run_id", flat=True)
        return list(runs.distinct())

    def excuse(self, unit: int, outage: Outage) -> int:
        """Give time back to the turns of one run. Returns how many."""
        return _excuse(unit, outage)

    def stuck_texts(self) -> list[str]:
        """Return the running runs in which a driver who is to play has no open turn."""
        return unwaited_runs()

    def overdue_text(self, row: Turn) -> str:
        """Return the name of a turn for the operator: rally, turn and the run's key."""
        return f"{row.run.special_stage.rally} / {row} {row.run.key}"


def _all_waiting() -> QuerySet[Turn]:
    """The turns that wait in running runs, also in paused rallies, but not in practice."""
    return Turn.objects.filter(run__status=Run.Status.RUNNING, **{f"{RALLY}__practice": False})


def _excuse(run_id: int, outage: Outage) -> int:
    """Excuse the turns of one run. Waits for a process that has locked the run, since another of its cars may be due.
    Returns how many turns changed.
    """
    if not Run.objects.select_for_update().filter(pk=run_id, status=Run.Status.RUNNING).exists():
        return 0
    moved = 0
    affected = outage.affected(_all_waiting()).filter(run=run_id).select_for_update(of=("self",))
    for turn in affected.select_related(RALLY, "seat__entry__driver"):
        turn.seat.run = turn.run
        if not turn.codriver_drives:
            excuse(turn, outage)
            turn.save(update_fields=TIMING_FIELDS)
            moved += 1
    return moved


def drive_due(*, turn_ids: Iterable[int], now: datetime) -> int:
    """Play these turns if they are still due: simple ones together in one transaction, each of the others in its own.
    Returns how many were due.

    A run that another process has locked is left to that process, or to the next sweep. A failure in one run does not
    stop the others: its turn is put off. Drivers are notified of what was done in their name.
    """
    tries, done = acts_of(Turns.name, now), set[int]()
    turns = [turn_id for turn_id in turn_ids if not tries.is_put_off(turn_id)]
    if len(turns) > 1:
        try:
            done = drive_batch(turns, now=now)
        except Exception:
            logger.exception("%s due turns could not be driven together", len(turns))
    driven = len(done)
    for turn_id in turns:
        if turn_id not in done:
            driven += tries.attempt(turn_id, partial(_drive_if_due, turn_id, now, call=True)) or 0
    return driven


def act_on_deadlines(*, now: datetime, limit: int = 200) -> int:
    """Play up to `limit` due turns in this process. Returns how many were due."""
    due = Turns().due(now).order_by("deadline")
    return drive_due(turn_ids=list(due.values_list("pk", flat=True)[:limit]), now=now)


@transaction.atomic
def _drive_if_due(turn_id: int, now: datetime, *, call: bool = False, wait: bool = False) -> bool:
    """Play one turn if it is still due. `call`: whether a worker is asked to play the codriver's turns that follow.
    `wait`: whether to wait for a process that has locked the run, instead of leaving the turn to it.
    """
    run = (
        Run.objects.select_for_update(skip_locked=not wait, of=("self",))
        .select_related("special_stage__rally")
        .filter(turns=turn_id, status=Run.Status.RUNNING)
        .first()
    )
    if run is None or run.special_stage.rally.paused_at is not None or is_left_over(run):
        return False
    [advancing] = load_runs([run])
    turn = next((turn for turn in advancing.turns.values() if turn.pk == turn_id), None)
    if turn is None or turn.to_come:
        return False
    now = max(now, turn.since)  # it may have begun while this transaction waited for the lock
    ahead = advancing.orders_ahead.get(turn.seat.name)
    if ahead is not None and not turn.codriver_drives:
        advance([advancing], now=now, call=call)
        if turn.ended_at is not None or advancing.orders_ahead.get(turn.seat.name) is not ahead:
            return True
    if not (may_codriver_play(turn, now) or turn.overdue(now)):
        return False
    if follow(turn, now=now):  # a change was committed, but its call of `follow_run` was lost
        turn.save(update_fields=TIMING_FIELDS)
        if not turn.overdue(now):
            return False
    if turn.codriver_drives:
        drive_for(advancing, turn, now=now)
    elif turn.stands_in or turn.sent_in_time:
        stand_in(advancing, turn, now=now)
    elif asks_the_others(advancing, turn, now=now):
        return True
    else:
        handle_missed_deadline(advancing, turn, now=now)
    advance([advancing], now=now, call=call)
    return True


def drive_codrivers(*, run_id: int, most: int = 60) -> bool:
    """Play the turns of this run that the codriver plays, and the orders ahead that a post has left, `most` turns at
    most. Returns whether there may be more.

    Waits for a process that has locked the run: that process may not know yet that the codriver is to play next. Plays
    nothing as long as an outage of the run remains to be excused.
    """
    skipped = None
    if not without_unexcused(Run.objects.filter(pk=run_id), Turns.name, "pk").exists():
        return False
    for _ in range(most):
        now = clock.now()
        turn = Turn.objects.filter(
            codriver_may_play(now) | orders_ahead_are_due(), run=run_id, ended_at=None, to_come=False
        ).first()
        if turn is None or turn.pk == skipped:
            return False
        if not _drive_if_due(turn.pk, now, wait=True):  # another process has played it, or the rally is paused
            skipped = turn.pk
    return True
