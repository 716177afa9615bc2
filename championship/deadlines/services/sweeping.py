"""The sweep: it detects and excuses an outage, gives due rows to workers, and writes reminders.

Each row is claimed under a lock, so it is handled once, however many sweeps and workers there are. Each unit stands
alone: what fails is put off (`failures.services`), and everything else goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.db.models import Exists, Q, QuerySet

from championship.deadlines import customers
from championship.deadlines.customers import Customer, Outage, all_customers
from championship.deadlines.lifecycle import is_up_to_date
from championship.deadlines.models import Sweep, UnexcusedOutage
from championship.failures.services import Attempts

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
WHOLE = UnexcusedOutage.WHOLE


def claim(*, now: datetime, limit: int = MOST_CLAIMED) -> Iterator[tuple[str, list[int]]]:
    """Claim the due rows. Yields chunks: the customer's name and ids. No other sweep claims them at the same time.

    A row that is claimed but not handled is claimed again by a later sweep, so a chunk may be lost. Rows that are put
    off, or whose outage is not excused yet, are not claimed.
    """
    for customer in all_customers():
        tries = Attempts(f"{customer.name}: claim", now=now)
        ids = tries.attempt("", partial(_claimed, customer, now, limit, tries)) or []
        for first in range(0, len(ids), CHUNK):
            yield customer.name, ids[first : first + CHUNK]


@transaction.atomic
def _claimed(customer: Customer, now: datetime, limit: int, tries: Attempts) -> list[int]:
    # A claim in the future was made before the machine's clock was set back.
    free = Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM) | Q(claimed_at__gt=now + CLAIM)
    put_off, rows = [*acts_of(customer.name, now).put_off(), *tries.put_off()], customer.rows().model.objects
    due = _running(customer, customer.due(now)).exclude(pk__in=put_off)
    held = due.filter(free).select_for_update(skip_locked=True, of=("self",))
    ids = list(held.order_by("deadline", "pk").values_list("pk", flat=True)[:limit])
    return tries.attempt_together(ids, lambda some: rows.filter(pk__in=some).update(claimed_at=now))


def act(customer_name: str, row_ids: Collection[int], *, now: datetime) -> int:
    """Act on these rows of a customer, except those whose outage is not excused yet. Returns for how many it was
    needed.
    """
    customer = customers.get(customer_name)
    rows = _running(customer, customer.rows().model.objects.filter(pk__in=row_ids))
    return customer.act(list(rows.order_by("deadline", "pk").values_list("pk", flat=True)), now)


def acts_of(customer_name: str, now: datetime) -> Attempts:
    """The tries of a customer's due rows, for `Customer.act`."""
    return Attempts(f"{customer_name}: due", now=now)


def ready(customer: Customer, rows: QuerySet[Any], *, now: datetime) -> QuerySet[Any]:
    """The rows among these on which a clock may act now: they are not put off, and no outage remains to be excused. One
    query, for what is put off.
    """
    return _running(customer, rows).exclude(pk__in=acts_of(customer.name, now).put_off())


