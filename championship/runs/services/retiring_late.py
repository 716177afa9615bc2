"""An open stage closes: cars that are still driving retire."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction

from championship.rallies.models import SpecialStage
from championship.runs.models import Run
from championship.runs.services.advancing import advance
from championship.runs.services.advancing_run import load_runs, locked_run
from championship.runs.services.missed_deadlines import handle_missed_deadline

logger = logging.getLogger(__name__)


def retire_late(*, special_stage: SpecialStage, now: datetime, limit: int = 200) -> int:
    """Retire the cars still driving on a stage whose time is over, each run in its own transaction. Returns how many
    runs that ended. A stage that closes later by now keeps its cars.

    The sweep of deadlines does the same for each turn. The one that comes second finds the run over and does nothing.
    """
    running = Run.objects.filter(special_stage=special_stage, status=Run.Status.RUNNING).order_by("pk")
    ended = 0
    for run_id in list(running.values_list("pk", flat=True)[:limit]):
        try:
            with transaction.atomic():
                ended += _retire(run_id, now)
        except Exception:
            logger.exception("late run %s could not be ended", run_id)
    return ended


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
