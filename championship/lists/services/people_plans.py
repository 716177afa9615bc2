"""What a list of people would do: entries of a rally, registrations for a season, members of a club. No writes.

A fact for which the list has no column stays as it is. An empty cell of a column says that there is none; a crew stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name, same_as
from championship.accounts.text import without_hidden
from championship.lists.found import FoundEntries, FoundPerson
from championship.lists.plans import (
    CHANGED,
    LEFT_OUT,
    NEW,
    UNCHANGED,
    Plan,
    PlannedLine,
    changes_between,
)
from championship.lists.services.resolving import INVITE, Resolved
from championship.lists.who import key_of
from championship.platform.refusals import Refused, Stale
from championship.rallies.entries.registered_drivers import (
    RegisteredDriver,
    class_for_round,
    other_class,
    registered_in,
)
from championship.rallies.entries.services.queueing import class_chosen
from championship.rallies.locks import require_open_entries
from championship.rallies.models import Entry, Rally
from championship.seasons.models import Championship
from championship.seasons.services.registering import logged_values


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a line makes of an entry or a registration. `before`: its values now, None for a new one; `row`: its id."""

    driver: User
    crew: str
    car_class: str
    number: int | None
    team: str = ""
    before: Mapping[str, Any] | None = None
    row: int | None = None


def heads(*, team: bool) -> tuple[str, ...]:
    """Return the heads of the facts of a line."""
    return (_("Crew"), _("Car class"), _("Number"), *([_("Team")] if team else []))


def plan_members(now: Resolved) -> Plan:
    """Return what a list of members would do: members stay, others are invited by mail or left out."""
    assert isinstance(now.found, FoundEntries)
    lines = []
    for person, meant in _meant(now):
        if meant is not None and now.known[meant.pk].member:
            lines.append(PlannedLine(person.line, meant.name, UNCHANGED, why=_("is a member")))
        elif now.answers.get(key_of(person)) == INVITE:
            lines.append(PlannedLine(person.line, person.name, NEW, (person.mail,), do=person.mail))
        else:
            lines.append(PlannedLine(person.line, person.name, LEFT_OUT, why=_("left out, as you said")))
    return Plan((_("E-mail address"),), tuple(_once(lines)))


def plan_entries(now: Resolved, rally: Rally) -> Plan:
    """Return what a list would do to the entries of a rally before its start. Where the list has no crew or class for a
    driver who is registered for the championship, those of the registration are taken.

    Raises: Refused or Stale when entries are closed.
    """
    assert isinstance(now.found, FoundEntries)
    require_open_entries(rally)
    named = now.found.named
    entered = {entry.driver_id: entry for entry in rally.entries.all()}
    meant = list(_meant(now))
    spelt = _spelt(now.found, entered.values())
    registered = registered_in(rally, [person.pk for _found, person in meant if person is not None and person.pk])

    def wanted(found: FoundPerson, driver: User) -> tuple[Wanted, str]:
        entry, of_season = entered.get(driver.pk), registered.get(driver.pk)
        own = class_for_round(rally, of_season)
        kept: dict[str, Any] = {"crew": driver.name, "car_class": own, "start_number": None, "team": ""}
        if entry is not None:
            kept = _of_entry(entry, of_season, named)
        elif of_season is not None:
            kept["crew"] = of_season.crew
        classes = {*rally.class_names, own} if own or rally.class_names else spelt
        car_class = _class(found, classes) if "car_class" in named else kept["car_class"]
        car_class = car_class or kept["car_class"]
        try:
            class_chosen(rally, car_class)
        except (Refused, Stale) as refusal:
            return _empty(driver), str(refusal)
        number = found.number if "number" in named and found.number else kept["start_number"]
        crew = crew_of(found) or kept["crew"]
        team = shown(found.team, 60) if "team" in named else ""
        if team and of_season is not None:
            team = same_as(team, [of_season.team]) or team
        before = kept if entry else None
        made = Wanted(driver, crew, car_class, number, team, before, entry.pk if entry else None)
        return made, other_class(car_class, of_season)

    taken = {entry.start_number: entry.driver_id for entry in entered.values() if entry.start_number is not None}
    lines = _lines(now, meant, wanted, taken, team="team" in named)
    gone = {entry.pk for entry in entered.values() if entry.status in (Entry.Status.WITHDRAWN, Entry.Status.REFUSED)}
    return Plan(heads(team="team" in named), tuple(_as_they_are(line, gone) for line in lines))


