"""Write what was changed in memory while runs were advanced.

The rows of every post and every draft are written with one SQL statement each for any number of runs. Django's ORM
takes longer to build these statements than the database takes to execute them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from championship.lineage import services as lineage
from championship.notices import services as notices
from championship.notices.models import Notice
from championship.notices.services import Letter, drop_many, enqueue_many
from championship.platform.prepared_queries import any_of, prepared
from championship.rallies.desk.organiser_notices import missed_deadline_letters
from championship.rallies.models import Entry
from championship.runs.draft_forms import empty
from championship.runs.models import Draft, Event, Post, Run, Seat, SentAhead, Turn
from championship.runs.play.advancing_run import AdvancingRun, Changes
from championship.runs.play.revealing import reveal
from championship.runs.play.rounds import write_rounds
from championship.runs.play.turn_notices import WAITING_KINDS, letter_of
from championship.runs.watch import watching
from championship.runs.watch.waiting_turns import is_waited_for, subjects_of

_SAVE_RUNS = """
    UPDATE runs_run
    SET state = fresh.state::jsonb, version = fresh.version, drawn = fresh.drawn, events_told = fresh.events_told,
        hidden = fresh.hidden, open_up_to = fresh.open_up_to
    FROM unnest(%s::bigint[], %s::text[], %s::int[], %s::int[], %s::int[], %s::bool[], %s::int[])
        AS fresh(id, state, version, drawn, events_told, hidden, open_up_to)
    WHERE runs_run.id = fresh.id
"""
_ADD_POSTS = """
    WITH posts AS (
        INSERT INTO runs_post (run_id, number, turn_id, by_id, key, orders, salt, draws, at)
        SELECT run_id, number, turn_id, by_id, key, orders, salt, draws, at
        FROM jsonb_to_recordset(%s::jsonb) AS fresh(
            run_id bigint, number int, turn_id bigint, by_id bigint, key text, orders jsonb, salt text, draws jsonb,
            at timestamptz
        )
        RETURNING id, run_id, number
    ), events AS (
        INSERT INTO runs_event (run_id, number, post_id, kind, data, "only", until)
        SELECT fresh.run_id, fresh.number, posts.id, fresh.kind, fresh.data, fresh."only", fresh.until
        FROM jsonb_to_recordset(%s::jsonb) AS fresh(
            run_id bigint, number int, post int, kind text, data jsonb, "only" text[], until text
        )
        LEFT JOIN posts ON posts.run_id = fresh.run_id AND posts.number = fresh.post
        ORDER BY fresh.run_id, fresh.number
    )
    SELECT run_id, number, id FROM posts
"""


def flush(runs: Sequence[AdvancingRun], *, now: datetime) -> None:
    """Write all changes made in memory, and leave none: what is flushed twice is written once.

    Turns, posts, runs, drafts and notices cost as many queries for many runs as for one. Banks, orders ahead that are
    settled, and notices that repeat others cost a query each.
    """
    _write_turns(runs, now)
    add_posts(
        [post for advancing in runs for post in advancing.changes.posts],
        [event for advancing in runs for event in advancing.changes.events],
    )
    hiding = [advancing for advancing in runs if advancing.run.hidden]
    for advancing in hiding:
        if advancing.changes.phase_closed or advancing.over:
            advancing.run.hidden = not advancing.over and watching.has_hidden_events(advancing.run)
    save_runs([advancing.run for advancing in runs if advancing.changes.posts])
    for seat in {seat.pk: seat for advancing in runs for seat in advancing.changes.seats_with_changed_bank}.values():
        Entry.objects.filter(pk=seat.entry_id).update(bank_seconds=seat.entry.bank_seconds)
    for seat in {seat.pk: seat for advancing in runs for seat in advancing.changes.seats_with_changed_hold}.values():
        Seat.objects.filter(pk=seat.pk).update(held=seat.held)
    if returned := [seat.pk for advancing in runs for seat in advancing.changes.returned_wheels]:
        Seat.objects.filter(pk__in=returned).update(codriver_since=None, handed_over="")
    for ahead in (ahead for advancing in runs for ahead in advancing.changes.settled_orders):
        ahead.save()
    _write_drafts(runs, now)
    _write_notices(runs, now)
    telling = [each for each in runs if each in hiding or any(seat.unlogged for seat in each.seats.values())]
    costly = [advancing for advancing in runs if any(turn.owed is not None for turn in advancing.changes.clock_turns)]
    reveal(
        [
            advancing
            for advancing in runs
            if advancing in costly or (advancing in telling and (advancing.changes.phase_closed or advancing.over))
        ]
    )
    for advancing in runs:
        advancing.changes = Changes()


def _write_turns(runs: Sequence[AdvancingRun], now: datetime) -> None:
    """Write turns. Those that were already open are ended first, since a seat has at most one open turn."""
    begun = [turn for advancing in runs for turn in advancing.changes.begun]
    before = [turn.pk for advancing in runs for turn in advancing.changes.ended if turn.pk]
    if before:
        Turn.objects.filter(pk__in=before).update(ended_at=now)
    acted = defaultdict[tuple[bool, str, int | None], list[int]](list)
    for turn in (turn for advancing in runs for turn in advancing.changes.clock_turns):
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
        (advancing.run.pk, seat.entry.driver_id): keeps
        for advancing in runs
        for seat, keeps in advancing.changes.handed_in
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
        for ahead in advancing.changes.returned_orders:
            back_to_draft(advancing.run, ahead, now=now)


@prepared
def _drafts(runs: Any) -> QuerySet[Draft]:
    return Draft.objects.filter(run__in=any_of(runs)).only("run_id", "person_id", "orders")


def back_to_draft(run: Run, ahead: SentAhead, *, now: datetime) -> None:
    """Make orders ahead the driver's draft again, unless the driver has made another draft since."""
    version = watching.version_for(run, ahead.seat.name)
    kept = {"laid": ahead.laid, "orders": ahead.orders, "version": version, "updated_at": now}
    draft, fresh = Draft.objects.get_or_create(run=run, person_id=ahead.seat.entry.driver_id, defaults=kept)
    if not fresh and draft.laid == empty(run.game):
        Draft.objects.filter(pk=draft.pk).update(**kept)


