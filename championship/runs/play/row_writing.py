"""Write the rows of every post and every draft, with one SQL statement each for any number of runs. Django's ORM takes
longer to build these statements than the database takes to execute them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

from championship.lineage import services as lineage
from championship.runs.models import Draft, Event, Post, Run, Turn

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
_SAVE_DRAFT = "UPDATE runs_draft SET laid = %s::jsonb, orders = %s::jsonb, version = %s, updated_at = %s WHERE id = %s"


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
    values: list[Any] = [json.dumps(draft.laid), json.dumps(draft.orders), draft.version, draft.updated_at, draft.pk]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE_DRAFT, values)
        if cursor.rowcount != 1:
            raise Draft.DoesNotExist
