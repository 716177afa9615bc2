"""What follows a step without a decision: a card that is played below a die is used, and gives what it only brings."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.dust import draft_text
from engine.dust.cards.card_set_reading import of_document
from engine.dust.turn import foregone
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.tables import GAME, begun, random_step


def prepared(hand: list[str], dice: list[str], space: str = "A3", board: Any = None, **more: Any) -> dict[str, Any]:
    """Return a table on which ana drives with this hand and these dice."""
    state, _events = GAME.play(begun("ana bo"), "ana", {"do": "steps", "steps": ["prepare"]}, Luck())
    drivers = dict(state["drivers"])
    drivers["ana"] = {**drivers["ana"], "hand": hand, "dice": dice, "space": space, "board": board or {}, **more}
    return {**state, "drivers": drivers}


def together(state: dict[str, Any], step: str) -> list[str]:
    return foregone.with_foregone(state, "ana", of_document(state["set"], state["digest"]), step)


def on_slot(card: str, slot: str) -> dict[str, Any]:
    return {slot: {"card": card, "covered": False, "used": False}}


def test_a_card_below_a_die_is_played_used_and_closed_by_one_tap() -> None:
    state = prepared(["ready"], ["p4", "p2", "p1"])
    assert together(state, "play ready 4") == ["play ready 4", "use 4 p", "do 1", "do 2", "done"]
    assert together(state, "play ready 5") == ["play ready 5"], "no die shows 5"


def test_what_holds_only_in_the_other_row_is_left_out() -> None:
    state = prepared([], ["p4"], space="B5", board=on_slot("ready", "4"))
    assert together(state, "use 4 p") == ["use 4 p", "do 1", "do 3", "done"]


def test_a_choice_keeps_the_card_open() -> None:
    state = prepared([], ["p4", "p2"], board=on_slot("engine-tuning", "4"))
    assert together(state, "use 4 p") == ["use 4 p", "do 2", "do 3"]


def test_a_card_that_brings_nothing_now_stays_open() -> None:
    state = prepared([], ["p4"], space="B5", board=on_slot("aiko-lighten", "4"))
    assert together(state, "use 4 p") == ["use 4 p", "do 2", "done"]
    bolts = prepared([], ["p4"], space="B5", board=on_slot("ferenc-sweep", "4"), keys=0)
    assert together(bolts, "use 4 p")[-1] != "done", "all cards may be discarded: the driver decides"


def test_dice_of_two_kinds_are_chosen_by_the_driver() -> None:
    state = prepared(["ready"], ["b4", "p4"])
    assert together(state, "play ready 4") == ["play ready 4"]


def test_a_step_that_draws_is_alone() -> None:
    assert together(prepared([], ["p4"]), "risk") == ["risk"]


def test_one_tap_is_taken_back_at_once() -> None:
    state = prepared(["ready", "ready"], ["p4", "p2"])
    cards = of_document(state["set"], state["digest"])
    laid = ["play ready 4", "use 4 p", "do 1", "do 2", "done", "play ready 2", "use 2 p", "do 1", "do 2", "done"]
    before = list(foregone.tables_before(state, "ana", cards, laid))
    assert foregone.before_last_tap(before, "ana", cards, laid) == 5
    typed = laid[:3]
    assert foregone.before_last_tap(before[:3], "ana", cards, typed) == 2, "steps that were typed go one by one"


def test_what_is_laid_together_is_legal_wherever_a_driver_is() -> None:
    for seed in range(6):
        state, luck, rng = begun("ana bo"), Luck(seed), Random(seed)
        cards = of_document(state["set"], state["digest"])
        for _step in range(60):
            seat = GAME.to_play(state)[0]
            step = random_step(state, seat, rng)
            laid = foregone.with_foregone(state, seat, cards, step)
            part = draft_text.legal_part(state, seat, laid, cards)
            assert laid[0] == step and part.error is None, (laid, part.error)
            state, _events = GAME.play(state, seat, {"do": "steps", "steps": [step]}, luck)
