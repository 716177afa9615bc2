"""An open stage closes: cars that are still driving retire."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db import transaction

from championship.failures.services import Attempts
from championship.rallies.models import SpecialStage
from championship.runs.models import Run
from championship.runs.services.advancing import advance
from championship.runs.services.advancing_run import load_runs, locked_run
from championship.runs.services.missed_deadlines import handle_missed_deadline


def retire_late(*, special_stage: SpecialStage, now: datetime, limit: int = 200) -> int:
    """Retire the cars still driving on a stage whose time is over, each run in its own transaction. Returns how many
    runs that ended. A stage that closes later by now keeps its cars.

    The sweep of deadlines does the same for each turn. The one that comes second finds the run over and does nothing.
    """
    tries, ended = Attempts("late run", now=now), 0
    running = Run.objects.filter(special_stage=special_stage, status=Run.Status.RUNNING).order_by("pk")
    for run_id in list(running.exclude(pk__in=tries.put_off()).values_list("pk", flat=True)[:limit]):
        ended += tries.attempt(run_id, partial(_retire, run_id, now)) or 0
    return ended


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