def _write_notices(runs: Sequence[AdvancingRun], now: datetime) -> None:
    """Drop the notices about turns that have ended, notify each driver whose turn begins once, and notify officials of
    missed deadlines.
    """
    over, letters, duplicated = list[str](), list[Letter](), list[str]()
    for advancing in runs:
        fresh = set(map(id, advancing.changes.begun))
        over += [subject for turn in advancing.changes.ended if id(turn) not in fresh for subject in subjects_of(turn)]
        for turn in advancing.changes.begun:
            left = (advancing.orders_left or turn.to_come) and turn.seat.name in advancing.orders_ahead
            if turn.ended_at is None and is_waited_for(turn) and not left:
                advancing.queue_notice(turn, "turn waits")
        letters += [letter_of(turn, kind, **context) for turn, kind, context in advancing.changes.letters]
        duplicated += advancing.changes.duplicate_subjects
    if over:
        drop_many(kinds=WAITING_KINDS, subject_keys=over)
    late = [(advancing.run.special_stage, str(seat.entry)) for advancing in runs for seat in advancing.changes.late]
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


def add_posts(posts: Sequence[Post], events: Sequence[Event]) -> None:
    """Insert posts and their events. Sets the primary keys of the posts, but not those of the events.

    Raises: IntegrityError when the same post was played before.
    """
    if not posts:
        return
    post_columns = ("run_id", "number", "by_id", "key", "orders", "salt", "draws")
    post_rows = [
        {
            **{name: getattr(post, name) for name in post_columns},
            "turn_id": _key_of(post.turn),  # a new turn gets its key after the post object is made
            "at": post.at.isoformat(),
        }
        for post in posts
    ]
    event_columns = ("run_id", "number", "kind", "data", "only", "until")
    event_rows = [
        {**{name: getattr(event, name) for name in event_columns}, "post": event.post.number} for event in events
    ]
    with connection.cursor() as cursor:
        cursor.execute(_ADD_POSTS, [json.dumps(post_rows), json.dumps(event_rows)])
        keys = {(run, number): key for run, number, key in cursor.fetchall()}
    for post in posts:
        post.pk = keys[post.run_id, post.number]
        post._state.adding = False
    lineage.note_after_commit(max(keys.values()))


def _key_of(turn: Turn | None) -> int | None:
    assert turn is None or turn.pk is not None, "a turn is written before the posts of it"
    return None if turn is None else turn.pk


def save_runs(runs: Sequence[Run]) -> None:
    """Save the columns of these runs that every post changes."""
    if not runs:
        return
    columns: list[Any] = [
        [run.pk for run in runs],
        [json.dumps(run.state) for run in runs],
        [run.version for run in runs],
        [run.drawn for run in runs],
        [run.events_told for run in runs],
        [run.hidden for run in runs],
        [run.open_up_to for run in runs],
    ]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE_RUNS, columns)


def save_draft(draft: Draft) -> None:
    """Update the row of a draft.

    Raises: Draft.DoesNotExist when the row was deleted.
    """
    changed = {"laid": draft.laid, "orders": draft.orders, "version": draft.version, "updated_at": draft.updated_at}
    if not Draft.objects.filter(pk=draft.pk).update(**changed):
        raise Draft.DoesNotExist
