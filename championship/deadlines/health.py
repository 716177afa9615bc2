"""Whether deadlines are swept and acted on in time: one meaning for the operator's commands, checks and metrics."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from championship.deadlines.models import Sweep
from championship.deadlines.services.sweeping import DEADLINES

PATIENCE = timedelta(minutes=2)
"""How long after a deadline, or after the last sweep, everything still counts as working: a sweep comes each minute."""


def last_sweep() -> datetime | None:
    """When the deadlines were last swept, by the clock of the machine that did it; None for never. One query."""
    return Sweep.objects.filter(name=DEADLINES).values_list("heard_at", flat=True).first()


def sweep_is_missing(swept_at: datetime | None, now: datetime) -> bool:
    """Whether deadlines are not swept, or the last sweep lies so far in the future that it cannot be trusted."""
    return swept_at is None or abs(now - swept_at) > PATIENCE


def is_overdue(now: datetime) -> Q:
    """The condition for due rows that no worker has acted on within PATIENCE."""
    return Q(deadline__lte=now - PATIENCE)


def overdue(due: QuerySet[Any], now: datetime) -> QuerySet[Any]:
    """The overdue rows among the due rows of a customer."""
    return due.filter(is_overdue(now))
