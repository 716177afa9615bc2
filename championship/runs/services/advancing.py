"""What follows a post of a driver, a codriver or the clock, for one run or for many: turns end and begin, plans that
were sent ahead are driven, drivers are told, stages end, the codriver is called.
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
"""Turns that may follow one post; more than any stage has while nobody decides anything."""
PLANS_AT_ONCE = 12
"""Plans sent ahead that one post, or one task of a worker, drives. A worker goes on with the rest after the commit."""
OUT = gettext_noop("this car drives no more on this stage")
CODRIVER = gettext_noop("the codriver drives the car")
OLDER = gettext_noop("the rules have changed since the plan was sent")


def advance(runs: Sequence[Moving], *, now: datetime, call: bool = True) -> None:
    """Let locked runs go on as far as they do without anybody's decision, and write all that has happened in them.
    `call`: where the codriver is to play then, a worker drives after the commit.
    """
    settle(go_on(runs, now=now), now=now, call=call)


def settle(runs: Sequence[Moving], *, now: datetime, call: bool = True) -> None:
    """Write all that has happened in memory, end what is over, call the codriver."""
    write(runs, now=now)
    for each in runs:
        if each.over:
            finish_run(each.run, now=now)
        elif call and (each.goes_on or _codriver_is_to_play(each, now)):
            codriver_to_play.send(Run, run_id=each.run.pk)


def _codriver_is_to_play(each: Moving, now: datetime) -> bool:
    """Not while the rally is paused: then only people drive."""
    if each.run.special_stage.rally.paused_at is not None:
        return False
    together = each.run.special_stage.rally.together
    return any(
        turn.seat.entry.driven_by == Entry.DrivenBy.CODRIVER
        or ((turn.seat.codriver_since is not None or together) and turn.deadline <= now)
        for turn in each.turns.values()
        if not turn.to_come
    )


# In memory ------------------------------------------------------------------------------------------


def go_on(runs: Sequence[Moving], *, now: datetime, alone: bool = True) -> list[Moving]:
    """End the turns that are made and begin those that follow; make those that wait for nobody. Nothing is written.

    Returns the runs that went on. Whatever is wrong with one of them is raised, or logged where it is not `alone`.
    """
    seats = [seat for each in runs for seat in each.seats.values()]
    numbers = cache(lambda: _turns_so_far(runs))
    facts = cache(lambda: facts_for(seats, now))
    gone_on = []
    for each in runs:
        try:
            _pass_on(each, numbers, facts, now)
            for _turn in range(MOST_AT_ONCE):
                if not _made_for_nobody(each, now):
                    break
                _pass_on(each, numbers, facts, now)
            _drop_plans_of_who_is_out(each, now)
        except Exception:
            if alone:
                raise
            logger.exception("run %s is left to go on by itself", each.run.pk)
            continue
        gone_on.append(each)
    return gone_on


def _turns_so_far(runs: Sequence[Moving]) -> dict[int, int]:
    return defaultdict(int, _counted(runs=[each.run.pk for each in runs]))


@prepared
def _counted(runs: Any) -> QuerySet[Turn, tuple[Any, ...]]:
    counted = Turn.objects.filter(run__in=any_of(runs)).order_by().values("run")
    return counted.annotate(n=Count("pk")).values_list("run", "n")


def _pass_on(each: Moving, numbers: Callable[[], dict[int, int]], facts: Callable[[], Facts], now: datetime) -> None:
    """End the turns of who has made them, begin those of who is to play."""
    rules, state = each.rules, each.run.state
    playing, waiting = rules.to_play(state), seats_of_round(each)
    for name, turn in list(each.turns.items()):
        waits = name in playing or (turn.to_come and name in waiting)
        if not waits or rules.turns_made(state, name) != turn.made_before:
            _end(each, turn, now)
        elif turn.to_come and name in playing:
            come_up(each, turn)
    for name, seat in each.seats.items():
        if name in each.turns or name not in (*playing, *waiting):
            continue
        numbers()[each.run.pk] += 1
        turn = Turn(run=each.run, number=numbers()[each.run.pk], seat=seat, to_come=name not in playing)
        turn.made_before = rules.turns_made(state, name)
        begin(turn, now=now, facts=None if seat.played else facts())
        each.turns[name] = turn
        each.begun.append(turn)


def _end(each: Moving, turn: Turn, now: datetime) -> None:
    """The turn is made: what was not used of its time goes to the bank."""
    turn.ended_at = now
    each.ended.append(each.turns.pop(turn.seat.driver))
    left = left_in_bank(turn, now=now)
    if left is not None:
        turn.seat.entry.bank_seconds = left
        each.banks.append(turn.seat)


def _made_for_nobody(each: Moving, now: datetime) -> bool:
    """Make one turn that waits for nobody: its plan was sent ahead, or there is nothing to decide; whether there was
    one.
    """
    rules, sending = each.rules, offered(each.rules, OrdersAhead)
    for seat, turn in each.turns.items():
        if turn.to_come:
            continue
        choices = rules.choices(each.run.state, seat)
        begins = seat in each.plans and sending is not None and sending.begins(each.run.state, seat)
        if begins and each.driven >= PLANS_AT_ONCE:
            each.goes_on = True
            continue
        plan = each.plans.pop(seat, None) if begins else None
        if plan is not None and _driven(each, plan, turn, now, waits=choices.forced is None):
            return True
        if choices.forced:
            each.play(seat, rules.autopilot(each.run.state, seat), now=now)
            return True
    return False


def _driven(each: Moving, plan: SentAhead, turn: Turn, now: datetime, *, waits: bool) -> bool:
    """Drive a plan whose turn has come; False when it is not driven after all. `waits`: the driver can do better."""
    seat = plan.seat
    if seat.played:
        _not_driven(each, plan, turn, RuleError("O1", CODRIVER), now, waits=False)
        return False
    orders = required(each.rules, OrdersAhead).joined(plan.laid, plan.orders)
    changed = _what_changed(each, plan, orders)
    if changed is not None:
        _not_driven(each, plan, turn, changed, now, waits=waits)
        return False
    try:
        each.play(seat.driver, orders, by=seat.entry.driver, now=now, salt=plan.salt)
    except Exception:  # whatever it is, the post or sweep that opened the turn is another's and must not fail by it
        logger.exception("plan %s was to be driven and could not be", plan.pk)
        _not_driven(each, plan, turn, RuleError("O1", OLDER), now, waits=waits)
        return False
    plan.turn = turn
    each.driven += 1
    each.handed_in.append((seat, False))
    _settle(each, plan, SentAhead.State.DRIVEN, now)
    if required(each.rules, OrdersAhead).lasts(plan.orders):
        _wait_again(each, plan)
    return True


def _wait_again(each: Moving, plan: SentAhead) -> None:
    """Orders that hold until they are withdrawn wait for the next turn. What they meet there is compared with what the
    driver saw when sending them.
    """
    kept = {name: getattr(plan, name) for name in ("seat", "person", "laid", "orders", "salt", "outlook", "version")}
    again = SentAhead(**kept, sent_at=plan.sent_at)
    each.plans[plan.seat.driver] = again
    each.settled.append(again)


def _what_changed(each: Moving, plan: SentAhead, orders: dict[str, Any]) -> RuleError | None:
    """Why a plan is not to be driven now. Whatever is wrong with it: the post that opened the turn was another's."""
    try:
        sending = required(each.rules, OrdersAhead)
        return sending.changed(plan.outlook, sending.outlook(each.run.state, plan.seat.driver, orders))
    except RuleError as error:
        return error
    except (KeyError, TypeError, ValueError, AttributeError):
        return RuleError("O1", OLDER)


