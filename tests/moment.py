"""The present of a test: a moment that it sets, for everything that asks the clock."""

from __future__ import annotations

from datetime import UTC, datetime

_present = datetime(2026, 11, 19, 12, tzinfo=UTC)


def told() -> datetime:
    """The moment. For the setting CLOCK."""
    return _present


def be(moment: datetime | str) -> datetime:
    """Let it be a moment; a text is one in UTC, "2026-11-19T12:00"."""
    global _present
    _present = datetime.fromisoformat(moment).replace(tzinfo=UTC) if isinstance(moment, str) else moment
    return _present
