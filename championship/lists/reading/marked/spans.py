"""Cells of a table that reach over several columns or rows."""

from __future__ import annotations

from championship.lists.reading.bounds import MOST_COLUMNS

HEADED = -1
"""The key of `Below` that says that the table has its headings."""
Below = dict[int, tuple[int, str]]
"""By column: how many rows below are covered by a cell, and what stands in them."""


def add_cell(row: list[str], text: str, wide: int, high: int, below: Below) -> None:
    """Add a cell to a row, behind those that reach down from rows above. Below a heading its column is empty, and below
    a cell that several lines share, such as their team, it says the same.
    """
    while below.get(len(row), (0, ""))[0] > 0 and len(row) < MOST_COLUMNS * 4:
        left, said = below[len(row)]
        below[len(row)] = (left - 1, said)
        row.append(said)
    for each in (text, *[""] * (wide - 1))[: max(0, MOST_COLUMNS * 4 - len(row))]:
        below[len(row)] = (high - 1, each if HEADED in below else "")
        row.append(each)


def covered(row: list[str], below: Below) -> Below:
    """Return what is covered below a row that is complete, with a mark behind one of several texts."""
    found = {
        index: (left - (index >= len(row)) if index != HEADED else left, said) for index, (left, said) in below.items()
    }
    if sum(bool(cell.strip()) for cell in row) > 1:
        found[HEADED] = (0, "")
    return found
