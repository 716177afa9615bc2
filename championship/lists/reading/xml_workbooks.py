"""Workbooks that are one XML text: Excel 2003 wrote them, and many web sites export them with the ending .xls.

The text names each row and cell, or leaves out their numbers when they follow each other. A document type or an entity
is refused, so that a small text cannot grow.
"""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse
from django.utils.translation import gettext as _

from championship.lists.reading.bounds import (
    LONGEST_CELL,
    MOST_COLUMNS,
    MOST_READ_LINES,
    MOST_SHEETS,
    Unreadable,
    too_large,
)
from championship.lists.reading.sources import Source, sheet_of
from championship.lists.reading.workbook_process import text_of

SHEETS = "urn:schemas-microsoft-com:office:spreadsheet"
INDEX, ACROSS, NAME, TYPE = (f"{{{SHEETS}}}{each}" for each in ("Index", "MergeAcross", "Name", "Type"))
BEGINS = re.compile(rb"^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(?:\?xml|(?:\w{1,20}:)?Workbook[\s>])")
LOOSE = re.compile(rb"&(?!(?:[a-z]{2,5}|#\d{1,6}|#x[0-9a-f]{1,6});)", re.IGNORECASE)
"""A sign for "and" that a careless program has written as it is."""
DEEPEST = 40
Grid = list[tuple[int, list[str]]]


def is_xml_workbook(content: bytes) -> bool:
    """Whether these bytes are a workbook as XML."""
    head = content[:4000].replace(b"\x00", b"")
    return bool(BEGINS.match(head)) and SHEETS.encode() in head


def xml_workbook(content: bytes) -> Source:
    """Return the sheets of such a workbook that have anything in them.

    Raises: Unreadable when it is damaged or too large.
    """
    damaged = Unreadable(_("This workbook cannot be read. Save it as .xlsx, .ods or CSV, or paste its lines."))
    try:
        sheets = _read(content)
    except ParseError:
        try:
            sheets = _read(LOOSE.sub(b"&amp;", content))
        except (ParseError, DefusedXmlException, LookupError, ValueError) as error:
            raise damaged from error
    except (DefusedXmlException, LookupError, ValueError) as error:
        raise damaged from error
    found = tuple(sheet for sheet in (sheet_of(name, rows) for name, rows in sheets) if sheet.rows)
    if not found:
        raise Unreadable(_("This workbook is empty."))
    return Source(found)


def _read(content: bytes) -> list[tuple[str, Grid]]:
    """Return the sheets: their names and their rows. Rows that were read are forgotten, so memory stays small."""
    sheets: list[tuple[str, Grid]] = []
    line = depth = 0
    open_tags: list[Element] = []
    for event, element in iterparse(io.BytesIO(content), events=("start", "end"), forbid_dtd=True):
        tag = _tag(element)
        if event == "start":
            open_tags.append(element)
            depth += 1
            if depth > DEEPEST:
                raise ValueError("too deep")
            if tag == "Worksheet":
                line = 0
                sheets.append((element.get(NAME, "")[:80], []))
                if len(sheets) > MOST_SHEETS:
                    break
            continue
        open_tags.pop()
        depth -= 1
        if tag == "Row" and sheets:
            line = _number(element.get(INDEX), line + 1)
            sheets[-1][1].append((line, list(_cells(element))))
            if len(sheets[-1][1]) > MOST_READ_LINES * 4:
                raise too_large()
        if tag in ("Row", "Style", "Styles", "Worksheet", "Names", "WorksheetOptions") and open_tags:
            open_tags[-1].remove(element)
    return sheets[:MOST_SHEETS]


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _number(said: str | None, follows: int) -> int:
    """Return the number that an element says, at least the one that follows the element before."""
    number = int(said) if said is not None and said.isascii() and said.isdigit() and len(said) < 8 else follows
    return max(number, follows)


def _cells(row: Element) -> Iterator[str]:
    """Yield the texts of a row. Cells that are left out, and those that a wide one covers, are empty."""
    at = 1
    for cell in row:
        if _tag(cell) != "Cell":
            continue
        begins = _number(cell.get(INDEX), at)
        wide = 1 + _number(cell.get(ACROSS), 0)
        if begins > MOST_COLUMNS * 4:
            return
        yield from [""] * (begins - at)
        data = next((inner for inner in cell if _tag(inner) == "Data"), None)
        yield "" if data is None else _text(data)
        yield from [""] * min(wide - 1, MOST_COLUMNS)
        at = begins + wide


def _text(data: Element) -> str:
    """Return what a cell says: days and times as in other workbooks, nothing for an error of a formula."""
    said, kind = "".join(data.itertext())[: LONGEST_CELL * 2].strip(), data.get(TYPE, "")
    if kind == "Error":
        return ""
    if kind == "DateTime":
        try:
            return text_of(datetime.datetime.fromisoformat(said))
        except ValueError:
            return said
    if kind == "Number":
        try:
            return text_of(float(said)) if len(said) < 40 else said
        except ValueError:
            return said
    return said
