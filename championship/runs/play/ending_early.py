"""Runs end before their cars are through. A rally is called off: every running run stops. An open stage closes: cars
that are still driving retire, and one that cannot be retired keeps no other waiting.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.failures.services import Attempts
from championship.platform import clock
from championship.platform.refusals import Stale
from championship.rallies import services as rallies
from championship.rallies.models import Rally, SpecialStage, StageTime
from championship.runs.models import Run, Seat, SentAhead
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import load_runs, locked_run
from championship.runs.play.missed_deadlines import handle_missed_deadline
from championship.runs.play.organisers_and_wheels import log_waiting_acts
from championship.runs.play.turn_notices import drop_waiting_notices

LATE = "late run"
"""The kind of work in `failures`. Its units are runs."""


@transaction.atomic
def call_off(*, by: User, rally: Rally, reason: str) -> Rally:
    """Cancel the rally, before its start or while it runs. No driver is to play any more, and no turn waits.

    The results so far stay readable. Only organisers may do it; entrants are notified of the reason. Doing it twice has
    the same effect as once.

    Raises: as rallies' `cancel_rally`; also Stale when a stage opens at the same moment.
    """
    now = clock.now()
    runs = Run.objects.filter(special_stage__rally=rally, status=Run.Status.RUNNING).order_by("pk")
    locked = list(runs.select_for_update(of=("self",)))
    rally = rallies.cancel_rally(by=by, rally=rally, reason=reason)
    if runs.exclude(pk__in=[run.pk for run in locked]).exists():
        raise Stale(_("The next one has just opened. Look again."))
    _stop(locked, now)
    return rally


def lock_running(special_stage: SpecialStage) -> list[Run]:
    """Return the runs of a stage that are on the road, locked: before the rally is, as a post locks them."""
    running = Run.objects.filter(special_stage=special_stage, status=Run.Status.RUNNING).order_by("pk")
    return list(running.select_for_update(of=("self",)))


def stop_stage(*, rally: Rally, special_stage: SpecialStage, locked: Sequence[Run], retired: Collection[int]) -> None:
    """Stop a stage on the road. Its runs end where they are, and every car that has no result gets one without a
    measure. Cars keep the state in which they started. `locked`: from `lock_running`; the rally is locked too.
    `retired`: the entries that have retired in these runs. The caller ends the stage.

    Raises: Stale when a run has opened since.
    """
    now = clock.now()
    seats = list(Seat.objects.filter(run__in=locked).select_related("entry"))
    known = {run.pk for run in locked}
    running = Run.objects.filter(special_stage=special_stage, status=Run.Status.RUNNING)
    if running.exclude(pk__in=known).exists():
        raise Stale(_("The next one has just opened. Look again."))
    _stop(locked, now)
    have = set(special_stage.times.values_list("entry_id", flat=True))
    StageTime.objects.bulk_create(
        StageTime(special_stage=special_stage, entry=seat.entry, retired=seat.entry_id in retired, car=seat.entry.car)
        for seat in seats
        if seat.entry_id not in have
    )


def _stop(locked: Sequence[Run], now: datetime) -> None:
    """End locked runs where they are: nobody is to play any more."""
    for run in locked:
        for turn in run.turns.filter(ended_at=None):
            turn.ended_at = now
            turn.save(update_fields=["ended_at"])
            drop_waiting_notices(turn)
    orders_ahead = SentAhead.objects.filter(seat__run__in=locked, state=SentAhead.State.WAITING)
    orders_ahead.update(state=SentAhead.State.WITHDRAWN, settled_at=now)
    ended = Run.objects.filter(pk__in=[run.pk for run in locked], status=Run.Status.RUNNING)
    ended.update(status=Run.Status.CANCELLED, finished_at=now, hidden=False)
    untold = Seat.objects.filter(run__in=locked, unlogged__isnull=False)
    log_waiting_acts(untold.select_related("entry", "run__special_stage__rally"))


def retire_late(*, special_stage: SpecialStage, now: datetime, limit: int = 200) -> int:
    """Retire the cars still driving on a stage whose time is over, each run in its own transaction. Returns how many
    runs that ended. A stage that closes later by now keeps its cars.

    The sweep of deadlines does the same for each turn. The one that comes second finds the run over and does nothing.
    """
    tries, ended = Attempts(LATE, now=now), 0
    running = Run.objects.filter(special_stage=special_stage, status=Run.Status.RUNNING).order_by("pk")
    for run_id in list(running.exclude(pk__in=tries.put_off()).values_list("pk", flat=True)[:limit]):
        ended += tries.attempt(run_id, partial(_retire, run_id, now)) or 0
    return ended


def failing_cars(*, special_stage: SpecialStage, now: datetime) -> set[int]:
    """Return the entries of the stage whose cars could not be retired, and are put off. Two queries."""
    seats = Seat.objects.filter(special_stage=special_stage, run__status=Run.Status.RUNNING)
    put_off = [int(unit) for unit in Attempts(LATE, now=now).put_off()]
    return set(seats.filter(run__in=put_off).values_list("entry_id", flat=True))


def rallies_with_failing_cars(*, now: datetime) -> QuerySet[Rally]:
    """Return the rallies with cars that could not be retired when their stage closed."""
    failed = [int(unit) for unit in Attempts(LATE, now=now).failed_before()]
    runs = Run.objects.filter(pk__in=failed, status=Run.Status.RUNNING)
    return Rally.objects.filter(pk__in=runs.values("special_stage__rally"))


@transaction.atomic
def _retire(run_id: int, now: datetime) -> bool:
    run = locked_run(run_id)
    closed = SpecialStage.objects.filter(pk=run.special_stage_id, closes_at__lte=now).exists()
    if run.status != Run.Status.RUNNING or not closed:
        return False
    [advancing] = load_runs([run])
    for turn in list(advancing.turns.values()):
        handle_missed_deadline(advancing, turn, now=now)
    advance([advancing], now=now, call=False)
    return True
