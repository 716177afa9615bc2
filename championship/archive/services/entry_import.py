"""Entries of a rally from a list: first previewed, then imported, all or none."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import same_as
from championship.archive import csv_reading
from championship.archive.csv_reading import CAR_CLASS, ENTRIES, NUMBER, BadList, Problem
from championship.archive.driver_matching import WHO, drivers_and_numbers
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.rallies.entries.registered_drivers import (
    RegisteredDriver,
    class_for_round,
    other_class,
    registered_in,
)
from championship.rallies.entries.services.queueing import class_chosen
from championship.rallies.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.models import Entry, Rally
from championship.rallies.services import EntryRequest, enter_for


@dataclass(frozen=True, slots=True)
class Planned:
    """What happens with a line. `now` describes a driver who is entered already, and is empty for a new one. `note`:
    what to say about a class that differs from that of the driver's registration for the season. A line that `stays`
    changes nothing.
    """

    driver: User
    crew: str
    car_class: str = ""
    number: int | None = None
    now: str = ""
    note: str = ""
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a list would do: a line per driver, and the headings that no column uses."""

    lines: tuple[Planned, ...]
    unused: tuple[str, ...]

    @property
    def new(self) -> int:
        """How many lines change something."""
        return sum(not line.stays for line in self.lines)


def plan_entries(*, by: User, rally: Rally, text: str) -> Plan:
    """Return what the list would do to the rally's entries, without writing anything. Only organisers, before the
    start. An existing entry is not changed. Where the list has no crew or class for a driver who is registered for the
    championship, those of the registration are taken.

    Raises: BadList when a line cannot be imported; it names all such lines.
    """
    require_role(by, rally.club, Role.ORGANISER)
    require_open_entries(rally)
    read = csv_reading.read(text, ENTRIES, needed=WHO)
    found, given, problems = drivers_and_numbers(rally.club, read)
    entered = {entry.driver_id: entry for entry in rally.entries.all()}
    taken = {entry.start_number for entry in entered.values() if entry.start_number is not None}
    registered = registered_in(rally, [each.driver.pk for each in found])
    lines = []
    for each in found:
        entry, number = entered.get(each.driver.pk), given[each.line.number]
        if entry is not None:
            lines.append(_unchanged(each.driver, entry, registered.get(each.driver.pk)))
            continue
        if number in taken:
            says = _("Start number %(number)d is taken; choose another.") % {"number": number}
            problems.append(Problem(each.line.number, str(NUMBER.label), says))
        of_season = registered.get(each.driver.pk)
        own = class_for_round(rally, of_season)
        car_class = same_as(each.line["class"], {*rally.class_names, own}) or each.line["class"] or own
        try:
            class_chosen(rally, car_class)
        except (Refused, Stale) as refusal:
            problems.append(Problem(each.line.number, str(CAR_CLASS.label), str(refusal)))
        crew = each.line["crew"] or (of_season.crew if of_season else each.driver.name)
        note = other_class(car_class, of_season)
        lines.append(Planned(each.driver, crew, car_class, number, note=note))
    if problems:
        raise BadList(problems)
    return Plan(tuple(lines), read.unused)


@transaction.atomic
def import_entries(*, by: User, rally: Rally, text: str) -> list[Entry]:
    """Enter the drivers of the list into the rally and return the new entries. They are confirmed, or on the waiting
    list when the rally is full. All or none, as plan_entries says.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    plan = plan_entries(by=by, rally=rally, text=text)
    wanted = [
        EntryRequest(line.driver, line.crew, line.car_class, line.number) for line in plan.lines if not line.stays
    ]
    return enter_for(by=by, rally=rally, wanted=wanted)


def _unchanged(driver: User, entry: Entry, registered: RegisteredDriver | None) -> Planned:
    now = _("unchanged: %(status)s") % {"status": entry.get_status_display()}
    note = other_class(entry.car_class, registered)
    return Planned(driver, entry.crew, entry.car_class, entry.start_number, now=now, note=note, stays=True)
