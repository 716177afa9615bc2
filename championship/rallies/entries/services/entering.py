"""Entries: drivers request them; organisers confirm them with a start number, or refuse them. The kinds of notice to
entrants about such acts.

When a rally is full (queueing.py), a new entry waits, and moves up as soon as a place is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.accounts.name_comparison import same_as
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.notices import kinds
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk import organiser_notices
from championship.rallies.desk.services.starting import void_start_list
from championship.rallies.entries.codrivers import last_chosen
from championship.rallies.entries.registered_drivers import (
    RegisteredDriver,
    class_for_round,
    open_classes,
    registered_in,
)
from championship.rallies.entries.services.queueing import Room, class_chosen, move_up
from championship.rallies.followers import kept_out_of
from championship.rallies.locks import (
    locked_rally,
    locked_rally_for_organiser,
    require_driver_or_organiser,
    require_open_entries,
)
from championship.rallies.models import COLOURS, Entry, Rally
from championship.rallies.text_checks import checked_line

HIGHEST_NUMBER = 999
LONGEST_CREW = 80
BOT = " (bot)"
Status = Entry.Status


@transaction.atomic
def enter_rally(*, by: User, rally: Rally, crew: str, car_class: str = "") -> Entry:
    """Request an entry for a driver of the club, before the start. An organiser has to confirm it.

    When the rally or the class is full, the entry waits behind earlier requests. A driver who has withdrawn may enter
    again, as the last of the queue, and then drives the car, also if the codriver had it before. The stand-in is the
    one of the driver's last rally in the same game. `car_class`: one of
    the rally's classes, when it has any. A driver who is registered for the championship enters in the class of the
    registration. Who has no class there chooses one (`open_classes`), but no division.

    Raises: Refused when entries are closed, or when the driver has entered already or was refused; also (field
    car_class) for another class than that of the registration, or one that the driver may not choose.
    """
    rally = locked_rally(rally.pk)
    require_role(by, rally.club, Role.DRIVER)
    require_open_entries(rally)
    if not rally.takes_entries(clock.now()):
        raise Refused(_("Entries are closed. An organiser can still enter you."))
    if why := kept_out_of(rally, [by.pk]).get(by.pk):
        raise Refused(why)
    crew = named_as_bot(by, checked_line(crew, longest=LONGEST_CREW, field="crew"))
    car_class = checked_line(car_class, longest=20, field="car_class", needed=False)
    registered = registered_in(rally, [by.pk]).get(by.pk)
    car_class = class_chosen(rally, _class_of_season(rally, registered, car_class))
    entry = Entry.objects.filter(rally=rally, driver=by).first() or Entry(rally=rally, driver=by)
    if entry.pk and entry.status == Status.REFUSED:
        raise Refused(_("The organisers have refused this entry; write to them."))
    if entry.pk and entry.status != Status.WITHDRAWN:
        raise Refused(_("You have entered already."))
    entry.status = Status.REQUESTED if Room(rally).for_one(car_class) else Status.WAITING
    entry.crew, entry.car_class, entry.asked_at = crew, car_class, clock.now()
    entry.team = None if registered is None else registered.team
    entry.driven_by, entry.manner = Entry.DrivenBy.PERSON, last_chosen(by, rally)
    entry.save()
    organiser_notices.notify_new_entry(entry, rally)
    return entry


def _class_of_season(rally: Rally, registered: RegisteredDriver | None, car_class: str) -> str:
    own = class_for_round(rally, registered)
    if registered is None or not own:
        return _class_by_choice(rally, registered, car_class)
    if car_class and same_as(car_class, [own]) is None:
        says = _(
            "You are registered for %(championship)s in class %(class)s. An organiser can change your registration, or "
            "enter you in another class."
        )
        said = {"championship": registered.championship, "class": own}
        raise Refused(says % said, field="car_class")
    return own


def _class_by_choice(rally: Rally, registered: RegisteredDriver | None, car_class: str) -> str:
    choice = open_classes(rally, registered)
    if not choice.allow(car_class):
        raise Refused(choice.why, field="car_class")
    if choice.names is not None and not rally.classes and car_class not in choice.names:
        message = _("Choose one of the classes: %(classes)s.") % {"classes": ", ".join(choice.names)}
        raise Refused(message, field="car_class")
    return car_class


def named_as_bot(driver: User, crew: str) -> str:
    """The crew's name, with the suffix `BOT` when the driver is a bot."""
    if not driver.is_bot or crew.endswith(BOT):
        return crew
    return f"{crew[: LONGEST_CREW - len(BOT)].rstrip()}{BOT}"


