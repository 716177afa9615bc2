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
from itertools import pairwise

from championship.lists.reading.bounds import MOST_COLUMNS, MOST_READ_LINES
from championship.lists.reading.dates import read_day
from championship.lists.reading.marked.marks import without_marks
from championship.lists.reading.marked.spans import Below, add_cell, covered
from championship.lists.reading.marked.wiki import WIKI_TABLE, wiki_table
from championship.lists.reading.prose import lines_of_sentences
from championship.lists.reading.words import STATUS_START

Grid = list[tuple[int, list[str]]]
"""The line on which a row begins, from 1, and its cells."""
DELIMITERS = (";", "\t", ",", "|")
TESTED_LINES = 60
LONGEST_MAILS = 400_000
"""Letters of a text that may be a list of mail addresses."""
RULE, STROKE = re.compile(r"[\s|+:=_-]+"), re.compile(r"[-=_]{2}")
"""The characters of a line that only draws a rule below the headings, and what such a line has somewhere."""
WEB_HEAD = 400_000
"""Letters within which a web page has its first cell. What Excel writes as one has long styles in front."""
WEB_TABLE = re.compile(r"<t[rdh][\s>]", re.IGNORECASE)
FORUM_TABLE = re.compile(r"\[t[rdh](?:=[^\[\]]{0,500})?\]", re.IGNORECASE)
FORUM_MARK = re.compile(
    r"\[/?(?:b|i|u|s|url|color|colour|size|font|img|center|quote|code|td|th|tr|table|list|\*)(?:=[^\[\]]{0,500})?\]",
    re.IGNORECASE,
)
FIRST_CELL = re.compile(
    rf"([🥇🥈🥉]|P\d{{1,2}}[.):]|=?\d{{1,4}}=?[.):]|=?\d{{1,3}}(?:st|nd|rd|th)\b[.):]?|"
    rf"=?\d{{1,4}}=?(?=[ ]\D)|{STATUS_START}(?=[ ]))[ ]*(.*)",
    re.IGNORECASE,
)
MARKDOWN_LINK = re.compile(r"!?\[([^\[\]|]{0,200})\]\([^()\s|]{1,500}\)")
TITLE_MARK = re.compile(r"^#{1,6}[ ]+(?=[^|]+$)")
SMILEY = re.compile(r"(?<![^\s>\]]):[a-z_]{2,20}:(?![^\s<\[])")
FENCE = re.compile(r"^[ ]*```[^\n]*$", re.MULTILINE)
"""What chats write around letters of one width."""
SMILEY_NAME = re.compile(r"(?<!\S):[a-z][a-z_]{2,30}:(?!\S)")
STOPPED = re.compile(
    r"^[ ]*(?:❌|💥|🚫|⛔|☠|🛑)\ufe0f?[ ]*([^\n—–|;\t]{1,80}?)"
    r"(?:[ ]*[—–-][ ]*(?:(DNF|DNS|DSQ|RET)\b)?[ ]*([^\n]{0,200}))?$",
    re.MULTILINE,
)
"""What chats write of a car that stopped, with a mark in the place of its place."""
STRUCK = re.compile(
    r"[<\[](s|del|strike)(?:[ ][^<>\[\]]{0,100})?[>\]]\s{0,9}"
    r"(\d{1,4}(?:[.,]\d{1,2})?)\s{0,9}[<\[]/\1[>\]]",
    re.IGNORECASE,
)
"""Points that are struck out, because they do not count."""
TITLE_LINE = re.compile(r"(\*\*|__)(?!\*|_)[^\n]{1,100}\1|#{1,4}[ ][^\n]{1,100}")
"""A title as chats write it: bold, or after #."""
MAILS = re.compile(
    r'(?:^|[;,\n])[ ]*+(?:"([^"\n]{1,80})"|([^";,<>\n ][^";,<>\n]{0,79}))?[ ]*+<([^<>\s]{1,64}@[^<>\s]{3,189})>'
)
"""People as a mail program writes them: Ana <ana@club.example>, "Berg, Bo" <bo@club.example>."""
COUNT, SCORE = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?(?:\+\d{1,3})?"), re.compile(r"\d{1,4}(?:[.,]\d)?")
LETTER = re.compile(r"[^\W\d]")
SEVERAL_OUT = re.compile(rf"({STATUS_START[:-5]})[ ]?:([^,;|]+(?:,[^,;|]+)+)")
"""Those who did not finish, in one line."""
STATUS_BEHIND = re.compile(r"[ ]?[-–—:(][ ]?(DNF|DNS|DSQ|DQ|RET|NC)\.?\)?$")
BETWEEN, FIGURE = re.compile(r"[ ][-–—][ ]"), re.compile(r"\+?[\d:.,']+(?:[ ]?(?:pts?|points?|punkte|pkt|p)\.?)?", re.I)
"""What stands between cells, and a cell of points or a time that is not the last one."""
DASH = re.compile(r"[-–—:]")
TIME_BEHIND = re.compile(r"[ ]?[-–—:;,|/ ][ ]?((?:\d{1,2}:)?\d{1,3}[:']\d{2}(?:[.,:]\d{1,3})?|\+\d{1,3}[.,]\d{1,3})$")
"""A time in front of the points."""
POINTS_BEHIND = re.compile(
    r"[ ]\((\d{1,4}(?:[.,]\d)?[ ]*(?:pts?|points?|punkte|pkt|p)\.?|\+\d{1,3}(?:[:.,]\d{1,3}){0,2})s?\)$|"
    r"(?<=\d[:.,]\d)[ ]\((\d{1,4})\)$|(?<=[:.,]\d\d)[ ]\((\d{1,4})\)$|(?<=[.,]\d\d\d)[ ]\((\d{1,4})\)$",
    re.IGNORECASE,
)
"""Points or a gap in brackets, at the end of a line."""
LAST_CELL = re.compile(
    r"(.*\D)[ ](\d{1,4}(?:[.,]\d)?[ ]*(?:pts?|points?|punkte|pkt|p)\.?.*|"
    r"\+?\d{1,3}[:'.]\d{2}(?:[:.,]\d+)*|\+\d{1,3}(?:[.,]\d+)?)",
    re.IGNORECASE,
)


