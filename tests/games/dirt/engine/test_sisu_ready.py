"""The SISU token ordered before a roll (R7): it is held ready, and played only where it keeps control."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from engine import record
from engine.contract import RuleError
from engine.dirt import legal_moves
from engine.dirt.scenario import Given
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car

SIX = "1:1.2.l 2:1.3.l 3:2.1.l 4:2.2.l c:2.3.l 5:2.4.l"
TOO_FAST = "3:1.2.l 4:1.3.l c:2.1.l 5:2.2.o1"
FLYING = "2:1.2.l 3:1.3.l"
BEFORE_THE_DICE = Path(__file__).parent / "records" / "sisu-before-the-dice.json"


def laid(plan: str, dice: str = "", *, roll: str = "flat out", road: list[Any] = STRAIGHT, gear: int = 0) -> Scene:
    """Return a turn that begins with a token held ready."""
    return Scene(road, car("ana", "grid", gear)).order("ana", "lay", dice, plan=plan, roll=roll, sisu=True)


def kinds(scene: Scene) -> list[str]:
    return [event["kind"] for event in scene.events]


def has_token(scene: Scene) -> bool:
    return bool(scene.car("ana")["sisu"])


@pytest.mark.parametrize("dice", ["......", "!....!"])
def test_it_stays_when_control_is_kept_flat_out(dice: str) -> None:
    scene = laid(SIX, dice)
    assert scene.place("ana") == ("2.4.l", 5) and has_token(scene)
    assert kinds(scene)[:3] == ["turn", "sisu ready", "roll all"] and "sisu" not in kinds(scene)


def test_it_stays_when_control_is_kept_one_by_one() -> None:
    scene = laid(SIX, roll="one by one")
    for face in "!!.":
        scene.order("ana", "roll", face)
    scene.order("ana", "stop")
    assert has_token(scene) and "sisu" not in kinds(scene)
    assert "ready" not in (scene.state["turn"] or {}), "it was for this turn"


def test_it_saves_a_turn_flat_out_without_another_question() -> None:
    scene = laid(SIX, "!!!!!!")
    assert scene.place("ana") == ("2.4.l", 5) and not has_token(scene)
    assert kinds(scene)[2:5] == ["roll all", "phase", "sisu"]


def test_it_saves_a_turn_one_by_one_and_the_driver_goes_on() -> None:
    scene = laid(SIX, roll="one by one")
    for _move in range(5):
        scene.order("ana", "roll", "!")
    assert not has_token(scene) and scene.state["turn"]["phase"] == "rolling"
    assert scene.order("ana", "roll", "!").place("ana") == ("2.4.l", 5)


@pytest.mark.parametrize("roll", ["flat out", "one by one"])
def test_it_saves_a_flying_start(roll: str) -> None:
    """D7: the warning would end the turn after one space."""
    scene = laid(FLYING, "!." if roll == "flat out" else "", roll=roll)
    if roll == "one by one":
        scene.order("ana", "roll", "!").order("ana", "roll", ".")
    assert scene.place("ana") == ("1.3.l", 3) and not has_token(scene)


def test_it_stays_flat_out_where_the_limit_is_broken_all_the_same() -> None:
    """M1: three warnings as well, but the plan ends in a loss of control in any case."""
    scene = laid(TOO_FAST, "!!!.", road=HAIRPIN, gear=2)
    assert has_token(scene) and scene.state["turn"]["phase"] == "relay"
    assert kinds(scene)[-2:] == ["phase", "sisu stays"]
    scene.order("ana", "relay", plan="3:1.2.l 4:1.3.l c:2.1.l", cards=["spin"])
    assert has_token(scene) and kinds(scene).count("sisu stays") == 1


def test_it_stays_one_by_one_where_the_limit_is_broken() -> None:
    scene = laid(TOO_FAST, roll="one by one", road=HAIRPIN, gear=2)
    for _move in range(3):
        scene.order("ana", "roll", ".")
    scene.order("ana", "roll", ".", cards=["spin"])
    assert has_token(scene) and scene.place("ana") == ("2.2.o1", 0)
    assert [kind for kind in kinds(scene) if kind in ("sisu stays", "loss")] == ["sisu stays", "loss"]


def test_a_failed_flying_start_flat_out_asks_when_the_plan_is_lost_in_any_case() -> None:
    scene = laid("2:1.2.l 3:1.3.l 4:2.1.l 5:2.2.o1", "!...", road=HAIRPIN)
    assert has_token(scene) and scene.state["turn"]["phase"] == "lost"
    assert legal_moves.choices(scene.state, "ana", "").orders == ("accept",)


def test_once_used_it_does_not_stay() -> None:
    """The token saves the third warning; then the limit is broken all the same."""
    scene = laid(TOO_FAST, roll="one by one", road=HAIRPIN, gear=2)
    for _move in range(3):
        scene.order("ana", "roll", "!")
    scene.order("ana", "roll", ".", cards=["spin"])
    assert not has_token(scene) and "sisu stays" not in kinds(scene)


def test_between_two_rolls_it_is_held_ready_once() -> None:
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", plan=SIX).order("ana", "roll", "!")
    assert "sisu" in legal_moves.choices(scene.state, "ana", "").orders
    scene.order("ana", "sisu")
    assert has_token(scene) and kinds(scene)[-1] == "sisu ready"
    choices = legal_moves.choices(scene.state, "ana", "")
    assert choices.orders == ("roll", "secure", "stop") and choices.facts["ready"]
    with pytest.raises(RuleError, match="R7: the SISU token is ready already"):
        RULES.play(scene.state, "ana", {"do": "sisu"}, Given())
    scene.order("ana", "roll", "!").order("ana", "roll", "!")
    assert not has_token(scene) and not legal_moves.choices(scene.state, "ana", "").facts["ready"]


@pytest.mark.parametrize(("dice", "kept"), [("......", True), ("!!!...", False)])
@pytest.mark.parametrize("roll", ["flat out", "one by one"])
def test_orders_for_the_whole_turn_hold_it_ready(roll: str, dice: str, *, kept: bool) -> None:
    scene = Scene(STRAIGHT, "ana")
    orders = {"do": "standing", "plan": SIX, "roll": roll, "sisu": True, "as_laid": True}
    state, _events = RULES.play(scene.state, "ana", orders, Given(dice=dice))
    assert state["drivers"]["ana"]["sisu"] is kept
    assert state["drivers"]["ana"]["space"] == "2.4.l"


# Records of earlier versions -----------------------------------------------------------------------


def old_record() -> dict[str, Any]:
    """Return a record of the version in which the token was played before the dice."""
    document: dict[str, Any] = json.loads(BEFORE_THE_DICE.read_text("utf-8"))
    return document


def early(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the turns of a record in which the token was played before a roll could ask for it."""
    return [turn for turn in document["turns"] if turn["events"][:2][-1]["kind"] == "sisu"]


def test_a_record_in_which_the_token_was_played_before_the_dice_is_good() -> None:
    document = old_record()
    assert {turn["orders"]["do"] for turn in early(document)} == {"lay", "standing", "sisu"}
    checked = record.check(document)
    assert (checked.wrong, checked.old_forms) == (None, ()), "nobody could try such orders"


def test_its_token_cannot_be_given_back() -> None:
    document = deepcopy(old_record())
    for turn in early(document):
        turn["events"] = [event for event in turn["events"] if event["kind"] != "sisu"]
    assert "the rules give {'kind': 'sisu ready'" in str(record.verify(document))


def test_the_words_of_old_records_are_no_orders() -> None:
    """`play` knows only the present meaning, whatever stands in the field."""
    scene = Scene(STRAIGHT, "ana")
    orders = {"do": "lay", "plan": SIX, "roll": "flat out", "sisu": "at once"}
    state, events = RULES.play(scene.state, "ana", orders, Given(dice="......"))
    assert state["drivers"]["ana"]["sisu"]
    meant = RULES.with_old_meaning(orders, events)
    assert RULES.play_recorded(scene.state, "ana", meant, Given(dice="......")) == (state, events)
