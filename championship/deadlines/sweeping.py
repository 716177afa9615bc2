"""The one sweep: an outage is noticed and excused, what is due is given to workers, reminders are written.

Each row is claimed under a lock, so each is seen to once, however many sweeps and workers there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from championship.deadlines.customers import Customer, Outage, all_customers
from championship.deadlines.lifecycle import lasts
from championship.deadlines.models import Sweep

DEADLINES = "deadlines"
"""The sweep's row."""
OUTAGE = timedelta(minutes=10)
"""So long without a sweep, and the clock stood still: who let a deadline pass meanwhile has not missed it."""
CLAIM = timedelta(seconds=50)
"""For so long a row is left to the worker whom a sweep gave it; a message that was lost delays it to the next one."""
CHUNK = 50
"""Rows in one task, and reminders in one transaction."""
MOST_CLAIMED = 20_000
MOST_REMINDED = 500


def claim(*, now: datetime, limit: int = MOST_CLAIMED) -> Iterator[tuple[str, list[int]]]:
    """Take the rows that are due, in chunks: the customer's name and ids. Another sweep does not take them as well.

    What is taken and not seen to is taken again by a sweep a little later: a chunk may be lost.
    """
    for customer in all_customers():
        ids = _claimed(customer, now, limit)
        for first in range(0, len(ids), CHUNK):
            yield customer.name, ids[first : first + CHUNK]


@transaction.atomic
def _claimed(customer: Customer, now: datetime, limit: int) -> list[int]:
    # A claim from the future is one of before the machine's clock was set back.
    free = Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM) | Q(claimed_at__gt=now + CLAIM)
    held = customer.due(now).filter(free).select_for_update(skip_locked=True, of=("self",))
    ids = list(held.order_by("deadline", "pk").values_list("pk", flat=True)[:limit])
    customer.rows().model.objects.filter(pk__in=ids).update(claimed_at=now)
    return ids


@transaction.atomic
def excuse_outage(*, now: datetime) -> int:
    """Note that the clock goes, and give time back where it had stood still; how many rows that moved.

    After more than OUTAGE without a sweep, the time since the last one is not counted for any row whose deadline has
    passed in it, or passes within GRACE from now, and GRACE is left at least. A sweep that was less late than that
    excuses nobody. A rally that is paused is no exception: what passed before the pause began is excused too.
    """
    swept, first = Sweep.objects.select_for_update().get_or_create(name=DEADLINES, defaults={"at": now})
    last, swept.at, swept.heard_at = swept.at, max(swept.at, now), now
    swept.save(update_fields=["at", "heard_at"])
    if first or now - last <= OUTAGE:
        return 0
    return sum(customer.excuse(Outage(last, now)) for customer in all_customers())


def remind(*, now: datetime, limit: int = MOST_REMINDED) -> int:
    """Write the reminders that are due, up to `limit` for each customer; how many. A driver is reminded of a deadline
    once, and not when it is too late. Rows are held for a CHUNK of them at a time: who acts meanwhile waits for no more
    than that.

    A row whose deadline has yet to follow a change is left to that.
    """
    return sum(_remind_of(customer, now, limit) for customer in all_customers())


def _remind_of(customer: Customer, now: datetime, limit: int) -> int:
    told, behind, left = 0, set[int](), limit
    while left > 0:
        found, written = _remind_some(customer, now, min(CHUNK, left), behind)
        told, left = told + written, left - CHUNK
        if found < CHUNK:
            break
    if behind:
        customer.follow(behind, now)
    return told


@transaction.atomic
def _remind_some(customer: Customer, now: datetime, most: int, behind: set[int]) -> tuple[int, int]:
    """Write up to so many reminders; how many were due and how many are written. Rows that have yet to follow a change
    go into `behind`, and are passed over.
    """
    due = customer.rows().filter(remind_at__lte=now, deadline__gt=now).exclude(pk__in=behind)
    held = customer.whole(due).select_for_update(skip_locked=True, of=("self",))
    rows, told = list(held.order_by("remind_at", "pk")[:most]), []
    for row in rows:
        if lasts(row):
            row.remind_at, row.reminded_of = None, row.deadline
            customer.remind(row)
            told.append(row)
        else:
            behind.add(row.pk)
    customer.rows().model.objects.bulk_update(told, ["remind_at", "reminded_of"])
    return len(rows), len(told)
