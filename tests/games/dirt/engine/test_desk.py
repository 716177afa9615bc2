"""The data of a driver's panel: every move with its dice and words, the rolled dice, the state of an unfinished
turn.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import RuleError
from engine.dirt import legal_moves
from engine.dirt.legal_moves import Choice, Choices
from tests.games.dirt.engine.scenes import BUMP, BUMP_FORD, HAIRPIN, STRAIGHT, Scene, car


def on_desk(scene: Scene, draft: str = "") -> dict[str, Choice]:
    """Return Ana's moves by their text."""
    return {choice.text: choice for choice in legal_moves.choices(scene.state, "ana", draft).moves}


def facts(scene: Scene, draft: str = "") -> dict[str, Any]:
    return dict(legal_moves.choices(scene.state, "ana", draft).facts)


@pytest.mark.parametrize(
    ("road", "at", "gear", "move", "shown"),
    [
        (STRAIGHT, "1.2.l", 2, "3:1.3.l", Choice("3:1.3.l", "1.3.l", 3, (("3", 2),), None)),
        (STRAIGHT, "1.2.l", 4, "2b:1.3.l", Choice("2b:1.3.l", "1.3.l", 2, (("2", 1), ("brake", 2)), None)),
        (STRAIGHT, "1.2.l", 4, "c:1.3.l", Choice("c:1.3.l", "1.3.l", 4, (("coast", 1),), None)),
        (STRAIGHT, "1.2.l", 6, "x:1.3.l", Choice("x:1.3.l", "1.3.l", 6, (("brake", 2),), None)),
        (STRAIGHT, "1.2.l", 0, "2:1.3.l", Choice("2:1.3.l", "1.3.l", 2, (("2", 1),), None, ("flying start",))),
        (STRAIGHT, "4.1.l", 2, "2:4.2.l", Choice("2:4.2.l", "4.2.l", 2, (("2", 1),), None, ("finish",))),
        (HAIRPIN, "1.3.l", 2, "2:2.1.s1", Choice("2:2.1.s1", "2.1.s1", 2, (("2", 1),), None, ("slide",))),
        (HAIRPIN, "2.1.r", 2, "2:2.2.o1", Choice("2:2.2.o1", "2.2.o1", 2, (("2", 1),), None, ("drift",))),
        (HAIRPIN, "2.1.r", 2, "3:2.2.o1", Choice("3:2.2.o1", "2.2.o1", 3, (("3", 2),), "M1", ("drift",))),
        (HAIRPIN, "2.1.r", 2, "2:2.k1.1", Choice("2:2.k1.1", "2.k1.1", 2, (("2", 1),), None, ("shortcut",))),
        (BUMP, "2.1.l", 5, "5:2.2.l^2.3.l", Choice("5:2.2.l^2.3.l", "2.3.l", 5, (("5", 2),), None, ("jump",))),
        (BUMP, "2.1.l", 5, "6:2.2.l^2.4.l",
         Choice("6:2.2.l^2.4.l", "2.4.l", 6, (("6", 2),), None, ("jump", "risky jump"))),
        (BUMP_FORD, "2.2.l", 2, "c:2.3.l", Choice("c:2.3.l", "2.3.l", 2, (("coast", 1),), None, ("water",))),
    ],
)  # fmt: skip
def test_a_move_is_shown_with_its_dice_and_what_it_meets(
    road: list[Any], at: str, gear: int, move: str, shown: Choice
) -> None:
    """Each die with the number of its warning faces (D1)."""
    assert on_desk(Scene(road, car("ana", at, gear), leader_dice=False))[move] == shown


def test_D6_the_driver_who_opens_the_round_sees_leader_dice() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4))
    assert on_desk(scene)["c:1.3.l"].rolls == (("leader", 2),)
    assert facts(scene)["leads"]


