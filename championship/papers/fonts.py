"""The fonts of papers and pictures, and the preparation of text for them.

People's names may be in any script. Two fonts are here; an operator may add others for more scripts (PAPER_FONTS). A
character that no font has is drawn as a box, and pages say which ones these are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from fontTools.ttLib import TTFont
from fpdf.bidi import BidiParagraph
from fpdf.enums import TextDirection

if TYPE_CHECKING:
    from arabic_reshaper import ArabicReshaper

FOLDER = Path(__file__).parent / "fonts"
REGULAR = FOLDER / "RobotoCondensed-Regular.ttf"
BOLD = FOLDER / "RobotoCondensed-Bold.ttf"
FALLBACK = FOLDER / "DejaVuSansCondensed.ttf"
"""For characters that the others lack, for example Hebrew, Arabic, symbols and emoji."""

UNKNOWN = "□"
RIGHT_TO_LEFT = {"R", "AL", "AN"}
ARABIC = re.compile("[\u0620-\u064a\u066e-\u06d5\u0750-\u077f]")


@cache
def letters_in(font: Path) -> frozenset[int]:
    """The code points for which the font has a glyph. Cached per font."""
    with TTFont(font, lazy=True) as opened:
        return frozenset(opened.getBestCmap())


@cache
def others() -> tuple[Path, ...]:
    """The fonts that are tried, in this order, for a character that the regular and the bold font lack; both have the
    same characters. The operator's come last.
    """
    own = sorted(Path(settings.PAPER_FONTS).glob("*.ttf")) if settings.PAPER_FONTS else []
    return (FALLBACK, *own)


@cache
def font_of(letter: str) -> int:
    """The font for a character: 0 for the regular and the bold one, n for the nth of `others`, -1 where none has it."""
    code = ord(letter)
    if code in letters_in(REGULAR):
        return 0
    return next((number for number, font in enumerate(others(), 1) if code in letters_in(font)), -1)


def legible(text: str) -> str:
    """A line of text, ready to draw from left to right.

    Characters are in visual order, and Arabic letters in the form that joins them to their neighbours. Invisible ones
    (controls, joiners, direction marks) are removed, and a character that no font has becomes a box.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _visible(_joined(text))
    if any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in text):
        text = BidiParagraph(text, TextDirection.LTR).get_reordered_string()
    return "".join(UNKNOWN if font_of(letter) < 0 else letter for letter in text)


@cache
def _joiner() -> ArabicReshaper:
    from arabic_reshaper import ArabicReshaper  # here: few names need it

    return ArabicReshaper({"delete_harakat": False})


def _joined(text: str) -> str:
    """The text with each Arabic letter in its initial, medial, final or isolated form; as it is where no font has such
    a form.
    """
    if not ARABIC.search(text):
        return text
    joined = str(_joiner().reshape(unicodedata.normalize("NFC", text)))
    return text if any(font_of(letter) < 0 for letter in _visible(joined)) else joined


def _visible(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    return "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cf", "Cs"))


def not_drawn(texts: Iterable[str]) -> list[str]:
    """Those of these texts in which papers and pictures draw a character as a box, each once, in their order."""
    others = dict.fromkeys(text for text in texts if not text.isascii())
    return [text for text in others if any(font_of(letter) < 0 for letter in _visible(text))]


def runs(text: str) -> list[tuple[int, str]]:
    """Split legible text into pieces of one font each: the font as `font_of` counts them, and the piece."""
    if text.isascii():
        return [(0, text)]
    found: list[tuple[int, str]] = []
    for letter in text:
        font = max(0, font_of(letter))
        if found and found[-1][0] == font:
            found[-1] = (font, found[-1][1] + letter)
        else:
            found.append((font, letter))
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
