"""Parses numbers and JSON that clients send. Input is bounded first, so that no input causes a server error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

LONGEST_NUMBER = 18
"""Digits of the longest number that is parsed: it fits the widest column."""


def whole_number(text: str, *, digits: int = LONGEST_NUMBER) -> int | None:
    """Returns the number that ASCII digits spell; None for any other text, and for more than `digits` digits."""
    fits = text.isascii() and text.isdigit() and len(text) <= digits
    return int(text) if fits else None


def version_sent(sent: Mapping[str, str]) -> int:
    """Returns the version of what a page showed, as its form sends it; -1, which no version is, when it sends none."""
    number = whole_number(sent.get("version", ""), digits=9)
    return -1 if number is None else number


def plain_json(text: str | bytes) -> Any:
    """Returns the value of a JSON text.

    Raises: ValueError when the text is no JSON, is nested too deeply, or holds a number that JSON does not know.
    """
    try:
        return json.loads(text, parse_constant=_refuse_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")