def _team_of(wanted: EntryRequest, registered: RegisteredDriver | None) -> str | None:
    if wanted.team is not None:
        return checked_line(wanted.team, longest=60, field="team", needed=False)
    return registered.team if registered is not None else None


@dataclass(frozen=True, slots=True)
class EntryRequest:
    """A driver whom an organiser enters, with the start number that is reserved for them, if any. `team`: the name of
    the team for which the car drives; None is that of the registration.
    """

    driver: User
    crew: str
    car_class: str = ""
    start_number: int | None = None
    team: str | None = None


@transaction.atomic
def enter_for(*, by: User, rally: Rally, wanted: Sequence[EntryRequest]) -> list[Entry]:
    """Enter drivers of the club and confirm them at once, for example those registered for a season.

    Only for organisers, before the start. Returns the new entries. When the rally is full, the others go on the waiting
    list: drivers with a reserved start number first, then the rest, each in the order given.

    A driver who has an entry already, also a withdrawn or a refused one, keeps it unchanged. A driver whose reserved
    start number is taken gets the lowest free one. People who are not drivers of the club, and drivers who may not
    enter this rally, are skipped.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    return enter_in_locked_rally(rally, wanted, by=by)


def enter_in_locked_rally(
    rally: Rally, wanted: Sequence[EntryRequest], *, by: User | None, anybody: bool = False
) -> list[Entry]:
    """Enter drivers and confirm them at once, as `enter_for` does. The rally is locked. `by`: None for the sweep, and
    for people who sign on at the table. `anybody`: also people who are not drivers of the club.
    """
    require_open_entries(rally)
    known = set(rally.entries.values_list("driver_id", flat=True))
    members = set(rally.club.memberships.filter(roles__contains=[Role.DRIVER]).values_list("user_id", flat=True))
    known |= kept_out_of(rally, [each.driver.pk for each in wanted]).keys()
    taken, room = _numbers_taken(rally), Room(rally)
    registered = registered_in(rally, [each.driver.pk for each in wanted])
    entries = []
    for each in sorted(wanted, key=lambda each: each.start_number is None):
        if each.driver.pk in known or not (anybody or each.driver.pk in members):
            continue
        entry = Entry(
            rally=rally,
            driver=each.driver,
            crew=named_as_bot(each.driver, checked_line(each.crew, longest=LONGEST_CREW, field="crew")),
            car_class=checked_line(each.car_class, longest=20, field="car_class", needed=False),
            team=_team_of(each, registered.get(each.driver.pk)),
        )
        if room.take(entry.car_class):
            kept = each.start_number if each.start_number not in taken else None
            _give_number(entry, kept or _next_number(taken))
        else:
            entry.status = Status.WAITING
        taken.add(entry.start_number or 0)
        known.add(each.driver.pk)
        entries.append(entry)
    if entries:
        Entry.objects.bulk_create(entries)
        void_start_list(rally)
        _log_confirmed(by, rally, entries)
        organiser_notices.notify_entry_decisions(rally, "entered by another", entries, by=by)
    return entries


@transaction.atomic
def confirm_entry(*, by: User, entry: Entry, start_number: int | None = None) -> Entry:
    """Confirm the entry with the given start number, or with the lowest free one. A confirmed entry gets a new number.

    Only for organisers, before the start.

    Raises: Refused (field start_number) when another entry has the number, or when there is no place for an entry that
    waits or was refused.
    """
    rally = locked_rally_for_organiser(by, entry.rally_id)
    require_open_entries(rally)
    entry = Entry.objects.get(pk=entry.pk, rally=rally)
    if entry.status == Status.WITHDRAWN:
        raise Refused(_("%(crew)s has withdrawn.") % {"crew": entry.crew})
    if entry.status == Status.CONFIRMED and start_number in (None, entry.start_number):
        return entry
    if entry.status in (Status.WAITING, Status.REFUSED):
        _require_room(rally, entry)
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
        void_start_list(rally)
        organiser_notices.notify_entry_decisions(rally, "entry confirmed", [entry], by=by)
    _log(by, "entry confirmed", entry, rally)
    return entry


@transaction.atomic
def confirm_all(*, by: User, rally: Rally) -> list[Entry]:
    """Confirm every requested entry, in the order of the requests, with the lowest free start numbers.

    Only for organisers, before the start. The waiting list stays. Bots are skipped: an organiser has to confirm each of
    them separately.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    return confirm_in_locked_rally(rally, by=by)


