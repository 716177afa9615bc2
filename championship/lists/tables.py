"""Tables of other things than people and courses, such as the cards of a set, for the apps that ask the one reader."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence

from championship.clubs.models import Club
from championship.lists.reading import Unreadable, sheets_of
from championship.lists.reading.sources import ListSheet
from championship.lists.reading.words import folded
from championship.lists.services.remembering import remembered
from championship.platform.csv_text import without_guard
from championship.platform.refusals import Refused
from championship.stages.table_reader import CourseColumn, ReadTable, TableColumn

HEADS_WITHIN = 8
"""The headings are in one of the first lines."""
MOST_LINES = 2000


def read_table(
    content: bytes, known: Sequence[CourseColumn], chosen: Mapping[int, str] | None, *, club: Club | None = None
) -> ReadTable | None:
    """Read a table, as `championship.stages.table_reader` says: the sheet with the most known headings."""
    try:
        sheets = sheets_of(content).sheets
    except Unreadable as refusal:
        raise Refused(str(refusal), field="file") from refusal
    words = {word: column for column in known for word in column.words}
    found = [(_heads_of(sheet, words), sheet) for sheet in sheets]
    (at, roles), sheet = max(found, key=lambda each: len(each[0][1]))
    if len(roles) < 2:
        return None
    names = {column.name for column in known}
    guessed = dict(roles)
    shape = _shape(sheet.rows[at].cells)
    if chosen is None:
        chosen = remembered(club, shape) if club is not None else {}
    roles |= {index: role for index, role in chosen.items() if role in names or not role}
    rows = sheet.rows[at + 1 : at + 1 + MOST_LINES]
    columns = tuple(
        TableColumn(index, heading, " · ".join([row.cells[index] for row in rows if row.cells[index]][:3]),
                    roles.get(index, ""), guessed.get(index, ""))
        for index, heading in enumerate(sheet.rows[at].cells)
    )  # fmt: skip
    lines = []
    for row in rows:
        cells: dict[str, tuple[str, ...]] = {}
        for index, cell in enumerate(row.cells):
            role = roles.get(index, "")
            if role and cell:
                cells[role] = (*cells.get(role, ()), without_guard(cell))
        if cells:
            lines.append((row.line, cells))
    written = io.StringIO()
    csv.writer(written).writerows(row.cells for row in sheet.rows[at : at + 1 + MOST_LINES])
    return ReadTable(columns, tuple(lines), written.getvalue(), shape)


def _shape(headings: Sequence[str]) -> str:
    words = "\x1f".join(map(folded, headings))
    return hashlib.sha256(f"table\x1e{words}".encode()).hexdigest()


def _heads_of(sheet: ListSheet, words: Mapping[str, CourseColumn]) -> tuple[int, dict[int, str]]:
    """Return the row of the headings, and the roles that they say. Only columns with several values come twice."""
    best: tuple[int, dict[int, str]] = (0, {})
    for at, row in enumerate(sheet.rows[:HEADS_WITHIN]):
        roles: dict[int, str] = {}
        for index, cell in enumerate(row.cells):
            plain = folded(cell)
            column = words.get(plain) or words.get(plain.rstrip("0123456789 "))
            if column and (column.several or column.name not in roles.values()):
                roles[index] = column.name
        if len(roles) > len(best[1]):
            best = at, roles
    return best
