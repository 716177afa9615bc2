"""Sheets that hold more than one table, or a table that lies on its side, as sheets with one table to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from championship.lists.found import Note
from championship.lists.reading.cells import is_nothing, read_score, read_status
from championship.lists.reading.json_lists import BEFORE
from championship.lists.reading.layouts import Head, Layout, layout_of, role_by_heading
from championship.lists.reading.sources import ListSheet, SheetRow, Source
from championship.lists.reading.words import folded

PERSONS = ("name", "crew", "last", "mail")
ALL_ROUNDS = "all rounds"
"""What the note is about that a workbook has one more sheet, with all rounds."""
FIGURES = ("points", "total", "time", "round", "stage", "gap")


def with_all_rounds(source: Source) -> Source:
    """Return a workbook with a sheet for each round, and one more sheet that holds all of them below each other."""
    if len(source.sheets) < 2:
        return source
    layouts = [layout_of(sheet) for sheet in source.sheets]
    shapes = [
        () if folded(sheet.name) in BEFORE else _round_shape(layout)
        for sheet, layout in zip(source.sheets, layouts, strict=True)
    ]
    usual = max(shapes, key=lambda shape: shapes.count(shape) if shape else 0)
    if not usual or shapes.count(usual) < 2:
        return source
    rows: list[list[str]] = []
    several = 0
    for sheet, layout, shape in zip(source.sheets, layouts, shapes, strict=True):
        if shape == usual:
            rows += [[_title(sheet, layout)], [head.label for head in layout.heads]]
            rows += [list(row.cells) for row in layout.rows]
            several += 1
    width = max(map(len, rows))
    lines = tuple(SheetRow(at, (*row, *[""] * (width - len(row)))) for at, row in enumerate(rows, 1))
    together = ListSheet(_("All %(n)d rounds, a sheet each") % {"n": several}, lines)
    note = Note((), "", _("Every sheet with these headings is a round."), "told", ALL_ROUNDS)
    return Source((*source.sheets, together), (*source.notes, note))


def _round_shape(layout: Layout) -> tuple[str, ...]:
    """Return the headings of a sheet that holds one round; () for any other sheet."""
    roles = [role_by_heading(head.label) for head in layout.heads]
    one = layout.head_cells and not {"rally", "round", "date"} & set(roles) and not any(h.group for h in layout.heads)
    if not one or not set(PERSONS) & set(roles) or not {"place", "points", "time", "stage"} & set(roles):
        return ()
    return tuple(folded(head.label) for head in layout.heads)


def _title(sheet: ListSheet, layout: Layout) -> str:
    """Return the name of a sheet with the title that stands in it, if that says more."""
    said = layout.titles[-1] if layout.titles else ""
    return said if folded(sheet.name) in folded(said) else sheet.name


def turned(sheet: ListSheet) -> tuple[ListSheet, tuple[Note, ...]]:
    """Return a table with a round a line and a driver a column as one with a driver a line; any other as it is."""
    layout = layout_of(sheet)
    roles = [role_by_heading(head.label) for head in layout.heads]
    at = next((index for index, role in enumerate(roles) if role in ("rally", "round", "hash")), None)
    drivers = [head for head, role in zip(layout.heads, roles, strict=True) if not role and _scores(layout, head)]
    if at is None or set(PERSONS) & set(roles) or len(drivers) < 2 or "team" in roles or len(layout.rows) > 80:
        return sheet, ()
    day = roles.index("date") if "date" in roles else None
    names = [row.cells[at] + (f" ({row.cells[day]})" if day is not None and row.cells[day] else "")
             for row in layout.rows]  # fmt: skip
    lines = [SheetRow(1, ("Driver", *names))]
    lines += [
        SheetRow(head.index + 1, (head.label, *(row.cells[head.index] for row in layout.rows))) for head in drivers
    ]
    titles = tuple(SheetRow(0, (title, *[""] * len(names))) for title in layout.titles)
    says = _("The drivers stand side by side here: each column was read as a line, and lines are counted so.")
    return ListSheet(sheet.name, (*titles, *lines)), (Note((), "", says, "told", "turned"),)


def _scores(layout: Layout, head: Head) -> bool:
    """Whether a column is called like a person, and holds points, places or how a car ended."""
    cells = [row.cells[head.index] for row in layout.rows if not is_nothing(row.cells[head.index])]
    named = any(map(str.isalpha, head.label)) and not any(map(str.isdigit, head.label))
    return named and bool(cells) and all(read_score(cell)[0] or read_status(cell) for cell in cells)


def below_each_other(sheet: ListSheet) -> ListSheet:
    """Return a sheet whose rounds stand side by side, each with its name above and the same headings, with the rounds
    below each other; any other sheet as it is.
    """
    layout = layout_of(sheet)
    groups: dict[str, list[Head]] = {}
    for head in layout.heads:
        if head.label:
            groups.setdefault(head.group, []).append(head)
    tables = list(groups.items())
    shapes = {tuple(folded(head.label) for head in heads) for _name, heads in tables}
    roles = {role_by_heading(head.label) for head in tables[0][1]} if tables else set()
    if len(tables) < 2 or len(shapes) > 1 or not all(groups) or not set(PERSONS) & roles or not set(FIGURES) & roles:
        return sheet
    width = len(tables[0][1])
    blank = [""] * (width - 1)
    lines = [SheetRow(0, (title, *blank)) for title in layout.titles]
    for name, heads in tables:
        lines += [SheetRow(0, (name, *blank)), SheetRow(0, tuple(head.label for head in heads))]
        rows = [SheetRow(row.line, tuple(row.cells[head.index] for head in heads)) for row in layout.rows]
        lines += [row for row in rows if any(row.cells)]
    return ListSheet(sheet.name, tuple(lines))


def one_table(layout: Layout) -> tuple[Layout, tuple[Note, ...]]:
    """Return a layout without a second table beside or below the first one: of teams, or of other drivers."""
    told: list[Note] = []
    cut = _beside(layout.heads)
    if cut is not None:
        heads = layout.heads[:cut]
        if len({head.group for head in heads}) == 1:
            heads = tuple(Head(head.index, head.label) for head in heads)
        rows = tuple(SheetRow(row.line, row.cells[:cut]) for row in layout.rows if any(row.cells[:cut]))
        layout = Layout(heads, layout.titles, rows, layout.head_cells[:cut])
        says = _("A second table beside this one is left out. Bring it as a list of its own.")
        told.append(Note((), "", says, "told", "second table"))
    below = next((at for at, row in enumerate(layout.rows) if _heads_of_another(row, layout)), None)
    if below is not None:
        line = layout.rows[below].line
        rows = layout.rows[:below]
        while rows and sum(map(bool, rows[-1].cells)) == 1:
            rows = rows[:-1]  # its title
        layout = replace(layout, rows=rows)
        says = _("A second table below this one is left out. Bring it as a list of its own.")
        told.append(Note((line,), "", says, "told", "second table"))
    return layout, tuple(told)


def _beside(heads: Sequence[Head]) -> int | None:
    """Return the index at which the headings of a second table begin, None where there is one table."""
    roles = [role_by_heading(head.label) for head in heads]
    for at in range(2, len(heads) - 1):
        left, right = roles[:at], roles[at:]
        again = right[0] == "place" and folded(heads[at].label) in {folded(head.label) for head in heads[:at]}
        gap = not heads[at - 1].label and right[0] in ("place", "team", *PERSONS)
        whole = set(PERSONS) & set(left) and set(FIGURES) & set(left) and set(FIGURES) & set(right)
        if (again or gap) and whole and {"team", *PERSONS} & set(right):
            return at
    return None


def _heads_of_another(row: SheetRow, layout: Layout) -> bool:
    """Whether a line has headings that are not those of the layout, and name a team or a person."""
    cells = [cell for cell in row.cells if cell]
    roles = [role_by_heading(cell) for cell in cells]
    if len(cells) < 2 or not layout.head_cells or not {"team", *PERSONS} & set(roles) or not set(FIGURES) & set(roles):
        return False
    words = {folded(cell) for cell in cells}
    return all(roles) and not any(cell.isdigit() for cell in cells) and not words <= set(layout.head_cells)
