"""The members in an archive: they are invited, and get the results under their names when they join.

An archive is a stranger's text. So nobody becomes a member by it, and the only proof that a person is a member in the
archive is a confirmed mail address: a restored club keeps a digest of each address until its person joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import formats, timezone, translation
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.services import sign_in_mail
from championship.archive.models import ArchivedMember
from championship.audit import services as audit
from championship.clubs.models import Club, Invitation, Role
from championship.clubs.services import LONGEST_INVITATION, mail_invitations, make_invitation
from championship.lists.services.people import give_entries

OFFERED = (Role.DRIVER, Role.GUEST)
"""The roles that an invitation to a restored club may give. The owner gives others again."""
LETTER = "archive/email/invitation"


@dataclass(frozen=True, slots=True)
class Member:
    """A member in an archive. `person_id`: the name without an account here; `email` is in lower case."""

    person_id: int
    email: str
    language: str
    roles: tuple[str, ...]

    @property
    def offered(self) -> tuple[str, ...]:
        """The roles that the member is invited with."""
        return tuple(role.value for role in OFFERED if role in self.roles) or (Role.GUEST.value,)


def digest_of(email: str) -> str:
    """Return what is stored of a member's address."""
    return salted_hmac("championship.archive.services.archived_members", email.lower(), algorithm="sha256").hexdigest()


def invite_members(*, by: User | None, owner: User, club: Club, members: Sequence[Member]) -> int:
    """Invite the members of a restored club by mail, with their roles in OFFERED, and remember them until they join.
    Nobody can join a closed club, so its members are not invited. Runs inside a transaction.

    A club sends at most MOST_A_DAY letters: people with an account come first. Returns the number of letters.
    """
    unique = list({member.email: member for member in members}.values())
    ArchivedMember.objects.bulk_create(
        ArchivedMember(club=club, person_id=each.person_id, digest=digest_of(each.email), roles=list(each.roles))
        for each in unique
    )
    if club.closed_at is not None:
        return 0
    here = dict(User.objects.filter(email__in=[each.email for each in unique]).values_list("email", "language"))
    first = sorted(unique, key=lambda each: each.email not in here)[: mail_invitations.MOST_A_DAY]
    for roles in sorted({each.offered for each in first}):
        invited = [each for each in first if each.offered == roles]
        invitation, token = make_invitation(
            club=club, roles=roles, days=LONGEST_INVITATION, max_uses=len(invited), created_by=owner
        )
        details = {"roles": list(roles), "people": len(invited)}
        audit.record(actor=by, action=mail_invitations.TOLD, subject=invitation, club_id=club.pk, details=details)
        for each in invited:
            with translation.override(here.get(each.email, each.language)):
                _write(each.email, club, invitation, token)
    return len(first)


def _write(email: str, club: Club, invitation: Invitation, token: str) -> None:
    link = settings.SITE_URL.rstrip("/") + reverse("clubs:join", args=[token])
    until = formats.date_format(timezone.localtime(invitation.expires_at), "DATETIME_FORMAT")
    body = render_to_string(
        f"{LETTER}.txt", {"club": club.name, "link": link, "until": until, "site_url": settings.SITE_URL}
    )
    subject = _("%(club)s was restored from an archive that names you") % {"club": club.name}
    sign_in_mail.write(EmailMessage(subject, body, to=[email]), template=LETTER)


def welcome(*, person: User, club: Club) -> int:
    """Give a person who has just joined the entries of the member with their address in the club's archive. Returns the
    number of entries. Runs inside a transaction.
    """
    remembered = ArchivedMember.objects.select_for_update(of=("self",)).filter(
        club=club, digest__in=[digest_of(email) for email in _confirmed(person)]
    )
    given = 0
    for each in remembered.select_related("person"):
        given += give_entries(club=club, person=each.person, member=person)
        details = {"driver": str(each.person), "people": str(person), "archived_roles": each.roles}
        audit.record(actor=person, action="results taken over", subject=person, club_id=club.pk, details=details)
        each.delete()
    return given


def _confirmed(person: User) -> Iterable[str]:
    return EmailAddress.objects.filter(user=person, verified=True).values_list("email", flat=True)
