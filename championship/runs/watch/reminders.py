"""Whether organisers may remind the driver of a turn that waits."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max
from django.utils.translation import gettext as _

from championship.rallies.models import Rally
from championship.runs.models import Turn

EVERY = timedelta(hours=6)
"""The shortest time between two reminders of one driver by organisers."""
JUST_MOVED = timedelta(hours=1)
"""A driver who got the turn, or moved in it, within this time is not reminded."""


def why_no_reminder(turn: Turn, rally: Rally, *, now: datetime, moved: datetime, orders_sent: bool) -> str:
    """Return why organisers may not remind the driver of this turn now; "" when they may. No query.

    moved: when the driver last moved or got the turn. orders_sent: whether the driver's orders wait for the cars ahead.
    """
    crew = {"crew": turn.seat.entry}
    if turn.seat.codriver_drives or turn.stands_in:
        return _("The codriver drives this turn: nobody has to play.")
    if orders_sent:
        return _("%(crew)s has sent orders: cars ahead have yet to drive.") % crew
    if rally.paused_at is not None:
        return _("Paused: nobody has to play now.")
    if now - moved < JUST_MOVED:
        return _("%(crew)s has only just moved, or only just been given the turn.") % crew
    if turn.nudged_at is not None and now - turn.nudged_at < EVERY:
        hours = {"hours": int(EVERY.total_seconds() // 3600)}
        return _("%(crew)s was reminded already; once in %(hours)d hours is enough.") % {**crew, **hours}
    return ""


def last_move(turn: Turn) -> datetime:
    """Return when the driver got the turn or last moved in it."""
    moved: datetime | None = turn.posts.filter(by=turn.seat.entry.driver_id).aggregate(last=Max("at"))["last"]
    return turn.since if moved is None else max(turn.since, moved)