def grid_of(text: str) -> Grid:
    """Return the rows of a text."""
    text = text.replace("\ufe0f\u20e3", ".").replace("\u20e3", ".")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0b", "\n").replace("\x0c", "\n")
    text = STRUCK.sub(r"(\2)", without_marks(text))
    for medal, name in zip("🥇🥈🥉", ("first", "second", "third"), strict=True):
        text = re.sub(rf":{name}_place(?:_medal)?:", medal, text)
    text = FENCE.sub("", SMILEY_NAME.sub("", STOPPED.sub(_stopped, text)))
    if WIKI_TABLE.search(text[:50_000]):
        return wiki_table(_lines(text))
    if WEB_TABLE.search(text[:WEB_HEAD]):
        return _web_table(text)
    if FORUM_TABLE.search(text[:50_000]):
        return _web_table(_as_web_table(text), forum=True)
    if FORUM_MARK.search(text[:50_000]):
        text = FORUM_MARK.sub("", text)
    mails = _mails(text)
    if mails:
        return mails
    told = lines_of_sentences(text)
    if told:
        return [(at, [line] if title else _cut_behind(_cut_front([line]), counted=True))
                for at, (title, line) in enumerate(told, 1)]  # fmt: skip
    text, said = _said_delimiter(text)
    delimiter = said or _delimiter(text)
    if delimiter == "|":
        return _piped(text)
    if delimiter:
        return _with_places(_delimited(text, delimiter, skipped=1 if said else 0))
    return _spaced(text)


def _stopped(found: re.Match[str]) -> str:
    """Return a line about a car that stopped: how it ended, the name, the reason."""
    who, said, why = found.group(1).strip(), found.group(2) or "DNF", (found.group(3) or "").strip(" ()")
    return f"{said} {who} ({why})" if why else f"{said} {who}"


def _is_rule(line: str) -> bool:
    return bool(RULE.fullmatch(line) and STROKE.search(line))


def _mails(text: str) -> Grid:
    """Return the names and addresses of a text that holds nothing else, [] for any other text."""
    if text.count("@") < 2 or "<" not in text or len(text) > LONGEST_MAILS:
        return []
    if MAILS.sub("", text).strip(" ;,\n"):
        return []
    rows: Grid = []
    line, at = 1, 0
    for each in MAILS.finditer(text):
        line, at = line + text.count("\n", at, each.start(3)), each.start(3)
        rows.append((line, [(each.group(1) or each.group(2) or "").strip(), each.group(3)]))
    return rows


