"""Texts of cards, made from their effects: every effect has words, in every language."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from engine.dust.cards import card_set_reading, card_text, effects, operations
from engine.dust.cards.card_set import Order, StageCard
from engine.dust.cards.effects import Effect
from tests.games.dust.engine.random_sets import random_set
from tests.games.dust.engine.scenes import OWN


def read(**table: Any) -> Effect:
    effect, wrong = effects.read(table, on_stage=False, faces=6)
    assert effect is not None, wrong
    return effect


def every_effect(cards: Any) -> list[Effect]:
    found = [effect for card in cards.cards.values() for effect in card.effects]
    return found + [effect for stage in cards.stages.values() for card in stage.cards for effect in card.effects]


def phrases(one: card_text.Wording) -> list[card_text.Phrase]:
    paid = [one.pay] if one.pay else []
    return [*one.marks, *one.when, *paid, *(phrase for said in one.does for phrase in said)]


@pytest.mark.parametrize("seed", [None, *range(6)])
def test_no_effect_is_without_words_or_icons(seed: int | None) -> None:
    cards = OWN if seed is None else card_set_reading.of_document(random_set(seed))
    for effect in every_effect(cards):
        said = card_text.effect(effect)
        assert len(said.does) == len(effect.operations) and all(said.does)
        assert len(said.when) == len(effect.conditions)
        assert bool(said.pay) == bool(effect.payment)
        assert {phrase.icon for phrase in phrases(said)} <= card_text.ICONS
        assert "%" not in said.words()
        assert json.loads(json.dumps(said.plain())) == said.plain()


def test_e7_every_operation_of_the_language_has_words_of_its_own() -> None:
    texts = (
        *("keys 1", "traction 1", "popularity 1", "speed 1", "lose keys 1", "lose traction 1", "lose popularity 1"),
        *("keys 1 per risk", "keys 1 per removed", "keys 1 per empty", "keys 1 per dice", "keys 1 per 2 dice max 3"),
        *("move left 1", "move right 1", "move 1", "shift", "centre", "risk", "repair 1", "boost", "set one 1 2"),
        *("set all 3", "nudge", "reroll", "discard this", "discard any", "discard all", "remove this", "remove any"),
        *("return", "cover left 2", "cover any", "swap", "take 1-2", "shuffle", "draw 1", "void", "keys 1 per paid"),
    )
    kinds = {type(operations.read(text, faces=6)).__name__ for text in texts}
    assert kinds == {kind.__name__ for kind in operations.Operation.__subclasses__()}
    said = {
        " ".join(phrase.words() for phrase in card_text.operation(operations.read(text, faces=6))) for text in texts
    }
    assert len(said) == len(texts)


def test_e3_every_condition_has_words_of_its_own() -> None:
    words = "accelerate brake red yellow grey holder risk>=2 die=3 die=1-3 kind=player kind=boost kind=popularity"
    said = [card_text.condition(effects.condition(word, faces=6)) for word in words.split()]
    assert len({phrase.words() for phrase in said}) == len({phrase.icon for phrase in said}) + 1 == 12


def test_an_effect_as_one_line() -> None:
    said = card_text.effect(read(do="keys 1 per paid max 4; discard this", pay="popularity all", passive=True))
    assert said.words() == (
        "passive, once a round without a die · "
        "pay all popularity, at least 1, keys +1 for each one paid at most 4, discard this card"
    )
    said = card_text.effect(read(do="lose keys 1; speed 1", when="accelerate risk>=2", must=True))
    assert said.words() == (
        "this effect is mandatory · if accelerating, with risk dice in the pool: 2 or more: keys -1, speed points +1"
    )


def test_words_are_translated_phrase_by_phrase() -> None:
    polish = {"if braking": "przy hamowaniu", "traction +%(number)d": "przyczepność +%(number)d"}
    said = card_text.effect(read(do="traction 2", when="brake"))
    assert said.words(lambda text: polish.get(text, text)) == "przy hamowaniu: przyczepność +2"


def test_c5_m2_n2_what_else_a_card_has() -> None:
    assert [one.words() for one in card_text.printed(OWN.cards["flat-out"])] == ["points at the end: 2"]
    assert card_text.printed(OWN.cards["bolts"]) == []
    card = StageCard(6, (), Order("left", 3), star=True)
    assert [(one.icon, one.words()) for one in card_text.printed(card, star=3)] == [
        ("left", "the car moves left: 3"),
        ("star", "up to 3 markers on each stage card from now on"),
    ]
    assert len(card_text.stage_card(OWN.stages["nightowl"].cards[9])) == 2
    assert len(card_text.card(OWN.cards["turbo"])) == 4


def test_templates_are_where_the_catalogue_finds_them() -> None:
    """Each template is a constant of the module and contains a space. Its placeholders are exactly its values."""
    constants = {
        name: value for name, value in vars(card_text).items() if name.isupper() and name not in ("ICONS", "ROWS")
    }
    kept = {text for value in constants.values() for text in (value.values() if isinstance(value, dict) else [value])}
    assert all(" " in text for text in kept)
    for seed in range(4):
        for effect in every_effect(card_set_reading.of_document(random_set(seed))):
            for phrase in phrases(card_text.effect(effect)):
                assert phrase.template in kept
                assert set(re.findall(r"%\((\w+)\)", phrase.template)) == set(phrase.values)
