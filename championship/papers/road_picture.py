"""The picture of the road around a car, for mails: PNG, twice as many pixels as it has units on a screen. The same road
gives the same picture.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, sin

from PIL import Image, ImageDraw, ImageFont

from championship.papers import colours
from championship.papers.fonts import BOLD, legible

WIDTH, HEIGHT = 560, 280
"""The size on a screen."""
FINE = 2
"""Pixels for each unit of the screen. It is drawn twice as large again, so that edges are smooth."""
INKS = 48
"""The most colours: a picture of few colours is a small file."""
MOST_BYTES = 60_000
"""A larger picture is drawn with half as many pixels."""
SIZE = 17.0
"""The radius of a car, in units of the screen."""

Box = tuple[float, float, float, float]
Outline = Sequence[tuple[float, float]]
Shape = tuple[Outline, str, str]
"""An outline with its fill and its border; a border "" is none."""
Label = tuple[float, float, str]
"""The middle of a short text on the map, and the text."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A car: its position on the map and its heading (radians, None for none), the colour and the number of its plate,
    and whether it is the reader's.
    """

    x: float
    y: float
    heading: float | None
    colour: int
    number: str
    mine: bool


def road_png(
    box: Box, ground: str, shapes: Iterable[Shape], marks: Iterable[Mark], labels: Iterable[Label] = ()
) -> bytes:
    """Return the picture of this part of the map: left, top, width and height of `box`, in the units of the map. The
    reader's car is drawn last.
    """
    whole = _drawn(box, ground, shapes, sorted(marks, key=lambda mark: mark.mine), labels)
    picture = _png(whole, FINE)
    return picture if len(picture) <= MOST_BYTES else _png(whole, 1)


def _drawn(
    box: Box, ground: str, shapes: Iterable[Shape], marks: Iterable[Mark], labels: Iterable[Label]
) -> Image.Image:
    left, top, width, _height = box
    scale = WIDTH * FINE * 2 / width
    picture = Image.new("RGB", (WIDTH * FINE * 2, HEIGHT * FINE * 2), ground)
    draw = ImageDraw.Draw(picture)
    for outline, fill, border in shapes:
        points = [((x - left) * scale, (y - top) * scale) for x, y in outline]
        draw.polygon(points, fill=fill, outline=border or None, width=2 * FINE)
    small = ImageFont.truetype(str(BOLD), 11 * FINE * 2)
    for x, y, text in labels:
        place = ((x - left) * scale, (y - top) * scale)
        draw.text(place, legible(text), font=small, fill=colours.PLATE_INK, anchor="mm")
    for mark in marks:
        _car(draw, mark, (mark.x - left) * scale, (mark.y - top) * scale)
    return picture


def _car(draw: ImageDraw.ImageDraw, mark: Mark, x: float, y: float) -> None:
    """Draw the plate of a car in a ring of its colour, with a nose in the direction in which it drives."""
    size = SIZE * FINE * 2
    if mark.heading is not None:
        ahead, beside = (cos(mark.heading), sin(mark.heading)), (-sin(mark.heading), cos(mark.heading))
        tip = (x + ahead[0] * size * 1.75, y + ahead[1] * size * 1.75)
        feet = [(x + ahead[0] * size * 0.7 + side * beside[0] * size * 0.7,
                 y + ahead[1] * size * 0.7 + side * beside[1] * size * 0.7) for side in (-1, 1)]  # fmt: skip
        draw.polygon([tip, *feet], fill=colours.YELLOW if mark.mine else colours.EARTH, outline=colours.EARTH, width=4)
    rings = [(1.3, colours.EARTH), (1.22, colours.YELLOW)] if mark.mine else []
    for share, fill in [*rings, (1.0, colours.EARTH), (0.93, colours.DRIVERS[mark.colour]), (0.66, colours.PLATE)]:
        draw.ellipse((x - size * share, y - size * share, x + size * share, y + size * share), fill=fill)
    font = ImageFont.truetype(str(BOLD), round(size * (0.95 if len(mark.number) < 3 else 0.66)))
    draw.text((x, y), legible(mark.number), font=font, fill=colours.PLATE_INK, anchor="mm")


def _png(picture: Image.Image, fine: int) -> bytes:
    smaller = picture.resize((WIDTH * fine, HEIGHT * fine), Image.Resampling.LANCZOS)
    written = io.BytesIO()
    smaller.quantize(INKS, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()
