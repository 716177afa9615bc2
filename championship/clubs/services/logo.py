"""Writes about the logo of a club."""

from __future__ import annotations

from django.db import transaction

from championship.accounts.models import User
from championship.audit.services import record
from championship.clubs import logos
from championship.clubs.logos import Logo
from championship.clubs.models import Club, Role
from championship.clubs.services import refuse_if_closed, require_role


def set_logo(*, by: User, club: Club, content: bytes) -> None:
    """Make an uploaded picture the club's logo. The same picture again changes nothing. Owners and organisers may.

    Raises: Refused (field logo) when it is no picture, or too large. ClubClosed when the club is closed.
    Raises: Forbidden when `by` is another member. Http404 when `by` is no member.
    """
    require_role(by, club, Role.OWNER, Role.ORGANISER)
    picture = logos.read(content)
    tag = logos.tag_of(picture)
    with transaction.atomic():
        locked = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
        require_role(by, locked, Role.OWNER, Role.ORGANISER)
        refuse_if_closed(locked)
        if locked.logo_tag == tag:
            return
        Logo.objects.update_or_create(club=locked, defaults={"content": picture})
        _changed(by, locked, tag)


@transaction.atomic
def remove_logo(*, by: User, club: Club) -> None:
    """Take the club's logo away. Without one this changes nothing. Owners and organisers may.

    Raises: ClubClosed when the club is closed. Forbidden when `by` is another member. Http404 when `by` is no member.
    """
    locked = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    require_role(by, locked, Role.OWNER, Role.ORGANISER)
    refuse_if_closed(locked)
    if not locked.logo_tag:
        return
    Logo.objects.filter(club=locked).delete()
    _changed(by, locked, "")


def _changed(by: User, club: Club, tag: str) -> None:
    before = {"logo": bool(club.logo_tag)}
    club.logo_tag = tag
    club.save(update_fields=["logo_tag"])
    record(
        actor=by,
        action="club changed",
        subject=club,
        club_id=club.pk,
        details={"before": before, "after": {"logo": bool(tag)}},
    )
