"""Compares names that people write in different ways: one form for names that are equal, one for names that are nearly
equal, and the order of names in a list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

SHORTEST_NEAR = 5
"""Names with fewer letters are nearly equal only if they are equal without accents."""
_WRITTEN_ALIKE = str.maketrans({**dict.fromkeys("’ʼ‘`´", "'"), **dict.fromkeys("‐‒–—−", "-"), "ı": "i"})
_WITHOUT_MARKS = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h"})
_DOT_ABOVE = "\u0307"


def stored_form(name: str) -> str:
    """Return a name as it is stored: in Unicode's form NFC, with each letter and its marks as one character where
    possible. Lists from some systems have them as two.
    """
    return unicodedata.normalize("NFC", name)


def comparable_name(name: str) -> str:
    """Return the form in which names are compared. Case, blanks, width, the parts of a letter, the shape of apostrophes
    and dashes, and the Turkish letters İ and ı make no difference. Accents do.
    """
    folded = unicodedata.normalize("NFKC", name.translate(_WRITTEN_ALIKE)).casefold()
    # İ folds to an i with a dot above, as two characters. İ and ı are compared as i, because people who write them on
    # another keyboard, or in capitals, write I and i.
    folded = unicodedata.normalize("NFKC", folded).replace(f"i{_DOT_ABOVE}", "i").translate(_WRITTEN_ALIKE)
    return " ".join(folded.split())


def written_forms(name: str) -> tuple[str, ...]:
    """Return the comparable forms of a name: as it is written, and for "Surname, First name" in the usual order."""
    surname, comma, first = name.partition(",")
    forms = (comparable_name(name), comparable_name(f"{first} {surname}") if comma else "")
    return tuple(dict.fromkeys(form for form in forms if form))


def same_as(name: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is the name: the equal one, else the only one with the same comparable form, else None."""
    choices = list(choices)
    if name in choices:
        return name
    alike = [each for each in choices if comparable_name(each) == comparable_name(name)]
    return alike[0] if len(alike) == 1 else None


def all_differ(names: Sequence[str]) -> bool:
    """Return whether no two of the names are the same in comparable form."""
    return len({comparable_name(name) for name in names}) == len(names)


class NearNames:
    """Names among which a nearly equal one is searched: with other accents, in another order, or with one letter added,
    missing, replaced or exchanged. Names that differ in digits are different: “Driver 1” is not nearly “Driver 2”.

    A search takes the same time among few names and among thousands: each name is stored under all forms that lack one
    letter, and two names that differ in one letter have such a form in common.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._by_key: dict[str, str] = {}
        self._by_form: dict[tuple[str, str], str] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Search this name too."""
        key = _without_marks(name)
        self._by_key.setdefault(key, name)
        for form in _forms(key):
            self._by_form.setdefault(form, name)

    @property
    def names(self) -> list[str]:
        """The names that are searched; one of those that differ only in accents or order."""
        return list(self._by_key.values())

    def nearest(self, name: str) -> str:
        """Return the name that is nearly this one; "" when there is none."""
        key = _without_marks(name)
        if not key:
            return ""
        if key in self._by_key:
            return self._by_key[key]
        return next((self._by_form[form] for form in _forms(key) if form in self._by_form), "")


def alphabetical(name: str) -> tuple[str, str]:
    """Return the sort key of a name in lists that people read: accented letters are beside their plain ones. Of two
    names that differ in accents only, the plain one comes first.

    It is computed here, because the collations of a database depend on how it was built, and lists of people are short.
    """
    return _without_accents(name), name.casefold()


def _without_accents(name: str) -> str:
    plain = unicodedata.normalize("NFD", comparable_name(name)).translate(_WITHOUT_MARKS)
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _without_marks(name: str) -> str:
    """Return the words of a name without accents, in alphabetical order."""
    return " ".join(sorted(re.findall(r"\w+", _without_accents(name))))


def _forms(key: str) -> list[tuple[str, str]]:
    """Return the key itself and the key without each of its letters, each beside the digits of the key."""
    digits = re.sub(r"\D", "", key)
    if len(key) < SHORTEST_NEAR:
        return []
    return [(digits, key), *((digits, key[:at] + key[at + 1 :]) for at in range(len(key)))]
