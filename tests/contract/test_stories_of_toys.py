"""Stories of games from outside the tree: facts and borders are told in the words of the game."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.translation import override

from championship.platform import clock
from championship.runs.watch.story.beats import TURNING, Beat, Scene
from championship.runs.watch.story.wording import Worder
from engine import registry

pytestmark = pytest.mark.usefixtures("toys")


def told(game: str, kind: str, **facts: Any) -> str | None:
    """Return the first sentence of a stage, about seat 1."""
    names = {(7, "1"): "Ana", (7, "2"): "Bo"}
    worder = Worder(game, None, names, registry.get(game).measure, "seed")
    with override("en"):
        return worder.sentence(Scene(7, clock.now(), Beat(kind, "1", 3, TURNING, facts)))


def test_a_fact_of_a_game_has_the_value_that_its_beat_gives_whatever_its_name() -> None:
    """The core tells the section that ends at a border, counted from 0: "in section 3". A game may count otherwise."""
    text = told("dash", "lost", section=2)
    assert text is not None and "art 2" in text and "section" not in text and "3" not in text


@pytest.mark.parametrize(("game", "place"), [("vectors", "at gate 2"), ("laps", "at split 2")])
def test_a_border_has_the_words_of_the_game(game: str, place: str) -> None:
    text = told(game, "lead", border=1, gap=2, rival="2")
    assert text is not None and place in text
