"""Start numbers that stand in the cells of names: "12. Ana", "12 Ana", "Ana (12)"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from championship.lists.found import Note
from championship.lists.reading.cells import is_nothing
from championship.lists.reading.layouts import Layout
from championship.lists.reading.sources import SheetRow

LEAST_SHARE = 0.8
"""How many of the names have a number, for numbers that belong to no name."""
_BEFORE = re.compile(r"(\d{1,3})[.):]?[ ]+(?=[^\W\d])(.+)")
_BEHIND = re.compile(r"([^\W\d].*?)[ ]*[(\[](\d{1,3})[)\]]")


def with_marked_numbers(layout: Layout, roles: Mapping[int, str]) -> tuple[Layout, tuple[Note, ...]]:
    """Return a layout in which start numbers in the cells of names are marked, "#12 Ana", as `people` reads them. Where
    the list has no places and the numbers count its lines, they are left out.
    """
    at = next((index for role in ("name", "crew") for index, each in roles.items() if each == role), None)
    if at is None or "number" in roles.values() or {"first", "last"} & set(roles.values()):
        return layout, ()
    cells = [row.cells[at] for row in layout.rows if not is_nothing(row.cells[at])]
    cut = [_cut(cell) for cell in cells]
    numbers = [one[0] for one in cut if one]
    if len(numbers) < 2 or len(numbers) < LEAST_SHARE * len(cells) or len(set(numbers)) < len(numbers):
        return layout, ()
    if not any(map(_BEFORE.fullmatch, cells)) and not {"points", "time", "stage"} & set(roles.values()):
        return layout, ()  # the numbers in brackets may be the points
    counted = "place" not in roles.values() and numbers == list(range(1, len(numbers) + 1))
    rows = tuple(_marked(row, at, counted=counted) for row in layout.rows)
    says = (
        _("The numbers beside the names count the lines. They are left out.")
        if counted
        else _("The numbers beside the names were taken for start numbers.")
    )
    return replace(layout, rows=rows), (Note((), layout.heads[at].written, says, "told", "numbers"),)


def _cut(cell: str) -> tuple[int, str] | None:
    """Return the number and the name in a cell."""
    before, behind = _BEFORE.fullmatch(cell), _BEHIND.fullmatch(cell)
    if before:
        return int(before.group(1)), before.group(2)
    return (int(behind.group(2)), behind.group(1)) if behind else None


def _marked(row: SheetRow, at: int, *, counted: bool) -> SheetRow:
    cut = _cut(row.cells[at])
    if not cut:
        return row
    number, name = cut
    cell = name if counted or not number else f"#{number} {name}"
    return SheetRow(row.line, (*row.cells[:at], cell, *row.cells[at + 1 :]))
