"""Lists imported as CSV: read in the form that spreadsheets write, and every bad line reported with its remedy.

The delimiter is the comma, semicolon or tab that separates the headings. The text is UTF-8. The headings are recognised
in three languages, whatever the language of the page. The columns that a list may have are listed here.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from championship.accounts.name_comparison import comparable_name, stored_form
from championship.accounts.text import one_line
from championship.platform.csv_text import without_guard
from championship.platform.refusals import Refused

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


LARGEST = 256 * 1024
"""The largest size of a list, in bytes."""
MOST_LINES = 1000
MOST_LINES_WITH_EMPTY_ONES = 10 * MOST_LINES
BLANK = " \t\r\n,;"
"""What lines without content consist of. Spreadsheets end a list with many of them."""
MOST_PROBLEMS_SHOWN = 50
"""The largest number of problems shown at once."""
DELIMITERS = ",;\t"
FORMULA = ("=", "+", "-", "@")
"""A spreadsheet takes a cell that begins with one of these for a formula when it opens the list again."""
SIGNED_NUMBER = re.compile(r"-\d{1,6}")
"""A negative number, which is no formula."""
HANDLE = re.compile(r"[@+-][^\W\d][\w .-]*")
"""A name such as "@ana.kow", as people have it in chats. It calls no function, so it does no harm in a spreadsheet."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a list may have: its name in the code, its label for people, and its headings in lower case."""

    name: str
    label: _StrPromise
    words: frozenset[str]
    longest: int = 80


def _words(*listed: str) -> frozenset[str]:
    """Return the headings in these comma-separated texts."""
    return frozenset(word.strip() for each in listed for word in each.split(","))


EMAIL = Column(
    "email",
    gettext_lazy("e-mail address"),
    _words(
        "email, e-mail, mail, e-mail address, email address, mail address",
        "adres e-mail, adres email, adres, poczta, e-mail-adresse, mailadresse, emailadresse",
    ),
    longest=254,
)
NAME = Column(
    "name",
    gettext_lazy("name"),
    _words(
        "name, member, driver, full name, imię i nazwisko, imię, nazwisko, kierowca, członek, zawodnik",
        "fahrer, fahrerin, mitglied, vorname und nachname",
    ),
    longest=60,
)
CREW = Column("crew", gettext_lazy("crew"), _words("crew, załoga, besatzung"))
CAR_CLASS = Column(
    "class",
    gettext_lazy("car class"),
    _words("class, car class, klasa, klasa auta, klasse, fahrzeugklasse, wagenklasse"),
    longest=20,
)
TEAM = Column("team", gettext_lazy("team"), _words("team, zespół, drużyna, mannschaft"), longest=60)
NUMBER = Column(
    "number",
    gettext_lazy("start number"),
    _words(
        "number, start number, no, start no, nr, numer, numer startowy, nr startowy",
        "nummer, startnummer, start-nr, startnr",
    ),
    longest=6,
)
RALLY = Column("rally", gettext_lazy("rally"), _words("rally, round, rajd, runda, rallye, lauf"))
DATE = Column("date", pgettext_lazy("of a rally", "date"), _words("date, day, data, dzień, datum, tag"))
STAGES = Column("stages", gettext_lazy("stages"), _words("stages, odcinki, etapy, prüfungen, etappen"), longest=400)
PLACE = Column(
    "place",
    gettext_lazy("place"),
    _words("place, position, pos, miejsce, pozycja, lokata, platz, platzierung"),
    longest=6,
)

MOST_STAGES = 24
STAGE_WORDS = (
    *("time", "points", "result", "stage", "ss", "czas", "punkty", "wynik", "odcinek", "oes", "os"),
    *("zeit", "punkte", "ergebnis", "prüfung", "wp"),
)


