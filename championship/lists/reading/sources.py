"""The sheets of a list: a workbook has several, a text has one. Every cell is one line of text.

A row knows the line of the file that it begins on. What was decided on the way is told in notes: the letters of an old
Windows file, a cell that was cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from championship.lists.found import Note
from championship.lists.reading.bounds import LONGEST_CELL, MOST_CELLS, MOST_COLUMNS, MOST_READ_LINES, too_large

UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""Characters that nobody sees, or that no text may contain. Names of people do not need them."""


NO_VALUE = re.compile(
    r"#(?:N/A|REF!|VALUE!|DIV/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!|NV|BEZUG!|WERT!|ZAHL!|N/D!?|ADR!|ARG!|DZIEL/0!|NAZWA\?"
    r"|LICZBA!|VALEUR!|NOMBRE!|NOM\?|VALOR!|ERROR!|#+)",
    re.IGNORECASE,
)
"""What a spreadsheet shows for a formula that fails, and for a number that is wider than its column."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row that is not blank: the line that it begins on, from 1, and its cells. Rows of a sheet are equally long."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListSheet:
    """A sheet: its name ("" for a text) and its rows."""

    name: str
    rows: tuple[SheetRow, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A list as sheets, with what is to be told about the way they were read."""

    sheets: tuple[ListSheet, ...]
    notes: tuple[Note, ...] = ()


def one_line(cell: str) -> str:
    """Return a cell as one line in normal form C, without blanks around it and without characters that nobody sees."""
    if len(cell) > LONGEST_CELL:
        cell = cell[:LONGEST_CELL]
    if cell.isascii() and cell.isprintable():
        return " ".join(cell.split())
    return " ".join(UNSEEN.sub("", unicodedata.normalize("NFC", cell)).split())


def _said(cell: str) -> str:
    return "" if cell.startswith("#") and NO_VALUE.fullmatch(cell) else cell


def sheet_of(name: str, rows: Iterable[tuple[int, Sequence[str]]]) -> ListSheet:
    """Return a sheet without blank rows and without the blank columns behind the last one.

    Raises: Unreadable when there are too many rows, columns or cells.
    """
    found: list[tuple[int, list[str]]] = []
    cells, width, read = 0, 0, 0
    for line, row in rows:
        read += 1
        here = [_said(one_line(cell)) for cell in row[: MOST_COLUMNS * 4]]
        while here and not here[-1]:
            here.pop()
        if read > MOST_READ_LINES * 4:
            raise too_large()
        if not here:
            continue
        cells += len(here)
        width = max(width, len(here))
        if len(found) >= MOST_READ_LINES or cells > MOST_CELLS or width > MOST_COLUMNS:
            raise too_large()
        found.append((line, here))
    if width * len(found) > MOST_CELLS * 3:
        raise too_large()
    return ListSheet(name, tuple(SheetRow(line, (*here, *[""] * (width - len(here)))) for line, here in found))
