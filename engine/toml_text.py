"""Parse TOML from untrusted people: limits keep hostile input from costing much time or memory."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_DOTS = 250
"""The most dots in a line. Parsing a key takes time quadratic in its parts: fifty thousand parts take a minute."""
DEEPEST = 50
"""The deepest nesting of tables and lists."""
MOST_BITS = 1024
"""The most bits of a whole number."""
_NO_KEY = re.compile(r"""\s*(?:#[^"']*|[\w-]+\s*=\s*"(?:[^"\\]|\\.)*"\s*)""", re.ASCII)
"""A line that is a comment, or one name with a text. Its dots are never part of a key, whatever the other lines say."""


def toml_of(text: str) -> dict[str, Any]:
    """Return the document of a TOML text. Dates stay dates.

    Raises: ValueError when the text is not TOML, nests too deeply, has a number of more than MOST_BITS bits, or a key
    of hundreds of parts. The message says what is wrong, and on which line when that is known.
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