def plan_registrations(now: Resolved, championship: Championship) -> Plan:
    """Return what a list would do to the registrations for a season."""
    assert isinstance(now.found, FoundEntries)
    named = now.found.named
    rows = championship.registrations.filter(left_at=None).select_related("team")
    registered = {each.driver_id: each for each in rows}
    teams = {comparable_name(team.name): team.name for team in championship.teams.all()}
    known_teams = set(teams)

    def wanted(found: FoundPerson, driver: User) -> tuple[Wanted, str]:
        row = registered.get(driver.pk)
        before = logged_values(row) if row else None
        kept = before or {"crew": driver.name, "car_class": "", "start_number": None, "team": ""}
        car_class = _class(found, championship.classes) if "car_class" in named else kept["car_class"]
        if championship.classes and car_class not in championship.classes:
            says = _("Choose one of the classes: %(classes)s.") % {"classes": ", ".join(championship.classes)}
            return _empty(driver), says
        team = kept["team"]
        if "team" in named:
            team = found.team and teams.setdefault(comparable_name(found.team), shown(found.team, 60))
        number = found.number if "number" in named else kept["start_number"]
        made = Wanted(driver, crew_of(found) or kept["crew"], car_class, number, team, before, row.pk if row else None)
        return made, ""

    taken = {each.start_number: each.driver_id for each in registered.values() if each.start_number is not None}
    lines = _lines(now, list(_meant(now)), wanted, taken, team=True)
    fresh = [name for called, name in teams.items() if called not in known_teams]
    told = (_("New teams: %(teams)s") % {"teams": ", ".join(fresh)},) if fresh else ()
    return Plan(heads(team=True), tuple(lines), told=told)


# Lines ---------------------------------------------------------------------------------------------


def _meant(now: Resolved) -> Iterator[tuple[FoundPerson, User | None]]:
    assert isinstance(now.found, FoundEntries)
    for person in now.found.persons:
        yield person, now.person(person)


def _lines(
    now: Resolved,
    meant: Sequence[tuple[FoundPerson, User | None]],
    wanted: Callable[[FoundPerson, User], tuple[Wanted, str]],
    taken: Mapping[int, int],
    *,
    team: bool,
) -> list[PlannedLine]:
    """Return the lines of a list. `taken`: whose start number is whose now; people in the list may exchange theirs.
    `team`: whether lines name one.
    """
    found: list[PlannedLine] = []
    seen: dict[int, int] = {}
    for person, driver in meant:
        if driver is None:
            found.append(PlannedLine(person.line, person.name, LEFT_OUT, why=_why_out(now, person)))
        elif driver.pk in seen:
            says = _("%(name)s is in line %(line)d already.") % {"name": driver, "line": seen[driver.pk]}
            found.append(PlannedLine(person.line, driver.name, LEFT_OUT, why=says))
        elif not now.known[driver.pk].driver:
            says = _("%(name)s is not a driver of this club: give them that role first.") % {"name": driver}
            found.append(PlannedLine(person.line, driver.name, LEFT_OUT, why=says))
        else:
            seen[driver.pk] = person.line
            found.append(_line(person, driver, *wanted(person, driver), team=team))
    return _numbers_once(found, taken, set(seen))


