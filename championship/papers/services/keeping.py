"""Rows that keep a file which a worker makes: each state is made once, however many ask for it at once.

A file that is younger than FRESH is served even when its subject has changed, so that a busy rally does not need a new
file all the time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Q, QuerySet

from championship.papers.models import MadeByWorker
from championship.platform import clock, task_dispatch

logger = logging.getLogger(__name__)

FRESH = timedelta(minutes=1)
LOST_AFTER = timedelta(minutes=3)
"""A worker that has not finished after this time is regarded as dead."""
MOST_TRIES = 3
TRY_AGAIN_AFTER = timedelta(hours=1)
"""A file that failed can be requested again after this time."""

Kept = TypeVar("Kept", bound=MadeByWorker)
Rows = QuerySet[Kept]


def kept(rows: Rows[Kept], tag: str | None) -> Kept | None:
    """The file of these rows, if it is of this state or younger than FRESH: one query. `tag`: None for any state that
    is younger than FRESH.
    """
    found = rows.exclude(content=None).first()
    if found is None or found.made_at is None:
        return None
    return found if found.made_of == tag or found.made_at > clock.now() - FRESH else None


def is_queued(rows: Rows[Any]) -> bool:
    """Whether a worker is to make the file already: one query."""
    return rows.exclude(asked_for="").filter(failed_at=None).exists()


@transaction.atomic
def enqueue(
    model: type[Kept],
    place: Mapping[str, Any],
    tag: str,
    task: task_dispatch.Task[*tuple[Any, ...]],
    also: Mapping[str, Any] | None = None,
) -> bool:
    """Queue the file of this state for a worker, unless it is queued already. `place`: the columns that name the row;
    `also`: the others of a new one. `task`: the task that makes it.

    Returns False when this state failed less than TRY_AGAIN_AFTER ago.
    """
    now = clock.now()
    rows: QuerySet[Any] = model._default_manager.all()
    rows.bulk_create([model(**place, **(also or {}))], ignore_conflicts=True)
    row = rows.select_for_update().defer("content").get(**place)
    if row.failed_at is not None and now - row.failed_at < TRY_AGAIN_AFTER and row.asked_for == tag:
        return False
    if row.is_queued:  # maybe for an older state: the worker makes the newest one
        if row.asked_at <= now - LOST_AFTER:  # its tries count on, so that a file that kills workers is given up
            row.asked_at = now
            row.save(update_fields=["asked_at"])
            task_dispatch.after_commit(task, row.pk)
        return True
    row.asked_for, row.asked_at, row.begun_at, row.failed_at, row.tries = tag, now, None, None, 0
    row.save(update_fields=["asked_for", "asked_at", "begun_at", "failed_at", "tries"])
    task_dispatch.after_commit(task, row.pk)
    return True


def make(rows: Rows[Kept], pk: int, render: Callable[[Kept], tuple[str, bytes]]) -> bool:
    """Make a queued file from the present state. `render` returns the tag of that state, and the file.

    Returns False when another worker is making it or has finished, or when making it fails.
    """
    row = claimed(rows, pk)
    if row is None:
        return False
    here: QuerySet[Any] = type(row)._default_manager.filter(pk=pk)
    try:
        tag, content = render(row)
    except Exception:
        logger.exception("%s %s could not be made", type(row).__name__, pk)
        here.update(**({"failed_at": clock.now()} if row.tries >= MOST_TRIES else {"begun_at": None}))
        return False
    here.update(content=content, made_of=tag, made_at=clock.now(), asked_for="", begun_at=None)
    return True


@transaction.atomic
def claimed(rows: Rows[Kept], pk: int) -> Kept | None:
    """Take a queued row for this worker; None when there is nothing to do."""
    found = rows.select_for_update(skip_locked=True, of=("self",)).defer("content")
    row = found.filter(pk=pk, failed_at=None).exclude(asked_for="").first()
    now = clock.now()
    if row is None or (row.begun_at is not None and row.begun_at > now - LOST_AFTER):
        return None
    if row.tries >= MOST_TRIES:  # each of its workers died, perhaps because of this file
        logger.error("%s %s is given up: %s workers died while they made it", type(row).__name__, pk, row.tries)
        row.failed_at = now
        row.save(update_fields=["failed_at"])
        return None
    row.begun_at, row.tries = now, row.tries + 1
    row.save(update_fields=["begun_at", "tries"])
    return row


def forgotten(rows: Rows[Any]) -> list[int]:
    """The ids of queued rows whose task was lost or whose worker has died."""
    now = clock.now()
    waiting = rows.exclude(asked_for="").filter(failed_at=None)
    lost = Q(begun_at=None, asked_at__lte=now - timedelta(seconds=30)) | Q(begun_at__lte=now - LOST_AFTER)
    return list(waiting.filter(lost).order_by("asked_at").values_list("pk", flat=True)[:100])
