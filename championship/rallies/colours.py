"""The colours of papers and pictures: those of the pages (static/css/tokens.css)."""

from __future__ import annotations

EARTH = "#1e1812"
EARTH_2 = "#32281e"
EARTH_INK = "#f5ecdb"
EARTH_SOFT = "#c9b797"
SHEET = "#faf6ec"
PAPER = "#ece3d2"
SUNK = "#dfd3bc"
LINE = "#cbbb9e"
YELLOW = "#f2be22"
PLATE = "#fffdf6"
PLATE_INK = "#1e1812"
RED = "#b8301c"
DRIVERS = ("#d1432a", "#1d5fa8", "#f2be22", "#17734a", "#2a2521", "#7cc0ea", "#d77fb4", "#f6f0e2")
"""By `Entry.colour`."""


def rgb(colour: str) -> tuple[int, int, int]:
    """ "#f2be22" as red, green and blue."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
