"""What a notice tells besides its context, read right before it is sent: more values for its text, a board of results
for mails, and a picture for mails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A line of results: place, name, result and gap in words, and whether it is the reader's own."""

    place: str
    name: str
    result: str
    gap: str = ""
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """Results, best first. `more`: how many lines are left out."""

    title: str
    rows: Sequence[BoardRow]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG, its size on a screen, and the text for a reader who does not see it."""

    content: bytes
    width: int
    height: int
    alt: str


@dataclass(frozen=True, slots=True)
class Details:
    """`context` adds values to the notice's own."""

    context: Mapping[str, Any] = field(default_factory=dict)
    board: Board | None = None
    picture: Picture | None = None
