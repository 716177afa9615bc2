"""People without an account: names in the tables of a club. A name is joined with a member or another name, and rallies
that were somebody else's are parted from a person. Every result is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import Http404
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from championship.accounts.followers import timing_followers
from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name
from championship.accounts.names_only import NAMES_ONLY, is_name_only, make_name_only
from championship.audit import services as audit
from championship.clubs.models import Club, Holiday, Role
from championship.clubs.services import require_role
from championship.lists.followers import name_followers
from championship.lists.models import Alias
from championship.lists.models.imports import LONGEST_FORM
from championship.platform.refusals import Refused
from championship.rallies.models import ON_PAPER, Entry
from championship.seasons.models import Adjustment, Championship, Registration


def names_of(club: Club) -> QuerySet[User]:
    """Return the drivers of the club's rallies who have no account, by name, with the number of their entries as
    `drives`. One query.
    """
    found = User.objects.filter(NAMES_ONLY, entries__rally__club=club)
    return found.annotate(drives=Count("entries")).order_by("name", "pk")


def parted_entries(club: Club, person: User) -> QuerySet[Entry]:
    """Return the person's entries in rallies of the club that were driven elsewhere, the latest first. One query. Of a
    rally that was driven here it is known who drove.
    """
    found = Entry.objects.filter(rally__club=club, driver=person, rally__ruleset_version=ON_PAPER)
    return found.select_related("rally").order_by("-rally__started_at", "-pk")


@transaction.atomic
def give_to(*, by: User, club: Club, person: User, to: User) -> int:
    """Join a name with a member or another name: all its entries in the club become theirs. Returns their number. They
    also get the name's registrations, with class and team, for seasons in which they are not registered. Lists that
    use the name mean them from now on. Only organisers.

    Raises: Refused (field member) when both drove in the same rally, or when nobody of the club was chosen.
    Raises: Http404 when the person has an account, or no entries in the club.
    """
    require_role(by, club, Role.ORGANISER)
    Club.objects.select_for_update().get(pk=club.pk)
    entries = Entry.objects.select_for_update().filter(rally__club=club, driver=person)
    if not is_name_only(person) or not entries.exists():
        raise Http404
    _require_known(club, to, but=person)
    _require_apart(entries, to)
    details = {"driver": str(person), "people": str(to)}
    audit.record(actor=by, action="results given", subject=to, club_id=club.pk, details=details)
    for follower in name_followers:
        follower.name_joined(club, person, to)
    given = give_entries(club=club, person=person, member=to)
    remember(club, {person.name: to.pk})
    return given


@transaction.atomic
def part(*, by: User, club: Club, person: User, entries: Collection[int], to: User | None, name: str = "") -> User:
    """Give some of a person's rallies to somebody else: to a member or a name of the club, or to a new name. Only
    rallies that were driven elsewhere. Returns the other person. Only organisers.

    Raises: Refused (field entries, to or name) when nothing was chosen, when both drove in the same rally, or when the
    name cannot be used.
    """
    require_role(by, club, Role.ORGANISER)
    Club.objects.select_for_update().get(pk=club.pk)
    mine = parted_entries(club, person).filter(pk__in=entries).select_for_update(of=("self",))
    chosen = list(mine)
    if not chosen:
        raise Refused(_("Choose the rallies that somebody else drove."), field="entries")
    if len(chosen) < len(set(entries)):
        raise Http404
    if to is None and not name.strip():
        raise Refused(_("Say who drove them: choose somebody, or write a name."), field="name")
    if to is not None:
        _require_known(club, to, but=person)
        _require_apart(Entry.objects.filter(pk__in=[each.pk for each in chosen]), to)
    try:
        other = to or make_name_only(name.strip())
    except ValidationError as error:
        raise Refused(str(error.messages[0]), field="name") from error
    Entry.objects.filter(pk__in=[each.pk for each in chosen]).update(driver=other)
    rallies = [each.rally.name for each in chosen]
    details = {"driver": str(person), "people": str(other), "rallies": rallies}
    audit.record(actor=by, action="results parted", subject=other, club_id=club.pk, details=details)
    return other


def give_entries(*, club: Club, person: User, member: User) -> int:
    """Give a name's entries and registrations in the club to a member, except in rallies and seasons in which the
    member is already, and its holidays. Returns the number of entries. Deadlines follow after the commit.
    """
    seasons = Championship.objects.filter(club=club).exclude(registrations__driver=member)
    Registration.objects.filter(driver=person, championship__in=seasons).update(driver=member)
    Adjustment.objects.filter(driver=person, championship__in=seasons).update(driver=member)
    Holiday.objects.filter(club=club, person=person).update(person=member)
    Alias.objects.filter(club=club, person=person).update(person=member, mail="")
    entries = Entry.objects.filter(rally__club=club, driver=person)
    given = entries.exclude(rally__in=Entry.objects.filter(driver=member).values("rally")).update(driver=member)
    for follower in timing_followers:
        follower.person_timed(member)
    return given


def remember(club: Club, meant: dict[str, int], mails: dict[str, str] | None = None) -> list[int]:
    """Remember whom names in lists of the club mean: ids of people by name. `mails`: addresses of people who were
    invited, by name. Returns the ids of what is new. Runs inside a transaction.
    """
    mails = mails or {}
    by_form = {
        comparable_name(name)[:LONGEST_FORM]: (pk, digest_of(mails[name]) if name in mails else "")
        for name, pk in meant.items()
    }
    by_form.pop("", None)
    known = set(Alias.objects.filter(club=club, form__in=by_form).values_list("form", flat=True))
    Alias.objects.bulk_create(
        [Alias(club=club, form=form, person_id=pk, mail=mail) for form, (pk, mail) in by_form.items()],
        update_conflicts=True,
        unique_fields=["club", "form"],
        update_fields=["person", "mail"],
    )
    new = Alias.objects.filter(club=club, form__in=set(by_form) - known)
    return list(new.values_list("pk", flat=True))


def digest_of(mail: str) -> str:
    """Return what is kept of the address of somebody who was invited."""
    return salted_hmac("championship.lists.services.people", mail.lower(), algorithm="sha256").hexdigest()


class InvitedByList:
    """Results of a list under the names of people who were invited."""

    def member_joined(self, club: Club, person: User) -> None:
        """Give the person the results under the name for which their confirmed address was invited."""
        mails = EmailAddress.objects.filter(user=person, verified=True).values_list("email", flat=True)
        waiting = Alias.objects.filter(club=club, mail__in=[digest_of(mail) for mail in mails]).exclude(mail="")
        for each in list(waiting.select_related("person")):
            if is_name_only(each.person):
                details = {"driver": str(each.person), "people": str(person)}
                audit.record(
                    actor=person, action="results taken over", subject=person, club_id=club.pk, details=details
                )
                give_entries(club=club, person=each.person, member=person)


def _require_known(club: Club, to: User, *, but: User) -> None:
    """Check that somebody of the club was chosen, other than `but`.

    Raises: Refused (field member).
    """
    a_name = is_name_only(to) and Entry.objects.filter(rally__club=club, driver=to).exists()
    if to == but or not (a_name or club.memberships.filter(user=to).exists()):
        raise Refused(_("Choose a member of the club."), field="member")


def _require_apart(entries: QuerySet[Entry], to: User) -> None:
    """Check that a person did not drive in the rallies of these entries.

    Raises: Refused (field member).
    """
    both = Entry.objects.filter(driver=to, rally__in=entries.values("rally")).select_related("rally").first()
    if both is not None:
        says = _("%(name)s drove in %(rally)s as well: these are two people.") % {"name": to, "rally": both.rally}
        raise Refused(says, field="member")


def choices_for(club: Club, *, but: Sequence[User] = ()) -> list[User]:
    """Return the members and the names of the club, in that order, without those in `but`. Two queries."""
    members = User.objects.filter(memberships__club=club).order_by("name", "pk")
    return [each for each in (*members, *names_of(club)) if each not in but]
