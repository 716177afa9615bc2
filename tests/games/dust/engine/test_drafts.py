"""Drafts: steps tried on a copy of the run, up to the first that draws or ends the turn (S9, P10)."""

from typing import Any

import pytest

from engine.contract import Drafting, RuleError, offered
from engine.dust import draft_text
from engine.dust.cards import card_set_reading
from engine.dust.game import game
from tests.games.dust.engine.luck import Luck

GAME = game()


def begun() -> dict[str, Any]:
    """Return a run of two who have both prepared."""
    state = GAME.setup({"stage": "saltwind"}, [{"id": "ana"}, {"id": "bo"}], {})
    for seat in ("ana", "bo"):
        state, _ = GAME.play(state, seat, {"do": "steps", "steps": ["prepare"]}, Luck())
    return state


def laid(state: dict[str, Any], *steps: str) -> draft_text.LegalPart:
    cards = card_set_reading.of_document(state["set"], state["digest"])
    return draft_text.legal_part(state, "ana", list(steps), cards)  # type: ignore[arg-type]


def test_a_draft_is_a_text_that_grows_and_is_taken_back() -> None:
    assert offered(GAME, Drafting) is GAME
    draft = GAME.extend(GAME.extend(GAME.empty_draft(), "risk"), "end")
    assert draft == "risk; end"
    assert GAME.undo(draft) == "risk" and GAME.undo("") == ""
    assert draft_text.split_steps(" use  4 p ;; do 1;") == ["use 4 p", "do 1"]


def test_laid_steps_change_a_copy_only() -> None:
    state = begun()
    card = state["drivers"]["ana"]["hand"][0]
    found = laid(state, f"play {card} 1")
    assert found.table["drivers"]["ana"]["board"]["1"]["card"] == card
    assert state["drivers"]["ana"]["board"] == {} and not found.sends


def test_s9_steps_after_a_roll_are_kept_and_not_played() -> None:
    state = begun()
    found = laid(state, "risk", "place 9", "end")
    assert (found.steps, found.sends, found.sent) == (["risk", "place 9", "end"], "roll", 1)
    assert found.table["drivers"]["ana"]["risk"] == 0, "nothing is drawn"
    assert GAME.legal(state, "ana", "risk; place 9").draft == "risk; place 9"


def test_s8_behind_a_roll_too_a_step_must_be_one() -> None:
    found = laid(begun(), "risk", "zzqx")
    assert found.steps == ["risk"] and found.error is not None
    assert (found.error.rule, found.error.move) == ("S8", 2)


def test_p10_the_end_is_laid_and_closes_no_round() -> None:
    state, _ = GAME.play(begun(), "bo", {"do": "steps", "steps": ["end"]}, Luck())
    found = laid(state, "end")
    assert (found.sends, found.table["round"], found.error) == ("end", 1, None)
    assert found.table["drivers"]["bo"] == state["drivers"]["bo"]
    behind = laid(state, "end", "risk").error
    assert behind is not None and (behind.rule, behind.move) == ("S2", 2)


def test_the_legal_beginning_is_kept() -> None:
    state = begun()
    found = GAME.legal(state, "ana", "place 9; risk")
    assert found.draft == "" and found.error is not None and (found.error.rule, found.error.move) == ("N1", 1)
    assert GAME.legal(state, "ana", 7).error is not None
    with pytest.raises(RuleError, match="S2"):
        GAME.legal(state, "nobody", "")


def test_a_step_tells_why_it_is_refused() -> None:
    state = begun()
    cards = card_set_reading.of_document(state["set"], state["digest"])
    refused = draft_text.why_not(state, "ana", "place 9", cards)  # type: ignore[arg-type]
    assert refused is not None and refused.rule == "N1"
    assert draft_text.why_not(state, "ana", "risk", cards) is None  # type: ignore[arg-type]
    unreadable = draft_text.why_not(state, "ana", "risk it", cards)  # type: ignore[arg-type]
    assert unreadable is not None and unreadable.rule == "S8"
