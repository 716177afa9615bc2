"""Tables in the marks of a wiki, as rows of cells."""

from __future__ import annotations

import re

from championship.lists.reading.bounds import MOST_COLUMNS, MOST_READ_LINES
from championship.lists.reading.marked.spans import Below, add_cell, covered

Grid = list[tuple[int, list[str]]]
WIKI_TABLE = re.compile(r"^[ ]*\{\|.*\n(?:.*\n){0,8}?[ ]*(?:\|-|!|\|(?!\}))", re.MULTILINE)
_LINK = re.compile(r"\[\[(?:[^\[\]|]{1,200}\|)?([^\[\]|]{1,200})\]\]")
_OUTSIDE = re.compile(r"\[https?://[^\s\[\]]{1,300}[ ]([^\[\]]{1,200})\]")
_ATTRIBUTE = r"[a-z][a-z-]{1,20}[ ]*=[ ]*(?:\"[^\"]{0,200}\"|'[^']{0,200}'|[\w#%.-]{1,40})"
_STYLE = re.compile(rf"^[ ]*((?:{_ATTRIBUTE}[ ]*){{1,6}})\|(?!\|)", re.IGNORECASE)
_SPAN = re.compile(r"(colspan|rowspan)[ ]*=[ ]*[\"']?(\d{1,3})", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{([^{}]{0,400})\}\}")
_SHOWS_ITS_TEXT = (
    "nowrap",
    "nobr",
    "small",
    "abbr",
    "center",
    "centre",
    "sort",
    "sortname",
    "tooltip",
    "bold",
    "strike",
    "s",
)
"""Templates of which the text is shown: {{nowrap|Ana Berg}}, {{sort|berg|Ana Berg}}."""
_NOTE = re.compile(r"<ref[^<>]{0,200}/>|<(ref|sup|sub)\b[^<>]{0,200}>.{0,400}?</\1>|<!--.{0,400}?-->", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]{1,10}[^<>]{0,100}>", re.IGNORECASE)


def wiki_table(lines: list[str]) -> Grid:
    """Return the rows of the tables in these lines: cells after | or !, rows after |-. A cell over several columns is
    followed by empty ones; for one over several rows see `spans`.
    """
    rows: Grid = []
    row: list[str] = []
    below: Below = {}
    begins = 1
    for at, line in enumerate([*lines, "|}"], 1):
        bare = line.strip()
        if bare.startswith(("{|", "|-", "|}", "|+")):
            rows += [(begins, row)] if row else []
            below = covered(row, below) if row else below
            below = {} if bare.startswith(("{|", "|}")) else below
            row = []
            rows += [(at, [_said(bare[2:])])] if bare.startswith("|+") else []
        elif bare[:1] in ("|", "!"):
            begins = begins if row else at
            for cell in re.split(r"\|\||!!" if bare[0] == "!" else r"\|\|", bare[1:]):
                _add(row, cell, below)
        elif bare and not row:
            rows.append((at, [_said(bare.strip("= "))]))
        if len(rows) > MOST_READ_LINES * 4:
            break
    return rows


def _add(row: list[str], cell: str, below: Below) -> None:
    style = _STYLE.match(cell)
    spans = {name.lower(): int(number) for name, number in _SPAN.findall(style.group(1))} if style else {}
    wide, high = (min(max(1, spans.get(name, 1)), MOST_COLUMNS) for name in ("colspan", "rowspan"))
    add_cell(row, _said(cell[style.end() :] if style else cell), wide, high, below)


def _said(cell: str) -> str:
    """Return the text of a cell without links, templates, notes and the marks of bold and slanted letters."""
    cell = _NOTE.sub("", cell)
    for _depth in range(3):
        cell = _TEMPLATE.sub(_of_template, cell)
    cell = _OUTSIDE.sub(r"\1", _LINK.sub(r"\1", cell))
    cell = re.sub(r"'{2,5}", "", _TAG.sub(" ", cell)).replace("&nbsp;", " ")
    return cell.strip().strip("*_`")


def _of_template(found: re.Match[str]) -> str:
    name, *said = (part.strip() for part in found.group(1).split("|"))
    texts = [part for part in said if "=" not in part]
    return (
        (" ".join(texts[:2]) if name.lower() == "sortname" else texts[-1])
        if name.lower() in _SHOWS_ITS_TEXT and texts
        else ""
    )
