"""TOML that people bring: read within bounds, whatever it was written to do."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_DOTS = 250
"""In a line. A key takes its reader the square of the number of its parts: one of fifty thousand takes a minute."""
DEEPEST = 50
"""Tables and lists in each other."""
MOST_BITS = 1024
"""Of a whole number."""
_NO_KEY = re.compile(r"""\s*(?:#[^"']*|[\w-]+\s*=\s*"(?:[^"\\]|\\.)*"\s*)""", re.ASCII)
"""A line that is a remark, or one name with a text: its dots are no key's, whatever stands around it."""


def toml_of(text: str) -> dict[str, Any]:
    """Return the document of a text. What is no TOML, what lies too deep, numbers of thousands of digits and keys of
    hundreds of parts are refused alike; dates stay dates.

    Raises:
        ValueError: what is wrong, and on which line where that is known.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS and not _NO_KEY.fullmatch(line):
            raise ValueError(f"More than {MOST_DOTS} dots (at line {number})")
    try:
        read = tomllib.loads(text)
    except RecursionError:
        raise ValueError("Tables and lists lie too deep in each other") from None
    level: list[Any] = [read]
    for _ in range(DEEPEST):
        if any(isinstance(one, int) and one.bit_length() > MOST_BITS for one in level):
            raise ValueError(f"A number has more than {MOST_BITS} bits")
        level = [inner for one in level for inner in _inner(one)]
    if level:
        raise ValueError("Tables and lists lie too deep in each other")
    return read


def _inner(one: Any) -> list[Any]:
    if isinstance(one, dict):
        return list(one.values())
    return one if isinstance(one, list) else []
