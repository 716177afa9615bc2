"""What a driver may lay: dice (D2 to D9), limits, mud, jumps, water and other cars (M1 to M10)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.dirt.moves import Die, Move, read_plan, write_plan
from engine.ruleset import RuleError
from tests.engine.scenes import Scene, back, car, ways

STRAIGHT: list[Any] = ["202a", "206a", "205a", "203a"]
"""Rows and rows: four on tile 2, three on tile 3."""
HAIRPIN: list[Any] = ["202a", "214b", "203a"]
"""Tile 2: slide row, bend (inside 1, outside 2, 2, 2), slide row; a shortcut of limit 5 on the right."""
BUMP: list[Any] = ["202a", "206b", "203a"]
"""Tile 2: a row, a bump of 5, two rows."""
BUMP_FORD: list[Any] = ["202a", "207b", "203a"]
"""Tile 2: a row, a bump of 4, a ford, a row."""
BUMP_LAST: list[Any] = ["202a", "209b", "203a"]
"""Tile 2: two rows, a bump of 3; then a row, the finish line and two rows."""


def dice(moves: set[str]) -> set[str]:
    """The dice of moves, whatever the spaces."""
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
    """D3: its text reads back."""
    assert read_plan(word) == (move,)
    assert str(move) == word
    assert write_plan(read_plan(f"  {word} \n {word}")) == f"{word} {word}"


@pytest.mark.parametrize("word", ["3", "3:", ":2.1.l", "33:2.1.l", "0:2.1.l", "cb:2.1.l", "y:2.1.l", "3:2.1.l^", "b:2.1.l", "٣:2.1.l"])
def test_D3_anything_else_is_no_move(word: str) -> None:
    with pytest.raises(RuleError) as refusal:
        read_plan(f"1:1.2.l {word}")
    assert (refusal.value.rule, refusal.value.move) == ("D3", 2)


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
    """D2: a marker takes one die of its kind, any gear die whatever its number, and never more than there are."""
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
    """D8: in gear 6 only, and only where the organiser wants it; it rolls a brake die."""
    assert "x" not in dice(ways(STRAIGHT, "1.2.l", 5))
    Scene(STRAIGHT, car("ana", "1.2.l", 5)).refuse("D8", "ana", "x:1.3.l")
    tame = Scene(STRAIGHT, car("ana", "1.2.l", 6), redline=False)
    assert "x" not in dice(tame.legal("ana"))
    tame.refuse("D8", "ana", "x:1.3.l")
    wild = Scene(STRAIGHT, car("ana", "1.2.l", 5)).turn("ana", "6:1.3.l x:2.1.l c:2.2.l", "...")
    assert wild.place("ana") == ("2.2.l", 6)
    assert wild.rolls() == ["6", "brake", "leader"]


def test_D8_on_water_and_bumps_it_is_a_coast_die() -> None:
    """D8 (own): a ford may be entered in the red, and a bump takes the gear 6 that it coasts in."""
    assert {"x:2.3.l", "x:2.3.r"} <= ways(BUMP_FORD, "2.2.l", 6)
    assert "x:2.2.l^2.4.l" in ways(BUMP_FORD, "2.1.l", 6)
    lost = Scene(BUMP, car("ana", "2.1.l", 6)).turn("ana", "x:2.2.l^2.4.l", "!", cards=["spin"])
    assert lost.place("ana") == ("2.4.l", 0)


def test_D9_who_can_move_must_move() -> None:
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


# M1, M2: limits and mud


def test_M1_above_the_limit_control_is_lost() -> None:
    """M1: entering is legal, the plan ends there; at the limit nothing happens."""
    scene = Scene(HAIRPIN, car("ana", "2.1.l", 3))
    scene.refuse("M1", "ana", "3:2.2.o1 2:2.2.o2")
    scene.turn("ana", "3:2.2.o1", ".", cards=["spin"])
    assert scene.place("ana") == ("2.2.o1", 0)
    assert Scene(HAIRPIN, car("ana", "2.1.l", 3)).turn("ana", "2:2.2.o1", ".").place("ana") == ("2.2.o1", 2)


@pytest.mark.parametrize(
    ("road", "at", "gear", "plan"),
    [
        (["202a", "231b", "203a"], "2.1.l", 5, "c:2.2.m"),
        (["202a", "211b", "203a"], "2.1.r", 3, "c:2.k1.1"),
    ],
)
def test_M1_single_spaces_and_shortcuts_have_limits_too(road: list[Any], at: str, gear: int, plan: str) -> None:
    more = {"shortcuts": ["ok"]} if "k1" in plan else {}
    scene = Scene(road, car("ana", at, gear)).turn("ana", plan, ".", cards=["spin"], **more)
    assert scene.car("ana")["gear"] == 0


def test_M2_mud_lowers_the_limits_of_the_tiles_bends() -> None:
    """M2: by one a marker, for everyone but who threw it."""
    mud = {2: {"bo": 1}}
    ana = Scene(HAIRPIN, car("ana", "2.1.l", 2), "bo", mud=mud).turn("ana", "2:2.2.o1", ".", cards=["spin"])
    assert ana.place("ana") == ("2.2.o1", 0)
    bo = Scene(HAIRPIN, car("bo", "2.1.l", 2), "ana", mud=mud).turn("bo", "2:2.2.o1 1:2.2.o2", "..")
    assert bo.place("bo") == ("2.2.o2", 1)


def test_M2_a_limit_of_nought_bars_the_way() -> None:
    scene = Scene(HAIRPIN, car("ana", "2.1.r", 2), "bo", mud={2: {"bo": 1}})
    scene.refuse("M2", "ana", "1:2.2.i1")
    buried = ways(HAIRPIN, "2.1.r", 2, mud={2: 3})
    assert {move.split(":")[1] for move in buried} == {"2.k1.1"}


def test_M2_shortcuts_and_single_spaces_keep_their_limits() -> None:
    assert "1:2.k1.1" in ways(["202a", "211b", "203a"], "2.1.r", 1, mud={2: 2})
    single = Scene(["202a", "231b", "203a"], car("ana", "2.1.l", 4), "bo", mud={2: {"bo": 9}})
    assert single.turn("ana", "c:2.2.m", ".").place("ana") == ("2.2.m", 4)


def test_M2_no_jump_lands_in_a_buried_bend() -> None:
    road = ["202a", "204b", "224a", "203a"]
    assert "4:2.2.l^3.2.i1" in ways(road, "2.1.l", 3)
    assert "4:2.2.l^3.2.i1" not in ways(road, "2.1.l", 3, mud={3: 3})
    Scene(road, car("ana", "2.1.l", 3), "bo", mud={3: {"bo": 3}}).refuse("M2", "ana", "4:2.2.l^3.2.i1")


# M3: jumps


def test_M3_below_its_number_a_bump_is_a_row() -> None:
    assert {"4:2.2.l", "4:2.2.r", "3:2.2.l", "c:2.2.r"} <= ways(BUMP, "2.1.l", 4)
    Scene(BUMP, car("ana", "2.1.l", 4)).refuse("M3", "ana", "4:2.2.l^2.3.l")


def test_M3_at_its_number_the_car_lands_on_the_next_space() -> None:
    """M3 (DE): one space on, straight or diagonally; a coast die counts as the gear that is in."""
    jumps = {move for move in ways(BUMP, "2.1.l", 5) if move[0] in "5c" and ":2.2.l" in move}
    assert jumps == {"5:2.2.l^2.3.l", "5:2.2.l^2.3.r", "c:2.2.l^2.3.l", "c:2.2.l^2.3.r"}
    scene = Scene(BUMP, car("ana", "2.1.l", 5))
    scene.refuse("M3", "ana", "5:2.2.l")
    scene.refuse("M3", "ana", "5:2.2.l^2.4.l")
    assert scene.turn("ana", "5:2.2.l^2.3.r", "!").place("ana") == ("2.3.r", 5)


def test_M3_one_above_it_flies_two_spaces_and_must_show_no_warning() -> None:
    scene = Scene(BUMP, car("ana", "2.1.l", 5))
    scene.refuse("M3", "ana", "6:2.2.l^2.3.l")
    assert scene.turn("ana", "6:2.2.l^2.4.r c:3.1.r", "..").place("ana") == ("3.1.r", 6)
    lost = Scene(BUMP, car("ana", "2.1.l", 5)).turn("ana", "6:2.2.l^2.4.r c:3.1.r", "!", cards=["spin"])
    assert lost.place("ana") == ("2.4.r", 0)


def test_M3_a_brakes_face_counts_as_well() -> None:
    """M3: any face rolled for the move; here gear 4 and a brake on a bump of 3."""
    road = ["202a", "204b", "224a", "203a"]
    lost = Scene(road, car("ana", "2.1.l", 6)).turn("ana", "4b:2.2.l^3.1.s2", ".!", cards=["spin"])
    assert lost.place("ana") == ("3.1.s2", 0)


def test_M3_two_above_it_loses_control_for_certain() -> None:
    bump_of_3 = ["202a", "204b", "205a", "203a"]
    scene = Scene(bump_of_3, car("ana", "2.1.l", 5))
    scene.refuse("M3", "ana", "5:2.2.l^3.2.l 4:3.3.l")
    assert scene.turn("ana", "5:2.2.l^3.2.l", ".", cards=["spin"]).place("ana") == ("3.2.l", 0)


def test_M3_what_is_jumped_over_does_not_matter() -> None:
    """M3: water nor cars; the bump itself must be free (M6)."""
    over = Scene(BUMP_FORD, car("ana", "2.1.l", 5), car("bo", "2.3.l", 1), car("cy", "2.3.r", 1))
    over.turn("bo", "c:2.4.l", ".").turn("cy", "c:2.4.r", ".")
    assert Scene(BUMP_FORD, car("ana", "2.1.l", 4)).turn("ana", "5:2.2.l^2.4.l", ".").place("ana") == ("2.4.l", 5)
    cars = Scene(BUMP, car("bo", "2.3.l", 1), car("cy", "2.3.r", 1), car("ana", "2.1.l", 6), leader_dice=False)
    cars.turn("bo", "1:2.4.l", ".").turn("cy", "1:2.4.r", ".")
    assert cars.legal("ana") & {"6:2.2.l^2.4.l", "6:2.2.l^2.4.r"} == set()
    jumped = Scene(BUMP, car("ana", "2.1.l", 6), car("bo", "2.3.l", 1), car("cy", "2.3.r", 1), leader_dice=False)
    jumped.state["queue"] = ["ana", "bo", "cy"]
    assert jumped.turn("ana", "6:2.2.l^2.4.l", ".").place("ana") == ("2.4.l", 6)


def test_M3_nobody_lands_in_water_or_on_a_car() -> None:
    scene = Scene(BUMP_FORD, car("ana", "2.1.l", 3))
    scene.refuse("M3", "ana", "4:2.2.l^2.3.l")
    landed = Scene(BUMP, car("bo", "2.4.l", 1), car("ana", "2.1.l", 5)).turn("bo", "c:3.1.l", ".")
    landed.turn("ana", "6:2.2.l^2.4.l", ".")
    taken = Scene(BUMP, car("ana", "2.1.l", 5), car("bo", "2.4.l", 1))
    taken.state["queue"] = ["ana", "bo"]
    taken.refuse("M3", "ana", "6:2.2.l^2.4.l")


def test_M3_a_jump_crosses_tiles_bend_heads_and_the_line() -> None:
    assert "4:2.3.l^3.2.r" in ways(BUMP_LAST, "2.2.l", 3)
    assert {"4:2.2.r^3.2.i1", "4:2.2.r^3.2.o1", "4:2.2.r^3.1.s2"} <= ways(["202a", "204b", "224a", "203a"], "2.1.l", 3)
    home = Scene(BUMP_LAST, car("ana", "2.2.l", 3)).turn("ana", "4:2.3.l^3.2.r", ".")
    assert home.car("ana")["finished"]
    assert home.cards("ana") == [20]


def test_M3_a_jump_may_land_on_a_shortcut() -> None:
    """M3, T4: two spaces on from the bump is also the shortcut beside the slide; it draws its token (M5)."""
    road = ["202a", "209b", "214b", "203a"]
    assert "4:2.3.r^3.k1.1" in ways(road, "2.2.l", 3)
    scene = Scene(road, car("ana", "2.2.l", 3)).turn("ana", "4:2.3.r^3.k1.1", ".", shortcuts=["mud"])
    assert scene.mud == {"3": {"ana": 1}}


def test_M3_the_limit_holds_where_the_car_lands() -> None:
    """M3, M1: gear 4 on a bump of 3 onto an inside of 3."""
    road = ["202a", "204b", "224a", "203a"]
    lost = Scene(road, car("ana", "2.1.l", 3)).turn("ana", "4:2.2.l^3.2.i1", ".", cards=["spin"])
    assert lost.place("ana") == ("3.2.i1", 0)
    assert Scene(road, car("ana", "2.1.l", 3)).turn("ana", "4:2.2.l^3.2.o1", ".").place("ana") == ("3.2.o1", 4)


def test_M3_needs_a_landing_in_the_plan() -> None:
    Scene(BUMP, car("ana", "2.1.l", 5)).refuse("M3", "ana", "6:2.2.l")
    Scene(BUMP, car("ana", "1.3.l", 5)).refuse("M3", "ana", "5:2.1.l^2.2.l")


# M4: water


def test_M4_water_is_coasted_or_crawled_through() -> None:
    """M4: a coast die in any gear, or gear 1 without a brake."""
    assert dice(ways(BUMP_FORD, "2.2.l", 2)) == {"1", "c"}
    assert dice(ways(BUMP_FORD, "2.2.l", 3)) == {"c"}
    assert dice(ways(BUMP_FORD, "2.2.l", 0)) == {"1"}
    scene = Scene(BUMP_FORD, car("ana", "2.2.l", 3))
    scene.refuse("M4", "ana", "3:2.3.l")
    scene.refuse("M4", "ana", "1b:2.3.l")
    scene.turn("ana", "c:2.3.l 4:2.4.l", "..")


# M6 to M8: other cars


def rivals(road: list[Any], me: dict[str, Any], *others: dict[str, Any]) -> Scene:
    """A scene in which ana plays first, wherever the others stand."""
    scene = Scene(road, me, *others, leader_dice=False)
    scene.state["queue"] = [me["name"], *[other["name"] for other in others]]
    return scene


def test_M6_a_space_holds_one_car_and_nobody_drives_through() -> None:
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 4), car("bo", "1.3.l", 1))
    scene.refuse("M6", "ana", "4:1.3.l")
    scene.refuse("M6", "ana", "4:1.3.l 5:2.1.l")
    assert scene.turn("ana", "4:1.3.r 5:2.1.l", "..").place("ana") == ("2.1.l", 5)


def test_M6_who_has_finished_or_retired_is_no_longer_there() -> None:
    road = ["202a", "203a"]
    scene = Scene(road, car("bo", "2.1.l", 2), car("ana", "1.3.l", 2)).turn("bo", "2:2.2.l", ".")
    scene.turn("ana", "1:2.1.l 2:2.2.l", "..")
    assert scene.car("ana")["finished"]
    gone = rivals(STRAIGHT, car("ana", "1.2.l", 2), car("bo", "1.3.l", 2, damage={"gear": 6}))
    assert gone.car("bo")["retired"]
    gone.turn("ana", "2:1.3.l", ".")


def test_M6_a_car_beside_the_track_blocks_nobody() -> None:
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 2), car("bo", "1.3.l", beside=True))
    assert scene.turn("ana", "2:1.3.l", ".").place("ana") == ("1.3.l", 2)


def test_M7_alongside_only_as_fast_as_the_other_car() -> None:
    """M7: the gear after the move is at least the other car's."""
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 3), car("bo", "1.3.l", 4))
    scene.refuse("M7", "ana", "3:1.3.r")
    scene.refuse("M7", "ana", "c:1.3.r")
    assert scene.turn("ana", "4:1.3.r", ".").place("ana") == ("1.3.r", 4)