def _said_delimiter(text: str) -> tuple[str, str]:
    """Return the text below a first line `sep=;`, and that delimiter; else the text and ""."""
    first, end, rest = text.partition("\n")
    found = re.fullmatch(r'"?sep=(.)"?[ ]*', first.strip("\ufeff "), re.IGNORECASE)
    return (rest, found.group(1)) if found and end else (text, "")


def _delimiter(text: str) -> str:
    """Return the delimiter that cuts most lines into the same number of cells; "" when none does."""
    lines = [line for line in text.split("\n", TESTED_LINES * 4)[: TESTED_LINES * 4] if line.strip()][:TESTED_LINES]
    lines = [re.sub(r'"[^"]*"', "", line[:4000]) for line in lines if not _is_rule(line)]
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
    every = sum(line.count(",") for line in lines)
    if sum(len(re.findall(r"\d,\d", line)) for line in lines) == every:
        return not all("," in line for line in lines) or any(map(str.isalpha, lines[0]))
    spaced = sum(bool(re.search(r"\S[ ]{3,}\S", line)) for line in lines) >= len(lines) / 2
    return spaced and sum(len(re.findall(r",[ ]|\d,\d", line)) for line in lines) == every


def _delimited(text: str, delimiter: str, skipped: int) -> Grid:
    try:
        return _read(text, delimiter, skipped)
    except csv.Error:
        pass
    return [(at + skipped, line.split(delimiter)) for at, line in enumerate(_lines(text), 1)]


def _with_places(rows: Grid) -> Grid:
    """Return rows without headings in which each first cell is a place and a name, "1. Ana", with the places apart."""
    listed = [cells for _at, cells in rows if sum(map(bool, cells)) > 1]
    firsts = [FIRST_CELL.fullmatch(cells[0].strip()) for cells in listed]
    places = [int(number) for each in firsts if each and (number := each.group(1).strip("=.):")).isdigit()]
    if len(places) < 2 or not all(each and each.group(2) for each in firsts):
        return rows
    if places[0] != 1 or not all(one <= two <= one + 3 for one, two in pairwise(places)):
        return rows
    return [(at, _cut_front([cells[0].strip(), *cells[1:]]) if cells in listed else cells) for at, cells in rows]


def _read(text: str, delimiter: str, skipped: int) -> Grid:
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        strict=True,
        skipinitialspace=delimiter != "\t",
    )
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
        if not line.strip() or _is_rule(line):
            continue
        bare = line.strip().removeprefix("|").removesuffix("|")
        bare = MARKDOWN_LINK.sub(r"\1", TITLE_MARK.sub("", bare))
        rows.append((at, [_unmarked(cell) for cell in re.split(r"(?<!\\)\|", bare)]))
    return rows


def _unmarked(cell: str) -> str:
    """Return a cell without the marks of bold, slanted and fixed letters."""
    return cell.replace("\\|", "|").strip().strip("*_`")


def _spaced(text: str) -> Grid:
    """Return the rows of a text whose columns are kept apart by blanks: two or more, or a place in front and points or
    a time behind.
    """
    lines = [
        (at, one)
        for at, line in enumerate(_lines(text.expandtabs(8)), 1)
        if line.strip() and not _is_rule(line)
        for one in _one_by_one(line[:4000].replace("\u00a0", " ").rstrip())
    ]
    titles: Grid = []
    while len(lines) > 2 and TITLE_LINE.fullmatch(lines[0][1].strip()):
        at, line = lines.pop(0)
        titles.append((at, [line.strip().strip("*_# ")]))
    return [*titles, *_cut_by_blanks(lines)]


def _one_by_one(line: str) -> list[str]:
    """Return "DNF: Ana, Bo" as a line for each of them, any other line alone."""
    found = SEVERAL_OUT.fullmatch(line)
    return [f"{found.group(1)} {who.strip()}" for who in found.group(2).split(",") if who.strip()] if found else [line]


