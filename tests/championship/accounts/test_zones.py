"""Time zones that people choose."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from championship.accounts import zones


@pytest.mark.parametrize(
    ("day", "zone", "begins"),
    [
        (date(2026, 11, 20), "Europe/Warsaw", "2026-11-19T23:00"),
        (date(2026, 9, 6), "America/Santiago", "2026-09-06T04:00"),
    ],
    ids=["as ever", "midnight is left out"],
)
def test_a_day_begins_at_midnight_in_its_zone(day, zone, begins):
    assert zones.midnight(day, zone) == datetime.fromisoformat(begins).replace(tzinfo=UTC)
