"""A table of a season as a picture, in the shapes that chats, phones and forums show. The same table gives the same
picture.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from django.utils.formats import localize
from django.utils.translation import gettext as _
from PIL import Image, ImageDraw

from championship.papers import colours
from championship.papers.fonts import BOLD, REGULAR
from championship.papers.picture_parts import EDGE, TREAD, fitted, gravel, lines_of, put_logo, write
from championship.seasons.away import Shape
from championship.seasons.models import Championship
from championship.seasons.selectors import Line

FIRST, LATER = colours.YELLOW, colours.EARTH_2
BANNER_ROW, LOGO = 22, 112


def table_png(season: Championship, caption: str, lines: Sequence[Line], shape: Shape) -> bytes:
    """The head of the table as PNG. `caption`: which table it is, and after which round."""
    picture = Image.new("RGB", (shape.width, shape.height), colours.EARTH)
    draw = ImageDraw.Draw(picture)
    shown = lines[: shape.lines]
    if shape.height < 2 * shape.lines * BANNER_ROW:
        _banner(draw, season.name, caption, shown, shape)
    else:
        gravel(draw, shape.width, shape.height)
        top = _head(picture, draw, season, caption, shape)
        _lines(draw, shown, shape, top)
    written = io.BytesIO()
    picture.save(written, "PNG", optimize=True)
    return written.getvalue()


def _head(picture: Image.Image, draw: ImageDraw.ImageDraw, season: Championship, caption: str, shape: Shape) -> int:
    """Draw club, season and caption. Returns the y coordinate below them."""
    top, room = 56, shape.width - 2 * EDGE
    write(draw, (EDGE, top), lines_of(season.club.name, 26, room - 230, 1, BOLD)[0], 26, colours.YELLOW)
    write(draw, (shape.width - EDGE, top), "PARC FERMÉ", 26, colours.EARTH_SOFT, align="R")
    top += 36
    logo = put_logo(picture, season.club, shape.width - EDGE, top, LOGO)
    room -= logo + 24 if logo else 0
    size, lines = fitted(season.name, (62, 50, 42), room, (1, 1, 2))
    for line in lines:
        write(draw, (EDGE, top), line, size, colours.EARTH_INK)
        top += round(size * 1.12)
    write(draw, (EDGE, top + 6), lines_of(caption, 28, room, 1, REGULAR)[0], 28, colours.EARTH_SOFT, face=REGULAR)
    return top + 56


def _lines(draw: ImageDraw.ImageDraw, lines: Sequence[Line], shape: Shape, top: int) -> None:
    if not lines:
        words = _("The table begins when the first round is over.")
        write(draw, (EDGE, top + 20), words, 32, colours.EARTH_INK, face=REGULAR)
        return
    tall = min(max(78, shape.height // 12), (shape.height - TREAD - 14 - top) // len(lines))
    size = min(48, tall - 34) if tall > 60 else tall - 22
    for line in lines:
        first = line.place == 1
        draw.rectangle((EDGE, top, shape.width - EDGE, top + tall - 8), fill=FIRST if first else LATER)
        ink = colours.EARTH if first else colours.EARTH_INK
        at = top + (tall - 8) // 2 - round(size * 0.6)
        write(draw, (EDGE + 44, at), str(line.place), size, ink, align="C")
        write(draw, (EDGE + 92, at), lines_of(str(line.who), size, shape.width - 500, 1, BOLD)[0], size, ink)
        write(draw, (shape.width - EDGE - 170, at), localize(line.total), size, ink, align="R")
        behind = lines[0].total - line.total
        told = "" if not behind else f"−{localize(behind)}"
        write(draw, (shape.width - EDGE - 22, at + 3), told, round(size * 0.8), ink, align="R", face=REGULAR)
        top += tall


def _banner(draw: ImageDraw.ImageDraw, season: str, caption: str, lines: Sequence[Line], shape: Shape) -> None:
    """Draw a small table: a signature in a forum."""
    draw.rectangle((0, 0, shape.width, 4), fill=colours.YELLOW)
    half = shape.width - 20
    write(draw, (10, 10), lines_of(season, 20, half, 1, BOLD)[0], 20, colours.EARTH_INK)
    write(draw, (10, 32), lines_of(caption, 13, half, 1, REGULAR)[0], 13, colours.EARTH_SOFT, face=REGULAR)
    for number, line in enumerate(lines):
        top = 52 + number * (BANNER_ROW - 1)
        ink = colours.YELLOW if line.place == 1 else colours.EARTH_INK
        write(draw, (24, top), str(line.place), 16, ink, align="C")
        write(draw, (44, top), lines_of(str(line.who), 16, shape.width - 130, 1, REGULAR)[0], 16, ink, face=REGULAR)
        write(draw, (shape.width - 12, top), localize(line.total), 16, ink, align="R")
