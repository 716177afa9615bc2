"""Play the missed turns of many runs together: one transaction and a few queries for all of them.

This covers only the simple case: a deadline was missed in a rally where a miss has no penalty and no lasting effect,
and the run continues afterwards. All other turns are left to be played one by one. So are those for which the codrivers
of a game that plan for long leave no time: all runs of the batch are locked until its end.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from django.db import transaction

from championship.deadlines.lifecycle import Facts, is_up_to_date
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run, Turn
from championship.runs.play.advancing import advance_in_memory, flush_and_finish
from championship.runs.play.advancing_run import AdvancingRun, load_runs
from championship.runs.play.missed_deadlines import handle_missed_deadline
from championship.runs.watch.deadline_facts import facts_for

logger = logging.getLogger(__name__)

MOST_SECONDS = 1.0
"""How long the codrivers of one batch may plan. A page waits twice as long for a locked run."""


@transaction.atomic
def drive_batch(turn_ids: Collection[int], *, now: datetime) -> set[int]:
    """Play those of these turns that are simple. Returns the ids of the turns that were played. Runs that another
    process has locked, and turns that are not simple, are left alone.
    """
    asked, simple = set(turn_ids), []
    for each in load_runs(_locked(asked)):
        turns = [turn for turn in each.turns.values() if turn.pk in asked]
        if turns and all(_is_simple(turn, now) for turn in turns):
            simple.append((each, turns))
    since = min((turn.since for _each, turns in simple for turn in turns), default=now)
    facts = facts_for([turn.seat for _each, turns in simple for turn in turns], since) if simple else None
    driven = [] if facts is None else _play_in_time(simple, facts, now)
    advanced = [each for each in advance_in_memory(driven, now=now, raise_errors=False) if not each.over]
    done = {turn.pk for each in advanced for turn in each.changes.clock_turns}
    flush_and_finish(advanced, now=now)
    return done


def _locked(turn_ids: Iterable[int]) -> list[Run]:
    """Lock the runs of these turns that no other process has locked, and return them with stage and rally."""
    wanted = list(Turn.objects.filter(pk__in=list(turn_ids), ended_at=None).values_list("run_id", flat=True))
    found = Run.objects.select_for_update(skip_locked=True).filter(pk__in=wanted, status=Run.Status.RUNNING)
    runs = list(found.defer("stage", "entrants").order_by("pk"))
    wanted_stages = {run.special_stage_id for run in runs}
    stages = SpecialStage.objects.filter(pk__in=wanted_stages).select_related("rally").defer("spec").in_bulk()
    for run in runs:
        run.special_stage = stages[run.special_stage_id]
    return runs


def _is_simple(turn: Turn, now: datetime) -> bool:
    rally = turn.run.special_stage.rally
    costs_nothing = not (rally.miss_penalty or rally.retire_after) and rally.after_miss == Rally.AfterMiss.TURN
    on_time = rally.pace == Rally.Pace.TURN and rally.paused_at is None and not rally.practice
    spared = turn.seat.codriver_drives or turn.stands_in or turn.to_come or turn.sent_in_time
    return costs_nothing and on_time and turn.overdue(now) and not spared


def _play_in_time(simple: Sequence[tuple[AdvancingRun, list[Turn]]], facts: Facts, now: datetime) -> list[AdvancingRun]:
    """Play the missed turns of these runs in memory until MOST_SECONDS have passed, at least those of one run. Returns
    the runs in which that worked.
    """
    played, began = list[AdvancingRun](), time.monotonic()
    for each, turns in simple:
        if _play_missed(each, turns, facts, now):
            played.append(each)
        if time.monotonic() - began >= MOST_SECONDS:
            break
    return played


def _play_missed(each: AdvancingRun, turns: Iterable[Turn], facts: Facts, now: datetime) -> bool:
    """Play these missed turns in memory, and return whether that worked. Returns False when the deadline of one of them
    has changed.
    """
    if not all(is_up_to_date(turn, facts) for turn in turns):
        return False
    try:
        for turn in turns:
            handle_missed_deadline(each, turn, now=now)
    except Exception:
        logger.exception("due turns of run %s will be driven one by one", each.run.pk)
        return False
    return True
