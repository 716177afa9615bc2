"""Who has others wait for something: each customer says what is open, and what happens at the deadline.

An app registers its customers when Django is ready. The sweep knows none of them by name.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.db.models import QuerySet

GRACE = timedelta(hours=1)
"""What a driver has left at least who was kept from their time by a clock that stood still."""


@dataclass(frozen=True, slots=True)
class Outage:
    """The clock stood still from the last sweep, `since`, to this one, `until`."""

    since: datetime
    until: datetime

    def kept(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Of open rows those whose driver it has kept from their time: the deadline has passed meanwhile, or passes
        within GRACE. A row with more time left keeps its deadline.
        """
        return rows.filter(
            ended_at=None,
            stands_in=False,
            since__lt=self.until,
            deadline__gt=self.since,
            deadline__lt=self.until + GRACE,
        )


class Customer(Protocol):
    """What the sweep asks of everybody who waits. Rows are of one model each, a `deadlines.models.Awaited`.

    name: how messages and `manage.py clock` call it. locks: customers are excused in the order of this number, which is
    the order of locks: runs before rallies.
    """

    name: str
    locks: int

    def rows(self) -> QuerySet[Any]:
        """All open rows whose time runs: not those of paused rallies."""
        ...

    def due(self, now: datetime) -> QuerySet[Any]:
        """The rows for which something has to happen now."""
        ...

    def act(self, row_ids: Collection[int], now: datetime) -> int:
        """Do what has to happen, for each of these rows for which it still has to; for how many that was."""
        ...

    def whole(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """These rows with all that `remind`, `named` and their terms ask of them."""
        ...

    def remind(self, row: Any) -> None:
        """Write the reminder of a row that is held."""
        ...

    def follow(self, row_ids: Collection[int], now: datetime) -> None:
        """Set the deadlines of rows that have yet to follow a change, under the customer's own locks."""
        ...

    def excuse(self, outage: Outage) -> int:
        """Give back the time in which the clock stood still; how many rows that moved. Inside a transaction."""
        ...

    def unwaited(self) -> list[str]:
        """What is open and waits for nobody, so that nothing would ever happen: as an operator is told of it."""
        ...

    def named(self, row: Any) -> str:
        """What an operator is told of a row that is overdue."""
        ...


_known: dict[str, Customer] = {}


def register(customer: Customer) -> None:
    """Have the sweep look after a customer's rows."""
    _known[customer.name] = customer


def get(name: str) -> Customer:
    """The customer of that name; KeyError for none."""
    return _known[name]


def all_customers() -> list[Customer]:
    """All of them, in the order of their locks."""
    return sorted(_known.values(), key=lambda customer: customer.locks)
