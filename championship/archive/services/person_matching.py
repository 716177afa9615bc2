"""The people of an archive, matched by their mail address or created, and people who have no account on the site."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts import zones
from championship.accounts.followers import timing_followers
from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name, stored_form
from championship.accounts.services import create_user
from championship.accounts.text import one_line, without_hidden
from championship.archive.models import ArchivedMember
from championship.archive.reading import Damaged
from championship.audit import services as audit
from championship.clubs.models import Club, Holiday, Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Entry
from championship.seasons.models import Adjustment, Championship, Registration

NOWHERE = "nobody.invalid"
"""The domain of addresses that do not exist. No mail is ever sent there."""


def find_or_create(rows: Iterable[dict[str, Any]]) -> dict[int, int]:
    """Return the id here of each person of an archive that the operator vouches for, by the id in the archive: the
    person with the same address, or a new account. A person without an address becomes a name without an account.

    Raises: Damaged when a row does not describe a person.
    """
    return _each(rows, lambda row: _person(row).pk)


def names_of_people(rows: Iterable[dict[str, Any]], *, owner: User) -> dict[int, int]:
    """Return the id here of each person of an archive that may be a stranger's, by the id in the archive. Everybody
    becomes a name without an account, except the owner whom the operator chose.

    Raises: Damaged when a row does not describe a person.
    """
    own = owner.email.lower()

    def person(row: dict[str, Any]) -> int:
        email = (row["email"] or "").lower()
        if email == own:
            return owner.pk
        return make_name_only(without_hidden(row["name"]) or email.partition("@")[0]).pk

    return _each(rows, person)


def _each(rows: Iterable[dict[str, Any]], person: Callable[[dict[str, Any]], int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in rows:
        try:
            found[row["id"]] = person(row)
        except (Refused, Stale, KeyError, TypeError, AttributeError, ValidationError) as error:
            raise Damaged(f"people, {row['id']}") from error
    return found


def _person(row: dict[str, Any]) -> User:
    email, name = row["email"], without_hidden(row["name"])
    if email is None:
        return make_name_only(name)
    here = User.objects.filter(email=email.lower()).first()
    if here is not None:
        return here
    zone = row["time_zone"] if row["time_zone"] in zones.names() else "UTC"
    return create_user(email=email, name=name or email.partition("@")[0], language=row["language"], time_zone=zone)


def make_name_only(name: str) -> User:
    """Create a user for a driver without an account: a name in tables. Nobody can sign in as them, and no mail is
    sent.
    """
    name = stored_form(name)
    one_line(name)
    address = f"{secrets.token_hex(12)}@{NOWHERE}"
    person = User(email=address, name=name[:60], is_active=False, refused_address=address)
    person.set_unusable_password()
    person.save(force_insert=True)
    return person


def names_only_of(club: Club) -> dict[str, User]:
    """Return the drivers of the club's rallies who have no account, by comparable name. One query."""
    found = User.objects.filter(entries__rally__club=club, is_active=False, email__endswith=f"@{NOWHERE}")
    return {comparable_name(person.name): person for person in found.distinct().order_by("-pk")}


@transaction.atomic
def give_to_member(*, by: User, club: Club, person: User, member: User) -> int:
    """Give all entries of a name in the club to a member, and return their number. The member also gets the name's
    registrations, with class and team, for seasons in which the member is not registered.

    Only organisers.

    Raises: Refused (field member) when both drove in the same rally, or when the person chosen is no member.
    Raises: Http404 when the person has an account, or no entries in the club.
    """
    require_role(by, club, Role.ORGANISER)
    Club.objects.select_for_update().get(pk=club.pk)
    entries = Entry.objects.select_for_update().filter(rally__club=club, driver=person)
    if not is_name_only(person) or not entries.exists():
        raise Http404
    if not club.memberships.filter(user=member).exists():
        raise Refused(_("Choose a member of the club."), field="member")
    both = Entry.objects.filter(driver=member, rally__in=entries.values("rally")).select_related("rally").first()
    if both is not None:
        says = _("%(name)s drove in %(rally)s as well: these are two people.") % {"name": member, "rally": both.rally}
        raise Refused(says, field="member")
    details = {"driver": str(person), "people": str(member)}
    audit.record(actor=by, action="results given", subject=member, club_id=club.pk, details=details)
    ArchivedMember.objects.filter(club=club, person=person).delete()
    return give_entries(club=club, person=person, member=member)


def give_entries(*, club: Club, person: User, member: User) -> int:
    """Give a name's entries and registrations in the club to a member, except in rallies and seasons in which the
    member is already, and its holidays. Returns the number of entries. Deadlines follow after the commit.
    """
    seasons = Championship.objects.filter(club=club).exclude(registrations__driver=member)
    Registration.objects.filter(driver=person, championship__in=seasons).update(driver=member)
    Adjustment.objects.filter(driver=person, championship__in=seasons).update(driver=member)
    Holiday.objects.filter(club=club, person=person).update(person=member)
    entries = Entry.objects.filter(rally__club=club, driver=person)
    given = entries.exclude(rally__in=Entry.objects.filter(driver=member).values("rally")).update(driver=member)
    for follower in timing_followers:
        follower.person_timed(member)
    return given


def is_name_only(person: User) -> bool:
    """Return whether the person is a name without an account."""
    return not person.is_active and person.email.endswith(f"@{NOWHERE}")
