"""A driver has looked at the end of a rally."""

from __future__ import annotations

from championship import clock
from championship.accounts.models import User
from championship.rallies.models import Entry, Rally


def mark_result_seen(*, by: User, rally: Rally) -> bool:
    """The driver's result in a rally that is over no longer waits for them. Doing it again changes nothing.

    False where the person has no car in it, or it is not over.
    """
    if rally.status != Rally.Status.FINISHED:
        return False
    own = Entry.objects.filter(rally=rally, driver=by, status=Entry.Status.CONFIRMED)
    own.filter(result_seen_at=None).update(result_seen_at=clock.now())
    return own.exists()
