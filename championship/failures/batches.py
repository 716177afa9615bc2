"""Treating many rows in batches, for nightly deletion: a row that fails is put off alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from championship.failures.services import Attempts
from championship.platform import clock

BATCH = 1000
"""Rows in one transaction. There are few of them, so that nobody waits long for a lock."""


def delete(rows: QuerySet[Any]) -> int:
    """Delete these rows. Returns their number, with those that went with them."""
    return rows.delete()[0]


def by_batches(rows: QuerySet[Any], treat: Callable[[QuerySet[Any]], int] = delete) -> int:
    """Apply `treat` to all of these rows, BATCH of them per transaction. Returns their number.

    Where a batch fails, each of its rows is treated alone. The rows that fail are put off; the others are done.
    """
    tries = Attempts(f"deletion: {rows.model._meta.label_lower}", now=clock.now())
    everything, last, done = rows.model._base_manager, None, 0
    rows = rows.exclude(pk__in=tries.put_off()).order_by("pk")
    while True:
        some = list((rows if last is None else rows.filter(pk__gt=last)).values_list("pk", flat=True)[:BATCH])
        done += len(tries.attempt_together(some, lambda pks: treat(everything.filter(pk__in=pks))))
        if len(some) < BATCH:
            return done
        last = some[-1]
