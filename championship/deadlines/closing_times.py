"""When stages close that have one closing time for all drivers, and how absences of everybody move that time.

Each function returns a time and saves nothing: the caller locks the stage's rally and saves.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from championship.deadlines.customers import GRACE, Outage


def closing_time(opened: datetime, *, hours: int, no_sooner_than: datetime | None = None) -> datetime:
    """When a stage closes that stays open for so many hours."""
    closes = opened + timedelta(hours=hours)
    return closes if no_sooner_than is None else max(closes, no_sooner_than)


def after_pause(closes: datetime, *, opened: datetime | None, began: datetime, ended: datetime) -> datetime:
    """When a stage closes that was open during a pause, or during its last part: later by that time."""
    return closes + (ended - max(began, opened or began))


def after_outage(closes: datetime, *, opened: datetime | None, outage: Outage) -> datetime:
    """When a stage closes that an outage affected: later by the outage, and no sooner than GRACE after it."""
    moved = after_pause(closes, opened=opened, began=outage.since, ended=outage.until)
    return max(moved, outage.until + GRACE)
