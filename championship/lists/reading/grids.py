"""A text as rows of cells: comma, semicolon, tab or pipe between them, a table of a forum or of a web page, or columns
that only blanks keep apart.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from html import unescape

from championship.lists.reading.bounds import MOST_COLUMNS, MOST_READ_LINES
from championship.lists.reading.words import STATUS_START

Grid = list[tuple[int, list[str]]]
"""The line on which a row begins, from 1, and its cells."""
DELIMITERS = (";", "\t", ",", "|")
TESTED_LINES = 60
RULE = re.compile(r"[\s|+:=_-]*[-=_]{2,}[\s|+:=_-]*")
"""A line that only draws a rule below the headings."""
WEB_TABLE = re.compile(r"<t[rdh][\s>]", re.IGNORECASE)
FORUM_TABLE = re.compile(r"\[t[rdh](?:=[^\]]*)?\]", re.IGNORECASE)
FORUM_MARK = re.compile(
    r"\[/?(?:b|i|u|s|url|color|colour|size|font|img|center|quote|code|td|th|tr|table|list|\*)(?:=[^\]]*)?\]",
    re.IGNORECASE,
)
FIRST_CELL = re.compile(rf"(=?\d{{1,4}}=?[.):]|=?\d{{1,4}}=?(?=[ ]\D)|{STATUS_START}(?=[ ]))[ ]*(.*)", re.IGNORECASE)
LAST_CELL = re.compile(
    r"(.*\D)[ ](\d{1,4}(?:[.,]\d)?[ ]*(?:pts?|points?|punkte|pkt|p)\.?.*|\+?\d{1,3}[:'.]\d{2}(?:[:.,]\d+)*)",
    re.IGNORECASE,
)


def grid_of(text: str) -> Grid:
    """Return the rows of a text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0b", "\n").replace("\x0c", "\n")
    if WEB_TABLE.search(text[:50_000]):
        return _web_table(text)
    if FORUM_TABLE.search(text[:50_000]):
        return _web_table(_as_web_table(text))
    if FORUM_MARK.search(text[:50_000]):
        text = FORUM_MARK.sub("", text)
    text, said = _said_delimiter(text)
    delimiter = said or _delimiter(text)
    if delimiter == "|":
        return _piped(text)
    if delimiter:
        return _delimited(text, delimiter, skipped=1 if said else 0)
    return _spaced(text)


def _said_delimiter(text: str) -> tuple[str, str]:
    """Return the text below a first line `sep=;`, and that delimiter; else the text and ""."""
    first, end, rest = text.partition("\n")
    found = re.fullmatch(r'"?sep=(.)"?[ ]*', first.strip("\ufeff "), re.IGNORECASE)
    return (rest, found.group(1)) if found and end else (text, "")


def _delimiter(text: str) -> str:
    """Return the delimiter that cuts most lines into the same number of cells; "" when none does."""
    lines = [line for line in text.split("\n", TESTED_LINES * 4)[: TESTED_LINES * 4] if line.strip()][:TESTED_LINES]
    lines = [re.sub(r'"[^"]*"', "", line[:4000]) for line in lines if not RULE.fullmatch(line)]
    best, mark = "", 0.0
    for delimiter in DELIMITERS:
        counts = Counter(line.count(delimiter) for line in lines)
        counts.pop(0, None)
        if not counts:
            continue
        usual, times = counts.most_common(1)[0]
        share = sum(counts.values()) / len(lines)
        here = share * (times / sum(counts.values()) + 1) * (1.0 if delimiter == "," else 1.6) * (1 + min(usual, 8) / 8)
        if delimiter == "," and _is_prose(lines):
            here = 0
        if share >= 0.3 and here > mark:
            best, mark = delimiter, here
    return best


def _is_prose(lines: Sequence[str]) -> bool:
    """Whether the commas belong to texts and decimals: a blank follows, or figures are on both sides."""
    if sum(bool(re.search(r"\S[ ]{3,}\S", line)) for line in lines) < len(lines) / 2:
        return False
    loose = sum(len(re.findall(r",[ ]|\d,\d", line)) for line in lines)
    return loose == sum(line.count(",") for line in lines)


def _delimited(text: str, delimiter: str, skipped: int) -> Grid:
    try:
        return _read(text, delimiter, skipped, csv.QUOTE_MINIMAL)
    except csv.Error:
        pass
    return [(at + skipped, line.split(delimiter)) for at, line in enumerate(_lines(text), 1)]