def _time(number: int) -> Column:
    """Return the column of a stage's results, "time 2". The first one may also be called "time" alone."""
    words = {f"{word}{between}{number}" for word in STAGE_WORDS for between in ("", " ")}
    if number == 1:
        words |= _words("time, total, total time, czas, czas łączny, suma, zeit, gesamtzeit")
        words |= _words("points, result, punkty, wynik, punkte, ergebnis")
    return Column(
        f"time {number}", format_lazy(gettext_lazy("time {number}"), number=number), frozenset(words), longest=20
    )


TIMES = tuple(_time(number) for number in range(1, MOST_STAGES + 1))

ENTRIES = (EMAIL, NAME, CREW, CAR_CLASS, NUMBER)
REGISTRATIONS = (*ENTRIES, TEAM)
RESULTS = (RALLY, DATE, STAGES, *ENTRIES, PLACE, *TIMES)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a list: its number in the text, from 1, and its cells in the known columns ("" for an empty one)."""

    number: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def has(self, column: str) -> bool:
        """Whether the list has this column, also where the cell is empty."""
        return column in self.cells


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in a list, where, and what to do about it. `line` is None when the problem concerns the whole
    list.
    """

    line: int | None
    column: str
    message: str

    def __str__(self) -> str:
        place = self.column if self.line is None else _("Line %(line)d") % {"line": self.line}
        if self.line is not None and self.column:
            place = f"{place}, {self.column}"
        return f"{place}: {self.message}" if place else self.message


@dataclass(frozen=True, slots=True)
class List:
    """A list as read: its lines, and the headings that no column uses."""

    lines: tuple[Line, ...]
    unused: tuple[str, ...]


class BadList(Refused):
    """A list that is refused, with all its problems in order of lines."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line or 0)
        n = len(self.problems)
        says = ngettext(
            "%(n)d problem in this list. Nothing was imported.",
            "%(n)d problems in this list. Nothing was imported.",
            n,
        )
        super().__init__(says % {"n": n}, field="text")


def text_of(content: bytes) -> str:
    """Return the text of an uploaded file, without its byte order mark.

    Raises: BadList when the file is too large or is not UTF-8.
    """
    if len(content) > LARGEST:
        raise _all(too_long())
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _all(_("This is UTF-16. Save the list as “CSV UTF-8” and choose it again."))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        says = _("This is not UTF-8: letters like ł would be lost. Save the list as “CSV UTF-8” and choose it again.")
        raise BadList([Problem(line, "", says)]) from error


def too_long() -> str:
    """Return the message for a list of too many bytes."""
    return _("The list is too long: at most %(kilobytes)d kB.") % {"kilobytes": LARGEST // 1024}


def read(text: str, columns: Sequence[Column], *, needed: Sequence[Sequence[str]]) -> List:
    """Read the list in `text`, whose first line holds headings. At least one column of each `needed` group must be
    there.

    Raises: BadList when the whole list, or any line, is wrong; it names all problems.
    """
    text = text.removeprefix("\ufeff").rstrip(BLANK)
    if len(text.encode("utf-8", "replace")) > LARGEST:
        raise _all(too_long())
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise BadList([Problem(line, "", _("This contains a NUL character, which no text has. Is it a CSV file?"))])
    if max(text.count("\n"), text.count("\r")) > MOST_LINES_WITH_EMPTY_ONES:
        says = _("The list has more than %(most)d lines: delete the empty ones, and import the others in parts.")
        raise _all(says % {"most": MOST_LINES_WITH_EMPTY_ONES})
    rows = _rows(text) if text.strip() else []
    if not rows:
        raise _all(_("The list is empty: choose a file, or paste lines with the headings first."))
    (headings_at, headings), *lines = rows
    known, unused = _known(headings, columns, headings_at)
    missing = [group for group in needed if not set(group) & set(known.values())]
    if missing:
        labels = {column.name: str(column.label) for column in columns}
        raise BadList([Problem(headings_at, "", _missing([labels[name] for name in group])) for group in missing])
    if not lines:
        raise BadList([Problem(headings_at, "", _("There are headings and nothing below them."))])
    if len(lines) > MOST_LINES:
        raise _all(_("At most %(most)d lines at once, please.") % {"most": MOST_LINES})
    return List(_checked(lines, known, len(headings), {column.name: column for column in columns}), unused)


def _all(message: str) -> BadList:
    return BadList([Problem(None, "", message)])


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Return the number and the cells of every row that is not empty, without blanks around the cells. The number is
    that of the line on which the row begins. Reading stops when there are more than MOST_LINES below the headings.
    """
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    rows: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for cells in reader:
            if any(cells) and any(found := [stored_form(" ".join(cell.split())) for cell in cells]):
                rows.append((begins, found))
            begins = reader.line_num + 1
            if len(rows) > MOST_LINES + 1:
                break
    except csv.Error as error:
        says = _(
            'The quotes here do not match: a cell that begins with " must end with ", and a " inside it is doubled.'
        )
        raise BadList([Problem(begins, "", says)]) from error
    return rows


