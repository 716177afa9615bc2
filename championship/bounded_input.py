"""Numbers and JSON as somebody sends them: bounded before they are read, so that nothing that is sent is an error."""

from __future__ import annotations

import json
from typing import Any

LONGEST_NUMBER = 18
"""Digits of the longest number that is read: it fits the widest column."""


def whole_number(text: str, *, digits: int = LONGEST_NUMBER) -> int | None:
    """The number that ASCII digits say; None for everything else, and for more than so many digits."""
    fits = text.isascii() and text.isdigit() and len(text) <= digits
    return int(text) if fits else None


def plain_json(text: str | bytes) -> Any:
    """What a JSON text says.

    Raises: ValueError for what is no JSON, is nested too deeply, or holds a number that JSON does not know.
    """
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")
