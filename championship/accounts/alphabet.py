"""The order of names: as in a list that people make, with accented letters beside their plain ones.

    sorted(names, key=alphabetical)     Agnes, Ágnes, Łukasz, Ömer, Zofia, Žofie

The key is computed in Python, because the collations of a database depend on how it was built, and lists of people are
short.
"""

from __future__ import annotations

from unicodedata import combining, normalize

_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ı": "i", "ħ": "h", "Ħ": "H"}
    | {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "TH", "ð": "d", "Ð": "D"}
)
"""Letters with a sign that Unicode does not take apart."""


def folded(name: str) -> str:
    """Return a name in small letters without accents: "Łukasz Ömer" is "lukasz omer"."""
    plain = normalize("NFKD", name.translate(_LETTERS))
    return "".join(letter for letter in plain if not combining(letter)).casefold()


def alphabetical(name: str) -> tuple[str, str]:
    """Return the sort key of a name. Of two that differ in accents only, the plain one comes first."""
    return folded(name), name.casefold()