def _cut_by_blanks(lines: Sequence[tuple[int, str]]) -> Grid:
    rows: Grid = [(at, [cell for cell in re.split(r"[ ]{2,}", line.strip().strip("*_")) if cell]) for at, line in lines]
    rows = [(at, cells) for at, cells in rows if cells]
    dashed = {at: parts for at, line in lines if _has_inner_figure(parts := BETWEEN.split(line.strip()))}
    if len(dashed) >= max(2, len(lines) / 2):
        rows = [(at, dashed.get(at, cells)) for at, cells in rows]
    aligned = _aligned(lines)
    usual = Counter(len(cells) for _at, cells in rows).most_common(1)
    if aligned and usual and len(aligned[0][1]) > max(2, usual[0][0] - 1):
        return aligned
    numbered = [bool(FIRST_CELL.fullmatch(cells[0])) for _at, cells in rows if cells]
    if numbered and sum(numbered) >= len(numbered) / 2:
        rows = [(at, _cut_front(cells)) for at, cells in rows]
    if rows and all(len(cells) <= 2 for _at, cells in rows):
        placed = [cells for (_at, cells), one in zip(rows, numbered, strict=True) if one]
        tested = placed if len(placed) > 2 else [cells for _at, cells in rows]
        counted = sum(bool(_counted(cells[-1])) for cells in tested) >= 2 / 3 * len(tested)
        rows = [(at, _cut_behind(cells, counted=counted)) for at, cells in rows]
    return [(at, _without_status(cells) if len(cells) == 2 else cells) for at, cells in rows]


def _without_status(cells: list[str]) -> list[str]:
    """Return "Ana - DNF" as two cells."""
    out = STATUS_BEHIND.search(cells[-1])
    return (
        [cells[0], cells[1][: out.start()], out.group(1)] if out and LETTER.search(cells[1][: out.start()]) else cells
    )


def _has_inner_figure(parts: Sequence[str]) -> bool:
    """Whether points or a time stand between a name and another text: "Ana - 25 - Fabia"."""
    return any(map(FIGURE.fullmatch, parts[1:-1])) and not FIGURE.fullmatch(parts[-1])


def _aligned(lines: Sequence[tuple[int, str]]) -> Grid:
    """Return the rows of a text whose columns stand exactly below each other; [] when they do not. Between two columns,
    every line is blank, and most lines have more than one blank.
    """
    sample = [line for _at, line in lines[:TESTED_LINES]]
    width = max((len(line) for line in sample), default=0)
    if len(sample) < 3 or width > 400:
        return []
    blank = [all(at >= len(line) or line[at] == " " for line in sample) for at in range(width)]
    cuts = []
    for at in range(1, width):
        if blank[at - 1] and not blank[at]:
            reaching = [line for line in sample if len(line) > at]
            wide = sum(not line[max(0, at - 2) : at].strip() for line in reaching)
            if at >= 2 and wide >= len(reaching) / 2 and len(reaching) >= len(sample) / 2:
                cuts.append(at)
    bounds = [*dict.fromkeys([0, *cuts]), None]
    return [
        (at, [*(line[begin:end].strip() for begin, end in pairwise(bounds[:-1])), *_loose(line[bounds[-2] :])])
        for at, line in lines
    ]


def _loose(rest: str) -> list[str]:
    """Return the cells behind the last column that all lines share."""
    return re.split(r"[ ]{2,}", rest.strip())


def _cut_front(cells: list[str]) -> list[str]:
    found = FIRST_CELL.fullmatch(cells[0])
    if not found or not found.group(2):
        return cells
    return [found.group(1), found.group(2), *cells[1:]]


def _cut_behind(cells: list[str], *, counted: bool) -> list[str]:
    bracketed = POINTS_BEHIND.search(cells[-1])
    found = LAST_CELL.fullmatch(cells[-1]) if not bracketed else None
    cut = found.group(1, 2) if found else _scored(cells[-1]) or (_counted(cells[-1]) if counted else None)
    if bracketed:
        cut = (cells[-1][: bracketed.start()], next(each for each in bracketed.groups() if each))
    elif not cut and (out := STATUS_BEHIND.search(cells[-1])) and LETTER.search(cells[-1][: out.start()]):
        cut = (cells[-1][: out.start()], out.group(1))
    if not cut or read_day(cut[1]):
        return cells
    who, behind = cut[0].rstrip(" -–—:.,").lstrip(" :.,"), cut[1]
    more = TIME_BEHIND.search(who) if found or bracketed else None
    if more and LETTER.search(who[: more.start()]):
        return [*cells[:-1], who[: more.start()].rstrip(" -–—:.,"), more.group(1), behind]
    return [*cells[:-1], who, behind]


