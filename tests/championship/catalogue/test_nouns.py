"""The nouns of a game fill the phrases in each language, with the forms of its grammar."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.template import Context, Template
from django.utils.translation import override

from championship.catalogue import Noun, Nouns, Words
from championship.catalogue.nouns import GAP, RALLY, english, german, polish
from championship.catalogue.phrases import PACES, PHRASES

REGATTA = Nouns(
    event=Noun(
        english("outing", "outings", an=True),
        german("m", "Ausflug", "Ausflüge", gen="Ausflugs", many_dat="Ausflügen"),
        polish("p", "zawody", "zawodów", "zawody", "zawodach", "zawody", "zawodów"),
    ),
    stage=Noun(
        english("leg", "legs"),
        german("n", "Teilstück", "Teilstücke", gen="Teilstücks", many_dat="Teilstücken"),
        polish("f", "trasa", "trasy", "trasę", "trasie", "trasy", "tras"),
    ),
    crew=Noun(english("skipper", "skippers"), german("m", "Skipper", "Skipper", gen="Skippers")),
)


@pytest.mark.parametrize(
    ("language", "phrase", "said"),
    [
        ("en", "[event: A/An] [event] of [stages]", "An outing of legs"),
        ("en", "The [stage] is over. [Stages]", "The leg is over. Legs"),
        (
            "de",
            "[event: Dieser/Diese/Dieses] [event] und [event: des/der/des] [event gen]",
            "Dieser Ausflug und des Ausflugs",
        ),
        ("de", "mit [stages dat], [stage: das/die/das] [stage acc]", "mit Teilstücken, das Teilstück"),
        ("pl", "Koniec [stage gen] w [stage loc], [stage acc]", "Koniec trasy w trasie, trasę"),
        ("pl", "[event: Ten/Ta/To/Te] [event], najwyżej 3 [stages gen]", "Te zawody, najwyżej 3 tras"),
        ("pl", "[Crew]", "Skipper"),
    ],
)
def test_a_gap_takes_number_case_and_agreement(language: str, phrase: str, said: str) -> None:
    with override(language):
        assert REGATTA.fill(phrase) == said


def test_phrases_are_lazy_and_keep_their_values() -> None:
    words = Words.of(REGATTA, over="Finished.")
    with override("en"):
        assert str(words.after) % {"number": 3} == "Overall after leg 3"
        assert (str(words.enter), str(words.over)) == ("Enter the outing", "Finished.")
        assert str(words.paces["bank_per rally"]) == "for the whole outing"


def test_the_words_of_rallies_do_not_change() -> None:
    with override("en"):
        assert (str(Words().sheet_head), str(Words().after)) == ("Rally sheet", "Overall after stage %(number)d")
        assert Words().fill("Retire from the [stage]") == "Retire from the stage"


def test_every_phrase_is_a_field_of_words() -> None:
    names = set(Words.__dataclass_fields__)
    assert set(PHRASES) <= names
    values = re.compile(r"%\(\w+\)[sd]")
    for name, phrase in PHRASES.items():
        with override("en"):
            default = str(getattr(Words(), name))
        assert Counter(values.findall(phrase)) == Counter(values.findall(default)), name


@pytest.mark.parametrize("language", ["de", "pl"])
def test_translations_have_gaps_that_can_be_filled(language: str) -> None:
    """A bracket that is no gap, or a case that no noun has, would be shown as it is."""
    path = settings.BASE_DIR / "locale" / language / "LC_MESSAGES" / "django.po"
    with path.open("rb") as file:
        catalogue = read_po(file)
    for phrase in (*PHRASES.values(), *PACES.values()):
        message = catalogue.get(phrase)
        text = message.string if message else phrase
        assert not re.search(r"[\[\]]", GAP.sub("", text)), text
        for _name, _several, case, agreeing in GAP.findall(text):
            assert case in ("", "gen", "dat", "acc", "loc")
            assert not agreeing or len(agreeing.split("/")) >= 3, text


def test_a_template_names_things_as_the_game_does() -> None:
    page = Template('{% load nouns %}{% named words %}{% translate "Retire from the [stage]" %}{% endnamed %}')
    with override("en"):
        assert page.render(Context({"words": Words.of(REGATTA)})) == "Retire from the leg"
        assert page.render(Context()) == "Retire from the stage", "without a game: the words of rallies"


def test_every_form_of_the_default_nouns_is_given() -> None:
    for noun in (RALLY.event, RALLY.stage, RALLY.crew, RALLY.course):
        assert noun.de and noun.pl and all(noun.pl.form(case, many=False) for case in ("", "gen", "acc", "loc"))
