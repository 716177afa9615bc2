"""Who is who: which known person a name of a list means. Pure: no queries, nothing is written.

A name means a person surely by the same mail address, by what the club has said before, or by the same name: whatever
the case, the accents, the letters that keyboards lack, and the order of its words. Of names that are only near,
candidates are returned, best first, and somebody is asked.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from championship.accounts.name_comparison import comparable_name
from championship.lists.found import FoundPerson

NEAR = 80
"""The least likeness, of 100, of a name that is offered as the one meant."""
VERY_NEAR = 87
"""From this likeness on the best candidate is chosen beforehand, if the next one is clearly less like."""
CLEARLY = 5
MOST_OFFERED = 3
_LETTERS = str.maketrans(
    {"ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h", "ı": "i", "ß": "ss"}
)
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
"""How German and Nordic letters are written on keyboards that lack them."""

Why = str
MAIL, SAID, SAME, FOLDED, INITIALS, NEARLY, NOBODY = (
    *("mail", "said", "same", "folded", "initials", "nearly", "nobody"),
)
"""By what a name was found: the mail address, an earlier answer, the same name, the name without accents or in another
order, initials; or it is only near a name, or near none.
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A person whom a list may mean. `member`: of the club; otherwise a name without an account. `said`: names of
    earlier lists by which the club has said this person is meant.
    """

    pk: int
    name: str
    mail: str = ""
    member: bool = True
    driver: bool = True
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A name of a list and whom it means. `key` is the same for all lines that mean the same person by it. `sure`: the
    person, None when somebody must be asked; then `near` are the candidates, best first, and `likely` is the one to
    offer first, if any.
    """

    key: str
    name: str
    mail: str
    lines: tuple[int, ...]
    why: Why
    sure: int | None = None
    near: tuple[int, ...] = ()
    likely: int | None = None


def key_of(person: FoundPerson) -> str:
    """Return a short key of a name with its mail address, fit for a form."""
    told = f"{comparable_name(person.name)}|{person.mail.casefold()}"
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def folded(name: str) -> str:
    """Return a name in small letters without accents, with one blank between its words. ł is l, ß is ss, ø is o."""
    return _plain(comparable_name(name).translate(_LETTERS))


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", bare.translate(_LETTERS)))


def _spellings(name: str) -> tuple[str, ...]:
    """Return the folded spellings of a name: Müller is muller and mueller."""
    written_out = _plain(comparable_name(name).translate(_WRITTEN_OUT).translate(_LETTERS))
    return tuple(dict.fromkeys((folded(name), written_out)))


def _any_order(spelling: str) -> str:
    return " ".join(sorted(spelling.split()))


def _initials(spelling: str) -> set[tuple[str, str]]:
    """Return the surname with the first letter of the first name, taking either end for the surname."""
    words = spelling.split()
    if len(words) < 2:
        return set()
    return {(words[-1], words[0][0]), (words[0], words[-1][0])}


def _abbreviated(spelling: str) -> tuple[str, str] | None:
    """Return the surname and the initial of "a muller" or "muller a"; None for a name without an initial."""
    words = spelling.split()
    short, long = [word for word in words if len(word) == 1], [word for word in words if len(word) > 1]
    return (" ".join(long).split()[-1], short[0]) if short and long else None


def _digits(name: str) -> str:
    return re.sub(r"\D", "", name)


