"""Checks names that people type: one line of text without hidden characters. Compares how two names look."""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

REFUSED = {"Cc", "Cs", "Cn", "Co", "Zl", "Zp"}
JOINERS = "\u200c\u200d"
"""They join letters of some scripts, and emoji. Between other characters they are invisible."""
JOINED = {"Lo", "Mn", "Mc", "So", "Sk"}
BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters, marks and patterns that are invisible."""
MOST_MARKS = 3
"""Marks on one letter."""

_ALIKE = {
    "Cyrillic": ("авсԁеһіјкмнопрѕтух", "abcdehijkmhonpstyx"),
    "Greek": ("αβεζηικμνορτυχγ", "abezhikmvoptuxy"),
    "other": ("ıɑɡ01|", "iagoll"),
}
_CONFUSED = {
    ord(shown): latin for letters, latins in _ALIKE.values() for shown, latin in zip(letters, latins, strict=True)
}


def one_line(value: str) -> None:
    """Refuse text that is more than a line, or that can look like another text.

    Raises: ValidationError when the text has line breaks, control or unassigned characters, characters that are
    invisible or turn the direction of what follows, or more than MOST_MARKS marks on one letter.
    """
    if any(unicodedata.category(letter) in REFUSED for letter in value):
        raise ValidationError(_("Use one line of ordinary characters, without control characters."), code="one_line")
    if any(_is_hidden(value, place) for place in range(len(value))):
        message = _("This contains a character that is invisible or that reverses the text. Type it again by hand.")
        raise ValidationError(message, code="hidden")
    if _piles_marks(value):
        raise ValidationError(_("There are too many marks on one letter."), code="marks")


def without_hidden(value: str) -> str:
    """The text without the hidden characters and the marks that `one_line` refuses."""
    seen = "".join(letter for place, letter in enumerate(value) if not _is_hidden(value, place))
    while _piles_marks(seen):
        seen = "".join(letter for letter in seen if unicodedata.category(letter) not in ("Mn", "Me"))
    return seen


def looks_like(name: str) -> str:
    """A form of the name that is equal for two names that look the same to a reader. Case, width, blanks, invisible
    characters, and letters of other scripts that look like Latin ones make no difference; accents do.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    folded = folded.replace("i\u0307", "i")  # the Turkish İ folds to these two
    latin = folded.translate(_CONFUSED).translate({ord("i"): "l"})
    kept = (letter for letter in latin if unicodedata.category(letter)[0] not in "CZ" and letter not in BLANKS)
    return unicodedata.normalize("NFC", "".join(kept))


def _is_hidden(value: str, place: int) -> bool:
    letter = value[place]
    if letter in BLANKS:
        return True
    if unicodedata.category(letter) != "Cf":
        return False
    beside = (value[place - 1 : place], value[place + 1 : place + 2])
    return letter not in JOINERS or any(not one or unicodedata.category(one) not in JOINED for one in beside)


def _piles_marks(value: str) -> bool:
    marks = 0
    for place, letter in enumerate(unicodedata.normalize("NFC", value)):
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks > MOST_MARKS or (marks and place == 0):
            return True
    return False


def shortened(text: str, most: int) -> str:
    """The text in at most `most` characters. An ellipsis replaces what is left out."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