def _line(person: FoundPerson, driver: User, made: Wanted, says: str, *, team: bool) -> PlannedLine:
    if not made.crew:
        return PlannedLine(person.line, driver.name, LEFT_OUT, why=says)
    values = [made.crew, made.car_class, made.number, *([made.team] if team else [])]
    facts = tuple(str(value) if value else "" for value in values)
    if made.before is None:
        return PlannedLine(person.line, driver.name, NEW, facts, why=says, do=made)
    labels = heads(team=team)
    before = [made.before["crew"], made.before["car_class"], made.before["start_number"], made.before.get("team")]
    changes = changes_between(list(zip(labels, before, strict=False)), values)
    state = CHANGED if changes else UNCHANGED
    return PlannedLine(person.line, driver.name, state, facts, changes, says, made)


def _numbers_once(
    lines: Sequence[PlannedLine], taken: Mapping[int, int], drivers: Collection[int]
) -> list[PlannedLine]:
    """Return the lines, without those whose start number another line or another driver has."""
    given: dict[int, int] = {}
    found = []
    for line in lines:
        number = line.do.number if line.do else None
        if number is None or line.state == LEFT_OUT:
            found.append(line)
            continue
        holder = taken.get(number)
        says = ""
        if number in given:
            says = _("Line %(line)d has this number already.") % {"line": given[number]}
        elif holder is not None and holder != line.do.driver.pk and holder not in drivers:
            says = _("Start number %(number)d is taken; choose another.") % {"number": number}
        given.setdefault(number, line.line)
        found.append(PlannedLine(line.line, line.who, LEFT_OUT, line.facts, why=says) if says else line)
    return found


def _as_they_are(line: PlannedLine, gone: Collection[int]) -> PlannedLine:
    """Return the line of an entry that was withdrawn or refused as one that stays."""
    if line.do is None or line.do.row not in gone:
        return line
    return PlannedLine(line.line, line.who, UNCHANGED, line.facts, why=_("withdrawn or refused: it stays so"))


def _once(lines: Sequence[PlannedLine]) -> Iterator[PlannedLine]:
    seen = set()
    for line in lines:
        if line.state == NEW and line.do in seen:
            continue
        seen.add(line.do)
        yield line


def _why_out(now: Resolved, person: FoundPerson) -> str:
    if now.answers.get(key_of(person)) == INVITE:
        return _("is invited; enter them when they have joined")
    return _("left out, as you said")


def _empty(driver: User) -> Wanted:
    """Return what stands for a line that cannot be used."""
    return Wanted(driver, "", "", None)


def _of_entry(entry: Entry, registered: RegisteredDriver | None, named: Collection[str]) -> dict[str, Any]:
    """Return what an entry says; of its team only where the list `named` one: `own_team` is what it has stored."""
    said = {"crew": entry.crew, "car_class": entry.car_class, "start_number": entry.start_number}
    if "team" not in named:
        return said
    team = entry.team if entry.team is not None else registered.team if registered is not None else ""
    return said | {"team": team, "own_team": entry.team}


def _spelt(found: FoundEntries, entered: Iterable[Entry]) -> list[str]:
    """Return the classes of a rally that has none of its own, each in one spelling: that of its entries, else the one
    with the most capitals in the list.
    """
    listed = [shown(person.car_class, 20) for person in found.persons if person.car_class]
    listed.sort(key=lambda name: -sum(map(str.isupper, name)))
    every = [*(entry.car_class for entry in entered if entry.car_class), *listed]
    return list({comparable_name(name): name for name in reversed(every)}.values())


def _class(found: FoundPerson, classes: Collection[str]) -> str:
    return same_as(found.car_class, classes) or shown(found.car_class, 20)


def crew_of(found: FoundPerson) -> str:
    """Return the crew that a line names: as it stands there, or driver and codriver."""
    if found.crew:
        return shown(found.crew, 80)
    return shown(f"{_in_order(found)} / {found.codriver}", 80) if found.codriver else ""


def shown(text: str, longest: int) -> str:
    """Return a text of a list as it can be stored: without invisible characters, and not too long."""
    return without_hidden(text).strip()[:longest]


def _in_order(found: FoundPerson) -> str:
    return found.also[0] if "," in found.name and found.also else found.name
