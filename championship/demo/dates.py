"""The demo's dates. Its past is recorded once, and is moved by whole days when a demo begins, so that the last rally
was always a week or two ago.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings
from django.utils import timezone

from championship.platform import clock

FIRST_HOUR, LAST_HOUR = 7, 22
"""Between these hours of a day (UTC) people of the demo drive."""
MOMENT = re.compile(rb'"(\d{4}-\d\d-\d\d)((?:T[\d:.]+(?:\+00:00|Z))?)"')
"""A day or a moment as JSON holds it, in UTC."""

_told: datetime | None = None


def told() -> datetime:
    """Return the time that `be` has set, else the machine's. The setting CLOCK names this function inside `telling`."""
    return _told or timezone.now()


def be(moment: datetime) -> datetime:
    """Set the time that the service's clock tells inside `telling`, and return it."""
    global _told
    _told = moment
    return moment


@contextmanager
def telling(moment: datetime) -> Iterator[None]:
    """Context manager: the service's clock tells this moment, or the one that `be` sets later."""
    before, there = getattr(settings, "CLOCK", None), hasattr(settings, "CLOCK")
    settings.CLOCK = f"{__name__}.told"
    be(moment)
    try:
        yield
    finally:
        global _told
        _told = None
        if there:
            settings.CLOCK = before
        else:
            delattr(settings, "CLOCK")


def later(minutes: float) -> datetime:
    """Let the clock go on by so many minutes, over the night where that falls into it. Return the new time."""
    moment = clock.now() + timedelta(minutes=minutes)
    if moment.hour >= LAST_HOUR or moment.hour < FIRST_HOUR:
        day = moment.date() + timedelta(days=moment.hour >= LAST_HOUR)
        moment = datetime.combine(day, time(FIRST_HOUR, moment.minute, moment.second), UTC)
    return be(moment)


def moved(line: bytes, days: int) -> bytes:
    """Return a line of JSON with every day and moment in it so many days later."""

    def later_by_days(found: re.Match[bytes]) -> bytes:
        day = date.fromisoformat(found[1].decode()) + timedelta(days=days)
        return b'"%s%s"' % (day.isoformat().encode(), found[2])

    return MOMENT.sub(later_by_days, line)
