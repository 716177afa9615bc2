"""The picture of a rally's podium, for previews of its link: PNG, 1200 x 630 pixels. The same results give the same
picture.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw

from championship.papers import colours, headlines, occasions
from championship.papers.fonts import BOLD, REGULAR
from championship.papers.picture_parts import EDGE, TREAD, fitted, gravel, lines_of, put_logo, write
from championship.rallies.models import Entry
from championship.rallies.results.classification import Line, on_podium
from championship.rallies.results.selectors import Results, caption_of

WIDTH, HEIGHT = 1200, 630
GROUND = HEIGHT - TREAD
"""The y coordinate of the podium's foot. Below it is a tyre tread."""
STEPS = {1: (600, 208), 2: (238, 150), 3: (962, 112)}
"""By place, the x coordinate of the step's middle, and the step's height."""
STEP_WIDTH, LOGO = 346, 112
BOARD_LINES = 5
"""The number of leaders that the picture of a rally under way shows."""
FIRST, LATER = colours.YELLOW, colours.EARTH_2


def podium_png(results: Results) -> bytes:
    """The podium of a finished rally; before that the leaders after the last complete stage, or the first entries."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), colours.EARTH)
    draw = ImageDraw.Draw(picture)
    gravel(draw, WIDTH, HEIGHT)
    steps = on_podium(results.overall) if results.finished else []
    below = _head(picture, draw, results)
    if steps and [line.place for line in steps] == [1, 2, 3][: len(steps)]:
        _podium(draw, steps)
    else:
        _board(draw, _leaders(results)[:BOARD_LINES], below)
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def _leaders(results: Results) -> list[Line]:
    """The lines with a place; before there is a classification, the entries by start number."""
    if results.complete:
        return [line for line in results.overall if line.place is not None]
    return [Line(entry=entry, place=None, total=None) for entry in results.entries.values()]


def _head(picture: Image.Image, draw: ImageDraw.ImageDraw, results: Results) -> int:
    """Draw the club, the rally, the caption and the occasion, and a sentence of the rally's story. Returns the y
    coordinate below them.
    """
    top = 56
    room = WIDTH - 2 * EDGE
    club = lines_of(results.rally.club.name, 26, room - 230, 1, BOLD)[0]
    write(draw, (EDGE, top), club, 26, colours.YELLOW)
    write(draw, (WIDTH - EDGE, top), "PARC FERMÉ", 26, colours.EARTH_SOFT, align="R")
    top += 36
    logo = put_logo(picture, results.rally.club, WIDTH - EDGE, top, LOGO)
    room -= logo + 24 if logo else 0
    size, lines = fitted(results.rally.name, (62, 50, 42), room, (1, 1, 2))
    for line in lines:
        write(draw, (EDGE, top), line, size, colours.EARTH_INK)
        top += round(size * 1.12)
    told = " · ".join(part for part in (caption_of(results), occasions.in_words(results.rally)) if part)
    write(draw, (EDGE, top + 6), lines_of(told, 28, room, 1, REGULAR)[0], 28, colours.EARTH_SOFT, face=REGULAR)
    top += 52
    headline = headlines.headline_of(results.rally)
    if headline:
        size, lines = fitted(headline, (30, 27, 24), room, (1, 1, 1))
        write(draw, (EDGE, top), lines[0], size, colours.YELLOW, face=REGULAR)
        top += 46
    return top


# Podium and board ---------------------------------------------------------------------------------


def _podium(draw: ImageDraw.ImageDraw, steps: Sequence[Line]) -> None:
    for line in steps:
        middle, tall = STEPS[line.place or 0]
        left, top = middle - STEP_WIDTH // 2, GROUND - tall
        first = line.place == 1
        draw.rectangle((left, top, left + STEP_WIDTH, GROUND), fill=FIRST if first else LATER)
        draw.rectangle((left, top, left + STEP_WIDTH, top + 7), fill=colours.EARTH_INK)
        ink = colours.EARTH if first else colours.EARTH_INK
        number = str(line.place)
        size = 108 if first else 84
        write(draw, (left + 22, GROUND - size - 14), number, size, ink)
        write(draw, (left + STEP_WIDTH - 22, GROUND - 98), line.total_in_words, 46, ink, align="R")
        if line.to_leader is not None:
            write(draw, (left + STEP_WIDTH - 22, GROUND - 48), line.gap, 30, ink, align="R", face=REGULAR)
        size, crew = fitted(line.crew_in_words, (34, 30, 26), STEP_WIDTH - 8, (1, 2, 2))
        foot = top - 16 - round(size * 1.15) * len(crew)
        for index, told in enumerate(crew):
            place = (middle, foot + round(size * 1.15) * index)
            write(draw, place, told, size, colours.EARTH_INK, align="C")
        _plate(draw, middle - 50, foot - 60, line.entry)


def _board(draw: ImageDraw.ImageDraw, lines: Sequence[Line], top: int) -> None:
    """Draw the leaders, one below the other."""
    if not lines:
        return
    tall = min(74, (GROUND - 14 - top) // len(lines))
    for line in lines:
        first = line.place == 1
        draw.rectangle((EDGE, top, WIDTH - EDGE, top + tall - 8), fill=FIRST if first else LATER)
        ink = colours.EARTH if first else colours.EARTH_INK
        middle = top + (tall - 8) // 2
        write(draw, (EDGE + 44, middle - 21), str(line.place or ""), 40, ink, align="C")
        _plate(draw, EDGE + 88, middle - 22, line.entry)
        crew = lines_of(line.crew_in_words, 32, 600, 1, BOLD)[0]
        write(draw, (EDGE + 212, middle - 19), crew, 32, ink)
        if line.total is not None:
            write(draw, (WIDTH - EDGE - 150, middle - 19), line.total_in_words, 34, ink, align="R")
        write(draw, (WIDTH - EDGE - 22, middle - 16), line.gap, 28, ink, align="R", face=REGULAR)
        top += tall


def _plate(draw: ImageDraw.ImageDraw, left: int, top: int, entry: Entry) -> None:
    """Draw the start number as on the doors of the car, with the driver's colour and pattern."""
    draw.rounded_rectangle((left, top, left + 100, top + 44), 7, fill=colours.PLATE, outline=colours.EARTH, width=3)
    draw.rectangle((left + 6, top + 6, left + 30, top + 38), fill=colours.DRIVERS[entry.colour])
    ink, shapes = colours.pattern(entry.colour, 24, 32, 12)
    for shape in shapes:
        draw.polygon([(left + 6 + x, top + 6 + y) for x, y in shape], fill=ink)
    draw.line((left + 33, top, left + 33, top + 44), fill=colours.EARTH, width=3)
    write(draw, (left + 66, top + 6), str(entry.start_number or "–"), 32, colours.PLATE_INK, align="C")