def _running(customer: Customer, rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows among these whose time counts now."""
    return without_unexcused(rows, customer.name, customer.unit)


def without_unexcused(rows: QuerySet[Any], customer_name: str, unit: str) -> QuerySet[Any]:
    """The rows among these of whose unit no outage remains to be excused. `unit`: the lookup that leads to the unit."""
    waiting = UnexcusedOutage.objects.filter(customer=customer_name)
    known = rows.filter(~Exists(waiting.filter(unit=WHOLE)))
    return known.exclude(**{f"{unit}__in": waiting.values("unit")})


def excuse_outage(*, now: datetime) -> int:
    """Record this sweep, and give back the time of an outage before it. Returns how many rows moved.

    After more than OUTAGE without a sweep, the time since the last sweep does not count for any row whose deadline
    passed in it, or passes within GRACE from now. At least GRACE is left. After a shorter gap nobody is excused. A
    paused rally is no exception: a deadline that passed before the pause began is excused too.

    The sweep is recorded first. Each unit is excused once, in its own transaction. A unit that cannot be excused now is
    excused by a later sweep; nobody acts on its deadlines before that.
    """
    _record_sweep(now)
    return sum(excuse_units_of(customer, now) for customer in all_customers())


@transaction.atomic
def _record_sweep(now: datetime) -> None:
    """Record this sweep, and that an outage before it remains to be excused."""
    swept, first = Sweep.objects.select_for_update().get_or_create(name=DEADLINES, defaults={"at": now})
    last, swept.at, swept.heard_at = swept.at, max(swept.at, now), now
    swept.save(update_fields=["at", "heard_at"])
    if not first and now - last > OUTAGE:
        UnexcusedOutage.objects.bulk_create(
            (UnexcusedOutage(customer=customer.name, unit=WHOLE, since=last) for customer in all_customers()),
            ignore_conflicts=True,
        )


def excuse_units_of(customer: Customer, now: datetime) -> int:
    """Give each unit of a customer the time of its outage back. Returns how many rows moved."""
    waiting = UnexcusedOutage.objects.filter(customer=customer.name).order_by("unit")
    if not waiting.exists():
        return 0
    tries, moved = Attempts(f"{customer.name}: outage", now=now), 0
    tries.attempt("", partial(_find_affected, customer, now))
    for unit in list(waiting.exclude(unit=WHOLE).values_list("unit", flat=True)):
        moved += tries.attempt(unit, partial(_excuse_unit, customer, unit, now)) or 0
    return moved


@transaction.atomic
def _find_affected(customer: Customer, now: datetime) -> None:
    """Write a row for each unit that the outage affects, instead of the row for the customer as a whole. A unit whose
    earlier outage is not excused yet keeps its row: its clock has stood still since then.
    """
    whole = UnexcusedOutage.objects.select_for_update().filter(customer=customer.name, unit=WHOLE).first()
    if whole is None:
        return
    units = customer.affected(Outage(whole.since, now))
    UnexcusedOutage.objects.bulk_create(
        (UnexcusedOutage(customer=customer.name, unit=unit, since=whole.since) for unit in units), ignore_conflicts=True
    )
    whole.delete()


@transaction.atomic
def _excuse_unit(customer: Customer, unit: int, now: datetime) -> int:
    """Give one unit the time of its outage back. Another sweep that does the same has its row locked."""
    rows = UnexcusedOutage.objects.select_for_update(skip_locked=True)
    waiting = rows.filter(customer=customer.name, unit=unit).first()
    if waiting is None:
        return 0
    moved = customer.excuse(unit, Outage(waiting.since, now))
    waiting.delete()
    return moved


def remind(*, now: datetime, limit: int = MOST_REMINDED) -> int:
    """Write the due reminders, up to `limit` for each customer. Returns their number. A driver is reminded of a
    deadline once, and not when it is too late. At most CHUNK rows are locked at a time: a driver who acts meanwhile
    waits no longer than that.

    A row that has not followed a change yet gets no reminder now: it follows the change instead.
    """
    reminded = 0
    for customer in all_customers():
        tries = Attempts(f"{customer.name}: reminder", now=now)
        reminded += tries.attempt("", partial(_remind_of, customer, now, limit, tries)) or 0
    return reminded


def _remind_of(customer: Customer, now: datetime, limit: int, tries: Attempts) -> int:
    skipped, behind = {int(unit) for unit in tries.put_off()}, set[int]()
    reminded, left = 0, limit
    while left > 0:
        due = _running(customer, customer.rows()).filter(remind_at__lte=now, deadline__gt=now)
        due = due.exclude(pk__in=skipped | behind).order_by("remind_at", "pk")
        some = due[: min(CHUNK, left)]
        try:
            found, written = _remind_some(customer, some, behind)
        except SoftTimeLimitExceeded:
            raise
        except Exception:  # one of them fails: each is tried alone
            ids = list(some.values_list("pk", flat=True))
            found, written = len(ids), _remind_each(customer, due, ids, behind, tries)
            skipped.update(ids)
        reminded, left = reminded + len(written), left - CHUNK
        for row_id in written:
            tries.succeeded(row_id)
        if found < CHUNK:
            break
    for row_id in sorted(behind):
        tries.attempt(row_id, partial(customer.follow, {row_id}, now))
    return reminded


def _remind_each(
    customer: Customer, due: QuerySet[Any], ids: Iterable[int], behind: set[int], tries: Attempts
) -> list[int]:
    """Write the reminders of these rows, each in its own transaction. Returns the rows that got one."""
    written = list[int]()
    for row_id in ids:
        done = tries.attempt(row_id, partial(_remind_some, customer, due.filter(pk=row_id), behind))
        written += done[1] if done else []
    return written


@transaction.atomic
def _remind_some(customer: Customer, due: QuerySet[Any], behind: set[int]) -> tuple[int, list[int]]:
    """Write the reminders of these rows. Returns how many are due, and the rows that got one. Rows that have not
    followed a change yet are added to `behind` and skipped.
    """
    rows = list(customer.with_related(due).select_for_update(skip_locked=True, of=("self",)))
    reminded, late = list[Any](), set[int]()
    for row in rows:
        if is_up_to_date(row):
            row.remind_at, row.reminded_of = None, row.deadline
            customer.remind(row)
            reminded.append(row)
        else:
            late.add(row.pk)
    customer.rows().model.objects.bulk_update(reminded, ["remind_at", "reminded_of"])
    behind |= late
    return len(rows), [row.pk for row in reminded]
