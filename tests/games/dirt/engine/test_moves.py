"""The notation of moves, and which dice fit: T2 to T4 in a plan, D2 to D9."""

from __future__ import annotations

import pytest

from engine.contract import RuleError
from engine.dirt.moves import Die, Move, read_plan, write_plan
from tests.games.dirt.engine.scenes import (
    BUMP,
    BUMP_FORD,
    HAIRPIN,
    STRAIGHT,
    Scene,
    back,
    car,
    ways,
)


def dice(moves: set[str]) -> set[str]:
    """Return the dice of moves, whatever the spaces."""
    return {move.split(":")[0] for move in moves}


# Notation


@pytest.mark.parametrize(
    ("word", "move"),
    [
        ("3:2.1.l", Move(Die("gear", 3), "2.1.l")),
        ("2b:4.2.i1", Move(Die("gear", 2, 1), "4.2.i1")),
        ("1bb:4.2.i1", Move(Die("gear", 1, 2), "4.2.i1")),
        ("c:5.1.s1", Move(Die("coast"), "5.1.s1")),
        ("x:6.1.r", Move(Die("redline"), "6.1.r")),
        ("4:3.2.l^3.4.r", Move(Die("gear", 4), "3.2.l", "3.4.r")),
    ],
)
def test_D3_a_move_is_one_die_and_a_space(word: str, move: Move) -> None:
    """D3: parsing its text gives the same move."""
    assert read_plan(word) == (move,)
    assert str(move) == word
    assert write_plan(read_plan(f"  {word} \n {word}")) == f"{word} {word}"


@pytest.mark.parametrize(
    "word", ["3", "3:", ":2.1.l", "33:2.1.l", "0:2.1.l", "cb:2.1.l", "y:2.1.l", "3:2.1.l^", "b:2.1.l", "٣:2.1.l"]
)
def test_D3_anything_else_is_no_move(word: str) -> None:
    with pytest.raises(RuleError) as refusal:
        read_plan(f"1:1.2.l {word}")
    assert (refusal.value.rule, refusal.value.move) == ("D3", 2)


@pytest.mark.parametrize("plan", [None, 3, ["1:1.2.l"], {"1": "1.2.l"}])
def test_D3_a_plan_is_a_text(plan: object) -> None:
    with pytest.raises(RuleError) as refusal:
        read_plan(plan)
    assert (refusal.value.rule, refusal.value.move) == ("D3", None)
    assert str(refusal.value) == "D3: a move is written die:space, or die:space^landing for a jump"


def test_a_refusal_names_the_move() -> None:
    refusal = Scene(STRAIGHT, "ana").refuse("D4", "ana", "1:1.2.l 3:1.3.l")
    assert refusal.move == 2


# D2 to D6: dice


def test_D2_six_gears_two_coasts_one_brake() -> None:
    """D2: each die once a turn."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3))
    scene.refuse("D2", "ana", "4:1.3.l 3:2.1.l 4:2.2.l")
    scene.refuse("D2", "ana", "c:1.3.l c:2.1.l c:2.2.l")
    scene.refuse("D2", "ana", "1b:1.3.l 2:2.1.l 3:2.2.l 4:2.3.l 2b:2.4.l")
    scene.refuse("D2", "ana", "4:1.3.l 5:2.1.l 2bb:2.2.l")


def test_D2_damage_takes_dice_away() -> None:
    """D2: a marker removes one die of its kind (any gear die, whatever its number), and never more than there are."""
    assert "c" not in dice(ways(STRAIGHT, "1.2.l", 3, damage={"coast": 2}))
    assert "c" not in dice(ways(STRAIGHT, "1.2.l", 3, damage={"coast": 5}))
    assert "1b" not in dice(ways(STRAIGHT, "1.2.l", 3, damage={"brake": 1}))
    assert dice(ways(STRAIGHT, "1.2.l", 3, damage={"gear": 6})) == {"c"}
    tired = Scene(STRAIGHT, car("ana", "1.2.l", 3, damage={"gear": 4, "coast": 1, "brake": 1}))
    tired.refuse("D2", "ana", "4:1.3.l 5:2.1.l 6:2.2.l")
    tired.refuse("D2", "ana", "c:1.3.l c:2.1.l")
    tired.refuse("D2", "ana", "1b:1.3.l")
    tired.turn("ana", "4:1.3.l c:2.1.l 5:2.2.l", "...")


def test_D2_the_golden_rule_holds_for_a_brake_that_coasts() -> None:
    """D2, D8: the one brake die is used once, for braking or in the red."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 6))
    scene.refuse("D2", "ana", "x:1.3.l x:2.1.l")
    scene.refuse("D2", "ana", "x:1.3.l 4b:2.1.l")


def test_D4_a_gear_die_steps_by_one_at_most() -> None:
    """D4: up, down or the same; no higher than 6, from gear 0 only gear 1."""
    assert dice(ways(STRAIGHT, "1.2.l", 3)) == {"2", "3", "4", "1b", "c"}
    assert dice(ways(STRAIGHT, "1.2.l", 1)) == {"1", "2", "c"}
    assert dice(ways(STRAIGHT, "1.2.l", 6)) == {"5", "6", "4b", "c", "x"}
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3))
    scene.refuse("D4", "ana", "5:1.3.l")
    scene.refuse("D4", "ana", "1:1.3.l")
    scene.turn("ana", "4:1.3.l", ".")
    assert scene.place("ana") == ("1.3.l", 4)


