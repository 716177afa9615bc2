"""Write what was changed in memory while runs were advanced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from championship.notices import services as notices
from championship.notices.models import Notice
from championship.notices.services import Letter, drop_many, enqueue_many
from championship.platform.prepared_queries import any_of, prepared
from championship.rallies.desk.organiser_notices import missed_deadline_letters
from championship.rallies.models import Entry
from championship.runs.draft_forms import empty
from championship.runs.models import Draft, Run, Seat, SentAhead, Turn
from championship.runs.play.advancing_run import AdvancingRun
from championship.runs.play.revealing import reveal
from championship.runs.play.rounds import write_rounds
from championship.runs.play.row_writing import add_posts, save_runs
from championship.runs.watch import watching
from championship.runs.watch.waiting_turns import (
    WAITING_KINDS,
    is_waited_for,
    letter_of,
    subjects_of,
)


def write_changes(runs: Sequence[AdvancingRun], *, now: datetime) -> None:
    """Write all changes made in memory. Turns, posts, runs, drafts and notices cost as many queries for many runs as
    for one. Banks, orders ahead that are settled, and notices that repeat others cost a query each.
    """
    _write_turns(runs, now)
    add_posts(
        [post for advancing in runs for post in advancing.posts],
        [event for advancing in runs for event in advancing.events],
    )
    hiding = [advancing for advancing in runs if advancing.run.hidden]
    for advancing in hiding:
        if advancing.phase_closed or advancing.over:
            advancing.run.hidden = not advancing.over and watching.has_hidden_events(advancing.run)
    save_runs([advancing.run for advancing in runs if advancing.posts])
    for seat in {seat.pk: seat for advancing in runs for seat in advancing.seats_with_changed_bank}.values():
        Entry.objects.filter(pk=seat.entry_id).update(bank_seconds=seat.entry.bank_seconds)
    for seat in {seat.pk: seat for advancing in runs for seat in advancing.seats_with_changed_hold}.values():
        Seat.objects.filter(pk=seat.pk).update(held=seat.held)
    if returned := [seat.pk for advancing in runs for seat in advancing.returned_wheels]:
        Seat.objects.filter(pk__in=returned).update(codriver_since=None, handed_over="")
    for plan in (plan for advancing in runs for plan in advancing.settled_orders):
        plan.save()
    _write_drafts(runs, now)
    _write_notices(runs, now)
    telling = [each for each in runs if each in hiding or any(seat.unlogged for seat in each.seats.values())]
    costly = [advancing for advancing in runs if any(turn.owed is not None for turn in advancing.clock_turns)]
    reveal(
        [
            advancing
            for advancing in runs
            if advancing in costly or (advancing in telling and (advancing.phase_closed or advancing.over))
        ]
    )


def _write_turns(runs: Sequence[AdvancingRun], now: datetime) -> None:
    """Write turns. Those that were already open are ended first, since a seat has at most one open turn."""
    begun = [turn for advancing in runs for turn in advancing.begun]
    before = [turn.pk for advancing in runs for turn in advancing.ended if turn.pk]
    if before:
        Turn.objects.filter(pk__in=before).update(ended_at=now)
    acted = defaultdict[tuple[bool, str, int | None], list[int]](list)
    for turn in (turn for advancing in runs for turn in advancing.clock_turns):
        acted[turn.missed, turn.done, turn.owed].append(turn.pk)
    for (missed, done, owed), ids in acted.items():
        Turn.objects.filter(pk__in=ids).update(missed=missed, done=done, owed=owed)
    if begun:
        Turn.objects.bulk_create(begun)
    write_rounds(runs)


def _write_drafts(runs: Sequence[AdvancingRun], now: datetime) -> None:
    """Delete the drafts of seats whose turn was played, by the driver or by another. Standing orders may hold for the
    next turn too: then only the moves in the draft are cleared. Orders ahead that were not played become a draft again,
    unless the driver has made another draft since.
    """
    over = {
        (advancing.run.pk, seat.entry.driver_id): keeps for advancing in runs for seat, keeps in advancing.handed_in
    }
    found = _drafts(runs=[run_id for run_id, _person in over]) if over else []
    games = {advancing.run.pk: advancing.run.game for advancing in runs}
    kept, deleted = defaultdict[str, list[int]](list), list[int]()
    for draft in found:
        if (draft.run_id, draft.person_id) in over:
            keeps = over[draft.run_id, draft.person_id] and draft.orders
            (kept[games[draft.run_id]] if keeps else deleted).append(draft.pk)
    for game, ids in kept.items():
        Draft.objects.filter(pk__in=ids).update(laid=empty(game))
    if deleted:
        Draft.objects.filter(pk__in=deleted).delete()
    for advancing in runs:
        for plan in advancing.returned_orders:
            back_to_draft(advancing.run, plan, now=now)


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


def _write_notices(runs: Sequence[AdvancingRun], now: datetime) -> None:
    """Drop the notices about turns that have ended, notify each driver whose turn begins once, and notify officials of
    missed deadlines.
    """
    over, letters, duplicated = list[str](), list[Letter](), list[str]()
    for advancing in runs:
        fresh = set(map(id, advancing.begun))
        over += [subject for turn in advancing.ended if id(turn) not in fresh for subject in subjects_of(turn)]
        for turn in advancing.begun:
            left = (advancing.orders_left or turn.to_come) and turn.seat.driver in advancing.orders_ahead
            if turn.ended_at is None and is_waited_for(turn) and not left:
                advancing.queue_notice(turn, "turn waits")
        letters += [letter_of(turn, kind, **context) for turn, kind, context in advancing.letters]
        duplicated += advancing.duplicate_subjects
    if over:
        drop_many(kinds=WAITING_KINDS, subject_keys=over)
    late = [(advancing.run.special_stage, str(seat.entry)) for advancing in runs for seat in advancing.late]
    letters += missed_deadline_letters(late, now=now)
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