def test_M7_refuses_the_move_also_where_there_is_no_other() -> None:
    """M7: the rule that the move breaks is named, though the car is blocked (M9) besides."""
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 1), car("bo", "1.3.l", 4))
    assert scene.forced("ana") == "M9"
    scene.refuse("M7", "ana", "2:1.3.r")
    scene.refuse("M6", "ana", "2:1.3.l")


def test_M7_once_alongside_any_gear_goes() -> None:
    """M7: beside the shortcut on both slide halves, fast enough on the first is enough."""
    scene = rivals(HAIRPIN, car("ana", "1.3.l", 4), car("bo", "2.k1.1", 4))
    scene.refuse("M7", "ana", "3:2.1.s1")
    assert scene.turn("ana", "4:2.1.s1 2b:2.1.s2", "...").place("ana") == ("2.1.s2", 2)


def test_M7_who_begins_the_turn_alongside_is_alongside() -> None:
    scene = rivals(HAIRPIN, car("ana", "2.1.s1", 3), car("bo", "2.k1.1", 5))
    assert scene.turn("ana", "2:2.1.s2", ".").place("ana") == ("2.1.s2", 2)


def test_M7_a_shortcut_is_alongside_what_touches_it() -> None:
    """M7: at both its ends, but never a bend."""
    ahead_of = rivals(HAIRPIN, car("ana", "2.1.r", 2), car("bo", "2.3.s1", 4))
    ahead_of.refuse("M7", "ana", "3:2.k1.1")
    bend = rivals(HAIRPIN, car("ana", "2.1.l", 2), car("bo", "2.k1.1", 4))
    bend.turn("ana", "1:2.2.i1", ".")
    out = rivals(HAIRPIN, car("ana", "2.2.i1", 1), car("bo", "2.k1.1", 4))
    out.refuse("M7", "ana", "2:2.3.s1")
    assert out.legal("ana") == {"1:2.3.l", "2:2.3.l", "c:2.3.l"}


