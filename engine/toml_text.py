"""TOML that people bring: read within bounds, whatever it was written to do."""

from __future__ import annotations

import tomllib
from typing import Any

MOST_DOTS = 250
"""In a line. A key takes its reader the square of the number of its parts: one of fifty thousand takes a minute."""


def toml_of(text: str) -> dict[str, Any]:
    """Return the document of a text. What is no TOML, what lies too deep and numbers of thousands of digits are refused
    alike; dates stay dates.

    Raises:
        ValueError: what is wrong, and on which line where that is known.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise ValueError(f"More than {MOST_DOTS} dots (at line {number})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("Tables and lists lie too deep in each other") from None
