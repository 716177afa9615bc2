"""The one lock of a rally: every change in it holds the rally's row first."""

from __future__ import annotations

from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.rallies.models import Entry, Rally
from championship.refusals import Refused, Stale
from engine import registry
from engine.contract import Game


def locked_rally(rally_id: int) -> Rally:
    """The rally, fresh, its row locked to the end of the transaction (inside one only); Http404 where it is gone."""
    rally = Rally.objects.select_for_update(of=("self",)).select_related("club").filter(pk=rally_id).first()
    if rally is None:
        raise Http404
    return rally


def locked_in_open_club(rally_id: int) -> Rally:
    """The same, for acts that need no role.

    Raises: ClubClosed.
    """
    rally = locked_rally(rally_id)
    refuse_if_closed(rally.club)
    return rally


def organised(by: User, rally_id: int) -> Rally:
    """The rally, locked, for an organiser of its club; Forbidden or Http404 for all others, and Http404 where it was
    deleted meanwhile.
    """
    rally = locked_rally(rally_id)
    require_role(by, rally.club, Role.ORGANISER)
    return rally


def require_driver_or_organiser(by: User, entry: Entry, rally: Rally) -> None:
    """Only who drives the entry now, and organisers; Forbidden or Http404 for everybody else. The rally is locked: what
    was read of the entry before may not hold any more.
    """
    if not Entry.objects.filter(pk=entry.pk, driver=by).exists():
        require_role(by, rally.club, Role.ORGANISER)
    else:
        refuse_if_closed(rally.club)


def require_open_entries(rally: Rally) -> None:
    """Raises: Stale once the rally has started, Refused when it was cancelled."""
    if rally.status == Rally.Status.CANCELLED:
        raise Refused(str(rally.words.cancelled))
    if rally.status != Rally.Status.ENTRIES:
        raise Stale(_("The start has been given already."))


def rules_of(rally: Rally) -> Game:
    """The game that the rally is driven by."""
    return registry.get(rally.game)