def _read(text: str, delimiter: str, skipped: int, quoting: int) -> Grid:
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=quoting,
        strict=True,
        skipinitialspace=delimiter != "\t",
    )  # type: ignore[arg-type]
    rows: Grid = []
    begins = 1
    for cells in reader:
        rows.append((begins + skipped, cells))
        begins = reader.line_num + 1
        if len(rows) > MOST_READ_LINES * 4:
            break
    return rows


def _lines(text: str) -> list[str]:
    return text.split("\n", MOST_READ_LINES * 4)


def _piped(text: str) -> Grid:
    rows: Grid = []
    for at, line in enumerate(_lines(text), 1):
        if not line.strip() or RULE.fullmatch(line):
            continue
        bare = line.strip().removeprefix("|").removesuffix("|")
        rows.append((at, [cell.strip().strip("*_`") for cell in re.split(r"(?<!\\)\|", bare)]))
    return rows


def _spaced(text: str) -> Grid:
    """Return the rows of a text whose columns are kept apart by blanks: two or more, or a place in front and points or
    a time behind.
    """
    rows: Grid = []
    for at, line in enumerate(_lines(text), 1):
        if not line.strip() or RULE.fullmatch(line):
            continue
        cells = [cell for cell in re.split(r"[ \u00a0]{2,}", line[:4000].strip().strip("*_")) if cell]
        rows.append((at, cells))
    numbered = [bool(FIRST_CELL.fullmatch(cells[0])) for _at, cells in rows if cells]
    if numbered and sum(numbered) >= len(numbered) / 2:
        rows = [(at, _cut_front(cells)) for at, cells in rows]
    if rows and all(len(cells) <= 2 for _at, cells in rows):
        rows = [(at, _cut_behind(cells)) for at, cells in rows]
    return rows


def _cut_front(cells: list[str]) -> list[str]:
    found = FIRST_CELL.fullmatch(cells[0])
    if not found or not found.group(2):
        return cells
    return [found.group(1), found.group(2), *cells[1:]]


def _cut_behind(cells: list[str]) -> list[str]:
    found = LAST_CELL.fullmatch(cells[-1])
    return [*cells[:-1], found.group(1).strip(" -–—:.,"), found.group(2)] if found else cells


def _as_web_table(text: str) -> str:
    """Return the table of a forum in the marks of a web page."""
    text = text.replace("<", "&lt;")
    text = re.sub(r"\[(/?)(table|tr|td|th)(?:=[^\]]*)?\]", r"<\1\2>", text, flags=re.IGNORECASE)
    return FORUM_MARK.sub("", text)


TAG = re.compile(r"<!--.{0,2000}?-->|<(/?)([a-z][a-z0-9]{0,10})([^<>]{0,1000})>", re.IGNORECASE | re.DOTALL)
WIDE = re.compile(r"colspan\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)


def _web_table(text: str) -> Grid:
    """Return the rows of all tables of a web page. A cell over several columns is followed by empty ones. The text
    between two marks belongs to the cell that is open.
    """
    rows: Grid = []
    row: list[str] = []
    cell: list[str] | None = None
    wide, line, begins, at, hidden = 1, 1, 1, 0, False
    for mark in TAG.finditer(text):
        between = text[at : mark.start()]
        line += between.count("\n")
        if cell is not None and not hidden:
            cell.append(between)
        at = mark.end()
        line += mark.group().count("\n")
        closes, tag = bool(mark.group(1)), (mark.group(2) or "").lower()
        if tag in ("script", "style"):
            hidden = not closes
        if tag in ("td", "th", "tr", "table") and cell is not None:
            row += [unescape("".join(cell)), *[""] * (wide - 1)]
            cell = None
        if tag in ("tr", "table"):
            if row:
                rows.append((begins, row[: MOST_COLUMNS * 2]))
            row, begins = [], line
            if len(rows) > MOST_READ_LINES * 4:
                break
        elif tag in ("td", "th") and not closes:
            cell = []
            said = WIDE.search(mark.group(3) or "")
            wide = min(int(said.group(1)), MOST_COLUMNS) if said else 1
        elif cell is not None:
            cell.append(" ")
    if cell is not None:
        row.append(unescape("".join(cell)))
    return [*rows, (begins, row)] if row else rows
