"""Bytes as text: UTF-8, UTF-16, or the letters of an old Windows: western or central Europe, Cyrillic, Greek.

These Windows tables have a letter for nearly every byte, so the words decide: a name is in one language, and the
letters of one language stand in one table. A web page may say which table it has.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from itertools import pairwise

from django.utils.translation import gettext as _

from championship.lists.found import Note

WESTERN, CENTRAL, CYRILLIC, GREEK = "cp1252", "cp1250", "cp1251", "cp1253"
OTHER_LETTERS = (CYRILLIC, GREEK)
"""Tables of languages whose words have no Latin letter."""
LANGUAGES = {
    WESTERN: (
        "äöüßéèà",  # German, and the names of its neighbours
        "àâçéèêëîïôùûüÿœæ",
        "áéíóúñü",
        "àèéìíòóùú",
        "áâãàçéêíóôõú",
        "éëèïöüáóíê",
        "åäöé",
        "æøåéöä",
        "áðéíóúýþæö",
        "çğıöşü",
    ),
    CENTRAL: (
        "ąćęłńóśźż",
        "áčďéěíňóřšťúůýž",
        "áäčďéíĺľňóôŕšťúýž",
        "áéíóöőúüű",
        "čćđšž",
        "ăâîșşțţ",
    ),
    CYRILLIC: (
        "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
        "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        "абвгдђежзијклљмнњопрстћуфхцчџш",
    ),
    GREEK: ("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋ",),
}
SAID = re.compile(rb"<meta[^<>]{1,200}?charset\s*=\s*[\"']?([a-z0-9_-]{2,20})", re.IGNORECASE)
"""What a web page says of its letters."""
CENTRAL_WORDS = re.compile(
    r"\b(?:kierowca|zawodnik|punkty|miejsce|klasa|numer|nazwisko|pilot|razem|suma|czas|rajd|zesp|za.oga|"
    r"jezdec|jm.no|p..jmen|body|po.ad|t..da|spolujezdec|celkem|rzut|hely|n.v|pont|versenyz|vozniki?|bodovi)",
    re.IGNORECASE,
)
"""Words of headings in Polish, Czech, Hungarian and Croatian; a dot stands for a letter that may be read wrongly."""
MIXED_UP = re.compile(
    "[ÃÄÅÂ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]"
)
"""What UTF-8 becomes when somebody has read it as Windows-1252 before."""


def decode(content: bytes) -> tuple[str, tuple[Note, ...]]:
    """Return the text of these bytes, and a note when a choice was made."""
    text, note = _decoded(content)
    mended = _mended(text)
    if mended is not None:
        says = _("Letters such as ë were damaged by an earlier program. They are mended; check the names.")
        return mended, (*note, Note((), "", says, "told", "mended letters"))
    return text, note


def _decoded(content: bytes) -> tuple[str, tuple[Note, ...]]:
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace"), ()
    sample = content[:4000]
    if len(sample) >= 4 and sample.count(0) > len(sample) // 5:
        later = sample[1::2].count(0) >= sample[::2].count(0)
        return content.decode("utf-16-le" if later else "utf-16-be", "replace"), ()
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        pass
    said = _said(content)
    if said:
        return content.decode(said, "replace"), ()
    name = _windows(content)
    table = {
        WESTERN: _("western Europe (Windows-1252)"),
        CENTRAL: _("central Europe (Windows-1250)"),
        CYRILLIC: _("Cyrillic (Windows-1251)"),
        GREEK: _("Greek (Windows-1253)"),
    }[name]
    says = _("The file has the letters of an old Windows. They were read as those of %(table)s; check the names.")
    return _of_windows(content, name), (Note((), "", says % {"table": table}, "told", "encoding"),)


def _said(content: bytes) -> str:
    """Return the table that a web page says it has; "" when it says none, or one that is not known."""
    found = SAID.search(content[:4000])
    try:
        name = codecs.lookup(found.group(1).decode("ascii")).name if found else ""
    except LookupError:
        return ""
    return name if name.startswith(("cp125", "iso8859", "koi8")) else ""


def _of_windows(content: bytes, name: str) -> str:
    return content.decode(name, "replace")


def _windows(content: bytes) -> str:
    """Return the Windows table in which the words with special letters belong to one language."""
    words = set(re.findall(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*", content[:200_000]))
    marks = {name: _mark(name, [_of_windows(word, name) for word in words]) for name in LANGUAGES}
    other = max(OTHER_LETTERS, key=lambda name: marks[name])
    if marks[other] > max(0, marks[WESTERN], marks[CENTRAL]):
        return other
    if marks[WESTERN] == marks[CENTRAL] and CENTRAL_WORDS.search(_of_windows(content[:2000], WESTERN)):
        return CENTRAL
    return CENTRAL if marks[CENTRAL] > marks[WESTERN] else WESTERN


def _mark(name: str, words: Iterable[str]) -> int:
    """Return how well the words suit the table: those in the alphabet of one language count for it, those with signs
    among their letters against it. Names of one list are mostly of one country, so the best language counts again.
    """
    total, by_language = 0, [0] * len(LANGUAGES[name])
    for word in words:
        special = {letter for letter in word.lower() if ord(letter) > 127}
        if word[0] in "ºª°şŞ" and len(word) == 1:  # 1º, 2ª
            continue
        if name in OTHER_LETTERS and (any(map(str.isascii, word)) or len(word) < 3):
            total -= 3 * any(map(str.isascii, word))
            continue
        if any(not letter.isalpha() and letter not in "’‘–“”„…€" for letter in special):
            total -= 3
            continue
        odd = any(low.isalpha() and high.isupper() and ord(high) > 127 for low, high in pairwise(word) if low.islower())
        fits = [special <= set(alphabet) for alphabet in LANGUAGES[name]]
        total += (2 if any(fits) else -1) - (2 if odd else 0)
        for at, each in enumerate(fits):
            by_language[at] += each
    return 2 * total + max(by_language, default=0)


def _mended(text: str) -> str | None:
    """Return the text as it was before UTF-8 was read as Windows-1252, None when that has not happened."""
    if len(MIXED_UP.findall(text[:200_000])) < 1:
        return None
    try:
        return text.encode(WESTERN).decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return None
