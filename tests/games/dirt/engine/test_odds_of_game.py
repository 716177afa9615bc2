"""The odds that pages get from a game: plain JSON, computed with the cards that everyone has seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.contract import RuleError
from engine.dirt.odds import odds, unseen_decks
from tests.games.dirt.engine.rolling import CASES, STRAIGHT
from tests.games.dirt.engine.scenes import RULES, Scene, car


@pytest.mark.parametrize("name", CASES)
def test_the_game_says_what_its_odds_are(name: str) -> None:
    case = CASES[name]
    found = RULES.odds(case.state(), case.car["name"], case.orders, case.plan)
    assert found == odds(case.state(), case.car["name"], case.plan, orders=case.orders).plain()
    assert json.loads(json.dumps(found)) == found


def test_one_die_of_two_warning_faces_in_six_with_two_warnings_lying_there() -> None:
    """R2: two in six lose control; its card costs 10 s twice in 32, else 60 s; the time card of gear 3 costs 30 s."""
    scene = Scene(STRAIGHT, car("ana", "grid"))
    scene.order("ana", "lay", plan="1:1.2.l 2:1.3.l 3:2.1.l").order("ana", "roll", "!").order("ana", "roll", "!")
    found = RULES.odds(scene.state, "ana", {})
    assert found["lost"] == pytest.approx(1 / 3)
    assert found["kept"] == pytest.approx([1, 1, 2 / 3])
    assert found["seconds"] == pytest.approx(2 / 3 * 30 + 1 / 3 * (2 * 10 + 30 * 60) / 32)


def test_cards_that_were_seen_are_out_of_the_deck() -> None:
    """E2: a crash card turned in gear 5 leaves 19 crashes among 31 cards."""
    scene = Scene(STRAIGHT, car("ana", "1.3.l", 2), car("bo", "1.2.r", 2))
    scene.turn("ana", "3:2.1.l 4:2.2.l 5:2.3.l", "!!!", cards=["crash 1/2/3"], tokens=["green/ok"])
    plan = "3:1.3.r 4:2.1.r 5:2.2.r"
    printed = RULES.odds(scene.state, "bo", {}, plan)
    seen = RULES.odds(scene.state, "bo", {}, plan, scene.events)
    assert printed["crash"] == pytest.approx(1 / 27 * 20 / 32)
    assert seen["crash"] == pytest.approx(1 / 27 * 19 / 31)
    decks: Any = unseen_decks(scene.state, scene.events)
    assert seen == odds(scene.state, "bo", plan, orders={}, decks=decks).plain()


def test_what_cannot_be_rolled_so_is_refused_by_its_rule() -> None:
    with pytest.raises(RuleError) as refusal:
        RULES.odds(Scene(STRAIGHT, "ana").state, "ana", {"roll": "flat out", "stop_at": 2}, "1:1.2.l")
    assert refusal.value.rule == "R4"
