"""Probabilities in words: something possible is never 0 %, something uncertain never 100 %."""

from __future__ import annotations

import pytest

from championship.games.dust import odds_words
from engine.contract import RuleError
from engine.dust.cards import card_set_reading
from engine.dust.game import game
from tests.games.dust.engine.luck import Luck


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ([0, 1], "0 %"),
        ([1, 6], "17 %"),
        ([1, 2], "50 %"),
        ([1, 10_000], "0.1 %"),
        ([9_999, 10_000], "99.9 %"),
        ([1, 1], "100 %"),
    ],
)
def test_a_chance_is_told_as_a_percentage(pair: list[int], said: str) -> None:
    assert odds_words.percent(pair) == said


def test_a_risk_tells_hits_the_next_token_and_popularity() -> None:
    rules = game()
    state = rules.setup({"stage": "saltwind"}, [{"id": "ana"}], {})
    state, _ = rules.play(state, "ana", {"do": "steps", "steps": ["prepare"]}, Luck())
    (roll,) = odds_words.rolls(rules.odds(state, "ana", {}, "risk"), card_set_reading.own())
    assert roll.title == "1 risk die"
    assert [chance.percent for chance in roll.chances] == ["17 %", "33 %", "17 %", "33 %"]
    assert "Hits to the next damage token: 5." in roll.notes[0]


def test_the_odds_of_a_draft_that_is_refused_are_refused() -> None:
    rules = game()
    state = rules.setup({"stage": "saltwind"}, [{"id": "ana"}], {})
    with pytest.raises(RuleError, match="Q2"):
        rules.odds(state, "ana", {}, "risk")
