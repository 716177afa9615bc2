"""Cards as pictures: every effect of chapter E has words and icons, in every language, on every card."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from championship.games.dust import card_words, faces
from engine.dust.cards import card_set_reading, card_text, effects
from engine.dust.cards.card_set import Card
from tests.games.dust.engine.random_sets import random_set

OWN = card_set_reading.own()
SHEET = Path(card_words.__file__).parent / "static" / "dust" / "icons.svg"
EVERY_OPERATION = (
    *("keys 1", "traction 2", "popularity 1", "speed 1", "lose keys 1", "lose traction 1", "lose popularity 1"),
    *("keys 1 per risk", "keys 1 per removed", "keys 1 per empty", "keys 1 per dice", "keys 1 per 2 dice max 3"),
    *("keys 1 per paid", "move left 1", "move right 2", "move 1", "shift", "centre", "risk", "repair 2", "boost"),
    *("set one 1 2", "set all 3", "nudge", "reroll", "discard this", "discard any", "discard all", "remove this"),
    *("remove any", "return", "cover left 2", "cover any", "swap", "take 1-2", "shuffle", "draw 1", "void"),
)
EVERY_CONDITION = "accelerate brake red yellow grey holder risk>=2 die=3 die=1-3 kind=player kind=boost kind=popularity"


def drawn(face: faces.Face, **how: int) -> str:
    return re.sub(r"\s+", " ", render_to_string("dust/card.html", {"face": face, **how}))


def icons_in(page: str) -> set[str]:
    return set(re.findall(r"#([a-z-]+)\"", page))


def test_the_sheet_has_an_icon_of_each_name_that_a_phrase_may_use() -> None:
    symbols = {one.attrib["id"] for one in ET.parse(SHEET).getroot()}
    assert symbols >= card_text.ICONS


@pytest.mark.parametrize("text", EVERY_OPERATION)
def test_e7_every_operation_is_drawn_with_an_icon_and_in_words(text: str) -> None:
    effect, wrong = effects.read({"do": text, "passive": text == "void"}, on_stage=False, faces=6)
    assert effect is not None, wrong
    (shown,) = faces._effects(Card("any", "Any", "start", (effect,)))
    (step,) = shown.does
    assert step[0].icon in card_text.ICONS and step[0].words.strip()
    assert step[0].words in shown.words and "%" not in shown.words + step[0].figure
    number = re.search(r"\d", text)
    assert number is None or any(character.isdigit() for sign in step for character in sign.figure)


@pytest.mark.parametrize("word", EVERY_CONDITION.split())
def test_e3_every_condition_is_drawn_and_in_words(word: str) -> None:
    effect, _ = effects.read({"do": "keys 1", "when": word}, on_stage=False, faces=6)
    assert effect is not None
    (shown,) = faces._effects(Card("any", "Any", "start", (effect,)))
    assert shown.when[0].words in shown.words
    assert any(mark in word for mark in (">=", "die=")) == bool(shown.when[0].figure)


def test_every_operation_is_told_apart_by_icon_and_figure() -> None:
    said = set()
    for text in EVERY_OPERATION:
        effect, _ = effects.read({"do": text, "passive": text == "void"}, on_stage=False, faces=6)
        assert effect is not None
        (shown,) = faces._effects(Card("any", "Any", "start", (effect,)))
        said.add(tuple((sign.icon, sign.figure) for sign in shown.does[0]))
    assert len(said) == len(EVERY_OPERATION)


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_no_card_is_without_words(seed: int | None) -> None:
    cards = OWN if seed is None else card_set_reading.of_document(random_set(seed))
    stages = [(stage.name, number) for stage in cards.stages.values() for number in range(1, len(stage.cards) + 1)]
    for face in [*(faces.card(cards, name) for name in cards.cards), *(faces.stage_card(cards, *at) for at in stages)]:
        page = drawn(face)
        assert page.count('class="playcard-words"') == len(face.effects) + len(face.orders)
        assert face.title in render_to_string("dust/card.html", {"face": face}, None) or "&" in page
        assert "%" not in face.words
        assert icons_in(page) <= card_text.ICONS


def test_small_cards_keep_their_words_for_readers_by_ear() -> None:
    face = faces.card(OWN, "flat-out")
    assert all(effect.words.split("·")[-1].strip()[:10] in drawn(face, small=1) for effect in face.effects)


def test_b1_the_price_of_now_a_covered_and_a_used_card() -> None:
    face = faces.card(OWN, "racing-line", cost=6, covered=True, used=True)
    page = drawn(face)
    assert "costs 1 key<" in drawn(faces.card(OWN, "racing-line", cost=1))
    assert "costs 6 keys" in page and "data-covered" in page and "data-used" in page
    assert "covered: no effect" in page and "passive effect is used" in page
    assert (faces.card(OWN, "ready").cost, faces.card(OWN, "ready").points) == (None, None)
    assert faces.card(OWN, "title-sponsor").points is not None


def test_m2_n2_a_stage_card_has_its_order_and_its_star() -> None:
    face = faces.stage_card(OWN, "saltwind", 10)
    assert [sign.icon for sign in face.orders] == ["left", "star"]
    assert face.cost_words == "costs 6 traction" and face.number == 10
    assert "the car moves left: 3" in drawn(face)


def test_our_own_cards_have_names_in_the_catalogues() -> None:
    titles = {name: str(title) for name, title in card_words.TITLES.items()}
    assert titles == {name: card.title for name, card in OWN.cards.items()}
    assert {name: stage.title for name, stage in OWN.stages.items()} == {
        name: str(title) for name, title in card_words.STAGES.items()
    }


def test_a_clubs_card_keeps_the_name_that_the_club_gave_it() -> None:
    document = {**card_set_reading.own_document(), "title": "Ours"}
    cards = card_set_reading.of_document(document)
    assert card_words.title_of(cards, "turbo") == "Turbocharger" and not card_words.is_own(cards)


def test_hostile_words_of_a_set_stay_words() -> None:
    text = card_set_reading.own_text().replace('title = "Turbocharger"', 'title = "<script>alert(1)</script>"')
    page = drawn(faces.card(card_set_reading.read(text), "turbo"))
    assert "<script>" not in page and "&lt;script&gt;" in page


@pytest.mark.parametrize("language", ["pl", "de"])
def test_effects_are_told_in_the_readers_language(language: str) -> None:
    with translation.override(language):
        said = faces.effect_words(OWN, "ready", 2)
    assert said and said != "if accelerating: keys +1"