def test_M7_holds_on_the_bump_and_where_the_car_lands() -> None:
    bump = rivals(BUMP, car("ana", "2.1.l", 5), car("bo", "2.2.r", 6))
    bump.refuse("M7", "ana", "5:2.2.l^2.3.l")
    bump.turn("ana", "6:2.2.l^2.4.l", ".")
    landing = rivals(BUMP, car("ana", "2.1.l", 5), car("bo", "2.3.r", 6))
    landing.refuse("M7", "ana", "5:2.2.l^2.3.l")


def test_M7_nobody_need_match_a_car_at_its_back() -> None:
    """M7 (own): a car on the second slide half leaves by the shortcut, whatever gear the car behind it is in."""
    scene = rivals(HAIRPIN, car("ana", "2.1.s2", 4), car("bo", "2.1.s1", 6))
    assert scene.turn("ana", "4:2.k1.1", ".", shortcuts=["ok"]).place("ana") == ("2.k1.1", 4)
    ahead = rivals(HAIRPIN, car("ana", "2.1.s1", 4), car("bo", "2.1.s2", 6))
    ahead.refuse("M7", "ana", "4:2.k1.1")


def test_M8_a_car_in_a_bend_fixes_the_path() -> None:
    """M8: behind it everyone takes the same path, and passes nobody."""
    scene = rivals(HAIRPIN, car("ana", "2.1.l", 2), car("bo", "2.2.o2", 2))
    scene.refuse("M8", "ana", "1:2.2.i1")
    scene.refuse("M6", "ana", "2:2.2.o1 c:2.2.o2")
    scene.turn("ana", "2:2.2.o1", ".")
    inside = rivals(HAIRPIN, car("ana", "2.1.l", 2), car("bo", "2.2.i1", 1))
    inside.refuse("M8", "ana", "2:2.2.o1")