def _not_driven(each: Moving, plan: SentAhead, turn: Turn, why: RuleError, now: datetime, *, waits: bool) -> None:
    """The plan is the driver's draft again, and the driver is told why; that the turn waits is told with it."""
    plan.turn = turn
    _settle(each, plan, SentAhead.State.NOT_DRIVEN, now, why)
    each.undriven.append(plan)
    if each.run.special_stage.rally.together and not plan.seat.played:
        sent_in_time(each, turn)
    with override(plan.seat.entry.driver.language or None):
        each.tell(turn, "plan not driven", why=plan.why, rule=plan.rule, waits=waits)
        if turn.pk:  # its plan was left for later when it began, so nobody was told
            each.tell(turn, "turn waits")
    each.said_twice.append(subject_of(turn, turn.given))


def _drop_plans_of_who_is_out(each: Moving, now: datetime) -> None:
    """A plan whose car has no turn any more is not driven."""
    for seat in list(each.plans):
        try:
            required(each.rules, OrdersAhead).ahead(each.run.state, seat)
        except RuleError:
            if seat not in each.turns:
                _settle(each, each.plans.pop(seat), SentAhead.State.NOT_DRIVEN, now, RuleError("O1", OUT))


def _settle(each: Moving, plan: SentAhead, state: SentAhead.State, now: datetime, why: RuleError | None = None) -> None:
    """A plan waits no more."""
    plan.state, plan.settled_at = state, now
    if why is not None:
        plan.reason, plan.values, plan.rule, plan.move = why.template, why.values, why.rule, why.move
    each.settled.append(plan)


# Into the database ----------------------------------------------------------------------------------


