"""Which member a line of a list means, by mail address or by name. No account is created silently."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import NearNames, comparable_name, written_forms
from championship.archive.csv_reading import EMAIL, NAME, NUMBER, Line, List, Problem
from championship.clubs.models import Club, Membership, Role

HIGHEST_NUMBER = 999
WHO = [["email", "name"]]
"""The columns of which a list of drivers needs one."""


@dataclass(frozen=True, slots=True)
class Found:
    """A line and the member it means."""

    line: Line
    driver: User


class Members:
    """A club's members, by address and by name. One query."""

    def __init__(self, club: Club) -> None:
        self.drivers: set[int] = set()
        self.by_email: dict[str, User] = {}
        self.by_name: dict[str, list[User]] = defaultdict(list)
        for membership in Membership.objects.filter(club=club).select_related("user"):
            person = membership.user
            self.by_email[person.email.casefold()] = person
            self.by_name[comparable_name(person.name)].append(person)
            if Role.DRIVER in membership.roles:
                self.drivers.add(person.pk)
        self.near = NearNames(person.name for people in self.by_name.values() for person in people)

    def called(self, name: str) -> list[User]:
        """Return the members of that name, also when it is written as "Surname, First name"."""
        return next((self.by_name[form] for form in written_forms(name) if form in self.by_name), [])

    def find(self, line: Line) -> User | Problem:
        """Return the member whom the line means, or the problem with the line."""
        email, name = line["email"].casefold(), line["name"]
        if email:
            known = self.by_email.get(email)
            if known is None:
                says = _("Nobody in the club has this address. Send them an invitation, or remove the line.")
                return Problem(line.number, str(EMAIL.label), says)
            return known
        if not name:
            return Problem(line.number, str(EMAIL.label), _("Give the driver's address or name."))
        same = self.called(name)
        if len(same) > 1:
            says = _("%(count)d members have this name: give the address.") % {"count": len(same)}
            return Problem(line.number, str(NAME.label), says)
        if not same:
            says = _("Nobody in the club has this name. Send them an invitation, or remove the line.")
            near = self.near.nearest(name)
            if near:
                says = _("Nobody in the club has this name. Do you mean %(name)s? Then write it so.") % {"name": near}
            return Problem(line.number, str(NAME.label), says)
        return same[0]

    def find_drivers(self, lines: Sequence[Line]) -> tuple[list[Found], list[Problem]]:
        """Return the drivers whom the lines mean, and the problems: lines without a member, members who are no drivers,
        and members who appear twice.
        """
        found: list[Found] = []
        problems: list[Problem] = []
        seen: dict[int, int] = {}
        for line in lines:
            person = self.find(line)
            if isinstance(person, Problem):
                problems.append(person)
            elif person.pk not in self.drivers:
                says = _("%(name)s is not a driver of this club: give them that role first.") % {"name": person}
                problems.append(Problem(line.number, "", says))
            elif person.pk in seen:
                says = _("%(name)s is in line %(line)d already.") % {"name": person, "line": seen[person.pk]}
                problems.append(Problem(line.number, "", says))
            else:
                seen[person.pk] = line.number
                found.append(Found(line, person))
        return found, problems


def start_numbers(lines: Sequence[Line]) -> tuple[dict[int, int | None], list[Problem]]:
    """Return the start number by line (None when the line has none), and the problems: numbers that are not valid, and
    numbers that an earlier line has.
    """
    found: dict[int, int | None] = {}
    problems: list[Problem] = []
    seen: dict[int, int] = {}
    for line in lines:
        cell = line["number"]
        found[line.number] = None
        if not cell:
            continue
        if not (cell.isascii() and cell.isdigit() and 1 <= int(cell) <= HIGHEST_NUMBER):
            problems.append(Problem(line.number, str(NUMBER.label), _("Start numbers go from 1 to 999.")))
        elif int(cell) in seen:
            says = _("Line %(line)d has this number already.") % {"line": seen[int(cell)]}
            problems.append(Problem(line.number, str(NUMBER.label), says))
        else:
            found[line.number] = int(cell)
            seen[int(cell)] = line.number
    return found, problems


def drivers_and_numbers(club: Club, read: List) -> tuple[list[Found], dict[int, int | None], list[Problem]]:
    """Return the drivers of a list, their start numbers by line, and the problems with both."""
    found, problems = Members(club).find_drivers(read.lines)
    given, wrong = start_numbers(read.lines)
    return found, given, [*problems, *wrong]