def _counted(cell: str) -> tuple[str, str] | None:
    """Cut a cell such as "Ana Berg 12.5" before the number; None for another one. Long cells take no longer time than
    their letters.
    """
    who, _blank, number = cell.rpartition(" ")
    return (who, number) if COUNT.fullmatch(number) and LETTER.search(who) else None


def _scored(cell: str) -> tuple[str, str] | None:
    """Cut a cell such as "Ana Berg - 12" or "Formel 1: 12" at the last dash or colon; None for another one, and where
    no letter stands between two numbers.
    """
    who, number = "", ""
    for dash in DASH.finditer(cell):
        who, number = cell[: dash.start()], cell[dash.end() :]
    after_number = re.split(r"\d", who)[-1] if SCORE.fullmatch(number.lstrip(" ")) else ""
    return (who, number.lstrip(" ")) if LETTER.search(after_number) else None


def _as_web_table(text: str) -> str:
    """Return the table of a forum in the marks of a web page."""
    text = SMILEY.sub("", text.replace("<", "&lt;"))
    text = re.sub(r"\[(/?)(table|tr|td|th)(?:=[^\[\]]{0,500})?\]", r"<\1\2>", text, flags=re.IGNORECASE)
    return FORUM_MARK.sub("", text)


TITLES = frozenset({"caption", "h1", "h2", "h3", "h4"})
TAG = re.compile(r"<(/?)([a-z][a-z0-9]{0,10})([^<>]{0,1000})>", re.IGNORECASE | re.DOTALL)
HIGH = re.compile(r"rowspan\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
WIDE = re.compile(r"colspan\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)


def _without_comments(text: str) -> str:
    """Return a web page without its comments, whose line breaks stay. One without an end reaches to the end."""
    kept, at = [], 0
    while (begins := text.find("<!--", at)) >= 0:
        ends = text.find("-->", begins)
        ends = len(text) if ends < 0 else ends + 3
        kept += [text[at:begins], "\n" * text.count("\n", begins, ends)]
        at = ends
    return "".join([*kept, text[at:]])


def _web_table(text: str, *, forum: bool = False) -> Grid:
    """Return the rows of all tables of a web page. A cell over several columns is followed by empty ones, one over
    several rows has empty ones below it. The text between two marks belongs to the cell that is open. Captions and
    headings are rows of one cell, and so are the lines outside the tables of a `forum`.
    """
    text = _without_comments(text)
    rows: Grid = []
    row: list[str] = []
    cell: list[str] | None = None
    below: Below = {}
    wide, high, line, begins, at, hidden = 1, 1, 1, 1, 0, False
    for mark in TAG.finditer(text):
        between = text[at : mark.start()]
        line += between.count("\n")
        if cell is not None and not hidden:
            cell.append(between)
        elif forum and not row:
            rows += [(line, [said]) for said in between.split("\n") if 0 < len(said.strip()) <= 100]
        at = mark.end()
        line += mark.group().count("\n")
        closes, tag = bool(mark.group(1)), (mark.group(2) or "").lower()
        if tag in ("script", "style"):
            hidden = not closes
        if tag in TITLES and closes and cell is not None and not row:
            rows.append((line, [unescape("".join(cell))]))
            cell = None
        elif tag in TITLES and not closes and cell is None and not row:
            cell = []
        if tag in ("td", "th", "tr", "table") and cell is not None:
            add_cell(row, unescape("".join(cell)), wide, high, below)
            cell = None
        if tag in ("tr", "table"):
            if row:
                rows.append((begins, row[: MOST_COLUMNS * 2]))
                below = covered(row, below)
            row, begins = [], line
            below = {} if tag == "table" else below
            if len(rows) > MOST_READ_LINES * 4:
                break
        elif tag in ("td", "th") and not closes:
            cell = []
            wide, high = _span(WIDE, mark), _span(HIGH, mark)
        elif cell is not None:
            cell.append(" ")
    if cell is not None:
        row.append(unescape("".join(cell)))
    return [*rows, (begins, row)] if row else rows


def _span(span: re.Pattern[str], mark: re.Match[str]) -> int:
    said = span.search(mark.group(3) or "")
    return min(max(1, int(said.group(1))), MOST_COLUMNS) if said else 1
