"""Events in sentences: every step and every event of whole games, with their rules."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from championship.games.dust import event_sentences
from championship.games.dust.event_sentences import EventSentences, sentence, summary
from championship.runs.run_pages import Sentence
from engine.dust.cards import card_set_reading
from engine.dust.turn import steps
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.tables import GAME, begun, random_start, random_step

NAMES = {"ana": "Ana", "bo": "Bo", "cy": "Cy", "dee": "Dee"}


def played(seed: int, *, most: int = 400) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Play at random: return the first state and all events."""
    state, rng = random_start(seed)
    first, told, luck = state, [], Luck(seed)
    for _ in range(most):
        waiting = GAME.to_play(state)
        if not waiting:
            break
        seat = rng.choice(waiting)
        ways = [way.text for way in GAME.choices(state, seat).ways]
        state, events = GAME.play(state, seat, {"do": "steps", "steps": [random_step(state, seat, rng)]}, luck)
        assert ways
        told += events
    return first, told


def tell(state: dict[str, Any], events: list[dict[str, Any]]) -> list[tuple[dict[str, Any], Sentence]]:
    cards = card_set_reading.of_document(state["set"], state["digest"])
    sentences = EventSentences(NAMES, cards, state["stage"])
    return [(event, sentences.sentence(event)) for event in events]


@pytest.mark.parametrize("seed", range(8))
def test_every_event_of_a_game_has_a_sentence_with_its_rules(seed: int) -> None:
    state, events = played(seed)
    for event, said in tell(state, events):
        assert "%" not in said.text
        assert said.text or said.passing
        assert not said.text or said.rules
        alone = sentence(event, NAMES)
        assert alone.kind == said.kind and alone.rules == said.rules
        assert "%" not in alone.text


def test_every_step_has_a_sentence_rules_and_a_colour() -> None:
    words = {name for name in vars(steps) if name.isupper() and not name.startswith("_")}
    known = {getattr(steps, name) for name in words if isinstance(getattr(steps, name), str)}
    assert known == set(event_sentences._STEPS) == set(event_sentences.RULES)
    assert set(event_sentences.COLOUR_OF.values()) <= set(event_sentences.COLOURS)
    seen: Counter[str] = Counter()
    for seed in range(12):
        _state, events = played(seed, most=250)
        seen.update(event["step"].split()[0] for event in events if event["kind"] == "step")
    assert len(seen) >= 13, seen


def test_q2_p2_p3_p4_a_card_is_played_used_and_its_effects_are_described() -> None:
    state, events = begun("ana"), []
    first, luck = state, Luck(1)
    state, made = GAME.play(state, "ana", {"do": "steps", "steps": ["prepare"]}, luck)
    events += made
    me = state["drivers"]["ana"]
    card, die = "ready", me["dice"][0]
    assert card in me["hand"]
    for step in (f"play {card} {die[1]}", f"use {die[1]} p", "do 1", "done", "end"):
        state, made = GAME.play(state, "ana", {"do": "steps", "steps": [step]}, luck)
        events += made
    said = [one.text for _event, one in tell(first, events) if one.text]
    assert said[0].startswith("Prepares the round. Rolled: ")
    assert said[1].startswith("Draws cards: ") and "Crew Ready" in said[1]
    assert f"Plays Crew Ready on slot {die[1]}." in said
    assert "Uses Crew Ready by a player die." in said
    assert "Crew Ready, effect 1: traction +1. Now: traction 1." in said
    assert "Closes the card." in said
    assert any(one.startswith("Round 1 closes.") for one in said)


def test_gains_are_shown_where_they_are_known() -> None:
    sentences = EventSentences(NAMES)
    step = {"kind": "step", "seat": "ana", "step": "do 1", "drawn": [], "set": {"keys": 2}}
    assert sentences.sentence(step).text == "Effect 1 of the open card. Now: keys 2."
    again = sentences.sentence({**step, "step": "risk", "set": {"keys": 1, "traction": 2}})
    assert again.text == "Takes a risk for traction. Now: keys 1 (\u22121), traction 2."
    assert again.rules == ("A3", "R1")


def test_r3_r5_r7_damage_and_a_wreck() -> None:
    step = {"kind": "step", "seat": "ana", "step": "accept", "drawn": []}
    hit = sentence({**step, "set": {"flipped": 2, "hits": 1}}, NAMES)
    assert hit.kind == "damage" and hit.rules == ("R6", "R3", "R7")
    assert "damage tokens flipped 2" in hit.text
    wreck = sentence({**step, "set": {"flipped": 7, "phase": "out", "speed": 0}}, NAMES)
    assert (wreck.kind, wreck.rules) == ("retire", ("R6", "R5"))
    assert "wrecked" in wreck.text


def test_b4_b6_v2_g5_d1_f1_the_summary_of_a_round() -> None:
    closed = {
        "kind": "closed",
        "round": 4,
        "settled": [
            {"seat": "ana", "card": "turbo", "filled": True, "back": 0},
            {"seat": "bo", "card": "turbo", "filled": False, "back": 4},
        ],
        "assessed": {
            "ana": {"markers": 2, "speed": 8, "popularity": 0},
            "ghost": {"pairs": 1, "speed": 3, "popularity": 1},
        },
        "drivers": {},
        "opens": True,
        "table": {"round": 5, "holder": "bo"},
    }
    sentences = EventSentences(NAMES, card_set_reading.own(), "saltwind")
    told = [(about, one.text, one.rules) for about, one in summary(sentences, closed)]
    assert told == [
        ("", "Round 4 closes.", ("S4",)),
        ("ana", "Ana gets Turbocharger.", ("B4",)),
        ("bo", "Bo does not get Turbocharger: the pile had too few. Keys back: 4.", ("B4", "B6")),
        ("ana", "Ana, 2 markers: speed points 8, popularity 0.", ("V2",)),
        ("ghost", "The ghost gains speed points 3, popularity 1.", ("G5",)),
        ("bo", "Bo has the most popularity and holds the popularity die.", ("D1",)),
    ]
    over = sentences.sentence({**closed, "opens": False, "table": {"over": True, "holder": None}})
    assert over.kind == "over" and over.text.endswith("The stage is over.") and "F1" in over.rules


def test_s9_a_draft_that_comes_back_and_a_driver_who_gives_up() -> None:
    back = sentence({"kind": "draft", "seat": "ana", "set": {"draft": ["do 1", "end"]}}, NAMES)
    assert back.passing and back.rules == ("S9",) and back.text.startswith("2 steps")
    gone = sentence({"kind": "resigned", "seat": "bo", "set": {}}, NAMES)
    assert (gone.text, gone.kind) == ("Bo leaves the race for good.", "retire")
    assert sentence({"kind": "news of another version"}, NAMES).text == ""


def test_a_window_of_the_log_needs_nothing_from_before() -> None:
    for seed in range(4):
        state, events = played(seed)
        rng = Random(seed)
        for _ in range(6):
            begin = rng.randrange(max(1, len(events)))
            assert all("%" not in said.text for _event, said in tell(state, events[begin : begin + 30]))