def test_M8_until_it_has_left() -> None:
    scene = Scene(HAIRPIN, car("bo", "2.2.o3", 2), car("ana", "2.1.l", 2)).turn("bo", "2:2.3.l", ".")
    scene.turn("ana", "1:2.2.i1", ".")


def test_M8_a_car_in_a_slide_is_followed_sliding() -> None:
    scene = rivals(HAIRPIN, car("ana", "1.3.l", 2), car("bo", "2.1.s2", 2))
    scene.refuse("M8", "ana", "2:2.1.l")
    scene.refuse("M8", "ana", "2:2.1.r")
    scene.turn("ana", "2:2.1.s1", ".")


def test_M8_a_car_in_a_lane_keeps_others_from_sliding() -> None:
    """M8: the other lane is free, at its speed (M7)."""
    scene = rivals(HAIRPIN, car("ana", "1.3.l", 2), car("bo", "2.1.l", 2))
    scene.refuse("M8", "ana", "2:2.1.s1")
    scene.turn("ana", "2:2.1.r", ".")


def test_M8_a_shortcut_passes_a_car_in_the_bend() -> None:
    scene = rivals(HAIRPIN, car("ana", "2.1.r", 2), car("bo", "2.2.o1", 2))
    scene.turn("ana", "2:2.k1.1 3:2.3.s2", "..", shortcuts=["ok"])
    assert scene.place("ana") == ("2.3.s2", 3)


