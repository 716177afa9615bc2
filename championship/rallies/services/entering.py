"""Entries: asked for by drivers, confirmed with a start number or refused by organisers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.rallies.models import COLOURS, Entry, Rally, SpecialStage, StartPlace
from championship.rallies.services.controlling import codriver_hands_in
from championship.rallies.services.locks import locked_rally, organised, require_open_entries
from championship.rallies.services.wording import checked_line
from championship.rallies.signals import entry_handed_over
from championship.refusals import Refused

HIGHEST_NUMBER = 999
Status = Entry.Status


@transaction.atomic
def enter_rally(*, by: User, rally: Rally, crew: str, car_class: str = "") -> Entry:
    """The driver asks to take part; an organiser confirms. For drivers of the club, before the start.

    Who withdrew may ask again; who was refused or is in already may not (Refused).
    """
    rally = locked_rally(rally.pk)
    require_role(by, rally.club, Role.DRIVER)
    require_open_entries(rally)
    crew = checked_line(crew, longest=80, field="crew")
    car_class = checked_line(car_class, longest=20, field="car_class", needed=False)
    entry = Entry.objects.filter(rally=rally, driver=by).first() or Entry(rally=rally, driver=by)
    if entry.pk and entry.status == Status.REFUSED:
        raise Refused(_("The organisers have refused this entry; write to them."))
    if entry.pk and entry.status != Status.WITHDRAWN:
        raise Refused(_("You have entered this rally already."))
    entry.status, entry.crew, entry.car_class = Status.REQUESTED, crew, car_class
    entry.save()
    return entry


@dataclass(frozen=True, slots=True)
class Wanted:
    """A driver whom an organiser enters, with the start number kept for them where there is one."""

    driver: User
    crew: str
    car_class: str = ""
    start_number: int | None = None


@transaction.atomic
def enter_for(*, by: User, rally: Rally, wanted: Sequence[Wanted]) -> list[Entry]:
    """Drivers of the club take part, confirmed at once: those registered for a season. Only organisers, before the
    start; the new entries.

    Who has an entry already, withdrawn or refused too, keeps it as it is. A start number that somebody has goes to
    nobody twice: its driver then gets the lowest free one.
    """
    rally = organised(by, rally.pk)
    require_open_entries(rally)
    known = set(rally.entries.values_list("driver_id", flat=True))
    members = set(rally.club.memberships.filter(roles__contains=[Role.DRIVER]).values_list("user_id", flat=True))
    taken = _numbers_taken(rally)
    entries = []
    for each in sorted(wanted, key=lambda each: each.start_number is None):
        if each.driver.pk in known or each.driver.pk not in members:
            continue
        number = each.start_number if each.start_number and each.start_number not in taken else _next_number(taken)
        entry = Entry(
            rally=rally,
            driver=each.driver,
            crew=checked_line(each.crew, longest=80, field="crew"),
            car_class=checked_line(each.car_class, longest=20, field="car_class", needed=False),
        )
        _give_number(entry, number)
        taken.add(number)
        known.add(each.driver.pk)
        entries.append(entry)
    if entries:
        Entry.objects.bulk_create(entries)
        _void_start_list(rally)
        audit.record(
            actor=by,
            action="entries confirmed",
            subject=rally,
            club_id=rally.club_id,
            details={"entries": {entry.crew: entry.start_number for entry in entries}},
        )
    return entries


@transaction.atomic
def confirm_entry(*, by: User, entry: Entry, start_number: int | None = None) -> Entry:
    """The entry takes part, under the number given or the lowest free one; a confirmed one gets a new number.

    Only organisers, before the start. Refused(field="start_number") when another entry has the number.
    """
    rally = organised(by, entry.rally_id)
    require_open_entries(rally)
    entry = Entry.objects.get(pk=entry.pk, rally=rally)
    if entry.status == Status.WITHDRAWN:
        raise Refused(_("%(crew)s has withdrawn.") % {"crew": entry.crew})
    if entry.status == Status.CONFIRMED and start_number in (None, entry.start_number):
        return entry
    taken = _numbers_taken(rally)
    if start_number is None:
        start_number = _next_number(taken)
    elif not 1 <= start_number <= HIGHEST_NUMBER:
        raise Refused(_("Start numbers go from 1 to 999."), field="start_number")
    elif start_number in taken:
        message = _("Start number %(number)d is taken; choose another.") % {"number": start_number}
        raise Refused(message, field="start_number")
    joins = entry.status != Status.CONFIRMED
    _give_number(entry, start_number)
    entry.save()
    if joins:
        _void_start_list(rally)
    _log(by, "entry confirmed", entry, rally)
    return entry


@transaction.atomic
def confirm_all(*, by: User, rally: Rally) -> list[Entry]:
    """Every requested entry confirmed, first come, lowest free number. Only organisers, before the start."""
    rally = organised(by, rally.pk)
    require_open_entries(rally)
    entries = list(rally.entries.filter(status=Status.REQUESTED).order_by("created_at", "pk"))
    if not entries:
        return []
    taken = _numbers_taken(rally)
    for entry in entries:
        number = _next_number(taken)
        _give_number(entry, number)
        taken.add(number)
    Entry.objects.bulk_update(entries, ["status", "start_number", "colour"])
    _void_start_list(rally)
    audit.record(
        actor=by,
        action="entries confirmed",
        subject=rally,
        club_id=rally.club_id,
        details={"entries": {entry.crew: entry.start_number for entry in entries}},
    )
    return entries


@transaction.atomic
def refuse_entry(*, by: User, entry: Entry) -> Entry:
    """The entry does not take part; its number is free again. Only organisers, before the start."""
    rally = organised(by, entry.rally_id)
    require_open_entries(rally)
    return _take_out(by, entry, rally, Status.REFUSED, "entry refused")


@transaction.atomic
def withdraw_entry(*, by: User, entry: Entry) -> Entry:
    """The driver, or an organiser for them, takes the entry back. Before the start only.

    Afterwards a rally goes on for every entry: hand the car to the codriver instead (set_driven_by).
    """
    rally = locked_rally(entry.rally_id)
    _require_driver_or_organiser(by, entry, rally)
    require_open_entries(rally)
    if Entry.objects.get(pk=entry.pk).status == Status.REFUSED:
        raise Refused(_("The organisers have refused this entry; write to them."))
    return _take_out(by, entry, rally, Status.WITHDRAWN, "entry withdrawn")


@transaction.atomic
def set_driven_by(*, by: User, entry: Entry, driven_by: str) -> Entry:
    """The car is driven by its driver ("person") or the computer ("codriver") from now on, also mid-rally.

    For the driver and for organisers. A codriver hands in a card at once where time control waits for it.
    """
    rally = locked_rally(entry.rally_id)
    _require_driver_or_organiser(by, entry, rally)
    if driven_by not in Entry.DrivenBy.values:
        raise Refused(_("Choose the driver or the codriver."), field="driven_by")
    if rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED):
        raise Refused(_("This rally is over."))
    entry = Entry.objects.get(pk=entry.pk, rally=rally)
    if entry.driven_by == driven_by:
        return entry
    entry.driven_by = driven_by
    entry.save(update_fields=["driven_by"])
    _log(by, "entry driven by", entry, rally, driven_by=driven_by)
    entry_handed_over.send(sender=Entry, entry=entry)
    waiting = rally.stages.filter(status=SpecialStage.Status.TIME_CONTROL).first()
    if waiting and driven_by == Entry.DrivenBy.CODRIVER:
        codriver_hands_in(rally, waiting, entry)
    return entry


def _require_driver_or_organiser(by: User, entry: Entry, rally: Rally) -> None:
    if by.pk != entry.driver_id:
        require_role(by, rally.club, Role.ORGANISER)


def _take_out(by: User, entry: Entry, rally: Rally, status: str, action: str) -> Entry:
    entry = Entry.objects.get(pk=entry.pk, rally=rally)
    if entry.status == status:
        return entry
    started = entry.status == Status.CONFIRMED
    entry.status, entry.start_number = status, None
    entry.save()
    if started:
        _void_start_list(rally)
    _log(by, action, entry, rally)
    return entry


def _numbers_taken(rally: Rally) -> set[int]:
    numbers = rally.entries.values_list("start_number", flat=True)
    return {number for number in numbers if number is not None}


def _next_number(taken: set[int]) -> int:
    number = next((n for n in range(1, HIGHEST_NUMBER + 1) if n not in taken), None)
    if number is None:
        raise Refused(_("All start numbers are taken."), field="start_number")
    return number


def _give_number(entry: Entry, number: int) -> None:
    entry.status, entry.start_number = Status.CONFIRMED, number
    entry.colour = (number - 1) % COLOURS


def _void_start_list(rally: Rally) -> None:
    """Who comes or goes after the draw makes a new draw necessary."""
    StartPlace.objects.filter(special_stage__rally=rally).delete()


def _log(by: User, action: str, entry: Entry, rally: Rally, **details: object) -> None:
    audit.record(
        actor=by,
        action=action,
        subject=entry,
        club_id=rally.club_id,
        details={"rally": rally.name, "crew": entry.crew, "start_number": entry.start_number, **details},
    )
