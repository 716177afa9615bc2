"""Signing on with the link on the wall, without an account: as a name of the club's list, or as a guest."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name
from championship.accounts.names_only import LONGEST_NAME, NAMES_ONLY, make_name_only, usable
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.platform.refusals import Refused
from championship.rallies.entries.registered_drivers import class_for_round, registered_in
from championship.rallies.entries.services.entering import (
    EntryRequest,
    confirm_who_is_here,
    enter_in_locked_rally,
)
from championship.rallies.locks import locked_rally_in_open_club
from championship.rallies.models import Entry, Rally
from championship.tabletop.links import require_wall
from championship.tabletop.models import Evening, SignOn
from championship.tabletop.services.limits import limit
from championship.tabletop.services.names import ask_member
from championship.tabletop.services.opening import mark_at_table
from championship.tabletop.services.seating import table_for

MOST_GUESTS = 60
"""Guests who may sign on for one evening, those who wait for a place included."""
MOST_A_MINUTE = 40
"""Sign-ons of one evening in a minute, from all phones together."""


@dataclass(frozen=True, slots=True)
class SignedOn:
    """Who has signed on: the entry, and its sign-on; None for one that waits for a place."""

    entry: Entry
    sign_on: SignOn | None


def names_of_club(club: Club) -> QuerySet[User]:
    """The people who may sign on by name: drivers of the club, and names in its tables. By name; one query."""
    drivers = Q(memberships__club=club, memberships__roles__contains=[str(Role.DRIVER)], is_bot=False)
    named = NAMES_ONLY & Q(entries__rally__club=club)
    return User.objects.filter(drivers | named).distinct().order_by("name", "pk")


@transaction.atomic
def sign_on(*, evening: Evening, person: int | None = None, guest: str = "", viewer: User | None = None) -> SignedOn:
    """Sign on a driver who is here: `person`, the id of somebody of `names_of_club`, or a guest by name. The entry is
    confirmed, and the car goes to the emptiest table. `viewer`: the account with which the phone is signed in. The name
    of another member with an account has to be confirmed before its results are handed in (names.py).

    Raises: Refused (field person or guest) for a name that is not of the club, is empty, or has signed on already with
    another phone; also when the rally has started without this driver, or too many guests have come.
    Raises: TooOften.
    """
    limit(f"sign-on-{evening.pk}-{evening.wall_serial}", MOST_A_MINUTE)
    rally = locked_rally_in_open_club(evening.rally_id)
    evening = require_wall(evening)
    evening.rally = rally
    driver = _guest(rally, guest) if person is None else names_of_club(rally.club).filter(pk=person).first()
    if driver is None:
        raise Refused(_("This name is not on the list of the club. Sign on as a guest."), field="person")
    entry = rally.entries.select_related("driver").filter(driver=driver).order_by("-asked_at", "-pk").first()
    known = SignOn.objects.filter(entry=entry).first() if entry is not None else None
    if known is not None and known.by_link:
        says = _("%(name)s has signed on with another phone. If that is not you, say so beside the name.")
        raise Refused(says % {"name": driver}, field="person")
    entry = _entered(rally, driver, entry)
    if entry.status != Entry.Status.CONFIRMED:
        return SignedOn(entry, None)
    mark_at_table(rally, entry)
    if known is None:
        known = SignOn(evening=evening, entry=entry, table=table_for(evening, entry))
    known.by_link, known.serial = True, known.serial + 1
    ask_member(rally, known, driver, viewer)
    known.save()
    audit.record(
        actor=viewer if viewer is not None and viewer.pk == driver.pk else None,
        action="signed on",
        subject=entry,
        club_id=rally.club_id,
        details={"rally": rally.name, "crew": entry.crew, "table": known.table.number},
    )
    return SignedOn(entry, known)


def _entered(rally: Rally, driver: User, entry: Entry | None) -> Entry:
    if rally.status == Rally.Status.ENTRIES:
        if entry is None:
            registered = registered_in(rally, [driver.pk]).get(driver.pk)
            asked = EntryRequest(driver, driver.name, class_for_round(rally, registered))
            made = enter_in_locked_rally(rally, [asked], by=None, anybody=True)
            entry = next(iter(made), None)
        else:
            confirm_who_is_here(rally, entry)
    if entry is None or (rally.status != Rally.Status.ENTRIES and entry.status != Entry.Status.CONFIRMED):
        raise Refused(_("It has started without you, or you may not enter. Speak to an organiser."), field="person")
    return entry


def _guest(rally: Rally, name: str) -> User:
    name = usable(name[: LONGEST_NAME * 2])
    if not name:
        raise Refused(_("Type your name, on one line."), field="guest")
    if rally.status != Rally.Status.ENTRIES:
        raise Refused(_("It has started. Speak to an organiser."), field="guest")
    wanted = comparable_name(name)
    crews = rally.entries.filter(status__in=Entry.Status.entered()).values_list("crew", flat=True)
    if any(comparable_name(crew) == wanted for crew in crews):
        raise Refused(_("Somebody here has this name. Add a letter, so that results are yours."), field="guest")
    if any(comparable_name(person.name) == wanted for person in names_of_club(rally.club)):
        raise Refused(_("The list of the club has this name. Tap it there, or add a letter."), field="guest")
    came = Q(sign_on__isnull=False) | Q(status=Entry.Status.WAITING)
    if rally.entries.filter(NAMES_ONLY_DRIVER, came).count() >= MOST_GUESTS:
        raise Refused(_("No more guests can sign on by themselves. Speak to an organiser."), field="guest")
    try:
        return make_name_only(name)
    except ValidationError as error:
        raise Refused(str(error.messages[0]), field="guest") from error


NAMES_ONLY_DRIVER = Q(driver__is_active=False)