def _delimiter(text: str) -> str:
    """Return whichever of comma, semicolon and tab occurs most often in the line of headings, outside of quotes."""
    first = next(line for line in text.splitlines() if line.strip())
    bare = re.sub(r'"[^"]*"', "", first)
    return max(DELIMITERS, key=bare.count)


def _heading(cell: str) -> str:
    return comparable_name(cell.strip(" .:*#"))


def _known(headings: Sequence[str], columns: Sequence[Column], at: int) -> tuple[dict[int, str], tuple[str, ...]]:
    """Return the name of the known column at each index, and the headings of the other columns.

    Raises: BadList when two headings mean the same column.
    """
    words = [_heading(cell) for cell in headings]
    known: dict[int, str] = {}
    twice = []
    for index, word in enumerate(words):
        for column in columns:
            # In German a team is a Mannschaft, and a crew a Team.
            if word == "team" and "mannschaft" in words and column.name in ("team", "crew"):
                matches = column.name == "crew"
            else:
                matches = word in column.words
            if matches and column.name in known.values():
                says = _("There are two columns for this: remove one.")
                twice.append(Problem(at, f"{column.label} ({headings[index]})", says))
            elif matches:
                known[index] = column.name
    if twice:
        raise BadList(twice)
    return known, tuple(cell for index, cell in enumerate(headings) if cell and index not in known)


def _missing(labels: Sequence[str]) -> str:
    said = _(" or ").join(labels)
    return _("There is no column for this: %(column)s. Is the first line the one with the headings?") % {"column": said}


def _checked(
    rows: Sequence[tuple[int, list[str]]], known: Mapping[int, str], width: int, columns: Mapping[str, Column]
) -> tuple[Line, ...]:
    """Return the lines, after checking that each cell is one line of ordinary text and no formula. Cells are without
    the apostrophe by which our own exports mark text that looks like a formula.

    Raises: BadList when a cell is not; it names all such cells.
    """
    lines, problems = [], []
    for number, cells in rows:
        if any(cells[width:]):
            says = _("There are more cells than headings: put text that contains the delimiter in quotes.")
            problems.append(Problem(number, "", says))
            continue
        typed = {name: cells[index] if index < len(cells) else "" for index, name in known.items()}
        found = {name: without_guard(cell).strip() for name, cell in typed.items()}
        for name, cell in found.items():
            says = _wrong(cell, columns[name], guarded=cell != typed[name])
            if says:
                problems.append(Problem(number, str(columns[name].label), says))
        lines.append(Line(number, found))
    if problems:
        raise BadList(problems)
    return tuple(lines)


def _wrong(cell: str, column: Column, *, guarded: bool) -> str:
    """Return what is wrong with a cell, "" for nothing. `guarded`: it had the apostrophe of our own exports."""
    if cell.startswith(FORMULA) and not (guarded or SIGNED_NUMBER.fullmatch(cell) or HANDLE.fullmatch(cell)):
        return _("This begins like a formula (%(sign)s). Write only the text.") % {"sign": cell[0]}
    if len(cell) > column.longest:
        return _("At most %(n)d characters, please.") % {"n": column.longest}
    try:
        one_line(cell)
    except ValidationError as error:
        return str(error.messages[0])
    return ""
