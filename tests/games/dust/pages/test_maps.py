"""Stages of cards on pages: a strip of cards, the cards in words, and unreadable sets."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from championship.games.dust import maps
from engine.contract import StageError
from engine.dust.cards import card_set_reading
from tests.games.dust.engine.tables import GAME, STAGES


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_drawn_card_by_card_and_told_in_words(stage: str) -> None:
    course = GAME.read_course({"stage": stage})
    cards = card_set_reading.own().stages[stage].cards
    for drawn in (maps.map_svg(course), maps.small_svg(course, title="A <title>")):
        picture = ElementTree.fromstring(str(drawn))
        assert len(picture.findall("g")) == len(cards)
        assert "style" not in str(drawn)
    table = maps.table(course)
    assert table is not None
    assert [row[1] for row in table.rows] == [str(card.cost) for card in cards]
    assert all(len(row) == len(table.heads) and all(row) for row in table.rows)
    assert maps.summary(course).startswith(f"{len(cards)} stage cards")


ODD: tuple[dict[str, Any], ...] = (
    {},
    {"set": 3, "stage": "saltwind"},
    {"set": {}, "stage": "saltwind"},
    {"set": card_set_reading.own_document(), "stage": []},
    {"set": card_set_reading.own_document(), "stage": "the moon"},
)


@pytest.mark.parametrize("spec", ODD, ids=range(len(ODD)))
def test_a_spec_that_cannot_be_read_breaks_no_page(spec: dict[str, Any]) -> None:
    assert maps.small_svg(spec) == maps.map_svg(spec) == maps.summary(spec) == ""
    assert maps.table(spec) is None


def test_a_spec_cannot_pass_its_cards_off_as_another_set() -> None:
    course = GAME.read_course({"stage": "saltwind"})
    forged = {**course, "set": {**course["set"], "title": "Forged"}}
    assert "Forged" in maps.summary(forged)
    assert "Forged" not in maps.summary(course)


def test_there_is_no_land_and_no_text_of_a_single_stage() -> None:
    for refused in (lambda: maps.land("x"), lambda: maps.read_text("x")):
        with pytest.raises(StageError):
            refused()
    assert maps.write_text(GAME.read_course({"stage": "saltwind"})) == ""
