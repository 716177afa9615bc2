"""Customers are parts of apps that wait for people. Each lists its open rows, and acts at their deadlines.

An app registers its customers when Django is ready. The sweep knows none of them by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.db.models import QuerySet

GRACE = timedelta(hours=1)
"""The least time that a driver has left after an outage that took some of their time."""
BRISK_GRACE = timedelta(seconds=30)
"""The same where time is kept in seconds."""


@dataclass(frozen=True, slots=True)
class Outage:
    """Nothing was swept between the last sweep, `since`, and this one, `until`. `brisk`: it is an outage of the second
    clock, so that only rows are affected that are kept in seconds.
    """

    since: datetime
    until: datetime
    brisk: bool = False

    def affected(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The open rows among `rows` whose driver lost time: the deadline passed during the outage, or passes within
        GRACE after it. A row with more time left keeps its deadline.
        """
        return rows.filter(
            ended_at=None,
            stands_in=False,
            since__lt=self.until,
            deadline__gt=self.since,
            deadline__lt=self.until + GRACE,
        )

    def affected_closings(self, stages: QuerySet[Any]) -> QuerySet[Any]:
        """The stages that closed during the outage, or close within GRACE after it."""
        return stages.filter(closes_at__gt=self.since, closes_at__lt=self.until + GRACE)


class Customer(Protocol):
    """What the sweep needs of a customer. All rows of a customer are of one model, a `deadlines.models.Awaited`.

    name: its name in messages and in `manage.py clock`. locks: customers are excused in the order of this number, which
    is the lock order: runs before rallies. unit: the lookup that leads from a row to the key of what is locked for it
    and excused as a whole, such as its run.
    """

    name: str
    locks: int
    unit: str

    def rows(self) -> QuerySet[Any]:
        """All open rows whose time is running: not those of paused rallies."""
        ...

    def brisk(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows among these whose time is kept in seconds."""
        ...

    def due(self, now: datetime) -> QuerySet[Any]:
        """The rows for which something has to happen now."""
        ...

    def act(self, row_ids: Collection[int], now: datetime) -> int:
        """Act on each of these rows that still needs it. Returns how many did."""
        ...

    def with_related(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """These rows with all data that `remind`, `overdue_text` and their terms read."""
        ...

    def remind(self, row: Any) -> None:
        """Write the reminder of a row that is locked."""
        ...

    def follow(self, row_ids: Collection[int], now: datetime) -> None:
        """Set the deadlines of rows that have not followed a change yet, under the customer's own locks."""
        ...

    def affected(self, outage: Outage) -> Iterable[int]:
        """The units that lost time in the outage, in lock order."""
        ...

    def excuse(self, unit: int, outage: Outage) -> int:
        """Give one unit the time of the outage back. Returns how many rows moved; 0 when the unit has nothing to excuse
        any more. Runs inside a transaction.
        """
        ...

    def stuck_texts(self) -> list[str]:
        """Texts for the operator about open things that wait for nobody, so that nothing would ever happen to them."""
        ...

    def overdue_text(self, row: Any) -> str:
        """The text for the operator about an overdue row."""
        ...


_known: dict[str, Customer] = {}


def register(customer: Customer) -> None:
    """Let the sweep handle a customer's rows."""
    _known[customer.name] = customer


def get(name: str) -> Customer:
    """The customer of that name.

    Raises: KeyError when there is none.
    """
    return _known[name]


def all_customers() -> list[Customer]:
    """All customers, in lock order."""
    return sorted(_known.values(), key=lambda customer: customer.locks)
