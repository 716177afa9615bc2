"""Everybody can tell the ten drivers of a table apart: by colour where that is enough, and always by pattern."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from django.conf import settings

from championship.papers import colours
from championship.rallies.models import COLOURS
from championship.runs.pages.gap_chart import MARKERS

BASE = Path(settings.BASE_DIR)
SEES_ALL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SIGHTS = {
    "all colours": SEES_ALL,
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
"""What becomes of linear red, green and blue in each kind of sight (Machado, Oliveira and Fernandes, 2009)."""
FAR_APART = 25.0
"""A distance in CIELAB at which nobody confuses two plates."""
NEVER_NEARER = 12.0
"""The least distance in CIELAB of two plates, even with different patterns."""


def lab(colour: str, sight: str) -> tuple[float, float, float]:
    """A colour in CIELAB as somebody with that sight sees it."""
    channels = [value / 255 for value in colours.rgb(colour)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    seen = [sum(part * each for part, each in zip(row, linear, strict=True)) for row in SIGHTS[sight]]
    red, green, blue = (min(1.0, max(0.0, each)) for each in seen)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one: str, other: str, sight: str) -> float:
    return sum((a - b) ** 2 for a, b in zip(lab(one, sight), lab(other, sight), strict=True)) ** 0.5


def shapes_of(colour: int) -> frozenset[tuple[tuple[float, float], ...]]:
    _ink, shapes = colours.pattern(colour, 24, 32, 10)
    return frozenset(tuple((round(x, 1), round(y, 1)) for x, y in shape) for shape in shapes)


@pytest.mark.parametrize("sight", SIGHTS)
def test_every_two_drivers_differ_in_colour_or_in_pattern(sight):
    assert len(colours.DRIVERS) == len(colours.PATTERNS) == COLOURS >= 10
    for one, other in combinations(range(COLOURS), 2):
        apart = distance(colours.DRIVERS[one], colours.DRIVERS[other], sight)
        assert apart > NEVER_NEARER, (one, other)
        assert apart > FAR_APART or shapes_of(one) != shapes_of(other), (one, other)


def test_no_two_patterns_are_the_same_on_paper_on_pages_on_maps_and_in_charts():
    assert len({shapes_of(colour) for colour in range(COLOURS)}) == COLOURS
    tokens = (BASE / "static" / "css" / "tokens.css").read_text()
    marks = dict(re.findall(r'\[data-colour="(\d)"\] \{ --driver-mark: (.*?); \}', tokens))
    assert len(set(marks.values())) == COLOURS - 1, "the first is plain"
    assert set(marks) == {str(colour) for colour in range(1, COLOURS)}
    replay = (BASE / "static" / "css" / "replay.css").read_text()
    dashes = re.findall(r'data-colour="\d"\] \.stroke \{ (.*?) \}', replay)
    assert len(set(dashes)) == COLOURS - 1
    assert len(set(MARKERS)) == COLOURS


def test_a_pattern_covers_part_of_its_box_and_never_leaves_it():
    for colour in range(COLOURS):
        for width, height, step in ((24, 32, 10), (2.4, 3.8, 1.5)):
            _ink, shapes = colours.pattern(colour, width, height, step)
            assert bool(shapes) == (colour > 0)
            assert all(-0.001 <= x <= width + 0.001 for shape in shapes for x, _y in shape)
            assert all(-0.001 <= y <= height + 0.001 for shape in shapes for _x, y in shape)


def test_ink_is_seen_on_its_colour_by_everybody():
    for sight in SIGHTS:
        for colour in range(1, COLOURS):
            assert distance(colours.DRIVERS[colour], colours.PATTERNS[colour][1], sight) > FAR_APART, (colour, sight)