def test_D4_from_a_standstill_in_first_gear() -> None:
    standing = Scene(STRAIGHT, "ana", flying_start=False)
    assert dice(standing.legal("ana")) == {"1"}
    standing.refuse("D4", "ana", "2:1.2.l")
    Scene(STRAIGHT, "ana").refuse("D4", "ana", "3:1.2.l")


def test_D5_each_brake_die_drops_one_gear_more() -> None:
    """D5: gear g with b brakes out of gear g + 1 + b, never below gear 1."""
    assert "2b" in dice(ways(STRAIGHT, "1.2.l", 4))
    assert "3bb" not in dice(ways(STRAIGHT, "1.2.l", 6))
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4))
    scene.refuse("D5", "ana", "3b:1.3.l")
    scene.refuse("D5", "ana", "1b:1.3.l")
    scene.refuse("D5", "ana", "4b:1.3.l")
    assert scene.turn("ana", "2b:1.3.l", "..").place("ana") == ("1.3.l", 2)
    assert scene.rolls() == ["2", "brake"]


def test_D6_a_coast_die_keeps_the_gear_and_needs_one() -> None:
    assert "c" not in dice(ways(STRAIGHT))
    Scene(STRAIGHT, "ana").refuse("D6", "ana", "c:1.2.l")
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4)).turn("ana", "c:1.3.l c:2.1.l", "..")
    assert scene.place("ana") == ("2.1.l", 4)


def test_D7_a_flying_start_leaves_first_gear_out() -> None:
    """D7: the first move of a turn out of gear 0 may be gear 2; gear 1 may follow later."""
    assert dice(ways(STRAIGHT)) == {"1", "2"}
    scene = Scene(STRAIGHT, "ana").turn("ana", "2:1.2.l 1:1.3.l", "..")
    assert scene.place("ana") == ("1.3.l", 1)


def test_D8_in_sixth_gear_a_brake_may_coast() -> None:
    """D8: only in gear 6, and only if the organiser allows it; it rolls a brake die."""
    assert "x" not in dice(ways(STRAIGHT, "1.2.l", 5))
    Scene(STRAIGHT, car("ana", "1.2.l", 5)).refuse("D8", "ana", "x:1.3.l")
    tame = Scene(STRAIGHT, car("ana", "1.2.l", 6), redline=False)
    assert "x" not in dice(tame.legal("ana"))
    tame.refuse("D8", "ana", "x:1.3.l")
    wild = Scene(STRAIGHT, car("ana", "1.2.l", 5)).turn("ana", "6:1.3.l x:2.1.l c:2.2.l", "...")
    assert wild.place("ana") == ("2.2.l", 6)
    assert wild.rolls() == ["6", "brake", "leader"]


def test_D8_on_water_and_bumps_it_is_a_coast_die() -> None:
    """D8 (own): it may enter a ford in the red, and cross a bump in gear 6, in which it coasts."""
    assert {"x:2.3.l", "x:2.3.r"} <= ways(BUMP_FORD, "2.2.l", 6)
    assert "x:2.2.l^2.4.l" in ways(BUMP_FORD, "2.1.l", 6)
    lost = Scene(BUMP, car("ana", "2.1.l", 6)).turn("ana", "x:2.2.l^2.4.l", "!", cards=["spin"])
    assert lost.place("ana") == ("2.4.l", 0)


def test_D9_a_car_that_can_move_must_move() -> None:
    scene = Scene(STRAIGHT, "ana")
    scene.refuse("D9", "ana", "")
    scene.refuse("D9", "ana", "1:1.2.l", stop_after=0)
    scene.order("ana", "lay", plan="1:1.2.l")
    with pytest.raises(RuleError) as refusal:
        scene.order("ana", "stop")
    assert refusal.value.rule == "D9"


# T2 to T4: spaces in a plan


def test_T2_a_plan_names_spaces_of_the_stage() -> None:
    Scene(STRAIGHT, "ana").refuse("T2", "ana", "1:9.9.l")
    Scene(BUMP, car("ana", "2.1.l", 5)).refuse("T2", "ana", "5:2.2.l^9.9.l")


def test_T3_a_plan_goes_forward_space_by_space() -> None:
    scene = Scene(HAIRPIN, car("ana", "1.3.l", 2))
    scene.refuse("T3", "ana", "2:1.3.r")
    scene.refuse("T3", "ana", "2:2.2.i1")
    scene.refuse("T3", "ana", "2:2.1.s2")
    scene.refuse("T3", "ana", "2:2.1.l c:2.2.o1 1:2.2.i1")


def test_T4_a_shortcut_is_not_open_to_everyone() -> None:
    scene = Scene(HAIRPIN, car("ana", "1.3.l", 2))
    scene.refuse("T4", "ana", "2:2.1.l 1:2.k1.1")
    scene.refuse("T4", "ana", "2:2.1.r 1:2.k1.1 c:2.3.l")
    scene.turn("ana", "2:2.1.r 1:2.k1.1 c:2.3.r", "...", shortcuts=["ok"])


def test_T4_a_bend_and_its_mirror_have_each_their_own_ways() -> None:
    """T4: the same limits space by space, but the shortcut is on the right of one and on the left of the other."""
    right, left = ways(HAIRPIN, "2.1.r", 2), ways(["202a", back("214b"), "203a"], "2.1.r", 2)
    assert "2:2.k1.1" in right
    assert "2:2.k1.1" not in left
    assert "2:2.k1.1" in ways(["202a", back("214b"), "203a"], "2.1.l", 2)
