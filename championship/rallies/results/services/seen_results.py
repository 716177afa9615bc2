"""Marking the result of a rally as seen by a driver."""

from __future__ import annotations

from championship.accounts.models import User
from championship.platform import clock
from championship.rallies.models import Entry, Rally


def mark_result_seen(*, by: User, rally: Rally) -> bool:
    """Mark the driver's result in a rally that is over as seen. Calling it again changes nothing.

    Returns False when the person has no confirmed entry in the rally, or when the rally is not over.
    """
    if rally.status != Rally.Status.FINISHED:
        return False
    own = Entry.objects.filter(rally=rally, driver=by, status=Entry.Status.CONFIRMED)
    own.filter(result_seen_at=None).update(result_seen_at=clock.now())
    return own.exists()
