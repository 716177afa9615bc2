"""The nouns of a game, in each language with the forms that phrases need, and the phrases that are filled with them.

A phrase is a text with square brackets, translated like any other. `event`, `stage`, `crew` and `course` stand for the
noun:

    [stage]  [stages]           singular and plural
    [Stage]                     the same with a capital
    [stage gen]  [stages dat]   a case: a name of `Forms.cases`
    [stage: ten/ta/to]          the word that agrees with the noun: one for each place of `Forms.agrees`

So "This [stage] is closed." is "[stage: Ten/Ta/To] [stage] jest [stage: zamknięty/zamknięta/zamknięte]." in Polish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.functional import lazy
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext

GAP = re.compile(r"\[(event|stage|crew|course)(s?)(?: (\w+)|: ?([^\]]+))?\]", re.IGNORECASE)
SOURCE = "en"


@dataclass(frozen=True, slots=True)
class Forms:
    """A noun in one language. `agrees` is the place of its word in lists such as ten/ta/to. `cases` are the forms by
    "gen", "dat", "acc", "ins" and "loc"; those of the plural by "many gen" and so on. A missing case is `one` or
    `many`.
    """

    one: str
    many: str
    agrees: int = 0
    cases: Mapping[str, str] = field(default_factory=dict)

    def form(self, case: str, *, many: bool) -> str:
        """Return the noun in a case, "" for the nominative."""
        return self.cases.get(f"many {case}" if many else case) or (self.many if many else self.one)


def english(one: str, many: str, *, an: bool = False) -> Forms:
    """Return the English forms. `an`: the noun follows "an", not "a"."""
    return Forms(one, many, int(an))


def german(gender: str, one: str, many: str, *, gen: str = "", many_dat: str = "", weak: str = "") -> Forms:
    """Return the German forms. `gender`: "m", "f" or "n". `gen`: the genitive ("Laufs"); `many_dat`:
    the dative plural ("Läufen"); `weak`: dative and accusative where they differ ("Piloten"). What is left out is as
    the nominative.
    """
    return Forms(one, many, "mfn".index(gender), {"gen": gen or weak, "dat": weak, "acc": weak, "many dat": many_dat})


def polish(gender: str, one: str, gen: str, acc: str, loc: str, many: str, many_gen: str) -> Forms:
    """Return the Polish forms. `gender`: "m", "f", "n", or "p" for a noun that has a plural only ("zawody"), for
    ten/ta/to/te. `one` to `loc` are the nominative, genitive, accusative and locative: "bieg", "biegu", "bieg",
    "biegu". `many` and `many_gen` are those of the plural: "biegi", "biegów". A noun that has a plural only gives its
    plural forms twice.
    """
    return Forms(one, many, "mfnp".index(gender), {"gen": gen, "acc": acc, "loc": loc, "many gen": many_gen})


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun by language. A language that is left out has the English word."""

    en: Forms
    de: Forms | None = None
    pl: Forms | None = None

    def forms(self, language: str) -> Forms:
        """Return the forms in a language."""
        return {"de": self.de, "pl": self.pl}.get(language) or self.en


COURSE = Noun(
    english("course", "courses"),
    german("f", "Strecke", "Strecken"),
    polish("f", "trasa", "trasy", "trasę", "trasie", "trasy", "tras"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nouns:
    """What a game calls an event of a club, one of its stages, and those who drive in it, as the heading over their
    names. `course` is what is driven, as it lies in the library.
    """

    event: Noun
    stage: Noun
    crew: Noun
    course: Noun = COURSE

    def fill(self, phrase: str) -> str:
        """Return a phrase of the active language with these nouns in its gaps."""
        language = (get_language() or SOURCE).partition("-")[0]

        def put(gap: re.Match[str]) -> str:
            name, several, case, agreeing = gap.groups()
            noun: Noun = getattr(self, name.lower())
            forms = noun.forms(language)
            if agreeing:
                words = agreeing.split("/")
                return words[min(forms.agrees, len(words) - 1)]
            said = forms.form(case or "", many=bool(several))
            return capfirst(said) if name[0].isupper() else said

        return GAP.sub(put, phrase)

    def phrase(self, english_text: str) -> str:
        """Return a phrase, translated and filled whenever it is shown. `english_text` is marked for translation where
        it stands.
        """
        return _phrase(english_text, self)


def _in_words(english_text: str, nouns: Nouns) -> str:
    return nouns.fill(gettext(english_text))


_phrase = lazy(_in_words, str)

STAGE = Noun(
    english("stage", "stages"),
    german("f", "Prüfung", "Prüfungen"),
    polish("m", "odcinek", "odcinka", "odcinek", "odcinku", "odcinki", "odcinków"),
)
RALLY = Nouns(
    event=Noun(
        english("rally", "rallies"),
        german("f", "Rallye", "Rallyes"),
        polish("m", "rajd", "rajdu", "rajd", "rajdzie", "rajdy", "rajdów"),
    ),
    stage=STAGE,
    crew=Noun(
        english("crew", "crews"),
        german("n", "Team", "Teams", gen="Teams"),
        polish("f", "załoga", "załogi", "załogę", "załodze", "załogi", "załóg"),
    ),
    course=STAGE,
)
"""The nouns of a game that gives none."""
