"""The log of a race: every event of the engine has a sentence, each post is a line, with its rules."""

from __future__ import annotations

import random
from typing import Any

import pytest

from championship.games.formula_d import log
from championship.games.formula_d.event_sentences import COLOURS, SENTENCE_BY_KIND, most_telling, rules_of, sentence
from championship.runs.rulebook.reference import numbers
from engine.formula_d import fold
from engine.formula_d.game import game

NAMES = {"1": "#1 Ana", "2": "#2 Bo", "3": "#3 Cem"}


class Luck:
    """Random numbers that are the same in every test run."""

    def __init__(self) -> None:
        self.numbers = random.Random(7)

    def number(self, what: str, ends: int, *, by: str = "run") -> int:
        return self.numbers.randrange(ends)


@pytest.fixture(scope="module")
def posts() -> list[list[dict[str, Any]]]:
    """A race of three to its end, post by post, with everything that the advanced game has."""
    rules, luck = game(), Luck()
    options = {"laps": 2, "weather": True, "tyres": True, "technical_pit": True, "nitro": True, "qualifying": True}
    state = rules.setup({"track": "monza"}, [{"id": seat} for seat in NAMES], options)
    state, events = rules.begin(state, luck)
    found = [list(events)]
    while seats := rules.to_play(state):
        state, events = rules.play(state, seats[0], rules.autopilot(state, seats[0], "bold"), luck)
        found.append(list(events))
    return found


def test_every_kind_of_event_has_words_and_known_rules() -> None:
    assert set(SENTENCE_BY_KIND) == set(fold._FOLDS)


def test_each_event_has_a_complete_sentence_and_readable_rules(posts) -> None:
    for event in (event for post in posts for event in post):
        told = sentence(event, NAMES)
        assert "%(" not in told.text
        assert told.kind in COLOURS
        assert set(told.rules) <= numbers("formula_d"), event


def test_a_post_is_a_line_and_a_movement_one_sentence(posts) -> None:
    driven = next(post for post in posts if sum(event["kind"] == "step" for event in post) > 3)
    said = log.line(driven, NAMES)

    assert said is not None
    steps = sum(event["kind"] == "step" for event in driven)
    assert said.text.count("Drives") <= 1 + sum(event["kind"] == "slip" for event in driven)
    assert f"{steps} spaces" in said.text or any(event["kind"] in ("slip", "pit") for event in driven)


def test_steps_are_counted_across_the_line_and_debris() -> None:
    events: list[dict[str, Any]] = [
        {"kind": "step", "seat": "1", "space": "S7.2.14"},
        {"kind": "step", "seat": "1", "space": "S1.2.0"},
        {"kind": "lap", "seat": "1"},
        {"kind": "step", "seat": "1", "space": "S1.2.1"},
        {"kind": "marker", "seat": "1", "space": "S1.2.1", "die": 3, "lost": True},
        {"kind": "wear", "seat": "1", "area": "road", "number": 1, "why": "road"},
    ]
    said = log.line(events, NAMES)

    assert said is not None
    assert "Drives 3 spaces to straight 1, middle 2." in said.text
    assert "#1 Ana skids on debris: road holding −1." in said.text
    assert said.rules == ("F5", "D2", "D3")


def test_the_weather_of_qualifying_race_and_round_is_by_rules_of_its_own() -> None:
    rolls = [{"kind": "weather", "when": when, "die": 3, "state": "rain"} for when in ("qualifying", "race", "round")]
    assert [rules_of(roll) for roll in rolls] == [("W2",), ("W3",), ("W4",)]


def test_who_is_hit_is_named() -> None:
    said = sentence({"kind": "collision", "seat": "2", "die": 1, "rival": "1"}, NAMES)
    assert said.text == "#2 Bo rolls 1 beside #1 Ana."
    out = {"kind": "out", "seat": "2", "rule": "K5", "why": "collision", "stays": True, "distance": [1, 4]}
    assert sentence(out, NAMES).text == "#2 Bo is out of the race: a collision."
    assert rules_of(out) == ("K5", "X3")
    assert most_telling([out, {"kind": "round", "round": 2}]) == "out"
