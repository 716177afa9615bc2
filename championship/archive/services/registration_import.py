"""Registrations for a season from a list: first previewed with every change, then imported, all or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name, same_as
from championship.archive import csv_reading
from championship.archive.csv_reading import CAR_CLASS, CREW, NUMBER, REGISTRATIONS, TEAM, BadList, Line, Problem
from championship.archive.driver_matching import WHO, drivers_and_numbers
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.seasons.models import Championship, Registration
from championship.seasons.services.registering import logged_values, name_teams, register

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

NONE = "–"


@dataclass(frozen=True, slots=True)
class Change:
    """A value of a registration that the list changes: its label, and the value before and after, in words."""

    label: _StrPromise
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PlannedRegistration:
    """What a registration is after the import. `before`: its values now, as `logged_values` returns them; None for a
    driver who is not registered yet. `changes`: what differs from them.
    """

    driver: User
    crew: str
    car_class: str
    number: int | None
    team: str
    before: dict[str, Any] | None
    changes: tuple[Change, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether the driver is not registered yet."""
        return self.before is None

    @property
    def stays(self) -> bool:
        """Whether the line changes nothing."""
        return not self.is_new and not self.changes


@dataclass(frozen=True, slots=True)
class RegistrationPlan:
    """What a list would do: a line per driver, the headings that no column uses, and the teams that would be made."""

    lines: tuple[PlannedRegistration, ...]
    unused: tuple[str, ...]
    new_teams: tuple[str, ...] = ()

    @property
    def new(self) -> int:
        """How many lines change something."""
        return sum(not line.stays for line in self.lines)

    @property
    def counts(self) -> dict[str, int]:
        """How many lines are `new`, `changed` and `unchanged`."""
        new = sum(line.is_new for line in self.lines)
        return {"new": new, "changed": self.new - new, "unchanged": len(self.lines) - self.new}


def plan_registrations(*, by: User, championship: Championship, text: str) -> RegistrationPlan:
    """Return what the list would do to the season's registrations, without writing anything. Only organisers.

    A column that is not in the list changes nothing. An empty cell removes a number, a class or a team; a crew stays.

    Raises: BadList when a line cannot be imported; it names all such lines.
    """
    require_role(by, championship.club, Role.ORGANISER)
    read = csv_reading.read(text, REGISTRATIONS, needed=WHO)
    found, given, problems = drivers_and_numbers(championship.club, read)
    registered = {
        each.driver_id: each for each in championship.registrations.filter(left_at=None).select_related("team")
    }
    renewed = {each.driver.pk for each in found}
    taken = {each.start_number for each in registered.values() if each.driver_id not in renewed} - {None}
    teams = {comparable_name(team.name): team.name for team in championship.teams.all()}
    known = set(teams)
    lines = []
    for each in found:
        line, number = each.line, given[each.line.number]
        if number in taken:
            says = _("Start number %(number)d is taken; choose another.") % {"number": number}
            problems.append(Problem(line.number, str(NUMBER.label), says))
        planned = _planned(each.driver, line, number, registered.get(each.driver.pk), teams, championship.classes)
        if championship.classes and planned.car_class not in championship.classes:
            says = _("Choose one of the classes: %(classes)s.") % {"classes": ", ".join(championship.classes)}
            problems.append(Problem(line.number, str(CAR_CLASS.label), says))
        lines.append(planned)
    if problems:
        raise BadList(problems)
    return RegistrationPlan(
        tuple(lines), read.unused, tuple(name for called, name in teams.items() if called not in known)
    )


def _planned(
    driver: User,
    line: Line,
    number: int | None,
    registration: Registration | None,
    teams: dict[str, str],
    classes: Sequence[str],
) -> PlannedRegistration:
    """Return what the line makes of a registration. A team that does not exist yet is added to `teams`."""
    before = logged_values(registration) if registration else None
    kept = before or {"crew": driver.name, "car_class": "", "start_number": None, "team": ""}
    car_class = same_as(line["class"], classes) or line["class"] if line.has("class") else kept["car_class"]
    team = kept["team"]
    if line.has("team"):
        team = line["team"] and teams.setdefault(comparable_name(line["team"]), line["team"])
    after = {
        "crew": line["crew"] or kept["crew"],
        "car_class": car_class,
        "start_number": number if line.has("number") else kept["start_number"],
        "team": team,
    }
    return PlannedRegistration(
        driver=driver,
        crew=after["crew"],
        car_class=after["car_class"],
        number=after["start_number"],
        team=after["team"],
        before=before,
        changes=_changes(before, after) if before else (),
    )


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    labels = {
        "crew": CREW.label,
        "car_class": CAR_CLASS.label,
        "start_number": NUMBER.label,
        "team": TEAM.label,
    }
    return tuple(
        Change(label, str(before[name] or NONE), str(after[name] or NONE))
        for name, label in labels.items()
        if before[name] != after[name]
    )


@transaction.atomic
def import_registrations(*, by: User, championship: Championship, text: str) -> RegistrationPlan:
    """Register the drivers of the list for the season, after creating new teams that it names. Returns what was done.
    All or none, as plan_registrations says.

    Raises: BadList when a line cannot be registered.
    """
    championship = Championship.objects.select_for_update(of=("self",)).select_related("club").get(pk=championship.pk)
    plan = plan_registrations(by=by, championship=championship, text=text)
    if plan.new_teams:
        names = [*championship.teams.values_list("name", flat=True), *plan.new_teams]
        name_teams(by=by, championship=championship, names=names)
    lines = [line for line in plan.lines if not line.stays]
    # The list may exchange numbers between drivers, so all their numbers are cleared before they are assigned again.
    championship.registrations.filter(driver__in=[line.driver.pk for line in lines]).update(start_number=None)
    teams = {team.name: team for team in championship.teams.all()}
    for line in lines:
        try:
            register(
                by=by,
                championship=championship,
                driver=line.driver,
                crew=line.crew,
                car_class=line.car_class,
                start_number=line.number,
                team=teams[line.team] if line.team else None,
                before=line.before,
            )
        except Forbidden:
            raise
        except (Refused, Stale) as refusal:
            raise BadList([Problem(None, str(line.driver), str(refusal))]) from refusal
    return plan
