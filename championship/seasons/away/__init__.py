"""What people take away of a season: its tables as files, pictures and a yearbook, its calendar, and the season itself
as one document.

The modules that draw PDF and pictures take memory, so a process imports them with its first file.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A size in pixels, and the most lines of the table that fit."""

    width: int
    height: int
    lines: int


SHAPES = {
    "wide": Shape(1200, 630, 6),
    "square": Shape(1080, 1080, 11),
    "tall": Shape(1080, 1920, 20),
    "banner": Shape(468, 160, 5),
}
"""By the name in an address: for previews of links, for chats, for a phone's whole screen, and for a signature in a
forum.
"""
