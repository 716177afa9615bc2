"""Invitations by mail: an organiser pastes addresses, and each gets the same link. Sent letters keep no address."""

from __future__ import annotations

import re
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import IntegerField, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.services import sign_in_mail
from championship.audit.models import Record
from championship.audit.services import record
from championship.clubs.models import Club, Invitation
from championship.clubs.services import invite
from championship.platform import clock
from championship.platform.refusals import Refused

MOST_ADDRESSES = 60
"""The most letters of one form."""
MOST_A_DAY = 200
"""The most letters of one club in a day."""
LONGEST_PASTE = 10_000
_PARTS = re.compile(r"[\s,;]+")
TOLD = "people invited by mail"


def addresses_in(text: str) -> list[str]:
    """The addresses in a pasted text, each once, in order: separated by blanks, commas or semicolons, also in <>.

    Raises: Refused when an address is not valid (the message names the first), there is none, or there are too many
    (field addresses).
    """
    found: dict[str, None] = {}
    for part in _PARTS.split(text[:LONGEST_PASTE].strip()):
        bare = part.strip("<>\"'()").lower()
        if "@" not in bare:
            continue  # the name in "Ana Berg <ana@example.org>"
        try:
            validate_email(bare)
        except ValidationError as error:
            says = _("This is not an e-mail address: %s") % part[:80]
            raise Refused(says, field="addresses") from error
        found[bare] = None
    if not found:
        raise Refused(_("Paste at least one e-mail address."), field="addresses")
    if len(found) > MOST_ADDRESSES:
        raise Refused(_("Paste at most %d addresses at a time.") % MOST_ADDRESSES, field="addresses")
    return list(found)


@transaction.atomic
def invite_by_mail(*, by: User, club: Club, roles: list[str], days: int, text: str) -> tuple[Invitation, int]:
    """Create a link for as many people as there are addresses, and send it to each, except to members.

    Returns the invitation and the number of letters.

    Raises: Refused when a field is not valid, or the club sends too many letters in a day. The exception names the
    field.
    """
    wanted = addresses_in(text)
    members = set(User.objects.filter(memberships__club=club, email__in=wanted).values_list("email", flat=True))
    wanted = [address for address in wanted if address not in members]
    if not wanted:
        raise Refused(_("All of these are members already."), field="addresses")
    if _sent_in_last_day(club) + len(wanted) > MOST_A_DAY:
        raise Refused(_("A club sends at most %d invitations in a day.") % MOST_A_DAY, field="addresses")
    invitation, token = invite(by=by, club=club, roles=roles, days=days, max_uses=len(wanted))
    link = settings.SITE_URL.rstrip("/") + reverse("clubs:join", args=[token])
    until = formats.date_format(timezone.localtime(invitation.expires_at), "DATETIME_FORMAT")
    told = {"who": by.name, "club": club.name, "link": link, "until": until, "site_url": settings.SITE_URL}
    body = render_to_string("clubs/email/invitation.txt", told)
    for address in wanted:
        subject = _("%(who)s invites you to %(club)s") % {"who": by.name, "club": club.name}
        sign_in_mail.write(EmailMessage(subject, body, to=[address]), template="clubs/email/invitation")
    record(actor=by, action=TOLD, subject=invitation, club_id=club.pk, details={"people": len(wanted)})
    return invitation, len(wanted)


def _sent_in_last_day(club: Club) -> int:
    since = clock.now() - timedelta(days=1)
    lately = Record.objects.filter(club_id=club.pk, action=TOLD, at__gt=since, from_archive=False)
    found = lately.aggregate(letters=Sum(Cast(KT("details__people"), IntegerField())))["letters"]
    return int(found or 0)
