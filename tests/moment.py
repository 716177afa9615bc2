"""The current time of a test, which sets it. `championship.platform.clock` returns it."""

from __future__ import annotations

from datetime import UTC, datetime

_present = datetime(2026, 11, 19, 12, tzinfo=UTC)


def told() -> datetime:
    """Return the current time. The setting CLOCK names this function."""
    return _present


def be(moment: datetime | str) -> datetime:
    """Set the current time and return it. A text such as "2026-11-19T12:00" is in UTC."""
    global _present
    _present = datetime.fromisoformat(moment).replace(tzinfo=UTC) if isinstance(moment, str) else moment
    return _present
