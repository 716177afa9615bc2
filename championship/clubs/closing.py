"""A club is closed, and opened again. What a closed club has can be read; nothing can be changed (`require_role`).

Rallies that take entries are cancelled, links to join are withdrawn, and who has asked to join is told. Opening the
club again brings none of that back.
"""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import LONGEST_CLOSE_REASON, Club, Invitation, JoinRequest, Role
from championship.clubs.services import require_role_to_look
from championship.clubs.signals import club_closing
from championship.notices.services import Letter, enqueue_many
from championship.refusals import Refused


@transaction.atomic
def close(*, by: User, club: Club, typed: str, reason: str) -> Club:
    """Close a club; `typed` is its name, to confirm. Only owners. Closing it twice is closing it once.

    Raises: Refused (field name or reason), and where a rally is under way.
    """
    require_role_to_look(by, club, Role.OWNER)
    reason = _reason(reason)
    _lock_ways_in(club)
    locked = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    if locked.closed_at is not None:
        return locked
    if typed.strip() != locked.name:
        raise Refused(_("Type the name as it stands here: %s") % locked.name, field="name")
    club_closing.send(sender=Club, club=locked, by=by, reason=reason)
    now = clock.now()
    Invitation.objects.filter(club=locked, revoked_at=None).update(revoked_at=now)
    _answer_who_asks(locked, by)
    locked.closed_at, locked.close_reason = now, reason
    locked.save(update_fields=["closed_at", "close_reason"])
    record(actor=by, action="club closed", subject=locked, club_id=locked.pk, details={"reason": reason})
    _tell_members(locked, by, "club closed", {"club": locked.name, "reason": reason})
    return locked


@transaction.atomic
def open_again(*, by: User, club: Club) -> Club:
    """Open a closed club. Its owners do, and operators. Opening it twice is opening it once.

    Raises: Forbidden for other members, Http404 for strangers.
    """
    if by.is_bot or not by.is_staff:
        require_role_to_look(by, club, Role.OWNER)
    locked = Club.objects.select_for_update(no_key=True).filter(pk=club.pk).first()
    if locked is None:
        raise Http404
    if locked.closed_at is None:
        return locked
    since = locked.closed_at.isoformat()
    locked.closed_at, locked.close_reason = None, ""
    locked.save(update_fields=["closed_at", "close_reason"])
    record(actor=by, action="club opened again", subject=locked, club_id=locked.pk)
    _tell_members(locked, by, "club opened again", {"club": locked.name}, since)
    return locked


def _lock_ways_in(club: Club) -> None:
    """Joining locks the link or the request, then the club; so does closing it."""
    list(Invitation.objects.select_for_update(of=("self",)).filter(club=club, revoked_at=None).order_by("pk"))
    list(JoinRequest.objects.select_for_update(of=("self",)).filter(club=club, accepted=None).order_by("pk"))


def _answer_who_asks(club: Club, by: User) -> None:
    """Requests to join that wait end, and who asked is told."""
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


def _tell_members(club: Club, by: User, kind: str, told: dict[str, str], since: str = "") -> None:
    """Tell every member but who did it. `since` tells one closing from the next."""
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
