"""What every picture is drawn of: the gravel behind it, and text in the fonts of papers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw, ImageFont

from championship.clubs.logos import content_of
from championship.clubs.models import Club
from championship.papers import colours
from championship.papers.fonts import BOLD, legible, others, runs, wrap

EDGE = 56
"""The distance of text from the left and the right edge, in pixels."""
SQUARE = 14
TREAD = 34
"""The height of the tyre tread at the bottom."""
PEBBLES = 900
"""The pebbles on a picture of 1200 x 630 pixels."""


def gravel(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    """Draw dark gravel, a chequered band at the top and a tyre tread at the bottom. The seed is fixed, so the pebbles
    are always the same.
    """
    chance, ground = Random(1), height - TREAD  # noqa: S311
    for _pebble in range(PEBBLES * width * height // (1200 * 630)):
        left, top, size = chance.randrange(width), chance.randrange(height), chance.choice((1, 1, 2, 3))
        draw.ellipse((left, top, left + size, top + size), fill=chance.choice(("#2a2219", "#352a1f", "#261e17")))
    for column in range(width // SQUARE + 1):
        for row in range(2):
            fill = colours.PLATE if (column + row) % 2 else colours.EARTH
            left, top = column * SQUARE, row * SQUARE
            draw.rectangle((left, top, left + SQUARE - 1, top + SQUARE - 1), fill=fill)
    draw.rectangle((0, 2 * SQUARE, width, 2 * SQUARE + 5), fill=colours.YELLOW)
    draw.rectangle((0, ground, width, height), fill="#120e0a")
    for left in range(-40, width, 44):
        middle = (ground + height) // 2
        draw.polygon(
            [(left, ground + 4), (left + 22, ground + 4), (left + 40, middle), (left + 22, height - 4),
             (left, height - 4), (left + 18, middle)],
            fill=colours.EARTH_2,
        )  # fmt: skip


def put_logo(picture: Image.Image, club: Club, right: int, top: int, side: int) -> int:
    """Put the club's logo with its right edge there, in a square of that side. Returns the room it takes, 0 without
    one. One query where the club has a logo.
    """
    content = content_of(club)
    if content is None:
        return 0
    with Image.open(io.BytesIO(content), formats=("PNG",)) as opened:
        logo = opened.convert("RGBA")
    logo.thumbnail((side, side), Image.Resampling.LANCZOS)
    picture.paste(logo, (right - logo.width, top + (side - logo.height) // 2), logo)
    return logo.width


# Text ---------------------------------------------------------------------------------------------


@cache
def _font(face: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(face), size, layout_engine=ImageFont.Layout.BASIC)


def _width_of(line: str, size: int, face: Path) -> float:
    return sum(_font(_face_of(number, face), size).getlength(piece) for number, piece in runs(line))


def _face_of(number: int, face: Path) -> Path:
    """The file of a font: `face` itself for 0, else the nth of the other fonts."""
    return others()[number - 1] if number else face


def lines_of(text: str, size: int, room: int, most: int, face: Path) -> list[str]:
    """The text in at most `most` legible lines, none wider than `room` pixels."""
    return wrap(text, room, most, lambda line: _width_of(line, size, face))


def fitted(text: str, sizes: Sequence[int], room: int, most: Sequence[int]) -> tuple[int, list[str]]:
    """The first of these sizes in which the text fits into its number of lines, and the lines; else the last size, with
    an ellipsis.
    """
    for size, lines in zip(sizes, most, strict=True):
        told = lines_of(text, size, room, lines, BOLD)
        if "".join(told).replace(" ", "") == legible(text).replace(" ", ""):
            return size, told
    return sizes[-1], told


def write(
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    line: str,
    size: int,
    ink: str,
    *,
    align: str = "L",
    face: Path = BOLD,
) -> None:
    """Draw a legible line. `at` is the left end, the middle or the right end of its top, by `align`."""
    wide = _width_of(line, size, face)
    left = at[0] - {"L": 0.0, "C": wide / 2, "R": wide}[align]
    baseline = at[1] + round(size * 0.93)
    for number, piece in runs(line):
        font = _font(_face_of(number, face), size)
        draw.text((left, baseline), piece, font=font, fill=ink, anchor="ls")
        left += font.getlength(piece)
