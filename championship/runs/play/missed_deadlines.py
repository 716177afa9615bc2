"""What the clock does at a missed deadline by the rally's rules, and how the driver takes the wheel back.

Missed turns of many runs are played together, in one transaction and a few queries for all of them. This covers only
the simple case: a deadline was missed in a rally where a miss has no penalty and no lasting effect, and the run
continues afterwards. All other turns are left to be played one by one. So are those for which the codrivers of a game
that plan for long leave no time: all runs of the batch are locked until its end.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.deadlines.lifecycle import TIMING_FIELDS, Facts, begin, is_up_to_date
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.results.measures import plain
from championship.runs.models import Run, Turn
from championship.runs.play.advancing import advance_in_memory, flush_and_finish
from championship.runs.play.advancing_run import AdvancingRun, load_runs, locked_run
from championship.runs.play.handing_over import give_wheel_back
from championship.runs.play.organisers_and_wheels import Act
from championship.runs.play.playing import drive_for
from championship.runs.play.revealing import log_wheel_taken_back
from championship.runs.play.turn_notices import call_codriver, drop_waiting_notices, notify_driver
from championship.runs.watch import watching
from championship.runs.watch.next_miss import drops_out, what_a_miss_does
from championship.runs.watch.waiting_turns import facts_for

logger = logging.getLogger(__name__)
MOST_SECONDS = 1.0
"""How long the codrivers of one batch may plan. A page waits twice as long for a locked run."""


def handle_missed_deadline(advancing: AdvancingRun, turn: Turn, *, now: datetime) -> None:
    """Do what the rally's rules say about a missed deadline, and notify the driver. `advance` writes the changes, and
    gives the penalty before the stage ends. Where others may not know yet that the turn was made, the penalty is owed
    until they may.
    """
    run, seat = advancing.run, turn.seat
    rally = run.special_stage.rally
    turn.missed, turn.done = True, what_a_miss_does(rally, turn)
    if turn.done == Turn.Done.RETIRED:
        advancing.play(seat.name, advancing.rules.resign(run.state, seat.name), now=now)
    else:
        if turn.done == Turn.Done.PENALISED:
            turn.owed = rally.miss_penalty
        if rally.after_miss == Rally.AfterMiss.STAGE or rally.closes_for_all or drops_out(rally, turn):
            seat.codriver_since = now
            seat.save(update_fields=["codriver_since"])
        drive_for(advancing, turn, now=now)
    advancing.changes.clock_turns.append(turn)
    advancing.queue_notice(
        turn,
        "turn driven for you",
        done="closed" if rally.for_everybody else turn.done,
        amount=rally.miss_penalty,
        measure=plain(rally.measure),
        take_back_until=seat.take_back_until,
    )
    if (
        not run.hidden and not rally.keeps_seconds
    ):  # in an evening everybody sees it; otherwise organisers may not know yet that the deadline was missed
        advancing.changes.late.append(seat)


def stand_in(advancing: AdvancingRun, turn: Turn, *, now: datetime) -> None:
    """Let the codriver play a turn while the driver is on holiday. This is not a missed deadline. `advance` writes the
    changes.
    """
    drive_for(advancing, turn, now=now)
    turn.done = Turn.Done.STOOD_IN
    advancing.changes.clock_turns.append(turn)
    advancing.queue_notice(turn, "turn driven for you", done=Turn.Done.STOOD_IN, take_back_until=None)


@transaction.atomic
def take_wheel(*, by: User, run: Run) -> Run:
    """Give the wheel back to the driver, from the codriver who has had it since a missed deadline or a hand-over. After
    a missed deadline a turn that waits has its full time again, after a hand-over the time that was left.

    Raises: Forbidden when the person does not drive in the run.
    Raises: Stale when the driver already has the wheel, or the stage is over.
    Raises: Refused when it is too late to take the wheel back.
    """
    run = locked_run(run.pk)
    seat = run.seats.select_related("entry__driver", "entry__rally").filter(entry__driver=by).first()
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1", game=run.game)
    if run.status != Run.Status.RUNNING:
        raise Stale(str(run.special_stage.rally.words.over))
    if seat.codriver_since is None:
        raise Stale(_("You have the wheel."))
    now, until = clock.now(), seat.take_back_until
    if seat.handed_over:
        seat.run = run
        give_wheel_back(seat, Act(by), now=now)
        return run
    if until is None or until <= now:
        raise Refused(_too_late(until))
    secret = watching.secret_misses(run).filter(seat=seat).exists()
    seat.codriver_since, seat.taken_back_at = None, now if secret else None
    seat.save(update_fields=["codriver_since", "taken_back_at"])
    for turn in run.turns.filter(ended_at=None, seat=seat).select_for_update():
        turn.run, turn.seat = run, seat
        drop_waiting_notices(turn)
        begin(turn, now=now)
        turn.save(update_fields=TIMING_FIELDS)
        notify_driver(turn, "turn waits")
    if not secret:
        log_wheel_taken_back(seat)
    call_codriver(run, now=now)
    return run


def _too_late(until: datetime | None) -> str:
    if until is None:
        return str(_("The codriver brings the car to the finish."))
    said = date_format(timezone.localtime(until), "DATETIME_FORMAT")
    return _("The wheel could be taken back until %(when)s. The codriver brings the car to the finish.") % {
        "when": said
    }


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
    on_time = (
        rally.pace_now == Rally.Pace.TURN and not rally.keeps_seconds and rally.paused_at is None and not rally.practice
    )
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
