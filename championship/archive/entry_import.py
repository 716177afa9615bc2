"""Entries of a rally, and registrations for a season, from a list: first previewed, then imported, all or none."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.archive import csv_reading
from championship.archive.csv_columns import CAR_CLASS, ENTRIES, NUMBER, REGISTRATIONS
from championship.archive.csv_reading import BadList, List, Problem
from championship.archive.driver_matching import Found, Members, start_numbers
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.rallies.models import Entry, Rally
from championship.rallies.services import EntryRequest, enter_for
from championship.rallies.services.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.services.queueing import class_chosen
from championship.refusals import Refused
from championship.seasons.models import Championship
from championship.seasons.registering import name_teams, register

WHO = [["email", "name"]]


@dataclass(frozen=True, slots=True)
class Planned:
    """What happens with a line. `now` describes a driver who is entered or registered already, and is empty for a new
    one. A line that `stays` changes nothing.
    """

    driver: User
    crew: str
    car_class: str = ""
    number: int | None = None
    team: str = ""
    now: str = ""
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a list would do: a line per driver, the teams that would be created, and the headings that no column
    uses.
    """

    lines: tuple[Planned, ...]
    unused: tuple[str, ...]
    new_teams: tuple[str, ...] = ()

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
    found, given, problems = _drivers_and_numbers(rally.club, read)
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


def plan_registrations(*, by: User, championship: Championship, text: str) -> Plan:
    """Return what the list would do to the season's registrations, without writing anything. Only organisers. An
    existing registration is changed to what the list says.

    Raises: BadList when a line cannot be imported; it names all such lines.
    """
    require_role(by, championship.club, Role.ORGANISER)
    read = csv_reading.read(text, REGISTRATIONS, needed=WHO)
    found, given, problems = _drivers_and_numbers(championship.club, read)
    registered = {each.driver_id: each for each in championship.registrations.select_related("team")}
    renewed = {each.driver.pk for each in found}
    taken = {each.start_number for each in registered.values() if each.driver_id not in renewed} - {None}
    teams = {team.name.casefold(): team.name for team in championship.teams.all()}
    lines: list[Planned] = []
    new_teams: dict[str, str] = {}
    for each in found:
        line, number = each.line, given[each.line.number]
        if number in taken:
            says = _("Start number %(number)d is taken; choose another.") % {"number": number}
            problems.append(Problem(line.number, str(NUMBER.label), says))
        if championship.classes and line["class"] not in championship.classes:
            says = _("Choose one of the classes: %(classes)s.") % {"classes": ", ".join(championship.classes)}
            problems.append(Problem(line.number, str(CAR_CLASS.label), says))
        team = line["team"] and teams.get(line["team"].casefold(), "")
        if line["team"] and not team:
            team = new_teams.setdefault(line["team"].casefold(), line["team"])
        crew = line["crew"] or each.driver.name
        now = _("registered already: updated") if each.driver.pk in registered else ""
        lines.append(Planned(each.driver, crew, line["class"], number, team, now))
    if problems:
        raise BadList(problems)
    return Plan(tuple(lines), read.unused, tuple(new_teams.values()))


@transaction.atomic
def import_registrations(*, by: User, championship: Championship, text: str) -> Plan:
    """Register the drivers of the list for the season, after creating new teams that it names. Returns what was done.
    All or none, as plan_registrations says.

    Raises: BadList when a line cannot be registered.
    """
    championship = Championship.objects.select_for_update(of=("self",)).select_related("club").get(pk=championship.pk)
    plan = plan_registrations(by=by, championship=championship, text=text)
    if plan.new_teams:
        names = [*championship.teams.values_list("name", flat=True), *plan.new_teams]
        name_teams(by=by, championship=championship, names=names)
    # The list may exchange numbers between drivers, so all their numbers are cleared before they are assigned again.
    championship.registrations.filter(driver__in=[line.driver.pk for line in plan.lines]).update(start_number=None)
    teams = {team.name: team for team in championship.teams.all()}
    for line in plan.lines:
        try:
            register(
                by=by,
                championship=championship,
                driver=line.driver,
                crew=line.crew,
                car_class=line.car_class,
                start_number=line.number,
                team=teams[line.team] if line.team else None,
            )
        except Refused as refusal:
            raise BadList([Problem(None, str(line.driver), str(refusal))]) from refusal
    return plan


def _drivers_and_numbers(club: Club, read: List) -> tuple[list[Found], dict[int, int | None], list[Problem]]:
    found, problems = Members(club).find_drivers(read.lines)
    given, wrong = start_numbers(read.lines)
    return found, given, [*problems, *wrong]


def _unchanged(driver: User, entry: Entry) -> Planned:
    now = _("unchanged: %(status)s") % {"status": entry.get_status_display()}
    return Planned(driver, entry.crew, entry.car_class, entry.start_number, now=now, stays=True)
