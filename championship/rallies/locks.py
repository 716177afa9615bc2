"""The lock of a rally: every change in a rally locks the rally's row first."""

from __future__ import annotations

from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Entry, Rally


def locked_rally(rally_id: int) -> Rally:
    """Read the rally and lock its row until the end of the transaction. Works only inside a transaction.

    Raises: Http404 when there is no such rally.
    """
    rally = Rally.objects.select_for_update(of=("self",)).select_related("club").filter(pk=rally_id).first()
    if rally is None:
        raise Http404
    return rally


def locked_rally_in_open_club(rally_id: int) -> Rally:
    """The same as `locked_rally`, for acts that need no role.

    Raises: ClubClosed when the club is closed.
    """
    rally = locked_rally(rally_id)
    refuse_if_closed(rally.club)
    return rally


def locked_rally_for_organiser(by: User, rally_id: int) -> Rally:
    """The rally, locked, for an organiser of its club.

    Raises: Forbidden when `by` is a member and not an organiser.
    Raises: Http404 when `by` is not a member, or when there is no such rally.
    """
    rally = locked_rally(rally_id)
    require_role(by, rally.club, Role.ORGANISER)
    return rally


def require_driver_or_organiser(by: User, entry: Entry, rally: Rally) -> None:
    """Check that `by` is the entry's driver or an organiser.

    The rally is locked. The driver is read from the database, because `entry` may be out of date.

    Raises: Forbidden when `by` is a member of the club and neither of these.
    Raises: Http404 when `by` is not a member and not the driver.
    """
    if not Entry.objects.filter(pk=entry.pk, driver=by).exists():
        require_role(by, rally.club, Role.ORGANISER)
    else:
        refuse_if_closed(rally.club)


def require_open_entries(rally: Rally) -> None:
    """Check that the rally has not started.

    Raises: Stale when the rally has started.
    Raises: Refused when the rally is cancelled.
    """
    if rally.status == Rally.Status.CANCELLED:
        raise Refused(str(rally.words.cancelled))
    if rally.status != Rally.Status.ENTRIES:
        raise Stale(_("It has started already."))
