"""The history of a run, for pages: its events in order, and its state after any of them.

Where events are hidden from a reader, the posts, turns and events that the reader may know of are numbered without
gaps.

For the feed of the API, the number up to which all posts of all runs are committed, so that no later commit can add a
post with a lower number. Posts get their numbers before they are committed, and commits may come in another order: a
turn in one run may take number 5 and be committed after number 6 of another run. So a transaction that inserts posts
holds a shared advisory lock until it ends. The second key of the lock is the next number at that moment: all posts of
the transaction have that number or a higher one. A trigger takes the lock (migration 1). Shared locks never wait for
each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from championship.runs.models import Event, Post, Run
from championship.runs.watch import watching
from championship.runs.watch.watching import SeatName
from engine import registry

IN_THE_MAKING = 1919905840
"""The first key of the lock."""
LAST_COMMITTED_POST = """
SELECT given.last, (
    SELECT min(given.last - (given.last - objid::bigint) %% 2147483648) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2 AND pid <> pg_backend_pid() AND given.last >= 0
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
) FROM (SELECT last_value AS last FROM runs_post_id_seq OFFSET 0) AS given
"""
"""The newest number that was given, which is read first, and the lowest number that may still be committed."""


@dataclass(frozen=True, slots=True)
class ReadableEvent:
    """An event of a run: its number from 1, the engine's data, its post and turn, when it happened, and who sent the
    post.

    `by_codriver` is False for a post of which the reader may not read every event before the phase closes. Events
    before any seat plays belong to turn 0, and to no driver.
    """

    number: int
    data: dict[str, Any]
    post: int
    turn: int
    driver: str | None
    at: datetime
    by_codriver: bool


@dataclass(frozen=True, slots=True)
class History:
    """A run as a seat may know it: the `events` that it may read. `all_events` is every event, also hidden ones. For
    each of `events`, `applied_counts` is how many of `all_events` had been applied by then.
    """

    run: Run
    events: list[ReadableEvent]
    all_events: list[dict[str, Any]]
    applied_counts: list[int]

    def state_after(self, number: int) -> dict[str, Any]:
        """Return the state after event `number`; 0 is before the first. Pages may show it only through the game's
        `view`.
        """
        rules = registry.get(self.run.game)
        state = rules.setup(self.run.stage, self.run.entrants, self.run.options)
        for event in self.all_events[: self.applied_counts[number - 1] if number else 0]:
            state = rules.apply(state, event)
        return state


def history_of(run: Run, seat: SeatName) -> History:
    """Return all events up to the state in which `run` was read, in order. One query."""
    rows = Event.objects.filter(run=run, number__lte=run.events_told).order_by("number")
    fields = rows.values_list(
        *("number", "data", "post__number", "post__turn__number", "post__turn__seat__name", "post__at"),
        *("post__by_id", "only", "until"),
    )
    all_of_it = list(fields)
    veiled = {
        row[2]
        for row in all_of_it
        if row[-1] == Event.Until.PHASE and not watching.may_read(run, seat, number=row[0], only=row[-2], until=row[-1])
    }
    seen = [row[:-2] for row in all_of_it if watching.may_read(run, seat, number=row[0], only=row[-2], until=row[-1])]
    posts, turns = dict[int, int](), dict[int, int]()
    if run.hidden:
        posts = _ranks(row[2] for row in seen)
        turns = _ranks(row[3] for row in seen if row[3])
    events = [
        ReadableEvent(
            count,
            data,
            posts.get(post, post),
            turns.get(turn, turn or 0),
            driver,
            at,
            by is None and post not in veiled,
        )
        for count, (_number, data, post, turn, driver, at, by) in enumerate(seen, 1)
    ]
    numbers = {row[0]: number for number, row in enumerate(all_of_it, 1)}
    return History(run, events, [row[1] for row in all_of_it], [numbers[row[0]] for row in seen])


def renumbered_posts(run: Run, seat: SeatName, posts: list[Post], first: int) -> list[Post]:
    """Return the posts of a page, newest first, numbered without gaps for this reader. Two queries where something is
    hidden, none otherwise. `first`: the number of the first of them.
    """
    if not run.hidden:
        return posts
    events = _ranks(watching.events_for(run, seat).values_list("number", flat=True))
    made = watching.posts_for(run, seat).exclude(turn=None).order_by()
    turns = _ranks(made.values_list("turn__number", flat=True).distinct())
    for before, post in enumerate(posts):
        post.number = first - before
        if post.turn is not None:
            post.turn.number = turns[post.turn.number]
        for event in post.events.all():
            event.number = events[event.number]
    return posts


def _ranks(numbers: Iterable[int]) -> dict[int, int]:
    """Return consecutive numbers for these, which may have gaps."""
    return {number: count for count, number in enumerate(sorted(set(numbers)), 1)}


def last_committed_post() -> int:
    """Return the number up to which every post is committed or never will be. One query. Call it before reading the
    posts.

    A transaction that numbers posts after the first half of the query gives them higher numbers than the result. An
    open transaction that did so before holds its lock, which the second half sees.
    """
    with connection.cursor() as cursor:
        cursor.execute(LAST_COMMITTED_POST, [IN_THE_MAKING])
        newest, unsettled = cursor.fetchone()
    return int(newest if unsettled is None else unsettled - 1)