def confirm_in_locked_rally(rally: Rally, *, by: User | None) -> list[Entry]:
    """Confirm every requested entry, as `confirm_all` does. The rally is locked. `by`: None for the sweep."""
    require_open_entries(rally)
    asked = rally.entries.filter(status=Status.REQUESTED, driver__is_bot=False)
    entries = list(asked.order_by("asked_at", "pk"))
    if not entries:
        return []
    taken = _numbers_taken(rally)
    for entry in entries:
        number = _next_number(taken)
        _give_number(entry, number)
        taken.add(number)
    Entry.objects.bulk_update(entries, ["status", "start_number", "colour"])
    void_start_list(rally)
    _log_confirmed(by, rally, entries)
    organiser_notices.notify_entry_decisions(rally, "entry confirmed", entries, by=by)
    return entries


def confirm_who_is_here(rally: Rally, entry: Entry) -> bool:
    """Confirm the entry of a driver who signs on at the table, before the start. The rally is locked. A driver who has
    withdrawn enters again. Returns False when there is no place; then the entry waits.

    Raises: Refused when organisers have refused the entry, or the driver may not enter.
    """
    require_open_entries(rally)
    if entry.status == Status.REFUSED:
        raise Refused(_("The organisers have refused this entry; write to them."))
    if entry.status == Status.CONFIRMED:
        return True
    if why := kept_out_of(rally, [entry.driver_id]).get(entry.driver_id):
        raise Refused(why)
    if entry.status != Status.REQUESTED and not Room(rally).for_one(entry.car_class):
        entry.status = Status.WAITING
        entry.save(update_fields=["status"])
        return False
    _give_number(entry, _next_number(_numbers_taken(rally)))
    entry.save()
    void_start_list(rally)
    _log(None, "entry confirmed", entry, rally)
    return True


@transaction.atomic
def refuse_entry(*, by: User, entry: Entry, reason: str = "") -> Entry:
    """Refuse the entry; its start number and its place become free. The driver is notified, with the reason if given.

    Only for organisers, before the start.

    Raises: Refused (field reason) when the reason is not one line of text.
    """
    reason = checked_line(reason, longest=200, field="reason", needed=False)
    rally = locked_rally_for_organiser(by, entry.rally_id)
    require_open_entries(rally)
    return _take_out(by, entry, rally, Status.REFUSED, "entry refused", reason=reason)


def leave_out(rally: Rally, entry: Entry) -> None:
    """Withdraw an entry before the start because its driver has not checked in. The rally is locked. Nobody moves up
    here: only reserves who have checked in do.
    """
    require_open_entries(rally)
    entry.status, entry.start_number = Status.WITHDRAWN, None
    entry.save()
    void_start_list(rally)
    _log(None, "not checked in", entry, rally)


@transaction.atomic
def withdraw_entry(*, by: User, entry: Entry) -> Entry:
    """Withdraw the entry, for its driver or for an organiser; its place becomes free. Only before the start.

    After the start no entry can leave: hand the car to the codriver instead (`set_driven_by`).

    Raises: Stale when the rally has started.
    Raises: Refused when organisers have refused the entry, or the rally is cancelled.
    """
    rally = locked_rally(entry.rally_id)
    require_driver_or_organiser(by, entry, rally)
    if rally.status == Rally.Status.RUNNING:
        raise Stale(_("Driving has started. Let the codriver drive the car instead."))
    require_open_entries(rally)
    if Entry.objects.get(pk=entry.pk).status == Status.REFUSED:
        raise Refused(_("The organisers have refused this entry; write to them."))
    return _take_out(by, entry, rally, Status.WITHDRAWN, "entry withdrawn")


