"""Advance runs after a post of a driver, of the codriver or of the clock. Turns end and begin, orders ahead are played,
notices are queued, stages end, and a worker is asked to play the codriver's turns. A run in which no seat is left to
play is finished: its results go to the rally, with the reasons of cars that retired.

The functions that advance take any number of runs at once.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext_noop, override

from championship.deadlines.lifecycle import Facts, begin, left_in_bank
from championship.platform import task_dispatch
from championship.platform.prepared_queries import any_of, prepared
from championship.rallies.clock.evening_rules import Dropped
from championship.rallies.models import Entry
from championship.rallies.results.retirement_reasons import RESIGNED, Why
from championship.rallies.services import Finish, drop_out, record_back_after_stage, record_stage_times
from championship.runs.models import Event, Practice, Run, Seat, SentAhead, Turn
from championship.runs.play.advancing_run import AdvancingRun, FailedAfterDraw
from championship.runs.play.rounds import make_turn_current, mark_sent_in_time, seats_of_round
from championship.runs.play.scenes_done import pass_exam
from championship.runs.play.turn_notices import codriver_to_play
from championship.runs.play.writing import flush
from championship.runs.watch.next_miss import has_dropped_out
from championship.runs.watch.waiting_turns import facts_for, may_codriver_play, subject_of
from engine import registry
from engine.contract import Feats, Ledgers, OrdersAhead, Retirements, RuleError, StageResult, offered, required

logger = logging.getLogger(__name__)

MAX_AUTOMATIC_TURNS = 500
"""The highest number of turns that may be played automatically after one post. No stage has as many turns in a row
without a decision.
"""
MAX_ORDERS_PER_TASK = 12
"""How many orders ahead one post, or one task of a worker, plays in a run. A worker plays the others after the commit.
"""
REASON_RETIRED = gettext_noop("this car drives no more on this stage")
REASON_CODRIVER = gettext_noop("the codriver drives the car")
REASON_RULES_CHANGED = gettext_noop("the rules have changed since the plan was sent")
REASON_FAULT = gettext_noop("a fault of the service stopped it after a draw; in this turn you may only send it again")


def advance(runs: Sequence[AdvancingRun], *, now: datetime, call: bool = True) -> None:
    """Advance locked runs as far as they go without a decision of any person, and write all changes.

    `call`: whether a worker is asked to play the codriver's turns after the commit.
    """
    flush_and_finish(advance_in_memory(runs, now=now), now=now, call=call)


def flush_and_finish(runs: Sequence[AdvancingRun], *, now: datetime, call: bool = True) -> None:
    """Write all changes made in memory, finish the runs that are over, and ask a worker to play the
    codriver's turns.
    """
    flush(runs, now=now)
    for advancing in runs:
        if advancing.over and advancing.run.status == Run.Status.RUNNING:
            finish_run(advancing.run, now=now)
        elif call and (advancing.orders_left or _codriver_is_to_play(advancing, now)):
            codriver_to_play(advancing.run.pk)


def _codriver_is_to_play(advancing: AdvancingRun, now: datetime) -> bool:
    """Return whether the codriver must play a turn now. Returns False while the rally is paused: only
    people play then.
    """
    if advancing.run.special_stage.rally.paused_at is not None:
        return False
    return any(may_codriver_play(turn, now) for turn in advancing.turns.values() if not turn.to_come)


def advance_in_memory(runs: Sequence[AdvancingRun], *, now: datetime, raise_errors: bool = True) -> list[AdvancingRun]:
    """In memory: end the turns that were made, begin those that follow, and play those that need no decision. Writes
    nothing.

    Returns the runs that were advanced. An exception in one run is raised when `raise_errors`; otherwise it is logged
    and that run is left out.
    """
    seats = [seat for advancing in runs for seat in advancing.seats.values()]
    numbers = cache(lambda: _turn_counts_by_run(runs))
    facts = cache(lambda: facts_for(seats, now))
    advanced = []
    for advancing in runs:
        advancing.orders_left = False
        try:
            _update_turns(advancing, numbers, facts, now)
            for _turn in range(MAX_AUTOMATIC_TURNS):
                if not _play_automatic_turn(advancing, now):
                    break
                _update_turns(advancing, numbers, facts, now)
            _drop_orders_of_retired_seats(advancing, now)
        except Exception:
            if raise_errors:
                raise
            logger.exception("run %s could not be advanced", advancing.run.pk)
            continue
        advanced.append(advancing)
    return advanced


def _turn_counts_by_run(runs: Sequence[AdvancingRun]) -> dict[int, int]:
    return defaultdict(int, _turn_counts(runs=[advancing.run.pk for advancing in runs]))


@prepared
def _turn_counts(runs: Any) -> QuerySet[Turn, tuple[Any, ...]]:
    counted = Turn.objects.filter(run__in=any_of(runs)).order_by().values("run")
    return counted.annotate(n=Count("pk")).values_list("run", "n")


def _update_turns(
    advancing: AdvancingRun, numbers: Callable[[], dict[int, int]], facts: Callable[[], Facts], now: datetime
) -> None:
    """End the turns of seats that have made them, and begin turns for the seats that play now."""
    rules, state = advancing.rules, advancing.run.state
    playing, waiting = rules.to_play(state), seats_of_round(advancing)
    for name, turn in list(advancing.turns.items()):
        waits = name in playing or (turn.to_come and name in waiting)
        if not waits or rules.turns_made(state, name) != turn.made_before:
            _end_turn(advancing, turn, now)
        elif turn.to_come and name in playing:
            make_turn_current(advancing, turn)
    for name, seat in advancing.seats.items():
        if name in advancing.turns or name not in (*playing, *waiting):
            continue
        numbers()[advancing.run.pk] += 1
        turn = Turn(run=advancing.run, number=numbers()[advancing.run.pk], seat=seat, to_come=name not in playing)
        turn.made_before = rules.turns_made(state, name)
        begin(turn, now=now, facts=None if seat.codriver_drives else facts())
        advancing.turns[name] = turn
        advancing.changes.begun.append(turn)


def _end_turn(advancing: AdvancingRun, turn: Turn, now: datetime) -> None:
    """End the turn. The time that the driver has not used goes to the bank. A driver who handed over this turn only has
    the wheel again.
    """
    turn.ended_at = now
    advancing.changes.ended.append(advancing.turns.pop(turn.seat.name))
    left = left_in_bank(turn, now=now)
    if left is not None:
        turn.seat.entry.bank_seconds = turn.policy.banked(left)
        advancing.changes.seats_with_changed_bank.append(turn.seat)
    if turn.seat.handed_over == Seat.HandedOver.TURN:
        turn.seat.codriver_since, turn.seat.handed_over = None, ""
        advancing.changes.returned_wheels.append(turn.seat)


def _play_automatic_turn(advancing: AdvancingRun, now: datetime) -> bool:
    """Play one turn that needs no decision: its orders were sent ahead, or there is only one way to go on. Returns
    whether there was such a turn.
    """
    rules, sending = advancing.rules, offered(advancing.rules, OrdersAhead)
    for seat, turn in advancing.turns.items():
        if turn.to_come:
            continue
        choices = rules.choices(advancing.run.state, seat)
        begins = seat in advancing.orders_ahead and sending is not None and sending.begins(advancing.run.state, seat)
        if begins and advancing.orders_played >= MAX_ORDERS_PER_TASK:
            advancing.orders_left = True
            continue
        ahead = advancing.orders_ahead.pop(seat, None) if begins else None
        if ahead is not None and _play_orders_ahead(advancing, ahead, turn, now, waits=choices.forced is None):
            return True
        if choices.forced:
            advancing.play(seat, rules.autopilot(advancing.run.state, seat), now=now)
            return True
    return False


def _play_orders_ahead(advancing: AdvancingRun, ahead: SentAhead, turn: Turn, now: datetime, *, waits: bool) -> bool:
    """Play orders ahead, now that their turn has begun. Returns False when they are not played after all.

    `waits`: whether the driver has a decision to make in this turn.
    """
    seat = ahead.seat
    if seat.codriver_drives:
        _return_as_draft(advancing, ahead, turn, RuleError("O1", REASON_CODRIVER), now, waits=False)
        return False
    orders = required(advancing.rules, OrdersAhead).joined(ahead.laid, ahead.orders)
    changed = _reason_not_to_play(advancing, ahead, orders)
    if changed is not None:
        _return_as_draft(advancing, ahead, turn, changed, now, waits=waits)
        return False
    try:
        advancing.play(seat.name, orders, by=seat.entry.driver, now=now, salt=ahead.salt)
    except Exception as error:  # somebody else's post, or the sweep, opened the turn: it must not fail because of these
        logger.exception("orders ahead %s could not be driven", ahead.pk)
        why = REASON_RULES_CHANGED
        if isinstance(error, FailedAfterDraw):
            advancing.hold(seat.name, orders, ahead.salt)
            why = REASON_FAULT
        _return_as_draft(advancing, ahead, turn, RuleError("O1", why), now, waits=waits)
        return False
    ahead.turn = turn
    advancing.orders_played += 1
    advancing.changes.handed_in.append((seat, False))
    _settle_orders(advancing, ahead, SentAhead.State.DRIVEN, now)
    if required(advancing.rules, OrdersAhead).lasts(ahead.orders):
        _keep_for_next_turn(advancing, ahead)
    return True


def _keep_for_next_turn(advancing: AdvancingRun, ahead: SentAhead) -> None:
    """Keep orders that hold until they are withdrawn: they wait again, for the next turn. When that turn comes, the
    situation is still compared with the one that the driver saw when sending them.
    """
    kept = {name: getattr(ahead, name) for name in ("seat", "person", "laid", "orders", "salt", "outlook", "version")}
    renewed = SentAhead(**kept, sent_at=ahead.sent_at)
    advancing.orders_ahead[ahead.seat.name] = renewed
    advancing.changes.settled_orders.append(renewed)


def _reason_not_to_play(advancing: AdvancingRun, ahead: SentAhead, orders: dict[str, Any]) -> RuleError | None:
    """Return why orders ahead must not be played now, or None when nothing prevents it. Any fault of the orders is
    returned, never raised: somebody else's post opened the turn.
    """
    try:
        sending = required(advancing.rules, OrdersAhead)
        return sending.changed(ahead.outlook, sending.outlook(advancing.run.state, ahead.seat.name, orders))
    except RuleError as error:
        return error
    except (KeyError, TypeError, ValueError, AttributeError):
        return RuleError("O1", REASON_RULES_CHANGED)


def _return_as_draft(
    advancing: AdvancingRun, ahead: SentAhead, turn: Turn, why: RuleError, now: datetime, *, waits: bool
) -> None:
    """Return orders ahead to the driver as a draft. The notice says why, and also that the turn waits."""
    ahead.turn = turn
    _settle_orders(advancing, ahead, SentAhead.State.NOT_DRIVEN, now, why)
    advancing.changes.returned_orders.append(ahead)
    if advancing.run.special_stage.rally.together and not ahead.seat.codriver_drives:
        mark_sent_in_time(advancing, turn)
    with override(ahead.seat.entry.driver.language or None):
        advancing.queue_notice(turn, "plan not driven", why=ahead.why, rule=ahead.rule, waits=waits)
        if turn.pk:  # the turn began earlier, when its orders were left for a worker and no notice was sent
            advancing.queue_notice(turn, "turn waits")
    advancing.changes.duplicate_subjects.append(subject_of(turn, turn.given))


def _drop_orders_of_retired_seats(advancing: AdvancingRun, now: datetime) -> None:
    """Settle the orders ahead of cars that have no turn on this stage any more. They are not played."""
    for seat in list(advancing.orders_ahead):
        try:
            required(advancing.rules, OrdersAhead).ahead(advancing.run.state, seat)
        except RuleError:
            if seat not in advancing.turns:
                _settle_orders(
                    advancing,
                    advancing.orders_ahead.pop(seat),
                    SentAhead.State.NOT_DRIVEN,
                    now,
                    RuleError("O1", REASON_RETIRED),
                )


def _settle_orders(
    advancing: AdvancingRun, ahead: SentAhead, state: SentAhead.State, now: datetime, why: RuleError | None = None
) -> None:
    """Settle orders ahead: they no longer wait."""
    ahead.state, ahead.settled_at = state, now
    if why is not None:
        ahead.reason, ahead.values, ahead.rule, ahead.move = why.template, why.values, why.rule, why.move
    advancing.changes.settled_orders.append(ahead)


def finish_run(run: Run, *, now: datetime) -> None:
    """Finish a run in which every car has finished or retired: its results go to the rally, and its secret may be
    shown.
    """
    result = registry.get(run.game).result(run.state)
    if result is None:
        raise AssertionError(f"nobody is to play in {run}, yet it is not over")
    run.status, run.finished_at = Run.Status.FINISHED, now
    run.save(update_fields=["status", "finished_at"])
    Practice.objects.filter(rally=run.special_stage.rally_id, ended_at=None).update(ended_at=now)
    entries = {seat.name: seat.entry for seat in run.seats.select_related("entry__driver")}
    for seat in run.seats.filter(handed_over=Seat.HandedOver.STAGE):
        record_back_after_stage(entry=entries[seat.name], special_stage=run.special_stage)
    reasons = why_retired(run, result)
    by_codriver = run.turns.exclude(done__in=["", Turn.Done.RETIRED])
    helped = set(by_codriver.values_list("seat__name", flat=True))
    knows = offered(registry.get(run.game), Feats)
    feats = {} if knows is None else knows.feats_of(run.state)
    finishes = [
        Finish(
            entry=entries[one.seat],
            measure=one.measure,
            rank=one.rank,
            retired=one.status == "retired",
            reason=reasons.get(one.seat, ""),
            detail=one.detail,
            car=one.luggage,
            stood_in=one.seat in helped,
            feats=[feat for feat, seats in feats.items() if one.seat in seats],
        )
        for one in result.seats
    ]
    _drop_out(run, entries)
    record_stage_times(special_stage=run.special_stage, finishes=finishes)
    pass_exam(run, result)
    if offered(registry.get(run.game), Ledgers) is not None:
        task_dispatch.after_commit(task_dispatch.named("championship.runs.tasks.keep_missing_ledgers"))


def _drop_out(run: Run, entries: Mapping[str, Entry]) -> None:
    """Let drivers drop out of an evening who ran out of time too often in a row, and have not come back in this run. It
    happens only now: before, it could tell of a turn that is hidden.
    """
    rally = run.special_stage.rally
    rules = rally.rules_of_evening
    if not rules.drop_after or not rally.keeps_seconds:
        return
    gone = run.seats.filter(codriver_since__isnull=False, handed_over="")
    if rules.dropped == Dropped.OUT:
        retired = run.turns.filter(missed=True, done=Turn.Done.RETIRED)
        gone = run.seats.filter(pk__in=retired.values("seat"))
    for driver in gone.values_list("name", flat=True):
        if has_dropped_out(rally, entries[driver].pk):
            drop_out(entry=entries[driver], dropped=rules.dropped)


def why_retired(run: Run, result: StageResult) -> dict[str, str]:
    """Return the reasons by seat. One query, none when no car has retired.

    Outside practice, a seat that gave up without sending such orders retired for missed deadlines. Where the game
    states reasons in events, a retired seat without a reason could not start.
    """
    retired = {one.seat: one.reason for one in result.seats if one.status == "retired"}
    if not retired:
        return {}
    capability = offered(registry.get(run.game), Retirements)
    reasons, by_the_clock = _reasons_from_events(run, capability) if capability else ({}, _retired_by_the_clock(run))
    practice = run.special_stage.rally.practice

    def why(seat: str, said: str) -> str:
        reason = said or reasons.get(seat) or ("" if capability is None else Why.NOT_STARTED)
        missed = reason in (Why.GAVE_UP, RESIGNED) and seat in by_the_clock and not practice
        return str(Why.MISSED if missed else reason)

    return {seat: why(seat, said) for seat, said in retired.items()}


def _reasons_from_events(run: Run, capability: Retirements) -> tuple[dict[str, str], set[str]]:
    """Return the reasons by seat that events state, and the seats whose orders to retire were not sent by a person."""
    reasons, by_the_clock = dict[str, str](), set[str]()
    told = Event.objects.filter(run=run).order_by("number").values_list("data", "post", "post__by")
    for (_post, by), events in groupby(told, lambda event: event[1:]):
        for driver, reason in capability.retirements([data for data, *_post in events]).items():
            reasons[driver] = reason
            if by is None:
                by_the_clock.add(driver)
    return reasons, by_the_clock


def _retired_by_the_clock(run: Run) -> set[str]:
    """Return the seats that were retired for missed deadlines."""
    return set(run.turns.filter(done=Turn.Done.RETIRED).values_list("seat__name", flat=True))
