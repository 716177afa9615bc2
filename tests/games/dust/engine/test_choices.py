"""`choices` lists exactly the accepted steps, in random positions, with our own cards and with random ones."""

from __future__ import annotations

from random import Random

import pytest

from engine.dust.benchmark import fullest
from engine.dust.cards import card_set_reading
from engine.dust.choices import choices
from tests.games.dust.engine.candidates import (
    WORDS,
    accepted,
    changed,
    one_argument,
    plain,
    swaps_turned,
)
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.scenes import card_set, laid, legal
from tests.games.dust.engine.tables import GAME, post, random_start, random_step


@pytest.mark.parametrize("seed", range(10))
def test_every_listed_step_is_accepted_and_no_other(seed: int) -> None:
    state, rng = random_start(seed + 100)
    cards, luck = card_set_reading.of_document(state["set"], state["digest"]), Luck(seed)
    for move in range(70):
        if not (seats := GAME.to_play(state)):
            return
        seat = rng.choice(seats)
        listed = choices(state, seat, cards)  # type: ignore[arg-type]
        assert len(listed) == len(set(listed)) and listed == sorted(listed)
        if move % 7 == 6:
            _compare(state, seat, listed, rng)
        state, _ = post(state, seat, random_step(state, seat, rng), luck=luck)


def _compare(state: dict[str, object], seat: str, listed: list[str], rng: Random) -> None:
    cards = card_set_reading.of_document(state["set"], str(state["digest"]))  # type: ignore[arg-type]
    words = [*rng.sample(WORDS, 20), *rng.sample(list(cards.cards), 5), *rng.sample(list(cards.spaces), 5)]
    tried = {*plain(state, cards), *changed(rng.sample(listed, min(6, len(listed))), words)}  # type: ignore[arg-type]
    tried |= set(rng.sample(sorted(one_argument(state, cards)), 300))  # type: ignore[arg-type]
    for step in listed:
        assert step == "prepare" or accepted(state, seat, step, cards), step  # type: ignore[arg-type]
    for step in tried - set(listed):
        if accepted(state, seat, step, cards):  # type: ignore[arg-type]
            assert step.startswith("prepare") or swaps_turned(step) & set(listed), step


def test_choices_are_in_words_sorted() -> None:
    assert legal(space="B5", traction=2, keys=1, hand=["ready"], dice="116") == [
        "buy tyre-change",
        "end",
        "place 1",
        "place 2",
        "place 3",
        *[f"play ready {slot}" for slot in range(1, 7)],
        "risk",
        "steer left 1",
        "steer left 2",
        "steer right 1",
        "steer right 2",
        "tune p1=2",
        "tune p6=5",
    ]


def test_r7_token_6_hides_passive_effects() -> None:
    cards = card_set({"bolts": [{"passive": True, "do": "keys 1"}]})
    assert "passive 4" in legal(cards=cards, board=laid(s4="bolts"))
    assert "passive 4" not in legal(cards=cards, board=laid(s4="bolts"), flipped=6)


def test_the_fullest_position_that_is_measured_is_full() -> None:
    """Before the next action there are more than a hundred ways, with an open card every pair of six cards to swap."""
    positions = fullest()
    ways = {name: GAME.choices(state, "ana").ways for name, state in positions.items()}
    firsts = {way.text.split()[0] for way in ways["quiet"]}
    assert len(ways["quiet"]) > 100
    assert {"play", "use", "passive", "buy", "place", "steer", "tune", "risk", "end"} <= firsts
    assert sum(way.text.startswith("do 1 ") for way in ways["open"]) == 15
