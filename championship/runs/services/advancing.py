"""Advance runs after a post of a driver, of the codriver or of the clock. Turns end and begin, orders ahead are played,
notices are queued, stages end, and a worker is asked to play the codriver's turns.

Each function takes any number of runs at once.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_noop, override

from championship.deadlines.lifecycle import Facts, begin, left_in_bank
from championship.notices import services as notices
from championship.notices.models import Notice
from championship.notices.services import Letter, drop_many, enqueue_many
from championship.prepared_queries import any_of, prepared
from championship.rallies.models import Entry
from championship.rallies.organiser_notices import letters_of_late
from championship.runs import watching
from championship.runs.draft_forms import empty
from championship.runs.models import Draft, Run, SentAhead, Turn
from championship.runs.services.awaited_turns import TOLD, finish_run, is_waited_for, letter_of, subject_of, subjects_of
from championship.runs.services.deadline_facts import facts_for
from championship.runs.services.moving_run import Moving
from championship.runs.services.revealing import reveal
from championship.runs.services.rounds_together import come_up, seats_of_round, sent_in_time, write_rounds
from championship.runs.services.row_writing import add_posts, save_runs
from championship.runs.signals import codriver_to_play
from engine.contract import OrdersAhead, RuleError, offered, required

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 500
"""The highest number of turns that may be played automatically after one post. No stage has as many turns in a row
without a decision.
"""
PLANS_AT_ONCE = 12
"""How many orders ahead one post, or one task of a worker, plays in a run. A worker plays the others after the commit.
"""
OUT = gettext_noop("this car drives no more on this stage")
CODRIVER = gettext_noop("the codriver drives the car")
OLDER = gettext_noop("the rules have changed since the plan was sent")


def advance(runs: Sequence[Moving], *, now: datetime, call: bool = True) -> None:
    """Advance locked runs as far as they go without a decision of any person, and write all changes.

    `call`: whether a worker is asked to play the codriver's turns after the commit.
    """
    settle(go_on(runs, now=now), now=now, call=call)


def settle(runs: Sequence[Moving], *, now: datetime, call: bool = True) -> None:
    """Write all changes made in memory, finish the runs that are over, and ask a worker to play the
    codriver's turns.
    """
    write(runs, now=now)
    for moving in runs:
        if moving.over:
            finish_run(moving.run, now=now)
        elif call and (moving.goes_on or _codriver_is_to_play(moving, now)):
            codriver_to_play.send(Run, run_id=moving.run.pk)


def _codriver_is_to_play(moving: Moving, now: datetime) -> bool:
    """Return whether the codriver must play a turn now. Returns False while the rally is paused: only
    people play then.
    """
    if moving.run.special_stage.rally.paused_at is not None:
        return False
    together = moving.run.special_stage.rally.together
    return any(
        turn.seat.entry.driven_by == Entry.DrivenBy.CODRIVER
        or ((turn.seat.codriver_since is not None or together) and turn.deadline <= now)
        for turn in moving.turns.values()
        if not turn.to_come
    )


# In memory ------------------------------------------------------------------------------------------


def go_on(runs: Sequence[Moving], *, now: datetime, alone: bool = True) -> list[Moving]:
    """In memory: end the turns that were made, begin those that follow, and play those that need no decision. Writes
    nothing.

    Returns the runs that were advanced. An exception in one run is raised when `alone`; otherwise it is logged and that
    run is left out.
    """
    seats = [seat for moving in runs for seat in moving.seats.values()]
    numbers = cache(lambda: _turn_counts_by_run(runs))
    facts = cache(lambda: facts_for(seats, now))
    advanced = []
    for moving in runs:
        try:
            _update_turns(moving, numbers, facts, now)
            for _turn in range(MOST_AT_ONCE):
                if not _play_automatic_turn(moving, now):
                    break
                _update_turns(moving, numbers, facts, now)
            _drop_orders_of_retired_seats(moving, now)
        except Exception:
            if alone:
                raise
            logger.exception("run %s is left to go on by itself", moving.run.pk)
            continue
        advanced.append(moving)
    return advanced


def _turn_counts_by_run(runs: Sequence[Moving]) -> dict[int, int]:
    return defaultdict(int, _turn_counts(runs=[moving.run.pk for moving in runs]))


@prepared
def _turn_counts(runs: Any) -> QuerySet[Turn, tuple[Any, ...]]:
    counted = Turn.objects.filter(run__in=any_of(runs)).order_by().values("run")
    return counted.annotate(n=Count("pk")).values_list("run", "n")


def _update_turns(
    moving: Moving, numbers: Callable[[], dict[int, int]], facts: Callable[[], Facts], now: datetime
) -> None:
    """End the turns of seats that have made them, and begin turns for the seats that play now."""
    rules, state = moving.rules, moving.run.state
    playing, waiting = rules.to_play(state), seats_of_round(moving)
    for name, turn in list(moving.turns.items()):
        waits = name in playing or (turn.to_come and name in waiting)
        if not waits or rules.turns_made(state, name) != turn.made_before:
            _end_turn(moving, turn, now)
        elif turn.to_come and name in playing:
            come_up(moving, turn)
    for name, seat in moving.seats.items():
        if name in moving.turns or name not in (*playing, *waiting):
            continue
        numbers()[moving.run.pk] += 1
        turn = Turn(run=moving.run, number=numbers()[moving.run.pk], seat=seat, to_come=name not in playing)
        turn.made_before = rules.turns_made(state, name)
        begin(turn, now=now, facts=None if seat.played else facts())
        moving.turns[name] = turn
        moving.begun.append(turn)


def _end_turn(moving: Moving, turn: Turn, now: datetime) -> None:
    """End the turn. The time that the driver has not used goes to the bank."""
    turn.ended_at = now
    moving.ended.append(moving.turns.pop(turn.seat.driver))
    left = left_in_bank(turn, now=now)
    if left is not None:
        turn.seat.entry.bank_seconds = left
        moving.banks.append(turn.seat)


def _play_automatic_turn(moving: Moving, now: datetime) -> bool:
    """Play one turn that needs no decision: its orders were sent ahead, or there is only one way to go on. Returns
    whether there was such a turn.
    """
    rules, sending = moving.rules, offered(moving.rules, OrdersAhead)
    for seat, turn in moving.turns.items():
        if turn.to_come:
            continue
        choices = rules.choices(moving.run.state, seat)
        begins = seat in moving.plans and sending is not None and sending.begins(moving.run.state, seat)
        if begins and moving.driven >= PLANS_AT_ONCE:
            moving.goes_on = True
            continue
        plan = moving.plans.pop(seat, None) if begins else None
        if plan is not None and _play_orders_ahead(moving, plan, turn, now, waits=choices.forced is None):
            return True
        if choices.forced:
            moving.play(seat, rules.autopilot(moving.run.state, seat), now=now)
            return True
    return False


def _play_orders_ahead(moving: Moving, plan: SentAhead, turn: Turn, now: datetime, *, waits: bool) -> bool:
    """Play orders ahead, now that their turn has begun. Returns False when they are not played after all.

    `waits`: whether the driver has a decision to make in this turn.
    """
    seat = plan.seat
    if seat.played:
        _return_as_draft(moving, plan, turn, RuleError("O1", CODRIVER), now, waits=False)
        return False
    orders = required(moving.rules, OrdersAhead).joined(plan.laid, plan.orders)
    changed = _reason_not_to_play(moving, plan, orders)
    if changed is not None:
        _return_as_draft(moving, plan, turn, changed, now, waits=waits)
        return False
    try:
        moving.play(seat.driver, orders, by=seat.entry.driver, now=now, salt=plan.salt)
    except Exception:  # somebody else's post, or the sweep, opened the turn: it must not fail because of these orders
        logger.exception("plan %s was to be driven and could not be", plan.pk)
        _return_as_draft(moving, plan, turn, RuleError("O1", OLDER), now, waits=waits)
        return False
    plan.turn = turn
    moving.driven += 1
    moving.handed_in.append((seat, False))
    _settle_orders(moving, plan, SentAhead.State.DRIVEN, now)
    if required(moving.rules, OrdersAhead).lasts(plan.orders):
        _keep_for_next_turn(moving, plan)
    return True


def _keep_for_next_turn(moving: Moving, plan: SentAhead) -> None:
    """Keep orders that hold until they are withdrawn: they wait again, for the next turn. When that turn comes, the
    situation is still compared with the one that the driver saw when sending them.
    """
    kept = {name: getattr(plan, name) for name in ("seat", "person", "laid", "orders", "salt", "outlook", "version")}
    renewed = SentAhead(**kept, sent_at=plan.sent_at)
    moving.plans[plan.seat.driver] = renewed
    moving.settled.append(renewed)


def _reason_not_to_play(moving: Moving, plan: SentAhead, orders: dict[str, Any]) -> RuleError | None:
    """Return why orders ahead must not be played now, or None when nothing prevents it. Any fault of the orders is
    returned, never raised: somebody else's post opened the turn.
    """
    try:
        sending = required(moving.rules, OrdersAhead)
        return sending.changed(plan.outlook, sending.outlook(moving.run.state, plan.seat.driver, orders))
    except RuleError as error:
        return error
    except (KeyError, TypeError, ValueError, AttributeError):
        return RuleError("O1", OLDER)


def _return_as_draft(
    moving: Moving, plan: SentAhead, turn: Turn, why: RuleError, now: datetime, *, waits: bool
) -> None:
    """Return orders ahead to the driver as a draft. The notice says why, and also that the turn waits."""
    plan.turn = turn
    _settle_orders(moving, plan, SentAhead.State.NOT_DRIVEN, now, why)
    moving.undriven.append(plan)
    if moving.run.special_stage.rally.together and not plan.seat.played:
        sent_in_time(moving, turn)
    with override(plan.seat.entry.driver.language or None):
        moving.tell(turn, "plan not driven", why=plan.why, rule=plan.rule, waits=waits)
        if turn.pk:  # the turn began earlier, when its orders were left for a worker and no notice was sent
            moving.tell(turn, "turn waits")
    moving.said_twice.append(subject_of(turn, turn.given))


def _drop_orders_of_retired_seats(moving: Moving, now: datetime) -> None:
    """Settle the orders ahead of cars that have no turn on this stage any more. They are not played."""
    for seat in list(moving.plans):
        try:
            required(moving.rules, OrdersAhead).ahead(moving.run.state, seat)
        except RuleError:
            if seat not in moving.turns:
                _settle_orders(moving, moving.plans.pop(seat), SentAhead.State.NOT_DRIVEN, now, RuleError("O1", OUT))


def _settle_orders(
    moving: Moving, plan: SentAhead, state: SentAhead.State, now: datetime, why: RuleError | None = None
) -> None:
    """Settle orders ahead: they no longer wait."""
    plan.state, plan.settled_at = state, now
    if why is not None:
        plan.reason, plan.values, plan.rule, plan.move = why.template, why.values, why.rule, why.move
    moving.settled.append(plan)


# Into the database ----------------------------------------------------------------------------------


def write(runs: Sequence[Moving], *, now: datetime) -> None:
    """Write all changes made in memory. The number of queries is as low for many runs as for one."""
    _write_turns(runs, now)
    add_posts([post for moving in runs for post in moving.posts], [event for moving in runs for event in moving.events])
    hiding = [moving for moving in runs if moving.run.hidden]
    for moving in hiding:
        if moving.opens or moving.over:
            moving.run.hidden = not moving.over and watching.hides(moving.run)
    save_runs([moving.run for moving in runs if moving.posts])
    for seat in {seat.pk: seat for moving in runs for seat in moving.banks}.values():
        Entry.objects.filter(pk=seat.entry_id).update(bank_seconds=seat.entry.bank_seconds)
    for plan in (plan for moving in runs for plan in moving.settled):
        plan.save()
    _write_drafts(runs, now)
    _write_notices(runs, now)
    costly = [moving for moving in runs if any(turn.owed is not None for turn in moving.acted)]
    reveal([moving for moving in runs if moving in costly or (moving in hiding and (moving.opens or moving.over))])


def _write_turns(runs: Sequence[Moving], now: datetime) -> None:
    """Write turns. Those that were already open are ended first, since a seat has at most one open turn."""
    begun = [turn for moving in runs for turn in moving.begun]
    before = [turn.pk for moving in runs for turn in moving.ended if turn.pk]
    if before:
        Turn.objects.filter(pk__in=before).update(ended_at=now)
    acted = defaultdict[tuple[bool, str, int | None], list[int]](list)
    for turn in (turn for moving in runs for turn in moving.acted):
        acted[turn.missed, turn.done, turn.owed].append(turn.pk)
    for (missed, done, owed), ids in acted.items():
        Turn.objects.filter(pk__in=ids).update(missed=missed, done=done, owed=owed)
    if begun:
        Turn.objects.bulk_create(begun)
    write_rounds(runs)


def _write_drafts(runs: Sequence[Moving], now: datetime) -> None:
    """Delete the drafts of seats whose turn was played, by the driver or by another. Standing orders may hold for the
    next turn too: then only the moves in the draft are cleared. Orders ahead that were not played become a draft again,
    unless the driver has made another draft since.
    """
    over = {(moving.run.pk, seat.entry.driver_id): keeps for moving in runs for seat, keeps in moving.handed_in}
    found = _drafts(runs=[run_id for run_id, _person in over]) if over else []
    games = {moving.run.pk: moving.run.game for moving in runs}
    kept, deleted = defaultdict[str, list[int]](list), list[int]()
    for draft in found:
        if (draft.run_id, draft.person_id) in over:
            keeps = over[draft.run_id, draft.person_id] and draft.orders
            (kept[games[draft.run_id]] if keeps else deleted).append(draft.pk)
    for game, ids in kept.items():
        Draft.objects.filter(pk__in=ids).update(laid=empty(game))
    if deleted:
        Draft.objects.filter(pk__in=deleted).delete()
    for moving in runs:
        for plan in moving.undriven:
            back_to_draft(moving.run, plan, now=now)


@prepared
def _drafts(runs: Any) -> QuerySet[Draft]:
    return Draft.objects.filter(run__in=any_of(runs)).only("run_id", "person_id", "orders")


def back_to_draft(run: Run, plan: SentAhead, *, now: datetime) -> None:
    """Make orders ahead the driver's draft again, unless the driver has made another draft since."""
    version = watching.version_for(run, plan.seat.driver)
    kept = {"laid": plan.laid, "orders": plan.orders, "version": version, "updated_at": now}
    draft, fresh = Draft.objects.get_or_create(run=run, person_id=plan.seat.entry.driver_id, defaults=kept)
    if not fresh and draft.laid == empty(run.game):
        Draft.objects.filter(pk=draft.pk).update(**kept)