def write(runs: Sequence[Moving], *, now: datetime) -> None:
    """Write what has happened in memory: as few queries for many runs as for one."""
    _write_turns(runs, now)
    add_posts([post for each in runs for post in each.posts], [event for each in runs for event in each.events])
    hiding = [each for each in runs if each.run.hidden]
    for each in hiding:
        if each.opens or each.over:
            each.run.hidden = not each.over and watching.hides(each.run)
    save_runs([each.run for each in runs if each.posts])
    for seat in {seat.pk: seat for each in runs for seat in each.banks}.values():
        Entry.objects.filter(pk=seat.entry_id).update(bank_seconds=seat.entry.bank_seconds)
    for plan in (plan for each in runs for plan in each.settled):
        plan.save()
    _write_drafts(runs, now)
    _tell(runs, now)
    costly = [each for each in runs if any(turn.owed is not None for turn in each.acted)]
    reveal([each for each in runs if each in costly or (each in hiding and (each.opens or each.over))])


def _write_turns(runs: Sequence[Moving], now: datetime) -> None:
    """Turns that were open before are ended first: a seat has one open turn."""
    begun = [turn for each in runs for turn in each.begun]
    before = [turn.pk for each in runs for turn in each.ended if turn.pk]
    if before:
        Turn.objects.filter(pk__in=before).update(ended_at=now)
    acted = defaultdict[tuple[bool, str, int | None], list[int]](list)
    for turn in (turn for each in runs for turn in each.acted):
        acted[turn.missed, turn.done, turn.owed].append(turn.pk)
    for (missed, done, owed), ids in acted.items():
        Turn.objects.filter(pk__in=ids).update(missed=missed, done=done, owed=owed)
    if begun:
        Turn.objects.bulk_create(begun)
    write_rounds(runs)


def _write_drafts(runs: Sequence[Moving], now: datetime) -> None:
    """What was laid has been handed in, or another has driven: the draft was for what is over. How the driver means to
    roll may hold for the next turn as well. A plan that was not driven lies on the desk again, unless the driver has
    laid something else there since.
    """
    over = {(each.run.pk, seat.entry.driver_id): keeps for each in runs for seat, keeps in each.handed_in}
    found = _drafts(runs=[run_id for run_id, _person in over]) if over else []
    games = {each.run.pk: each.run.game for each in runs}
    kept, gone = defaultdict[str, list[int]](list), list[int]()
    for draft in found:
        if (draft.run_id, draft.person_id) in over:
            keeps = over[draft.run_id, draft.person_id] and draft.orders
            (kept[games[draft.run_id]] if keeps else gone).append(draft.pk)
    for game, ids in kept.items():
        Draft.objects.filter(pk__in=ids).update(laid=empty(game))
    if gone:
        Draft.objects.filter(pk__in=gone).delete()
    for each in runs:
        for plan in each.undriven:
            back_to_draft(each.run, plan, now=now)


@prepared
def _drafts(runs: Any) -> QuerySet[Draft]:
    return Draft.objects.filter(run__in=any_of(runs)).only("run_id", "person_id", "orders")


def back_to_draft(run: Run, plan: SentAhead, *, now: datetime) -> None:
    """What was sent is laid on the desk again, unless the driver has laid something else there since."""
    version = watching.version_for(run, plan.seat.driver)
    kept = {"laid": plan.laid, "orders": plan.orders, "version": version, "updated_at": now}
    draft, fresh = Draft.objects.get_or_create(run=run, person_id=plan.seat.entry.driver_id, defaults=kept)
    if not fresh and draft.laid == empty(run.game):
        Draft.objects.filter(pk=draft.pk).update(**kept)


def _tell(runs: Sequence[Moving], now: datetime) -> None:
    """Nobody is reminded any more of what is over; who is waited for now is told, once; officials, who was late."""
    over, letters, twice = list[str](), list[Letter](), list[str]()
    for each in runs:
        fresh = set(map(id, each.begun))
        over += [subject for turn in each.ended if id(turn) not in fresh for subject in subjects_of(turn)]
        for turn in each.begun:
            left = (each.goes_on or turn.to_come) and turn.seat.driver in each.plans
            if turn.ended_at is None and is_waited_for(turn) and not left:
                each.tell(turn, "turn waits")
        letters += [letter_of(turn, kind, **said) for turn, kind, said in each.letters]
        twice += each.said_twice
    if over:
        drop_many(kinds=TOLD, subject_keys=over)
    late = [(each.run.special_stage, str(seat.entry)) for each in runs for seat in each.late]
    letters += letters_of_late(late, now=now)
    if letters:
        enqueue_many(letters)
    if twice:
        _say_once(twice)


def _say_once(subjects: Iterable[str]) -> None:
    """That the turn waits is part of the word that the plan was not driven, for whom that word reaches as well."""
    for subject in subjects:
        found = Notice.objects.filter(Q(kind="turn waits") | Q(kind="plan not driven"), subject_key=subject)
        channels: dict[str, set[str]] = {"turn waits": set(), "plan not driven": set()}
        for kind, channel in found.values_list("kind", "channel"):
            channels[kind].add(channel)
        if channels["turn waits"] <= channels["plan not driven"]:
            notices.drop(kind="turn waits", subject_key=subject)
