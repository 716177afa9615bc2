"""Flat out, the dice laid again, the SISU token (R4 to R7)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.dirt import legal_moves
from tests.games.dirt.engine.scenes import HAIRPIN, STRAIGHT, Scene, car

SIX_MOVES = "1:1.2.l 2:1.3.l 3:2.1.l 4:2.2.l c:2.3.l 5:2.4.l"

# R4, R5


def test_R4_flat_out_earns_a_second_a_die_but_none_for_brakes() -> None:
    """R4, R5: all dice at once; with fewer than three warnings the whole plan is driven."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4)).turn("ana", "2b:1.3.l 3:2.1.l c:2.2.l", "!.!.", roll="flat out")
    assert scene.place("ana") == ("2.2.l", 3)
    assert scene.car("ana")["tokens"] == 3


def test_R4_in_the_red_a_brake_earns_nothing() -> None:
    """R4, D8."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 5)).turn("ana", "6:1.3.l x:2.1.l", "..", roll="flat out")
    assert scene.car("ana")["tokens"] == 1


def test_R4_the_seconds_are_kept_whatever_happens() -> None:
    scene = Scene(STRAIGHT, "ana").turn(
        "ana", "1:1.2.l 2:1.3.l 3:2.1.l", "!!!", roll="flat out", relay="1:1.2.l 2:1.3.l 3:2.1.l", cards=["spin"]
    )
    assert scene.car("ana")["tokens"] == 3


def test_R4_there_is_no_stopping() -> None:
    Scene(STRAIGHT, "ana").refuse("R4", "ana", "1:1.2.l 2:1.3.l", "..", roll="flat out", stop_after=1)


def test_R5_two_warnings_are_no_loss() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", SIX_MOVES, "!.!...", roll="flat out")
    assert scene.place("ana") == ("2.4.l", 5)
    assert scene.cards("ana") == [15]


# R6

THREE_WARNINGS: dict[str, Any] = {
    "plan": "1:1.2.l 2:1.3.l 3:2.1.l c:2.2.l 4:2.3.l",
    "dice": ".!!.!",
    "roll": "flat out",
}


def test_R6_the_same_dice_with_their_faces_are_laid_again() -> None:
    """R6: not necessarily all of them; control is lost on the last move, in its gear."""
    scene = Scene(STRAIGHT, "ana").turn(
        "ana", **THREE_WARNINGS, relay="1:1.2.r 2:1.3.r 3:2.1.r 4:2.2.r", cards=["sisu"]
    )
    assert scene.place("ana") == ("2.2.r", 4)


def test_R6_a_lost_plan_must_be_laid_again() -> None:
    Scene(STRAIGHT, "ana").refuse("R6", "ana", **THREE_WARNINGS)
    Scene(STRAIGHT, "ana").refuse("R6", "ana", **THREE_WARNINGS, relay="")


def test_R6_nothing_is_laid_again_while_control_is_kept() -> None:
    Scene(STRAIGHT, "ana").refuse("R6", "ana", "1:1.2.l", ".", roll="flat out", relay="1:1.2.r")
    Scene(STRAIGHT, "ana").refuse("R6", "ana", "1:1.2.l", ".", relay="1:1.2.r")


@pytest.mark.parametrize(
    "relay",
    [
        "1:1.2.r 2:1.3.r 3:2.1.r",
        "1:1.2.r 2:1.3.r 3:2.1.r 4:2.2.r c:2.3.r",
        "1:1.2.r 2:1.3.r 3:2.1.r 4:2.2.r 5:2.3.r",
        "1:1.2.r 2:1.3.r c:2.1.r c:2.2.r",
    ],
)
def test_R6_it_must_lose_control_at_its_end_and_with_those_dice(relay: str) -> None:
    """R6: too short, continued after the loss, with a die that was not rolled, with a second coast die."""
    Scene(STRAIGHT, "ana").refuse("R6", "ana", **THREE_WARNINGS, relay=relay)


def test_R6_the_new_plan_keeps_the_rules_of_the_road() -> None:
    refusal = Scene(STRAIGHT, "ana").refuse("T3", "ana", **THREE_WARNINGS, relay="1:1.2.r 2:1.2.l")
    assert refusal.move == 2
    Scene(STRAIGHT, "ana").refuse("D4", "ana", **THREE_WARNINGS, relay="1:1.2.r 3:1.3.r")


def test_R6_either_coast_die_may_lie_in_either_place() -> None:
    """R6: two coast dice, one with a warning: that one may be first."""
    rolled: dict[str, Any] = {"plan": "3:1.3.l c:2.1.l 4:2.2.l c:2.3.l", "dice": "!.!!", "roll": "flat out"}
    early = Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn(
        "ana", **rolled, relay="3:1.3.r c:2.1.r 4:2.2.r", cards=["spin"]
    )
    assert early.place("ana") == ("2.2.r", 0)
    late = Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn(
        "ana", **rolled, relay="3:1.3.r c:2.1.r 4:2.2.r c:2.3.r", cards=["spin"]
    )
    assert late.place("ana") == ("2.3.r", 0)


def test_R6_a_limit_may_be_broken_instead() -> None:
    """R6: a loss by M1 ends the turn as the third warning does."""
    rolled: dict[str, Any] = {"plan": "3:2.1.l 2:2.2.o1 1:2.2.o2", "dice": "!!!", "roll": "flat out"}
    scene = Scene(HAIRPIN, car("ana", "1.3.l", 2)).turn("ana", **rolled, relay="2:2.1.l 3:2.2.o1", cards=["spin"])
    assert scene.place("ana") == ("2.2.o1", 0)


def test_R6_also_when_the_plan_itself_held_the_loss() -> None:
    """R6 (own): no warning at all, but gear 3 in a bend of 2. Seconds are earned as usual."""
    rolled: dict[str, Any] = {"plan": "3:2.1.l c:2.2.o1", "dice": "..", "roll": "flat out"}
    Scene(HAIRPIN, car("ana", "1.3.l", 2)).refuse("R6", "ana", **rolled)
    scene = Scene(HAIRPIN, car("ana", "1.3.l", 2)).turn("ana", **rolled, relay="3:2.1.r c:2.2.i1", cards=["spin"])
    assert scene.place("ana") == ("2.2.i1", 0)
    assert scene.car("ana")["tokens"] == 2


def test_R6_the_dice_to_lay_again_are_offered() -> None:
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", **THREE_WARNINGS)
    assert legal_moves.choices(scene.state, "ana", "").phase == "relay"
    assert scene.legal("ana") == {"1:1.2.l", "1:1.2.r"}
    assert {move.split(":")[0] for move in scene.legal("ana", "1:1.2.l 2:1.3.l")} == {"3", "c"}
    scene.order("ana", "relay", plan="1:1.2.r 2:1.3.r 3:2.1.r 4:2.2.r", cards=["spin"])
    assert scene.place("ana") == ("2.2.r", 0)


def test_R6_with_the_dice_the_turn_began_with() -> None:
    """R6, E5: a coast damage of this very turn takes no die from the re-lay."""
    rolled: dict[str, Any] = {"plan": "2:2.1.r c:2.k1.1 c:2.3.r 3:3.1.l", "dice": ".!!!", "roll": "flat out"}
    scene = Scene(HAIRPIN, car("ana", "1.3.l", 2)).turn(
        "ana", **rolled, relay="2:2.1.r c:2.k1.1 c:2.3.r 3:3.1.r", shortcuts=["coast"], cards=["spin"]
    )
    assert scene.place("ana") == ("3.1.r", 0)
    assert scene.car("ana")["damage"]["coast"] == 1


# R7


def test_R7_the_sisu_token_silences_all_warnings() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", SIX_MOVES, "!!!!!!", sisu=True)
    assert scene.place("ana") == ("2.4.l", 5)
    assert not scene.car("ana")["sisu"]
    scene.refuse("R7", "ana", "4:3.1.l", sisu=True)


def test_R7_flat_out_as_well() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", SIX_MOVES, "!!!!!!", roll="flat out", sisu=True)
    assert scene.place("ana") == ("2.4.l", 5)
    assert scene.car("ana")["tokens"] == 6


def test_R7_after_the_dice_have_fallen() -> None:
    """R7: one by one on the third warning, flat out before the dice are laid again; then the turn continues."""
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", plan=SIX_MOVES)
    scene.order("ana", "roll", "!").order("ana", "roll", "!").order("ana", "roll", "!")
    assert legal_moves.choices(scene.state, "ana", "").orders == ("sisu", "accept")
    scene.order("ana", "sisu").order("ana", "roll", "!").order("ana", "stop")
    assert scene.place("ana") == ("2.2.l", 4)
    flat = Scene(STRAIGHT, "ana").order("ana", "lay", **THREE_WARNINGS).order("ana", "sisu")
    assert flat.place("ana") == ("2.3.l", 4)


def test_R7_or_the_loss_is_accepted() -> None:
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", plan=SIX_MOVES)
    scene.order("ana", "roll", "!").order("ana", "roll", "!").order("ana", "roll", "!")
    scene.order("ana", "accept", cards=["spin"])
    assert scene.place("ana") == ("2.1.l", 0)
    assert scene.car("ana")["sisu"]


def test_R7_on_the_last_move_the_turn_ends_in_control() -> None:
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", plan="1:1.2.l 2:1.3.l 3:2.1.l")
    scene.order("ana", "roll", "!").order("ana", "roll", "!").order("ana", "roll", "!").order("ana", "sisu")
    assert scene.cards("ana") == [30]


def test_R7_not_against_a_limit() -> None:
    scene = Scene(HAIRPIN, car("ana", "2.1.l", 3)).turn("ana", "3:2.2.o1", ".", sisu=True, cards=["spin"])
    assert scene.place("ana") == ("2.2.o1", 0)
    flat: dict[str, Any] = {"plan": "3:2.2.o1", "dice": "!", "roll": "flat out", "sisu": True}
    lost = Scene(HAIRPIN, car("ana", "2.1.l", 3)).turn("ana", **flat, relay="3:2.2.i1", cards=["spin"])
    assert lost.place("ana") == ("2.2.i1", 0)


def test_R7_nor_against_flying_too_far_but_against_the_die_of_a_jump() -> None:
    """R7 (own): the warning of a jump at one above its number is ignored, the loss at two above is not."""
    bump_of_3 = ["202a", "204b", "205a", "203a"]
    kept = Scene(bump_of_3, car("ana", "2.1.l", 3)).turn("ana", "4:2.2.l^3.2.l", "!", sisu=True)
    assert kept.place("ana") == ("3.2.l", 4)
    lost = Scene(bump_of_3, car("ana", "2.1.l", 4)).turn("ana", "5:2.2.l^3.2.l", ".", sisu=True, cards=["spin"])
    assert lost.place("ana") == ("3.2.l", 0)


def test_R7_ignores_the_warning_of_a_flying_start() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", "2:1.2.l 3:1.3.l", "!.", sisu=True)
    assert scene.place("ana") == ("1.3.l", 3)


def test_R7_no_tokens_where_the_organiser_gives_none() -> None:
    scene = Scene(STRAIGHT, "ana", sisu="none")
    assert not scene.car("ana")["sisu"]
    scene.refuse("R7", "ana", "1:1.2.l", sisu=True)


def test_R7_needs_dice_to_help_against() -> None:
    blocked = Scene(STRAIGHT, car("bo", "1.3.l", 1), car("cy", "1.3.r", 1), car("ana", "1.2.l", 3))
    blocked.state["queue"] = ["ana", "bo", "cy"]
    blocked.refuse("R7", "ana", "", sisu=True)


def test_R7_what_is_lost_in_spite_of_the_token_is_lost_by_its_own_rule() -> None:
    """R6, R7, M1: the token removes four warnings; the limit of the bend stays, and is the cause in the log."""
    plan = "3:1.2.l 4:1.3.l c:2.1.l 5:2.2.o1"
    scene = Scene(HAIRPIN, car("ana", "1.1.l", 3))
    scene.order("ana", "lay", plan=plan, roll="flat out", dice="!!!!").order("ana", "sisu")
    scene.order("ana", "relay", plan=plan, cards=["spin"])
    [loss] = [event for event in scene.events if event["kind"] == "loss"]
    assert (loss["rule"], loss["gear"], loss["space"]) == ("M1", 5, "2.2.o1")
