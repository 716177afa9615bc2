"""A table as data, and the files it becomes: CSV, a sheet of a workbook, a table of a PDF.

A table declares its columns once, as a `Grid`. Every file of it has the same columns and the same rows.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from championship.platform.csv_text import BYTE_ORDER_MARK, plain

Cell = str | int | Decimal | None
COMMA, SEMICOLON, TAB = ",", ";", "\t"
DELIMITERS = {"comma": COMMA, "semicolon": SEMICOLON, "tab": TAB}
"""By the name in an address."""
WITH_SEMICOLONS = ("de", "pl")
"""Languages in which spreadsheets write numbers with a comma, and so expect semicolons between cells."""
WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
"""The content type of a workbook."""
LONGEST_NAME = 31
"""The most letters in the name of a workbook's sheet."""
MADE = datetime(2000, 1, 1)
"""The day in a workbook: always the same, so that the same tables give the same bytes."""
NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
WIDEST, NARROWEST = 60, 6
"""Bounds of a column's width in a workbook, in letters."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its name, the heads of its columns, and its rows, each with a cell for each head. A cell is a text, a
    number, or None where there is nothing.
    """

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def delimiter_of(asked: str, language: str) -> str:
    """The delimiter of that name in DELIMITERS; for any other text the one that spreadsheets in the language expect."""
    return DELIMITERS.get(asked) or (SEMICOLON if language[:2] in WITH_SEMICOLONS else COMMA)


def csv_text(grid: Grid, delimiter: str = COMMA) -> str:
    """The table as CSV with a byte order mark. Numbers have a decimal comma where semicolons are between cells. No
    text is taken for a formula.
    """
    written = io.StringIO()
    rows = csv.writer(written, delimiter=delimiter)
    rows.writerow([plain(head) for head in grid.heads])
    for row in grid.rows:
        rows.writerow([_csv_cell(cell, delimiter) for cell in row])
    return BYTE_ORDER_MARK + written.getvalue()


def _csv_cell(cell: Cell, delimiter: str) -> str | int:
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return str(cell).replace(".", ",") if delimiter == SEMICOLON else str(cell)
    return plain(cell) if isinstance(cell, str) else cell


def workbook(grids: Sequence[Grid]) -> bytes:
    """The tables as a workbook (.xlsx), a sheet each, with their heads frozen and filters on them. Texts are texts:
    none is taken for a formula, a number or a link.
    """
    import xlsxwriter  # here: it takes memory that most processes never need

    written = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    book = xlsxwriter.Workbook(written, options)
    book.set_properties({"created": MADE, "comments": "Parc Fermé"})
    head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
    names: set[str] = set()
    for grid in grids:
        sheet = book.add_worksheet(_sheet_name(grid.name, names))
        for column, text in enumerate(grid.heads):
            sheet.write_string(0, column, text, head)
        for number, row in enumerate(grid.rows, 1):
            for column, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(number, column, cell)
                elif cell is not None:
                    sheet.write_number(number, column, cell)
        for column in range(len(grid.heads)):
            longest = max((len(str(row[column])) for row in grid.rows if row[column] is not None), default=0)
            sheet.set_column(column, column, max(NARROWEST, min(WIDEST, longest + 2)))
        sheet.freeze_panes(1, 0)
        if grid.rows:
            sheet.autofilter(0, 0, len(grid.rows), len(grid.heads) - 1)
    book.close()
    return written.getvalue()


def _sheet_name(name: str, taken: set[str]) -> str:
    """A name that a workbook allows, and that no sheet before has. `taken` is changed."""
    clean = NOT_IN_NAMES.sub(" ", name).strip("' ")[:LONGEST_NAME] or "-"
    found, number = clean, 2
    while found.casefold() in taken:
        tail = f" {number}"
        found, number = clean[: LONGEST_NAME - len(tail)] + tail, number + 1
    taken.add(found.casefold())
    return found