def withdraw_in_locked_rally(rally: Rally, entry: Entry, *, by: User | None) -> Entry:
    """Withdraw an entry before the start; its place becomes free. The rally is locked. `by`: None for the sweep."""
    require_open_entries(rally)
    return _take_out(by, entry, rally, Status.WITHDRAWN, "entry withdrawn")


def _take_out(by: User | None, entry: Entry, rally: Rally, status: str, action: str, *, reason: str = "") -> Entry:
    entry = Entry.objects.get(pk=entry.pk, rally=rally)
    if entry.status == status:
        return entry
    was_confirmed = entry.status == Status.CONFIRMED
    entry.status, entry.start_number = status, None
    entry.save()
    if was_confirmed:
        void_start_list(rally)
    _log(by, action, entry, rally, **({"reason": reason} if reason else {}))
    if status == Status.REFUSED:
        organiser_notices.notify_entry_decisions(rally, "entry refused", [entry], by=by, reason=reason)
    move_up(rally, by=by)
    return entry


def _require_room(rally: Rally, entry: Entry) -> None:
    if not Room(rally).for_one(entry.car_class):
        raise Refused(
            _("There is no place left, or none in this class: raise the limit, or remove a driver."),
            field="start_number",
        )


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


def give_next_number(rally: Rally, entry: Entry) -> None:
    """Confirm an entry with the lowest free start number. The rally is locked, and the entry is not saved."""
    _give_number(entry, _next_number(_numbers_taken(rally)))


def _log_confirmed(by: User | None, rally: Rally, entries: Sequence[Entry]) -> None:
    audit.record(
        actor=by,
        action="entries confirmed",
        subject=rally,
        club_id=rally.club_id,
        details={"entries": {entry.crew: entry.start_number for entry in entries}},
    )


def _log(by: User | None, action: str, entry: Entry, rally: Rally, **details: object) -> None:
    audit.record(
        actor=by,
        action=action,
        subject=entry,
        club_id=rally.club_id,
        details={"rally": rally.name, "crew": entry.crew, "start_number": entry.start_number, **details},
    )


def register_notices() -> None:
    """Register the kinds of notice to entrants about acts of organisers and officials, except starts and pauses."""
    words = (
        (
            "entry moved up",
            gettext_lazy("%(rally)s: there is a place for you"),
            gettext_lazy("I move up from a waiting list"),
            True,
        ),
        (
            "car taken over",
            gettext_lazy("%(rally)s: you drive car %(start_number)s"),
            gettext_lazy("I take over somebody's car"),
            True,
        ),
        (
            "car given away",
            gettext_lazy("%(rally)s: somebody else drives your car"),
            gettext_lazy("Somebody else drives my car"),
            False,
        ),
        (
            "penalty given",
            gettext_lazy("%(rally)s: a penalty or bonus from the officials"),
            gettext_lazy("Officials give me a penalty or bonus"),
            False,
        ),
        (
            "penalty withdrawn",
            gettext_lazy("%(rally)s: the officials withdraw a penalty or bonus"),
            gettext_lazy("Officials withdraw a penalty or bonus of mine"),
            False,
        ),
        (
            "rally cancelled",
            gettext_lazy("%(rally)s is cancelled"),
            gettext_lazy("A rally that I entered is cancelled"),
            False,
        ),
        (
            "message to entrants",
            gettext_lazy("%(rally)s: a message from the organisers"),
            gettext_lazy("Organisers write to the entrants"),
            False,
        ),
    )
    for kind, subject, switch, urgent in words:
        template = f"notices/mail/{kind.replace(' ', '_')}.txt"
        kinds.register(kind, subject=subject, body_template=template, switch=switch, urgent=urgent)
