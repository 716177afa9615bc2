"""The events in the runs of a person's clubs, as one list that is read on from a cursor.

A row is a post, in the order of ids. No row is ever added before the cursor, because a row is listed only after all
posts before it are committed (watch/history.py). A post that the reader may not see yet is left out, and the cursor
points to the last listed row, so that it reveals nothing about other people. The post that closes the phase lists the
run again.
"""

from __future__ import annotations

import hmac
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet

from championship.accounts.models import User
from championship.api.problems import Problem
from championship.runs.models import Post, Run
from championship.runs.watch import watching
from championship.runs.watch.history import last_committed_post

SCANNED = 500
"""Posts read from the database at a time."""
WAITING = threading.BoundedSemaphore(2)
"""The number of requests of a process that may wait at a time. Further ones are answered immediately."""
POLL_SECONDS = 1.0
"""Seconds between two checks while a request waits."""
LONGEST_WAIT = 10
"""Seconds."""


@dataclass(frozen=True, slots=True)
class VisiblePost:
    """A post that the reader may see. `seat`: who posted it, None for a post before anybody plays."""

    pk: int
    run: Run
    seat: str | None
    at: datetime


def posts_after(person: User, club_id: int | None, after: int, limit: int) -> list[VisiblePost]:
    """Return the posts after `after` that the person may see, oldest first, at most `limit`. Two queries, and at most
    three more for each run that hides something from somebody.
    """
    return list(_at_most(_visible(person, club_id, after), limit))


def start_row(person: User, club_id: int | None) -> int:
    """Return where a reader without a cursor starts: at the last settled post of a run that hides nothing."""
    open_to_all = _posts(person, club_id, 0, last_committed_post()).filter(run__hidden=False, run__common=None)
    return open_to_all.order_by("-pk").values_list("pk", flat=True).first() or 0


def wait_for_posts(person: User, club_id: int | None, after: int, limit: int, seconds: int) -> list[VisiblePost]:
    """Return the same as `posts_after`. When there is nothing, wait up to `seconds` for it, unless too many requests
    wait already.
    """
    found = posts_after(person, club_id, after, limit)
    if found or not seconds or not WAITING.acquire(blocking=False):
        return found
    try:
        ends = time.monotonic() + min(seconds, LONGEST_WAIT)
        while not found and time.monotonic() < ends:
            time.sleep(POLL_SECONDS)
            found = posts_after(person, club_id, after, limit)
        return found
    finally:
        WAITING.release()


def _posts(person: User, club_id: int | None, after: int, until: int) -> QuerySet[Post]:
    clubs = person.memberships.values("club")
    mine = Post.objects.filter(pk__gt=after, pk__lte=until, run__special_stage__rally__club__in=clubs)
    mine = mine.filter(run__special_stage__rally__practice=False)
    return mine if club_id is None else mine.filter(run__special_stage__rally__club=club_id)


def _visible(person: User, club_id: int | None, after: int) -> Iterator[VisiblePost]:
    until = last_committed_post()
    while True:
        rows = _posts(person, club_id, after, until)
        found = list(rows.select_related("run__special_stage__rally", "turn__seat").order_by("pk")[:SCANNED])
        known = _visible_ids(person, found)
        for post in found:
            if post.pk in known:
                yield VisiblePost(post.pk, post.run, post.turn.seat.name if post.turn else None, post.at)
        if len(found) < SCANNED:
            return
        after = found[-1].pk


def _visible_ids(person: User, posts: Sequence[Post]) -> set[int]:
    """Return the ids of those posts that the person may see."""
    runs = {post.run_id: post.run for post in posts}
    known = set[int]()
    for pk, run in runs.items():
        here = [post.pk for post in posts if post.run_id == pk]
        if run.common is not None and not watching.may_watch(run, person):
            continue
        if run.hidden:
            seen = watching.posts_for(run, watching.seat_of(run, person)).filter(pk__in=here)
            known.update(seen.values_list("pk", flat=True))
        else:
            known.update(here)
    return known


def _at_most(posts: Iterator[VisiblePost], limit: int) -> Iterator[VisiblePost]:
    for each, _number in zip(posts, range(limit), strict=False):
        yield each


# Cursors -----------------------------------------------------------------------------------------

HALF = 2**32
ROUNDS = range(4)


def cursor_of(pk: int) -> str:
    """Return the cursor for the position after a row. It encrypts the row's id, because gaps between ids would reveal
    posts of other people.
    """
    left, right = divmod(pk, HALF)
    for number in ROUNDS:
        left, right = right, left ^ _mixed(number, right)
    return f"{left * HALF + right:016x}"


def row_of_cursor(cursor: str) -> int:
    """Return the id of the row after which a cursor points.

    Raises: Problem (422) when it is no cursor.
    """
    try:
        left, right = divmod(int(cursor, 16) if len(cursor) == 16 and cursor.isalnum() else -1, HALF)
    except ValueError:
        left = -1
    if left >= 0:
        for number in reversed(ROUNDS):
            left, right = right ^ _mixed(number, left), left
    if not 0 <= left < HALF // 2 or left * HALF + right > MOST_ROWS:
        raise Problem("invalid", field="after", detail="This is no cursor that was given here.")
    return left * HALF + right


MOST_ROWS = 2**48
"""A table has fewer rows. A cursor beyond it was not given out here."""


def _mixed(number: int, half: int) -> int:
    key, said = settings.SECRET_KEY.encode(), f"championship.api.feed {number} {half}".encode()
    return int.from_bytes(hmac.digest(key, said, "sha256")[:4])
