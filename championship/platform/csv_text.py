"""Texts in CSV files for spreadsheets: none is taken for a formula."""

from __future__ import annotations

import re

FORMULA = re.compile(r"[\s']*[=+@-]|[\t\r]")
"""The beginning of a text that a spreadsheet interprets as a formula, perhaps after apostrophes have been removed."""
GUARD = "'"
BYTE_ORDER_MARK = "\ufeff"
"""Spreadsheets detect UTF-8 by it."""


def plain(text: str) -> str:
    """The text, with an apostrophe before it when a spreadsheet would interpret it as a formula."""
    return f"{GUARD}{text}" if FORMULA.match(text) else text


def without_guard(cell: str) -> str:
    """The text that `plain` wrote into a cell."""
    return cell[1:] if cell.startswith(GUARD) and FORMULA.match(cell[1:]) else cell
