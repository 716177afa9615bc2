"""Legal plans among other cars: free spaces, coming alongside, following, blocked (M6 to M10)."""

from __future__ import annotations

from typing import Any

from tests.games.dirt.engine.scenes import (
    BUMP,
    BUMP_BEND,
    BUMP_FORD,
    HAIRPIN,
    STRAIGHT,
    Scene,
    back,
    car,
)


def rivals(road: list[Any], me: dict[str, Any], *others: dict[str, Any]) -> Scene:
    """Return a scene in which ana plays first, whatever the positions of the others."""
    scene = Scene(road, me, *others, leader_dice=False)
    scene.state["queue"] = [me["name"], *[other["name"] for other in others]]
    return scene


def test_M6_a_space_holds_one_car_and_nobody_drives_through() -> None:
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 4), car("bo", "1.3.l", 1))
    scene.refuse("M6", "ana", "4:1.3.l")
    scene.refuse("M6", "ana", "4:1.3.l 5:2.1.l")
    assert scene.turn("ana", "4:1.3.r 5:2.1.l", "..").place("ana") == ("2.1.l", 5)


def test_M6_finished_and_retired_cars_block_nobody() -> None:
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
    """M7: the error names this rule, although the car is also blocked (M9)."""
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 1), car("bo", "1.3.l", 4))
    assert scene.forced("ana") == "M9"
    scene.refuse("M7", "ana", "2:1.3.r")
    scene.refuse("M6", "ana", "2:1.3.l")


def test_M7_once_alongside_any_gear_goes() -> None:
    """M7: beside the shortcut on both slide halves; to be fast enough on the first is enough."""
    scene = rivals(HAIRPIN, car("ana", "1.3.l", 4), car("bo", "2.k1.1", 4))
    scene.refuse("M7", "ana", "3:2.1.s1")
    assert scene.turn("ana", "4:2.1.s1 2b:2.1.s2", "...").place("ana") == ("2.1.s2", 2)


def test_M7_a_car_that_begins_the_turn_alongside_is_alongside() -> None:
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
    """M7 (own): a car on the second slide half leaves by the shortcut, whatever the gear of the car behind it."""
    scene = rivals(HAIRPIN, car("ana", "2.1.s2", 4), car("bo", "2.1.s1", 6))
    assert scene.turn("ana", "4:2.k1.1", ".", shortcuts=["ok"]).place("ana") == ("2.k1.1", 4)
    ahead = rivals(HAIRPIN, car("ana", "2.1.s1", 4), car("bo", "2.1.s2", 6))
    ahead.refuse("M7", "ana", "4:2.k1.1")


def test_M8_a_car_in_a_bend_fixes_the_path() -> None:
    """M8: all cars behind it take the same path, and pass nobody."""
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
    road = BUMP_BEND
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
    """M9: gear 4 before a hairpin, no brakes; the shortcut would be possible, but a car is on it. Losing control is
    refused.
    """
    braking = rivals(HAIRPIN, car("ana", "2.1.r", 4), car("bo", "2.k1.1", 1))
    assert {"2b:2.2.o1", "4:2.2.o1"} <= braking.legal("ana")
    worn = rivals(HAIRPIN, car("ana", "2.1.r", 4, damage={"brake": 1}), car("bo", "2.k1.1", 1))
    assert worn.forced("ana") == "M9"
    worn.refuse("M9", "ana", "4:2.2.o1")
    assert worn.turn("ana", "").cards("ana") == [20]


def test_M9_alone_before_the_same_bend_control_is_lost() -> None:
    """M9: without another car as the cause nobody is blocked."""
    scene = Scene(["202a", "214a", "203a"], car("ana", "2.1.r", 4, damage={"brake": 1}))
    scene.refuse("D9", "ana", "")
    scene.turn("ana", "3:2.2.o1", ".", cards=["spin"])


def test_M9_losses_that_are_nobodys_fault_may_be_laid() -> None:
    """M9: the hairpin would be too tight with an empty road too; a distant car changes nothing."""
    scene = rivals(["202a", "214a", "203a"], car("ana", "2.1.r", 4, damage={"brake": 1}), car("bo", "1.2.l", 1))
    assert scene.forced("ana") is None
    assert {"3:2.2.o1", "4:2.2.o1", "5:2.2.i1"} <= scene.legal("ana")


def test_M9_in_the_middle_of_a_plan_there_is_nothing_more_to_lay() -> None:
    scene = rivals(STRAIGHT, car("ana", "1.2.l", 2), car("bo", "2.1.l", 5), car("cy", "2.1.r", 5))
    assert scene.legal("ana", "3:1.3.l") == set()
    assert scene.turn("ana", "3:1.3.l", ".").cards("ana") == [30]


def test_M10_no_way_on_whether_or_not_other_cars_are_there() -> None:
    """M10: a ford ahead, no coast die, gear 1 not possible."""
    scene = rivals(BUMP_FORD, car("ana", "2.2.l", 3, damage={"coast": 2}), car("bo", "2.3.l", 1))
    assert scene.forced("ana") == "M10"
    scene.refuse("M4", "ana", "2:2.3.r")


def test_the_grid_is_no_place_to_be_passed() -> None:
    """T2: all waiting cars share it; nobody is alongside there."""
    scene = Scene(back_and_forth(), "ana", "bo").turn("ana", "1:1.2.l", ".")
    assert scene.next == "ana"
    scene.turn("ana", "1:1.3.l", ".")
    assert scene.legal("bo") == {"1:1.2.l", "1:1.2.r", "2:1.2.l", "2:1.2.r"}


def back_and_forth() -> list[Any]:
    return ["202a", back("205a"), "203a"]