def test_M8_holds_where_a_jump_lands() -> None:
    road = ["202a", "204b", "224a", "203a"]
    scene = rivals(road, car("ana", "2.1.l", 3), car("bo", "3.2.o2", 3))
    scene.refuse("M8", "ana", "4:2.2.l^3.2.i1")
    scene.turn("ana", "4:2.2.l^3.2.o1", ".")


# M9: blocked


def test_M9_no_legal_move_ends_the_plan_where_it_is() -> None:
    """M9: two cars side by side hold up a third; its plan is empty, the card is that of its gear."""
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 3), car("bo", "1.3.l", 1), car("cy", "1.3.r", 1))
    assert scene.forced("ana") == "M9"
    scene.turn("ana", "")
    assert scene.place("ana") == ("1.2.l", 3)
    assert scene.cards("ana") == [30]


def test_M9_in_gear_0_it_costs_a_loss_of_control() -> None:
    scene = rivals(STRAIGHT, car("ana", "1.2.l"), car("bo", "1.3.l", 1), car("cy", "1.3.r", 1))
    assert scene.turn("ana", "").cards("ana") == [60]
    assert scene.place("ana") == ("1.2.l", 0)
    assert not scene.car("ana")["retired"]


def test_M9_only_losses_left_because_of_another_car() -> None:
    """M9: gear 4 before a hairpin and no brakes; the shortcut would take it, but a car is there. Losing control is refused."""
    braking = rivals(HAIRPIN, car("ana", "2.1.r", 4), car("bo", "2.k1.1", 1))
    assert {"2b:2.2.o1", "4:2.2.o1"} <= braking.legal("ana")
    worn = rivals(HAIRPIN, car("ana", "2.1.r", 4, damage={"brake": 1}), car("bo", "2.k1.1", 1))
    assert worn.forced("ana") == "M9"
    worn.refuse("M9", "ana", "4:2.2.o1")
    assert worn.turn("ana", "").cards("ana") == [20]