def _write_notices(runs: Sequence[Moving], now: datetime) -> None:
    """Drop the notices about turns that have ended, notify each driver whose turn begins once, and notify officials of
    missed deadlines.
    """
    over, letters, duplicated = list[str](), list[Letter](), list[str]()
    for moving in runs:
        fresh = set(map(id, moving.begun))
        over += [subject for turn in moving.ended if id(turn) not in fresh for subject in subjects_of(turn)]
        for turn in moving.begun:
            left = (moving.goes_on or turn.to_come) and turn.seat.driver in moving.plans
            if turn.ended_at is None and is_waited_for(turn) and not left:
                moving.tell(turn, "turn waits")
        letters += [letter_of(turn, kind, **context) for turn, kind, context in moving.letters]
        duplicated += moving.said_twice
    if over:
        drop_many(kinds=TOLD, subject_keys=over)
    late = [(moving.run.special_stage, str(seat.entry)) for moving in runs for seat in moving.late]
    letters += letters_of_late(late, now=now)
    if letters:
        enqueue_many(letters)
    if duplicated:
        _drop_duplicate_notices(duplicated)


def _drop_duplicate_notices(subjects: Iterable[str]) -> None:
    """Drop the notice "turn waits" where "plan not driven" goes out by all of its channels: that one also says that the
    turn waits.
    """
    for subject in subjects:
        found = Notice.objects.filter(Q(kind="turn waits") | Q(kind="plan not driven"), subject_key=subject)
        channels: dict[str, set[str]] = {"turn waits": set(), "plan not driven": set()}
        for kind, channel in found.values_list("kind", "channel"):
            channels[kind].add(channel)
        if channels["turn waits"] <= channels["plan not driven"]:
            notices.drop(kind="turn waits", subject_key=subject)
