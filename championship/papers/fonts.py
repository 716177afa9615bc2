"""The fonts of papers and pictures, and the preparation of text for them.

People's names may be in any script. A character that no font has is drawn as a box.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fontTools.ttLib import TTFont
from fpdf.bidi import BidiParagraph
from fpdf.enums import TextDirection

FOLDER = Path(__file__).parent / "fonts"
REGULAR = FOLDER / "RobotoCondensed-Regular.ttf"
BOLD = FOLDER / "RobotoCondensed-Bold.ttf"
FALLBACK = FOLDER / "DejaVuSansCondensed.ttf"
"""For characters that the others lack, for example Hebrew, Arabic, symbols and emoji."""

UNKNOWN = "□"
RIGHT_TO_LEFT = {"R", "AL", "AN"}


@cache
def letters_in(font: Path) -> frozenset[int]:
    """The code points for which the font has a glyph. Cached per font."""
    with TTFont(font, lazy=True) as opened:
        return frozenset(opened.getBestCmap())


def needs_fallback(letter: str) -> bool:
    """Whether the regular and the bold font lack the character; both have the same characters."""
    return ord(letter) not in letters_in(REGULAR)


def legible(text: str) -> str:
    """A line of text, ready to draw from left to right.

    Characters are in visual order. Invisible ones (controls, joiners, direction marks) are removed, and a character
    that no font has becomes a box.
    """
    if text.isascii() and text.isprintable():
        return text
    text = unicodedata.normalize("NFC", text)
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cf", "Cs"))
    if any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in text):
        text = BidiParagraph(text, TextDirection.LTR).get_reordered_string()
    if not any(map(needs_fallback, text)):
        return text
    known = letters_in(REGULAR) | letters_in(FALLBACK)
    return "".join(letter if ord(letter) in known else UNKNOWN for letter in text)


def runs(text: str) -> list[tuple[bool, str]]:
    """Split legible text into pieces of one font each: whether the piece needs the fallback font, and the piece."""
    if text.isascii():
        return [(False, text)]
    found: list[tuple[bool, str]] = []
    for letter in text:
        other = needs_fallback(letter)
        if found and found[-1][0] == other:
            found[-1] = (other, found[-1][1] + letter)
        else:
            found.append((other, letter))
    return found


def wrap(text: str, width: float, most: int, wide: Callable[[str], float]) -> list[str]:
    """Break the text into at most `most` legible lines, none wider than `width`; `wide` measures legible text.

    Lines break between words, and within words that are longer than a line. Text that does not fit ends in an ellipsis.
    """

    def fits(line: str) -> bool:
        return wide(legible(line)) <= width

    if fits(text):
        return [legible(text)]
    lines, rest = [], ""
    for word in text.split():
        longer = f"{rest} {word}".strip()
        if fits(longer):
            rest = longer
            continue
        if rest:
            lines.append(rest)
        rest = word
        while not fits(rest) and len(rest) > 1 and len(lines) <= most:
            head = _head(rest, fits)
            lines.append(head)
            rest = rest[len(head) :]
        if len(lines) > most:
            break
    if rest:
        lines.append(rest)
    if len(lines) > most:
        kept = " ".join(lines[most - 1 :])
        lines = [*lines[: most - 1], _head(kept, lambda line: fits(line + "…")).rstrip() + "…"]
    return [legible(line) for line in lines] or [""]


def _head(text: str, fits: Callable[[str], bool]) -> str:
    """The longest beginning of the text that fits; at least one character."""
    least, most = 1, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(text[:middle]) else (least, middle - 1)
    return text[:least]
