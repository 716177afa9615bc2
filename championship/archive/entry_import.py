"""Entries of a rally from a list: first previewed, then imported, all or none."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.archive import csv_reading
from championship.archive.csv_columns import CAR_CLASS, ENTRIES, NUMBER
from championship.archive.csv_reading import BadList, Problem
from championship.archive.driver_matching import WHO, drivers_and_numbers
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.rallies.models import Entry, Rally
from championship.rallies.services import EntryRequest, enter_for
from championship.rallies.services.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.services.queueing import class_chosen
from championship.refusals import Refused


@dataclass(frozen=True, slots=True)
class Planned:
    """What happens with a line. `now` describes a driver who is entered or registered already, and is empty for a new
    one. A line that `stays` changes nothing.
    """

    driver: User
    crew: str
    car_class: str = ""
    number: int | None = None
    now: str = ""
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
    start. An existing entry is not changed.

    Raises: BadList when a line cannot be imported; it names all such lines.
    """
    require_role(by, rally.club, Role.ORGANISER)
    require_open_entries(rally)
    read = csv_reading.read(text, ENTRIES, needed=WHO)
    found, given, problems = drivers_and_numbers(rally.club, read)
    entered = {entry.driver_id: entry for entry in rally.entries.all()}
    taken = {entry.start_number for entry in entered.values() if entry.start_number is not None}
    lines = []
    for each in found:
        entry, number = entered.get(each.driver.pk), given[each.line.number]
        if entry is not None:
            lines.append(_unchanged(each.driver, entry))
            continue
        if number in taken:
            says = _("Start number %(number)d is taken; choose another.") % {"number": number}
            problems.append(Problem(each.line.number, str(NUMBER.label), says))
        try:
            class_chosen(rally, each.line["class"])
        except Refused as refusal:
            problems.append(Problem(each.line.number, str(CAR_CLASS.label), str(refusal)))
        lines.append(Planned(each.driver, each.line["crew"] or each.driver.name, each.line["class"], number))
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


def _unchanged(driver: User, entry: Entry) -> Planned:
    now = _("unchanged: %(status)s") % {"status": entry.get_status_display()}
    return Planned(driver, entry.crew, entry.car_class, entry.start_number, now=now, stays=True)
