"""The person in a line: the name as one text, its other readings, and what else the list says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from championship.lists.found import Field, FoundEntries, FoundPerson
from championship.lists.reading.cells import is_nothing, read_mail, read_number
from championship.lists.reading.layouts import Block, Head
from championship.lists.reading.noting import Notes
from championship.lists.reading.sources import SheetRow
from championship.lists.reading.words import TOTAL_LINES, folded
from championship.platform.csv_text import without_guard

FIELD_OF: Mapping[str, Field] = {
    "name": "name",
    "first": "name",
    "last": "name",
    "mail": "mail",
    "number": "number",
    "codriver": "codriver",
    "crew": "crew",
    "class": "car_class",
    "team": "team",
}
LONGEST_NAME = 80
_FLAGS = re.compile("[\U0001f1e6-\U0001f1ff\U0001f3f3\U0001f3f4\U000e0000-\U000e007f\ufe0f]+")
_SIGN = "[\U0001f300-\U0001faff\u2600-\u27bf\u2b50]+"
_SIGNS = re.compile(f"^{_SIGN}[ ]+|[ ]+{_SIGN}$")
"""Small pictures beside a name."""
_MARKS = " *†‡§¹²³|·•"
_NUMBER_BEFORE = re.compile(r"(?:#(\d{1,3})|\((\d{1,3})\)|\[(\d{1,3})\])[ .:-]*(?=[^\W\d])")
_NUMBER_BEHIND = re.compile(r"(?<=[^\W\d])[ ]*[(\[]?#(\d{1,3})[)\]]?$")
_NATION = re.compile(r"^[(\[][A-Z]{2,3}[)\]][ ]*|[ ]*[(\[][A-Z]{2,3}[)\]]$")
_BRACKETS = re.compile(r"[ ]*[(\[](?!#\d)([^()\[\]]{1,60})[)\]]$")
_CREW = re.compile(r"[ ]*/[ ]*|[ ]+[-–—+&|][ ]+")
_SLASH = re.compile(r"[ ]*/[ ]*|[ ]+&[ ]+")


class People:
    """Reads the persons of a list by the roles of its columns."""

    def __init__(self, roles: Mapping[int, str], heads: tuple[Head, ...], notes: Notes) -> None:
        self._column = {role: index for index, role in roles.items() if role in FIELD_OF}
        self._heads = heads
        self._notes = notes
        self.named: frozenset[Field] = frozenset(FIELD_OF[role] for role in self._column)

    def cell(self, row: SheetRow, role: str) -> str:
        """Return the cell of a row in the column of that role, "" when there is none."""
        index = self._column.get(role)
        return "" if index is None or index >= len(row.cells) else without_guard(row.cells[index]).strip()

    def heading(self, role: str) -> str:
        """Return the heading of that role's column as written."""
        return self._heads[self._column[role]].written if role in self._column else ""

    def has_name(self, row: SheetRow) -> bool:
        """Whether the row says who it is about."""
        return any(not is_nothing(self.cell(row, role)) for role in ("name", "first", "last", "crew", "mail"))

    def is_total(self, row: SheetRow) -> bool:
        """Whether the row sums up others."""
        return any(
            folded(self.cell(row, role)) in TOTAL_LINES for role in ("name", "last", "crew") if self.cell(row, role)
        )

    def person(self, row: SheetRow) -> FoundPerson | None:
        """Return the person of a row; None, and a note, when the row says nobody."""
        name, also, crew, codriver = self._called(row)
        mail = self._mail(row)
        if not mail and "@" in name:
            mail = read_mail(name)
            name = re.sub(r"[<(\[]?(?:mailto:)?" + re.escape(mail) + r"[>)\]]?", "", name).strip() if mail else name
        number = self._number(row)
        beside = _NUMBER_BEFORE.match(name) or _NUMBER_BEHIND.search(name)
        if beside:
            name = name[beside.end() :] if beside.start() == 0 else name[: beside.start()]
            number = number or read_number(next(each for each in beside.groups() if each))
        if not name and not mail:
            if row.line not in self._notes.faulty:
                says = _("The line has neither a name nor an address.")
                self._notes.add("fault", "no name", says, line=row.line, column=self.heading("name"))
            return None
        if len(name) > LONGEST_NAME:
            says = _("A name has at most %(n)d letters.") % {"n": LONGEST_NAME}
            self._notes.add("fault", "long name", says, line=row.line, column=self.heading("name"), cell=name[:40])
            return None
        return FoundPerson(
            line=row.line,
            name=name,
            also=tuple(dict.fromkeys(each for each in also if each and each != name)),
            mail=mail,
            number=number,
            codriver=_cut(codriver),
            team=_cut(self.cell(row, "team")),
            car_class=_cut(self.cell(row, "class"))[:40],
            crew=crew[:120],
        )

    def _called(self, row: SheetRow) -> tuple[str, list[str], str, str]:
        """Return the name, its other readings, the crew and the co-driver."""
        name = _name(
            " ".join(each for each in (self.cell(row, "first"), self.cell(row, "last")) if not is_nothing(each))
        )
        name = name or _name(self.cell(row, "name"))
        crew, codriver = _cut(self.cell(row, "crew")), self.cell(row, "codriver")
        also: list[str] = []
        if not name and crew:
            parts = [_name(part) for part in _CREW.split(crew) if part.strip()]
            name = parts[0] if parts else ""
            codriver = codriver or " / ".join(parts[1:])
            if len(parts) > 1:
                also.append(crew)
        elif _SLASH.search(name) and not crew and not codriver:
            parts = [_name(part) for part in _SLASH.split(name) if part.strip()]
            if len(parts) > 1:
                crew, name, codriver = name, parts[0], " / ".join(parts[1:])
                also.append(crew)
        brackets = _BRACKETS.search(name)
        if brackets:
            also.append(name)
            name = name[: brackets.start()].strip() or name
        surname, comma, first = name.partition(",")
        if comma and first.strip() and "," not in first:
            also.append(f"{first.strip()} {surname.strip()}")
        return name, also, crew, codriver

    def _mail(self, row: SheetRow) -> str:
        cell = self.cell(row, "mail")
        if is_nothing(cell):
            return ""
        mail = read_mail(cell)
        if not mail:
            says = _("This is no mail address.")
            self._notes.add("fault", "mail", says, line=row.line, column=self.heading("mail"), cell=cell)
        return mail

    def _number(self, row: SheetRow) -> int | None:
        cell = self.cell(row, "number")
        if is_nothing(cell) or cell == "0":
            return None
        number = read_number(cell)
        if number is None:
            says = _("Start numbers go from 1 to 999.")
            self._notes.add("fault", "number", says, line=row.line, column=self.heading("number"), cell=cell)
        return number


def found_entries(blocks: list[Block], people: People, notes: Notes) -> FoundEntries:
    """Return the people of a list, one a line."""
    persons = []
    for block in blocks:
        for row in block.rows:
            if people.is_total(row):
                notes.add("told", "total line", _("Lines of totals are left out."), line=row.line)
                continue
            if all(is_nothing(cell) for cell in row.cells):
                continue
            person = people.person(row)
            if person is not None and row.line not in notes.faulty:
                persons.append(person)
    return FoundEntries(tuple(persons), people.named, notes.all())


def _cut(cell: str) -> str:
    return "" if is_nothing(cell) else cell[:80]


def _name(cell: str) -> str:
    """Return a name without flags, marks of footnotes and a nation behind it."""
    if is_nothing(cell):
        return ""
    bare = _SIGNS.sub("", _FLAGS.sub("", cell).strip()).strip(_MARKS)
    return " ".join(_NATION.sub("", bare).split()) or bare
