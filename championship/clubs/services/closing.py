"""Closes clubs and opens them again. Everything in a closed club can be read; nothing can be changed (`require_role`).

Closing cancels rallies that take entries, withdraws links to join, and notifies people who have asked to join. Opening
the club again does not undo this.
"""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.followers import club_closing_followers
from championship.clubs.models import LONGEST_CLOSE_REASON, Club, Invitation, JoinRequest, Role
from championship.clubs.services import require_role_to_read
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused


@transaction.atomic
def close(*, by: User, club: Club, typed: str, reason: str) -> Club:
    """Close a club. Only owners may. `typed` is its name, to confirm. Closing it twice has no further effect.

    Raises: Refused when the name or the reason is not valid (field name or reason), or a rally is under way.
    """
    require_role_to_read(by, club, Role.OWNER)
    reason = _reason(reason)
    _lock_invitations_and_requests(club)
    locked = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    if locked.closed_at is not None:
        return locked
    if typed.strip() != locked.name:
        raise Refused(_("Type the name exactly as shown: %s") % locked.name, field="name")
    for follower in club_closing_followers:
        follower.club_closing(locked, by=by, reason=reason)
    now = clock.now()
    Invitation.objects.filter(club=locked, revoked_at=None).update(revoked_at=now)
    _answer_open_requests(locked, by)
    locked.closed_at, locked.close_reason = now, reason
    locked.save(update_fields=["closed_at", "close_reason"])
    record(actor=by, action="club closed", subject=locked, club_id=locked.pk, details={"reason": reason})
    _notify_members(locked, by, "club closed", {"club": locked.name, "reason": reason})
    return locked


@transaction.atomic
def open_again(*, by: User, club: Club) -> Club:
    """Open a closed club. Its owners and operators may. Opening it twice has no further effect.

    Raises: Forbidden when `by` is another member.
    Raises: Http404 when `by` is no member.
    """
    if by.is_bot or not by.is_staff:
        require_role_to_read(by, club, Role.OWNER)
    locked = Club.objects.select_for_update(no_key=True).filter(pk=club.pk).first()
    if locked is None:
        raise Http404
    if locked.closed_at is None:
        return locked
    since = locked.closed_at.isoformat()
    locked.closed_at, locked.close_reason = None, ""
    locked.save(update_fields=["closed_at", "close_reason"])
    record(actor=by, action="club opened again", subject=locked, club_id=locked.pk)
    _notify_members(locked, by, "club opened again", {"club": locked.name}, since)
    return locked


def _lock_invitations_and_requests(club: Club) -> None:
    """Joining locks the link or the request first, and then the club. Closing the club uses the same lock order."""
    list(Invitation.objects.select_for_update(of=("self",)).filter(club=club, revoked_at=None).order_by("pk"))
    list(JoinRequest.objects.select_for_update(of=("self",)).filter(club=club, accepted=None).order_by("pk"))


def _answer_open_requests(club: Club, by: User) -> None:
    """Refuse all open requests to join, and notify the people who asked."""
    says = _("The club is closed.")
    waiting = list(JoinRequest.objects.select_for_update(of=("self",)).filter(club=club, accepted=None))
    people = {person.pk: person for person in User.objects.filter(pk__in=[each.person_id for each in waiting])}
    JoinRequest.objects.filter(pk__in=[each.pk for each in waiting]).update(
        accepted=False, answered_at=clock.now(), answered_by=by, answer=says
    )
    told = {"club": club.name, "accepted": False, "words": says}
    enqueue_many(
        [
            Letter(people[each.person_id], "request to join answered", f"join request {each.pk}", told, "/open/")
            for each in waiting
            if people[each.person_id].closed_at is None
        ]
    )


def _notify_members(club: Club, by: User, kind: str, told: dict[str, str], since: str = "") -> None:
    """Notify every member except `by`. `since` distinguishes one closing from the next."""
    moment = since or (club.closed_at.isoformat() if club.closed_at else "")
    people = User.objects.filter(memberships__club=club, is_active=True, closed_at=None).exclude(pk=by.pk)
    link = f"/clubs/{club.slug}/"
    enqueue_many([Letter(person, kind, f"club {club.pk} closed {moment}", told, link) for person in people])


def _reason(text: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST_CLOSE_REASON:
        raise Refused(_("Say why, in up to %d characters.") % LONGEST_CLOSE_REASON, field="reason")
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field="reason") from error
    return text
