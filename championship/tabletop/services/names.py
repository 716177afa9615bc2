"""Whose name a phone has taken: the member confirms it, or the marshal of the table or an organiser, who see who sits
there. A name that is taken can be contested; then it is freed for another phone, or stays. Everything is logged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.names_only import is_name_only
from championship.audit import services as audit
from championship.notices.models import Notice
from championship.notices.services import enqueue
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.locks import locked_rally_for_organiser, locked_rally_in_open_club
from championship.rallies.models import Entry, Rally
from championship.tabletop.links import Pass, require_wall, require_working
from championship.tabletop.models import Evening, SignOn
from championship.tabletop.services.limits import limit

MOST_CONTESTS = 10
"""Contested names of one evening in a minute, from all phones together."""
OPEN = Q(asked=True, sure_by="") | Q(contested_at__isnull=False)
"""Sign-ons about which somebody has to decide."""
KIND = "signed on as me"
"""The kind of notice to the member whose name a phone has taken."""


def to_decide(by: Pass) -> QuerySet[SignOn]:
    """The sign-ons of a pass about which somebody has to decide, by number; of all tables for an organiser."""
    found = SignOn.objects.filter(OPEN, evening=by.evening).select_related("entry__driver", "table")
    if by.table is not None:
        found = found.filter(table=by.table)
    if by.entry is not None:
        found = found.filter(entry=by.entry)
    return found.order_by("entry__start_number")


def still_asked(notice: Notice) -> bool:
    """Whether a notice about a taken name still asks something."""
    return SignOn.objects.filter(entry=notice.context.get("entry"), asked=True, sure_by="").exists()


def ask_member(rally: Rally, sign_on: SignOn, driver: User, viewer: User | None) -> None:
    """Mark a new sign-on by whether the phone is signed in as its member; if not, ask them. A name without an account
    is a guest, and nobody is asked. It is not saved.
    """
    sign_on.asked = not is_name_only(driver)
    sign_on.sure_by, sign_on.contested_at = "", None
    if viewer is not None and viewer.pk == driver.pk:
        sign_on.sure_by = driver.name[:90]
    elif sign_on.asked:
        enqueue(
            recipient=driver,
            kind=KIND,
            subject_key=f"sign-on {sign_on.entry_id} {sign_on.serial}",
            context={"rally": rally.name, "entry": sign_on.entry_id, "table": sign_on.table.number},
            link=f"{rally.get_absolute_url()}my-sign-on/",
            thread=f"rally {rally.key}",
        )


@transaction.atomic
def contest(*, evening: Evening, entry_id: int) -> SignOn:
    """Say that a name that another phone has taken is one's own. The other phone works on, until the marshal of the
    table or an organiser decides. The same again changes nothing.

    Raises: Refused (field person) when no phone has taken this name.
    Raises: TooOften.
    """
    limit(f"contest-{evening.pk}-{evening.wall_serial}", MOST_CONTESTS)
    rally = locked_rally_in_open_club(evening.rally_id)
    require_wall(evening)
    found = SignOn.objects.select_related("entry", "table").filter(evening=evening, entry=entry_id, by_link=True)
    sign_on = found.first()
    if sign_on is None:
        raise Refused(_("Nobody has taken this name. Tap it."), field="person")
    if sign_on.contested_at is None:
        sign_on.contested_at = clock.now()
        sign_on.save(update_fields=["contested_at"])
        _log("name contested", rally, sign_on)
    return sign_on


@transaction.atomic
def confirm_names(*, by: Pass, entry_ids: Sequence[int], person: User | None = None) -> int:
    """Confirm that the drivers of these cars are those whose phones have signed on. Contested names stay with them. For
    the marshal of the table, and for an organiser with an account, `person`. Returns how many.

    Raises: Stale when nothing is left to confirm.
    """
    rally = _locked(by, person)
    found = list(to_decide(by).filter(entry__in=entry_ids))
    if not found:
        raise Stale(_("This is decided already."))
    for sign_on in found:
        sign_on.sure_by, sign_on.contested_at = _decider(by, person), None
        sign_on.save(update_fields=["sure_by", "contested_at"])
        _log("name confirmed", rally, sign_on, by=by, person=person)
    return len(found)


@transaction.atomic
def free_name(*, by: Pass, entry_id: int, person: User | None = None) -> SignOn:
    """Take a name from the phone that has signed on with it: its pad works no longer, and another phone may sign on.
    Entries of the phone stay, and can be corrected. For the marshal of the table, and for an organiser, `person`.

    Raises: Refused when there is no such car at this table.
    """
    rally = _locked(by, person)
    found = SignOn.objects.select_related("entry", "table").filter(evening=by.evening, entry=entry_id)
    sign_on = (found if by.table is None else found.filter(table=by.table)).first()
    if sign_on is None:
        raise Refused(_("This car is at another table."))
    take_back(sign_on)
    sign_on.save()
    _log("name freed", rally, sign_on, by=by, person=person)
    return sign_on


def take_back(sign_on: SignOn) -> None:
    """Make the link to the pad useless, and the name free. It is not saved."""
    sign_on.serial, sign_on.by_link = sign_on.serial + 1, False
    sign_on.asked, sign_on.sure_by, sign_on.contested_at = False, "", None


@transaction.atomic
def answer_for_oneself(*, by: User, rally: Rally, mine: bool) -> SignOn:
    """Say whether the phone that has signed on with one's name is one's own. If not, its pad works no longer, and the
    name stays taken until the marshal or an organiser frees it.

    Raises: Stale when no phone has, or when it is confirmed and not contested.
    """
    rally = locked_rally_in_open_club(rally.pk)
    found = SignOn.objects.select_related("entry", "table").filter(OPEN, evening__rally=rally, by_link=True)
    sign_on = found.filter(entry__driver=by).first()
    if sign_on is None:
        raise Stale(_("This is decided already."))
    if mine:
        sign_on.sure_by, sign_on.contested_at = by.name[:90], None
    else:
        sign_on.serial, sign_on.asked, sign_on.sure_by = sign_on.serial + 1, True, ""
        sign_on.contested_at = sign_on.contested_at or clock.now()
    sign_on.save()
    _log("name confirmed" if mine else "name denied", rally, sign_on, person=by)
    return sign_on


def require_sure(entries: Iterable[Entry]) -> None:
    """Check that somebody has confirmed who drives these cars. Their sign-ons are loaded.

    Raises: Refused; it names the cars.
    """
    unsure = [str(entry) for entry in entries if entry_waits(entry)]
    if unsure:
        says = _("Look first whether these drivers are here, and tick their names: %(cars)s.")
        raise Refused(says % {"cars": ", ".join(unsure)})


def entry_waits(entry: Entry) -> bool:
    """Whether nobody has confirmed yet who drives this car. Its sign-on is loaded."""
    sign_on: SignOn | None = getattr(entry, "sign_on", None)
    return sign_on is not None and sign_on.waits


def _locked(by: Pass, person: User | None) -> Rally:
    """Lock the rally for somebody who decides about names.

    Raises: Refused for the link of a car.
    """
    if person is not None:
        return locked_rally_for_organiser(person, by.evening.rally_id)
    rally = locked_rally_in_open_club(by.evening.rally_id)
    require_working(by)
    if by.table is None:
        raise Refused(_("The marshal of the table or an organiser decides this."))
    return rally


def _decider(by: Pass, person: User | None) -> str:
    return (person.name if person is not None else by.written_by)[:90]


def _log(action: str, rally: Rally, sign_on: SignOn, *, by: Pass | None = None, person: User | None = None) -> None:
    details = {"rally": rally.name, "crew": sign_on.entry.crew, "table": sign_on.table.number}
    if by is not None:
        details["by"] = _decider(by, person)
    audit.record(actor=person, action=action, subject=sign_on.entry, club_id=rally.club_id, details=details)