def test_D2_the_tray_holds_what_is_left() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4, damage={"gear": 3, "coast": 1}), leader_dice=False)
    full = {"gear": 4, "gear_dice": [1, 2, 3, 4, 5, 6], "gears_left": 3, "coasts_left": 1, "brakes_left": 1}
    assert facts(scene) == {**full, "leads": False}
    left = {"gear": 3, "gear_dice": [1, 2, 4, 6], "gears_left": 1, "coasts_left": 0, "brakes_left": 0}
    assert facts(scene, "5:1.3.l 3b:2.1.l c:2.2.l") == {**left, "leads": False}
    assert facts(scene, "5:1.3.l 4:2.1.l 3:2.2.l")["gear_dice"] == []


def test_an_unfinished_turn_is_described_completely() -> None:
    """R1, R3: the dice of every move, the faces so far, the price of securing the next one."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 5, tokens=7), leader_dice=False, spare_seconds=90)
    scene.order("ana", "lay", plan="4:1.3.l 2b:2.1.l c:2.2.l").order("ana", "secure").order("ana", "roll", "!.")
    assert facts(scene) == {
        "plan": "4:1.3.l 2b:2.1.l c:2.2.l",
        "roll": "one by one",
        "made": 2,
        "warnings": 1,
        "warning_limit": 3,
        "sisu": False,
        "ready": False,
        "rule": None,
        "dice": [["4"], ["2", "brake"], ["coast"]],
        "faces": [[False], [True, False]],
        "next_price": 2,
        "tokens": 6,
        "spare_repairs": "coast",
        "spare_seconds": 90,
    }


def lost(**more: Any) -> Scene:
    """All of Ana's dice, rolled flat out, show a warning."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2), **more)
    return scene.order("ana", "lay", plan="3:1.3.l c:2.1.l 4:2.2.l", roll="flat out", dice="!!!")


def test_R6_a_relay_shows_tray_and_turn_and_where_it_may_end() -> None:
    scene = lost(leader_dice=False)
    shown = facts(scene, "c:1.3.l 3:2.1.l")
    assert (shown["gears_left"], shown["coasts_left"], shown["rule"], shown["next_price"]) == (5, 1, "R2", 1)
    assert {move.text: move.loses for move in on_desk(scene, "c:1.3.l 3:2.1.l").values()} == {
        "4:2.2.l": "R2",
        "4:2.2.r": "R2",
    }
    assert {move.loses for move in on_desk(scene).values()} == {None}
    assert {text.split(":")[0] for text in on_desk(scene)} == {"3", "c"}


def test_R6_a_draft_takes_only_dice_that_were_rolled() -> None:
    """R6: the error names the move that uses another die, wherever it is in the plan."""
    scene = lost(leader_dice=False)
    for draft, move in (("2:1.3.l", 1), ("3:1.3.l 2:2.1.l", 2), ("3:1.3.l c:2.1.l c:2.2.l", 3)):
        with pytest.raises(RuleError) as refusal:
            legal_moves.choices(scene.state, "ana", draft)
        die = "coast" if move == 3 else "2"
        words = f"you must lay the same dice again: there is no other {die} die among them"
        assert (refusal.value.rule, refusal.value.move, refusal.value.message) == ("R6", move, words)


def test_D7_a_draft_keeps_the_flying_start() -> None:
    scene = Scene(STRAIGHT, "ana", leader_dice=False)
    scene.order("ana", "lay", plan="2:1.2.l 3:1.3.l c:2.1.l c:2.2.l", roll="flat out", dice=".!!!")
    assert {text.split(":")[0] for text in on_desk(scene)} == {"2"}
    with pytest.raises(RuleError) as refusal:
        legal_moves.choices(scene.state, "ana", "1:1.2.l")
    words = "a flying start is neither made nor dropped when the dice are laid again"
    assert (refusal.value.rule, refusal.value.move, refusal.value.message) == ("D7", 1, words)
    assert on_desk(scene, "2:1.2.l c:1.3.l c:2.1.l")["3:2.2.l"].loses == "R2"


def test_M9_a_driver_who_must_wait_learns_why() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3), car("bo", "1.3.l", 1), car("cy", "1.3.r", 1))
    scene.state["queue"] = ["ana", "bo", "cy"]
    shown = legal_moves.choices(scene.state, "ana", "")
    words = "blocked by the cars ahead: the turn ends here, with the time card of the gear"
    assert shown == Choices("plan", ("lay",), forced="M9", why=words)