def test_M9_alone_before_the_same_bend_control_is_lost() -> None:
    """M9: without another car to blame nobody is blocked."""
    scene = Scene(["202a", "214a", "203a"], car("ana", "2.1.r", 4, damage={"brake": 1}))
    scene.refuse("D9", "ana", "")
    scene.turn("ana", "3:2.2.o1", ".", cards=["spin"])


def test_M9_in_the_middle_of_a_plan_there_is_nothing_more_to_lay() -> None:
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 2), car("bo", "2.1.l", 5), car("cy", "2.1.r", 5))
    assert scene.legal("ana", "3:1.3.l") == set()
    assert scene.turn("ana", "3:1.3.l", ".").cards("ana") == [30]


def test_M10_no_way_on_whether_or_not_other_cars_are_there() -> None:
    """M10: a ford ahead, no coast die, gear 1 out of reach."""
    scene = rivals(BUMP_FORD, car("ana", "2.2.l", 3, damage={"coast": 2}), car("bo", "2.3.l", 1))
    assert scene.forced("ana") == "M10"
    scene.refuse("M4", "ana", "2:2.3.r")


def test_the_grid_is_no_place_to_be_passed() -> None:
    """T2: all waiting cars share it, nobody is alongside there."""
    scene = Scene(back_and_forth(), "ana", "bo").turn("ana", "1:1.2.l", ".")
    assert scene.next == "ana"
    scene.turn("ana", "1:1.3.l", ".")
    assert scene.legal("bo") == {"1:1.2.l", "1:1.2.r", "2:1.2.l", "2:1.2.r"}


def back_and_forth() -> list[Any]:
    return ["202a", back("205a"), "203a"]
