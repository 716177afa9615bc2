"""The sweep: it detects and excuses an outage, gives due rows to workers, and writes reminders.

Each row is claimed under a lock, so it is handled once, however many sweeps and workers there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from championship.deadlines.customers import Customer, Outage, all_customers
from championship.deadlines.lifecycle import is_up_to_date
from championship.deadlines.models import Sweep

DEADLINES = "deadlines"
"""The name of the sweep's row."""
OUTAGE = timedelta(minutes=10)
"""A longer time without a sweep is an outage. A driver whose deadline passed in it has not missed it."""
CLAIM = timedelta(seconds=50)
"""How long a claimed row is left to its worker. If the message is lost, a later sweep claims the row again."""
CHUNK = 50
"""Rows in one task, and reminders in one transaction."""
MOST_CLAIMED = 20_000
MOST_REMINDED = 500


def claim(*, now: datetime, limit: int = MOST_CLAIMED) -> Iterator[tuple[str, list[int]]]:
    """Claim the due rows. Yields chunks: the customer's name and ids. No other sweep claims them at the same time.

    A row that is claimed but not handled is claimed again by a later sweep, so a chunk may be lost.
    """
    for customer in all_customers():
        ids = _claimed(customer, now, limit)
        for first in range(0, len(ids), CHUNK):
            yield customer.name, ids[first : first + CHUNK]


@transaction.atomic
def _claimed(customer: Customer, now: datetime, limit: int) -> list[int]:
    # A claim in the future was made before the machine's clock was set back.
    free = Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM) | Q(claimed_at__gt=now + CLAIM)
    held = customer.due(now).filter(free).select_for_update(skip_locked=True, of=("self",))
    ids = list(held.order_by("deadline", "pk").values_list("pk", flat=True)[:limit])
    customer.rows().model.objects.filter(pk__in=ids).update(claimed_at=now)
    return ids


@transaction.atomic
def excuse_outage(*, now: datetime) -> int:
    """Record this sweep, and give back the time of an outage before it. Returns how many rows moved.

    After more than OUTAGE without a sweep, the time since the last sweep does not count for any row whose deadline
    passed in it, or passes within GRACE from now. At least GRACE is left. After a shorter gap nobody is excused. A
    paused rally is no exception: a deadline that passed before the pause began is excused too.
    """
    swept, first = Sweep.objects.select_for_update().get_or_create(name=DEADLINES, defaults={"at": now})
    last, swept.at, swept.heard_at = swept.at, max(swept.at, now), now
    swept.save(update_fields=["at", "heard_at"])
    if first or now - last <= OUTAGE:
        return 0
    return sum(customer.excuse(Outage(last, now)) for customer in all_customers())


def remind(*, now: datetime, limit: int = MOST_REMINDED) -> int:
    """Write the due reminders, up to `limit` for each customer. Returns their number. A driver is reminded of a
    deadline once, and not when it is too late. At most CHUNK rows are locked at a time: a driver who acts meanwhile
    waits no longer than that.

    A row that has not followed a change yet gets no reminder now: it follows the change instead.
    """
    return sum(_remind_of(customer, now, limit) for customer in all_customers())


def _remind_of(customer: Customer, now: datetime, limit: int) -> int:
    reminded, behind, left = 0, set[int](), limit
    while left > 0:
        found, written = _remind_some(customer, now, min(CHUNK, left), behind)
        reminded, left = reminded + written, left - CHUNK
        if found < CHUNK:
            break
    if behind:
        customer.follow(behind, now)
    return reminded


@transaction.atomic
def _remind_some(customer: Customer, now: datetime, most: int, behind: set[int]) -> tuple[int, int]:
    """Write up to `most` reminders. Returns how many were due and how many were written. Rows that have not followed a
    change yet are added to `behind` and skipped.
    """
    due = customer.rows().filter(remind_at__lte=now, deadline__gt=now).exclude(pk__in=behind)
    held = customer.with_related(due).select_for_update(skip_locked=True, of=("self",))
    rows, reminded = list(held.order_by("remind_at", "pk")[:most]), []
    for row in rows:
        if is_up_to_date(row):
            row.remind_at, row.reminded_of = None, row.deadline
            customer.remind(row)
            reminded.append(row)
        else:
            behind.add(row.pk)
    customer.rows().model.objects.bulk_update(reminded, ["remind_at", "reminded_of"])
    return len(rows), len(reminded)