class People:
    """The people whom lists of a club may mean."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.known: Mapping[int, Known] = {each.pk: each for each in known}
        self._steps: Sequence[tuple[Why, Callable[[str], Iterable[str]], Mapping[str, list[int]]]] = [
            (why, forms, self._by(forms, said=why == SAID))
            for why, forms in (
                (SAID, lambda name: (comparable_name(name),)),
                (SAME, lambda name: (comparable_name(name),)),
                (FOLDED, _spellings),
                (FOLDED, lambda name: tuple(_any_order(each) for each in _spellings(name))),
            )
        ]
        self._mails = {each.mail.casefold(): each.pk for each in self.known.values() if each.mail}
        self._initials: dict[tuple[str, str], set[int]] = defaultdict(set)
        for each in self.known.values():
            for spelling in _spellings(each.name):
                for short in _initials(spelling):
                    self._initials[short].add(each.pk)

    def _by(self, forms: Callable[[str], Iterable[str]], *, said: bool) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for each in self.known.values():
            for name in each.said if said else (each.name,):
                for form in forms(name):
                    if form and each.pk not in found[form]:
                        found[form].append(each.pk)
        return found

    @cached_property
    def _spelt(self) -> list[tuple[str, int]]:
        return [(spelling, each.pk) for each in self.known.values() for spelling in _spellings(each.name) if spelling]

    def matches(self, persons: Iterable[FoundPerson]) -> list[Match]:
        """Return whom each name means, in the order in which names first appear."""
        grouped: dict[str, list[FoundPerson]] = {}
        for person in persons:
            grouped.setdefault(key_of(person), []).append(person)
        return [self._match(key, same) for key, same in grouped.items()]

    def _match(self, key: str, same: Sequence[FoundPerson]) -> Match:
        first, lines = same[0], tuple(dict.fromkeys(each.line for each in same))
        here = Match(key, first.name, first.mail, lines, NOBODY)
        by_mail = self._mails.get(first.mail.casefold()) if first.mail else None
        if by_mail is not None:
            return _with(here, MAIL, sure=by_mail)
        written = [name for name in (first.name, *first.also) if name]
        for why, forms, by_form in self._steps:
            found = list(dict.fromkeys(pk for name in written for form in forms(name) for pk in by_form.get(form, ())))
            if len(found) == 1 and (why in (SAID, SAME) or not self._has_another_mail(first, found[0])):
                return _with(here, why, sure=found[0])
            if found:
                return _with(here, why, near=found, likely=found[0] if len(found) == 1 else None)
        shortened = self._by_initials(written)
        if len(shortened) == 1 and not self._has_another_mail(first, shortened[0]):
            return _with(here, INITIALS, sure=shortened[0])
        return self._nearly(here, written, shortened)

    def _has_another_mail(self, person: FoundPerson, pk: int) -> bool:
        """Whether the list gives an address, and it is not that of the person."""
        return bool(person.mail and self.known[pk].mail)

    def _by_initials(self, written: Sequence[str]) -> list[int]:
        found: dict[int, None] = {}
        for name in written:
            for spelling in _spellings(name):
                short = _abbreviated(spelling)
                found |= dict.fromkeys(sorted(self._initials.get(short, ())) if short else ())
        return list(found)

    def _nearly(self, here: Match, written: Sequence[str], shortened: Sequence[int]) -> Match:
        """Return the candidates that are near: by initials, by one of two words, by likeness."""
        from rapidfuzz import fuzz, process  # here: most processes never need it

        scores: dict[int, float] = dict.fromkeys(shortened, 90.0)
        spelt = [spelling for spelling, _pk in self._spelt]
        for name in written:
            for spelling in _spellings(name):
                for _text, score, at in process.extract(
                    spelling, spelt, scorer=fuzz.token_sort_ratio, limit=2 * MOST_OFFERED, score_cutoff=NEAR
                ):
                    pk = self._spelt[at][1]
                    if _digits(self.known[pk].name) == _digits(name):
                        scores[pk] = max(scores.get(pk, 0), score)
                words = spelling.split()
                if len(words) == 1 and len(spelling) > 2:  # a surname alone, or a first name
                    for text, pk in self._spelt:
                        if spelling in text.split():
                            scores[pk] = max(scores.get(pk, 0), 88.0)
        best = sorted(scores, key=lambda pk: (-scores[pk], not self.known[pk].member, pk))[:MOST_OFFERED]
        if not best:
            return here
        clear = scores[best[0]] >= VERY_NEAR and (len(best) == 1 or scores[best[0]] - scores[best[1]] >= CLEARLY)
        return _with(here, NEARLY, near=best, likely=best[0] if clear else None)


def _with(
    here: Match, why: Why, *, sure: int | None = None, near: Sequence[int] = (), likely: int | None = None
) -> Match:
    return Match(here.key, here.name, here.mail, here.lines, why, sure, tuple(near), likely)
