"""Every pair of colours for text or controls has enough contrast, in the light and the dark theme (WCAG 2.2 AA)."""

import re
from pathlib import Path

import pytest

TOKENS = (Path(__file__).parents[2] / "static" / "css" / "tokens.css").read_text()
TEXT, CONTROL = 4.5, 3.0  # the least contrast ratio

GROUNDS = ("paper", "sheet", "sunk", "row-leader", "row-me")
PAIRS = [
    *((ink, ground, TEXT) for ink in ("ink", "ink-soft", "link") for ground in GROUNDS),
    *((ink, ground, TEXT) for ink in ("ink", "link") for ground in ("bad-ground", "good-ground")),
    *(("gravel", ground, TEXT) for ground in ("paper", "sheet")),
    *(("bad", ground, TEXT) for ground in ("paper", "sheet", "bad-ground")),
    *(("earth-ink", ground, TEXT) for ground in ("earth", "earth-2")),
    *(("earth-soft", ground, TEXT) for ground in ("earth", "earth-2")),
    *((ink, ground, TEXT) for ink in ("earth-ink", "yellow") for ground in ("forest", "forest-2")),
    *(("go-ink", ground, TEXT) for ground in ("go", "go-hover")),
    ("good", "good-ground", TEXT),
    ("yellow", "earth", TEXT),
    ("plate-ink", "plate", TEXT),
    ("sheet", "moss", TEXT),
    *((mark, ground, CONTROL) for mark in ("focus", "line-strong") for ground in ("paper", "sheet")),
]


def colours(block: str) -> dict[str, str]:
    """Return the custom properties of a block that are plain colours: name to six hex digits."""
    return dict(re.findall(r"--([\w-]+):\s*#([0-9a-f]{6})\b", block))


def luminance(colour: str) -> float:
    """Return the relative luminance of six hex digits, as WCAG defines it."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


DAY_BLOCK, NIGHT_BLOCK = TOKENS.split("/* Drivers")[0].split("@media (prefers-color-scheme: dark)")
DAY = colours(DAY_BLOCK)
PALETTES = {"day": DAY, "night": DAY | colours(NIGHT_BLOCK)}


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize(("ink", "ground", "least"), PAIRS)
def test_what_is_written_can_be_read(palette: str, ink: str, ground: str, least: float) -> None:
    found = PALETTES[palette]

    assert contrast(found[ink], found[ground]) >= least


def test_ten_drivers_and_each_can_be_written_on() -> None:
    inks = re.findall(r"--driver: var\(--(driver-\d)\); --driver-ink: #(\w+)", TOKENS)

    assert len(inks) == 10
    assert all(contrast(DAY[driver], ink * (6 // len(ink))) >= TEXT for driver, ink in inks)


def test_each_driver_but_the_plain_one_has_a_pattern_too() -> None:
    patterns = re.findall(r'\[data-colour="\d"\] \{ --driver-mark: (.+); \}', TOKENS)

    assert len(patterns) == len(set(patterns)) == 9
