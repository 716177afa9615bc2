"""An open stage closes: cars that are still driving retire. One that cannot be retired keeps no other waiting."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from championship.failures.services import Attempts
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run, Seat
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import load_runs, locked_run
from championship.runs.play.missed_deadlines import handle_missed_deadline

LATE = "late run"
"""The kind of work in `failures`. Its units are runs."""


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
