"""When open stages open: on Mondays at 00:00 UTC, or later if at least a day of the week is left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings

from championship.openstage.models import Week
from championship.rallies.services import games_for_everybody

LEAST_OPEN = timedelta(days=1)
"""A week with less time left gets no stage."""


@dataclass(frozen=True, slots=True)
class Opening:
    """When the next stage opens. `due`: it should be open already, and the next sweep opens it."""

    at: datetime
    due: bool


def monday_of(now: datetime) -> date:
    """Return the first day of the week, in UTC."""
    today = now.astimezone(UTC).date()
    return today - timedelta(days=today.weekday())


def end_of(monday: date) -> datetime:
    """Return when the stage of a week closes, and that of the next week opens."""
    return datetime.combine(monday + timedelta(days=7), time(), tzinfo=UTC)


def due_week(*, now: datetime) -> date | None:
    """Return the Monday of this week if it has no stage yet and enough of it is left; None otherwise. One query at
    most.
    """
    monday = monday_of(now)
    if end_of(monday) - now < LEAST_OPEN or Week.objects.filter(monday=monday).exists():
        return None
    return monday


def next_opening(*, now: datetime) -> Opening | None:
    """Return when the next stage opens; None for a service that opens none. One query at most."""
    if not settings.OPEN_STAGE or not games_for_everybody():
        return None
    due = due_week(now=now)
    return Opening(end_of(monday_of(now)), due=False) if due is None else Opening(now, due=True)
