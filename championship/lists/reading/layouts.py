"""Where the headings of a sheet are, what stands above them, and which lines belong together.

Titles stand above the headings, alone in their lines. Headings may take two lines: the round above, "place" and
"points" below. A list may be several tables one below another, with the same headings or with a title each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from championship.lists.reading.cells import read_status
from championship.lists.reading.dates import cut_day, read_day
from championship.lists.reading.sources import ListSheet, SheetRow
from championship.lists.reading.words import FIRST, NOTHING, ROLE_OF, ROUND, STAGE, SUBROLE_OF, folded

PLACE_HEADS = {
    **{
        f"{number}{ending}": number
        for number in range(1, 31)
        for ending in ("st", "nd", "rd", "th", " place", " platz")
    },
    **{f"p{number}": number for number in range(1, 31)},
    **dict.fromkeys(FIRST, 1),
    "first": 1,
    "second": 2,
    "third": 3,
    "zweiter": 2,
    "dritter": 3,
    "erster": 1,
}
"""Headings that are places, folded."""
SEARCHED = 40
"""Headings are among the first lines of a sheet."""
PAIR = re.compile(r"(\d{1,3})\.?[ ]?[(\[][ ]?(\d{1,3}(?:[.,]\d)?)[ ]?(?:p|pts?|pkt|pkte?)?\.?[ ]?[)\]]")
_FIGURE = re.compile(r"[=+-]?[\d.,:'\"]+")


@dataclass(frozen=True, slots=True)
class Head:
    """The heading of a column: `label` as written; `group` is the heading above it that several columns share."""

    index: int
    label: str
    group: str = ""

    @property
    def written(self) -> str:
        """The whole heading, for people."""
        return f"{self.group}: {self.label}" if self.group and self.label else self.group or self.label


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, and the titles above them."""

    titles: tuple[str, ...]
    rows: tuple[SheetRow, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A sheet cut into headings, titles and lines. Without headings in the list, labels are ""."""

    heads: tuple[Head, ...]
    titles: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    head_cells: tuple[str, ...] = field(default=())


def layout_of(sheet: ListSheet) -> Layout:
    """Return the layout of a sheet. Of a table of winners, each line becomes one for each place."""
    return _without_pairs(_without_places_as_heads(_layout_of(sheet)))


def _without_pairs(layout: Layout) -> Layout:
    """Return a layout in which cells such as "1 (25)", a place and its points in either order, are two columns."""
    paired = {head.index: _pairs(layout, head) for head in layout.heads}
    found = [pair for pairs in paired.values() for pair in pairs]
    if not found:
        return layout
    best = max(float(behind) for _before, behind in found)
    place_first = any(before == "1" and float(behind) == best for before, behind in found)
    heads: list[Head] = []
    for head in layout.heads:
        if paired[head.index]:
            labels = ("place", "points") if place_first else ("points", "place")
            heads += [Head(len(heads), labels[0], head.written), Head(len(heads) + 1, labels[1], head.written)]
        else:
            heads.append(Head(len(heads), head.label, head.group))
    rows = tuple(
        SheetRow(row.line, tuple(part for head in layout.heads for part in _parts(row, head, paired)))
        for row in layout.rows
    )
    return Layout(tuple(heads), layout.titles, rows, ())


def _pairs(layout: Layout, head: Head) -> list[tuple[str, str]]:
    """Return the pairs in a column, [] when it has other cells too."""
    cells = [row.cells[head.index] for row in layout.rows if row.cells[head.index] not in NOTHING]
    pairs = [(found.group(1), found.group(2).replace(",", ".")) for cell in cells if (found := PAIR.fullmatch(cell))]
    others = sum(not PAIR.fullmatch(cell) and read_status(cell) is None for cell in cells)
    return pairs if head.label and len(pairs) > 1 and not others else []


def _parts(row: SheetRow, head: Head, paired: Mapping[int, Sequence[object]]) -> tuple[str, ...]:
    cell = row.cells[head.index]
    if not paired[head.index]:
        return (cell,)
    found = PAIR.fullmatch(cell)
    return (found.group(1), found.group(2)) if found else (cell, "")


def _without_places_as_heads(layout: Layout) -> Layout:
    """Return a table with the headings 1st, 2nd, 3rd and names below them as lines with a place and a name each."""
    places = {head.index: PLACE_HEADS[folded(head.label)] for head in layout.heads if folded(head.label) in PLACE_HEADS}
    cells = [row.cells[index] for row in layout.rows for index in places if row.cells[index]]
    texts = sum(any(map(str.isalpha, cell)) and read_status(cell) is None for cell in cells)
    if sorted(places.values()) != list(range(1, len(places) + 1)) or len(places) < 2 or texts < 0.9 * len(cells):
        return layout
    kept = [head.index for head in layout.heads if head.index not in places]
    heads = [Head(at, layout.heads[index].label, layout.heads[index].group) for at, index in enumerate(kept)]
    rows = tuple(
        SheetRow(row.line, (*(row.cells[at] for at in kept), str(place), row.cells[index]))
        for row in layout.rows
        for index, place in places.items()
        if row.cells[index]
    )
    last = len(kept)
    return Layout((*heads, Head(last, "place"), Head(last + 1, "name")), layout.titles, rows, ())


def _layout_of(sheet: ListSheet) -> Layout:
    sheet = _with_whole_headings(sheet)
    at, top = _headings_at(sheet.rows)
    width = len(sheet.rows[0].cells) if sheet.rows else 0
    if at is None:
        first = _first_line(sheet.rows)
        titles = tuple(_title(row) for row in sheet.rows[:first])
        return Layout(tuple(Head(index, "") for index in range(width)), titles, sheet.rows[first:])
    first = at if top is None else top
    below = sheet.rows[at]
    above = sheet.rows[top] if top is not None else None
    titles = tuple(cell for row in sheet.rows[:first] for cell in row.cells if cell)
    heads = _shared_groups(_without_lone_group(_heads(below, above)))
    return Layout(heads, titles, sheet.rows[at + 1 :], tuple(folded(cell) for cell in below.cells))


def _with_whole_headings(sheet: ListSheet) -> ListSheet:
    """Return a sheet in which headings that are broken over two lines are whole: "Total" above "time". The second line
    says nothing in the column of names, and each word of it makes a known heading with the one above.
    """
    at, top = _headings_at(sheet.rows)
    if at is None or top is not None:
        return sheet
    if at > 0 and _is_upper_half(sheet.rows[at - 1], sheet.rows[at]):
        whole = [
            _joined(one, two) if one else two
            for one, two in zip(sheet.rows[at - 1].cells, sheet.rows[at].cells, strict=True)
        ]
        labels = tuple(
            one if role_by_heading(one) else two for one, two in zip(whole, sheet.rows[at].cells, strict=True)
        )
        return ListSheet(
            sheet.name, (*sheet.rows[: at - 1], SheetRow(sheet.rows[at].line, labels), *sheet.rows[at + 1 :])
        )
    if at + 2 >= len(sheet.rows):
        return sheet
    up, down = sheet.rows[at].cells, sheet.rows[at + 1].cells
    broken = [index for index, cell in enumerate(down) if cell]
    whole = [_joined(one, two) if two else one for one, two in zip(up, down, strict=True)]
    if not broken or any(not up[index] or any(map(str.isdigit, down[index])) for index in broken):
        return sheet
    person = any(role_by_heading(up[index]) in ("name", "crew", "last", "mail") for index in broken)
    if person or not _names_somebody(sheet.rows[at]) or not all(role_by_heading(whole[index]) for index in broken):
        return sheet
    rows = (*sheet.rows[:at], SheetRow(sheet.rows[at].line, tuple(whole)), *sheet.rows[at + 2 :])
    return ListSheet(sheet.name, rows)


def _is_upper_half(above: SheetRow, row: SheetRow) -> bool:
    """Whether a row above the headings is their upper half: three words or more, each above one, of which some make
    known headings together.
    """
    both = [(up, down) for up, down in zip(above.cells, row.cells, strict=True) if up]
    if len(both) < 3 or not all(down for _up, down in both) or any(map(str.isdigit, "".join(above.cells))):
        return False
    filled = [folded(cell) for cell in row.cells if cell]
    known = sum(bool(role_by_heading(_joined(up, down))) for up, down in both)
    return known >= len(both) / 2 and len(set(filled)) == len(filled)


def _joined(one: str, two: str) -> str:
    """Return a heading of two lines: "Gesamt-" and "zeit" are one word."""
    return one[:-1] + two if one.endswith("-") and two[0].islower() else f"{one} {two}"


def _without_lone_group(heads: tuple[Head, ...]) -> tuple[Head, ...]:
    """Return the heads; "Result" above the time and the points of a list with no other group is no round."""
    groups = {folded(head.group) for head in heads if head.group and head.label}
    if len(groups) != 1 or role_by_heading(next(iter(groups))) not in ("result", "total"):
        return heads
    return tuple(Head(head.index, head.label) for head in heads)


def blocks_of(layout: Layout, is_title: Callable[[SheetRow], bool]) -> list[Block]:
    """Return the lines in blocks. A line for which `is_title` holds begins one, and so do the headings, repeated."""
    blocks: list[Block] = []
    titles: list[str] = list(layout.titles)
    rows: list[SheetRow] = []
    for row in layout.rows:
        repeated = bool(layout.head_cells) and tuple(folded(cell) for cell in row.cells) == layout.head_cells
        if repeated or is_title(row):
            if repeated and rows and _alone(rows[-1]):
                last = rows.pop()
                if rows:
                    blocks.append(Block(tuple(titles), tuple(rows)))
                titles, rows = [_title(last)], []
            elif rows:
                blocks.append(Block(tuple(titles), tuple(rows)))
                titles, rows = [], []
            if not repeated:
                titles.append(_title(row))
        else:
            rows.append(row)
    if rows:
        blocks.append(Block(tuple(titles), tuple(rows)))
    return blocks


def _first_line(rows: Sequence[SheetRow]) -> int:
    """Return the index of the first line that is no title, in a list without headings."""
    if Counter(sum(bool(cell) for cell in row.cells) for row in rows).most_common(1)[0][0] < 2:
        return 0
    return next((at for at, row in enumerate(rows) if not _alone(row)), 0)


def _alone(row: SheetRow) -> bool:
    return sum(bool(cell) for cell in row.cells) == 1


def _title(row: SheetRow) -> str:
    return " ".join(cell for cell in row.cells if cell)


def role_by_heading(label: str) -> str:
    """Return the role that a heading names: "hash" for "#", "stage" for SS1, "round" for R1, "" when unknown."""
    bare = label.strip(" .:*#") if len(label) > 1 and not label.endswith("#") else label.strip(" .:*")
    if bare in ("#", "№", "n°", "Nº"):
        return "hash"
    if re.fullmatch(r"#[ ]?\d{1,4}", label.strip()):
        return ""  # the number of a car
    if folded(bare) == "lp":  # a Polish list counts its lines so
        return "hash"
    if bare in ("Σ", "∑"):
        return "total"
    if re.fullmatch(r"(?:car|start|race)[ ]?(?:#|№|n°)", bare.lower()):
        return "number"
    if re.match(r"\d{1,3}[:.)][ ]*[^\W\d]", bare):
        return "round"
    words = folded(bare)
    if words in ROLE_OF:
        return ROLE_OF[words]
    several = re.fullmatch(r"(.+) ([12])", words)
    if several and ROLE_OF.get(several.group(1)) == "name":
        return "name" if several.group(2) == "1" else "codriver"
    unbracketed = folded(re.sub(r"[(\[].*?[)\]]", "", bare))
    if unbracketed in ROLE_OF:
        return ROLE_OF[unbracketed]
    if words.isdigit():
        return "round" if len(words) < 3 else ""
    if STAGE.fullmatch(words):
        return "stage"
    _rest, day = cut_day(bare)
    if day or ROUND.fullmatch(words) or read_day(bare):
        return "round"
    return ""


def _known(row: SheetRow) -> int:
    return sum(bool(cell) and not cell.strip(" .()").isdigit() and bool(role_by_heading(cell)) for cell in row.cells)


def _figures(row: SheetRow) -> int:
    return sum(bool(_FIGURE.fullmatch(cell)) for cell in row.cells if cell)


def _headings_at(rows: Sequence[SheetRow]) -> tuple[int | None, int | None]:
    """Return the index of the row of headings, and that of a row above it that belongs to it."""
    best, mark = None, 0.0
    for at, row in enumerate(rows[:SEARCHED]):
        filled = sum(bool(cell) for cell in row.cells)
        known = _known(row)
        numbered = sum(cell.strip(" .()").isdigit() for cell in row.cells if cell)
        here = known - 0.6 * max(0, _figures(row) - numbered) - (0.6 * numbered if known < 2 else 0)
        lone = filled == 1 and not _names_somebody(row)
        if at > 2 and not _names_somebody(row) and sum(_is_result(above) for above in rows[:at]) > 1:
            continue
        enough = known > 1 or filled <= 2 or at == 0 or _names_somebody(row) or _only_words(row)
        if known and enough and not lone and here > mark + 0.01:
            if best is not None and _data_follows(rows[best], row):
                continue
            best, mark = at, here
    if best is None:
        return (0 if _texts_above_figures(rows) else None), None
    if best + 1 < len(rows) and _only_subheads(rows[best + 1]):
        return best + 1, best
    if best > 0 and _belongs_above(rows[best - 1], rows[best]):
        return best, best - 1
    return best, None


def _is_result(row: SheetRow) -> bool:
    """Whether a row has a name and a figure or a time: it is no title."""
    filled = [cell for cell in row.cells if cell]
    texts = sum(any(map(str.isalpha, cell)) and not role_by_heading(cell) for cell in filled)
    return len(filled) > 2 and texts > 0 and bool(_figures(row))


def _only_words(row: SheetRow) -> bool:
    """Whether a row has only words, one of them a known heading of several letters."""
    cells = [cell for cell in row.cells if cell]
    words = all(any(map(str.isalpha, cell)) and not any(map(str.isdigit, cell)) and "@" not in cell for cell in cells)
    return words and any(len(cell) > 3 and role_by_heading(cell) for cell in cells)


def _texts_above_figures(rows: Sequence[SheetRow]) -> bool:
    """Whether the first row has only texts, and a column below one of them has mostly figures: then it has headings,
    although none of them is known.
    """
    if len(rows) < 2 or sum(bool(cell) for cell in rows[0].cells) < 2:
        return False
    if any(cell and (not any(map(str.isalpha, cell)) or "@" in cell or read_status(cell)) for cell in rows[0].cells):
        return False
    below = rows[1:SEARCHED]
    return any(
        rows[0].cells[index] and sum(bool(_FIGURE.fullmatch(row.cells[index])) for row in below) > len(below) / 2
        for index in range(len(rows[0].cells))
    )


def _names_somebody(row: SheetRow) -> bool:
    return any(role_by_heading(cell) in ("name", "crew", "last", "mail") for cell in row.cells if cell)


def _data_follows(head: SheetRow, row: SheetRow) -> bool:
    """Whether a later row is no better row of headings but a line below one: the earlier names a person's column."""
    return (
        _names_somebody(head)
        and not _only_subheads(row)
        and any(read_status(cell) or _FIGURE.fullmatch(cell) for cell in row.cells if cell)
    )


def _only_subheads(row: SheetRow) -> bool:
    filled = [folded(cell) for cell in row.cells if cell]
    return len(filled) >= 2 and all(cell in SUBROLE_OF for cell in filled) and len(set(filled)) < len(filled) + 1


def _belongs_above(above: SheetRow, row: SheetRow) -> bool:
    """Whether the row above the headings groups them: it has several texts, and the headings repeat or leave gaps."""
    filled = [cell for cell in above.cells if cell]
    if len(filled) < 2 or _figures(above) > len(filled) / 2:
        return False
    labels = Counter(folded(cell) for cell in row.cells if cell)
    gap = any(up and not down for up, down in zip(above.cells, row.cells, strict=True))
    return any(times > 1 for times in labels.values()) or gap


def _heads(row: SheetRow, above: SheetRow | None) -> tuple[Head, ...]:
    heads = []
    group = ""
    for index, label in enumerate(row.cells):
        if above is not None:
            group = above.cells[index] or (group if label else "")
        if above is not None and group and not label:
            heads.append(Head(index, group))
        elif above is not None and group:
            heads.append(Head(index, label, group))
        else:
            heads.append(_cut_group(index, label))
    return tuple(heads)


def _cut_group(index: int, label: str) -> Head:
    """Return the head of "Foxwood: points" with its group."""
    before, colon, behind = label.rpartition(":")
    if colon and before.strip() and folded(behind) in SUBROLE_OF:
        return Head(index, behind.strip(), before.strip())
    return Head(index, label)


def _shared_groups(heads: tuple[Head, ...]) -> tuple[Head, ...]:
    """Return the heads; where several say "Foxwood Pos" and "Foxwood Pts", with Foxwood as their group."""
    cut: dict[int, Head] = {}
    inside: dict[int, Head] = {}
    for head in heads:
        before, blank, behind = head.label.rpartition(" ")
        bracketed = re.fullmatch(r"([^()]+?)[ ]*\(([^()]+)\)", head.label)
        if bracketed and folded(bracketed.group(1)) in SUBROLE_OF and not head.group:
            inside[head.index] = Head(head.index, bracketed.group(1), bracketed.group(2))
        if not head.group and blank and folded(behind) in SUBROLE_OF and folded(head.label) not in ROLE_OF:
            cut[head.index] = Head(head.index, behind.strip("()"), before.strip(" -–("))
    if len(inside) > 1 and len({folded(head.group) for head in inside.values()}) > 1:
        heads = tuple(inside.get(head.index, head) for head in heads)
    groups = Counter(folded(head.group) for head in cut.values())
    return tuple(
        cut[head.index] if head.index in cut and groups[folded(cut[head.index].group)] > 1 else head for head in heads
    )


def is_blank(row: SheetRow) -> bool:
    """Whether a row says nothing."""
    return all(cell in NOTHING for cell in row.cells)
