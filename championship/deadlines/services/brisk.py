"""The second clock: it acts on deadlines that are kept in seconds, within two seconds, with no page open.

Any number of processes may tick. Each acts on a due row under the lock of the row's unit, or leaves it to the process
that has the lock. A process that dies has done a whole row or nothing, and the next tick of another does the rest. The
sweep of each minute stays: it finds what no tick has done.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection, transaction

from championship.deadlines.customers import Outage, all_customers
from championship.deadlines.models import Sweep, UnexcusedOutage
from championship.deadlines.services import scheduled_actions, sweeping

SECONDS = "seconds"
"""The name of the second clock's row in `Sweep`."""
OUTAGE = timedelta(seconds=5)
"""A longer time without a tick is an outage for deadlines that are kept in seconds."""
FORGOTTEN = timedelta(minutes=10)
"""After so long without a tick the second clock was not running at all: the sweep has kept the time meanwhile, and
excuses what it missed.
"""
AT_ONCE = 20
"""The most rows of one customer on which one tick acts."""


def anything_brisk(*, now: datetime) -> bool:
    """Return whether any open row is kept in seconds, or a brisk action at a set time is due. A query for each
    customer, and two for each kind of action.
    """
    if any(customer.brisk(customer.rows()).exists() for customer in all_customers()):
        return True
    return any(True for _due in scheduled_actions.due(now, brisk=True))


def queries() -> list[str]:
    """Return the SQL of `anything_brisk`: a row is the answer of any of these queries that finds something."""
    found = [customer.brisk(customer.rows()).query.exists().sql_with_params() for customer in all_customers()]
    with connection.cursor():  # which opens the connection that quotes the values
        return [connection.ops.compose_sql(*each) for each in found]  # type: ignore[attr-defined]


def tick(*, now: datetime) -> int:
    """Excuse the time of an outage, then act on every due row that is kept in seconds, and on brisk actions at set
    times. Returns for how many rows something was done.
    """
    if _note_tick(now):
        for customer in all_customers():
            sweeping.excuse_units_of(customer, now)
    acted = 0
    for customer in all_customers():
        due = sweeping.ready(customer, customer.brisk(customer.due(now)), now=now).order_by("deadline", "pk")
        ids = list(due.values_list("pk", flat=True)[:AT_ONCE])
        acted += sweeping.act(customer.name, ids, now=now) if ids else 0
    for name, row_id in list(scheduled_actions.due(now, brisk=True))[:AT_ONCE]:
        acted += scheduled_actions.act(name, row_id, now=now)
    return acted


@transaction.atomic
def _note_tick(now: datetime) -> bool:
    """Record this tick. After an outage, write a row for each unit that lost time. Returns whether it did.

    Of two processes that tick at once, one finds the row locked and leaves it to the other.
    """
    Sweep.objects.get_or_create(name=SECONDS, defaults={"at": now, "heard_at": now})
    ticked = Sweep.objects.select_for_update(skip_locked=True).filter(name=SECONDS).first()
    if ticked is None:
        return False
    last, ticked.at, ticked.heard_at = ticked.at, max(ticked.at, now), now
    ticked.save(update_fields=["at", "heard_at"])
    if not OUTAGE < now - last < FORGOTTEN:
        return False
    lost = [
        UnexcusedOutage(customer=customer.name, unit=unit, since=last)
        for customer in all_customers()
        for unit in customer.affected(Outage(last, now, brisk=True))
    ]
    UnexcusedOutage.objects.bulk_create(lost, ignore_conflicts=True)
    return bool(lost)


def rest(*, now: datetime) -> None:
    """Note that nothing is kept in seconds: the time until the next tick is no outage."""
    Sweep.objects.filter(name=SECONDS).update(at=now, heard_at=now)
