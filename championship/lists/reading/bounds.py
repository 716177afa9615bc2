"""How much of a list is read: bytes, lines, columns and letters, so that any file is read in little time and memory."""

from __future__ import annotations

from django.utils.translation import gettext as _

MOST_BYTES = 2 * 1024**2
"""The largest size of a file or of a pasted text. It is enough for ten thousand lines."""
MOST_LINES = 10_000
MOST_READ_LINES = 12_000
"""Lines are read up to this number, blank ones and titles included."""
MOST_COLUMNS = 120
MOST_CELLS = 400_000
LONGEST_CELL = 400
"""Letters of a cell. What is longer is cut off."""
MOST_SHEETS = 40
MOST_UNPACKED = 48 * 1024**2
"""Bytes to which a workbook may unpack."""


class Unreadable(Exception):
    """A list cannot be read at all. The message says why and what to do."""


def too_large() -> Unreadable:
    """Return the refusal of a list that is too large."""
    says = _("The list is too large: at most %(mb)d MB and %(lines)d lines, please. Import it in parts.")
    return Unreadable(says % {"mb": MOST_BYTES // 1024**2, "lines": MOST_LINES})
