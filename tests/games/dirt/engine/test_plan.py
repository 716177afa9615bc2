"""Legal plans on an empty road: limits, mud, jumps, water (M1 to M4)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.dirt.engine.scenes import (
    BUMP,
    BUMP_BEND,
    BUMP_FORD,
    BUMP_LAST,
    HAIRPIN,
    Scene,
    car,
    ways,
)


def dice(moves: set[str]) -> set[str]:
    """Return the dice of moves, whatever the spaces."""
    return {move.split(":")[0] for move in moves}


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
    """M2: by one per marker, for everyone but the driver who threw it."""
    mud = {2: {"bo": 1}}
    ana = Scene(HAIRPIN, car("ana", "2.1.l", 2), "bo", mud=mud).turn("ana", "2:2.2.o1", ".", cards=["spin"])
    assert ana.place("ana") == ("2.2.o1", 0)
    bo = Scene(HAIRPIN, car("bo", "2.1.l", 2), "ana", mud=mud).turn("bo", "2:2.2.o1 1:2.2.o2", "..")
    assert bo.place("bo") == ("2.2.o2", 1)


def test_M2_a_limit_of_zero_closes_the_space() -> None:
    scene = Scene(HAIRPIN, car("ana", "2.1.r", 2), "bo", mud={2: {"bo": 1}})
    scene.refuse("M2", "ana", "1:2.2.i1")
    buried = ways(HAIRPIN, "2.1.r", 2, mud={2: 3})
    assert {move.split(":")[1] for move in buried} == {"2.k1.1"}


def test_M2_shortcuts_and_single_spaces_keep_their_limits() -> None:
    assert "1:2.k1.1" in ways(["202a", "211b", "203a"], "2.1.r", 1, mud={2: 2})
    single = Scene(["202a", "231b", "203a"], car("ana", "2.1.l", 4), "bo", mud={2: {"bo": 9}})
    assert single.turn("ana", "c:2.2.m", ".").place("ana") == ("2.2.m", 4)


def test_M2_no_jump_lands_in_a_buried_bend() -> None:
    road = BUMP_BEND
    assert "4:2.2.l^3.2.i1" in ways(road, "2.1.l", 3)
    assert "4:2.2.l^3.2.i1" not in ways(road, "2.1.l", 3, mud={3: 3})
    Scene(road, car("ana", "2.1.l", 3), "bo", mud={3: {"bo": 3}}).refuse("M2", "ana", "4:2.2.l^3.2.i1")


# M3: jumps


def test_M3_below_its_number_a_bump_is_a_row() -> None:
    assert {"4:2.2.l", "4:2.2.r", "3:2.2.l", "c:2.2.r"} <= ways(BUMP, "2.1.l", 4)
    Scene(BUMP, car("ana", "2.1.l", 4)).refuse("M3", "ana", "4:2.2.l^2.3.l")


def test_M3_at_its_number_the_car_lands_on_the_next_space() -> None:
    """M3 (DE): one space on, straight or diagonally; a coast die counts as the present gear."""
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
    """M3: any face rolled for the move counts; here gear 4 and a brake on a bump of 3."""
    road = BUMP_BEND
    lost = Scene(road, car("ana", "2.1.l", 6)).turn("ana", "4b:2.2.l^3.1.s2", ".!", cards=["spin"])
    assert lost.place("ana") == ("3.1.s2", 0)


def test_M3_two_above_it_loses_control_for_certain() -> None:
    bump_of_3 = ["202a", "204b", "205a", "203a"]
    scene = Scene(bump_of_3, car("ana", "2.1.l", 5))
    scene.refuse("M3", "ana", "5:2.2.l^3.2.l 4:3.3.l")
    assert scene.turn("ana", "5:2.2.l^3.2.l", ".", cards=["spin"]).place("ana") == ("3.2.l", 0)


def test_M3_what_is_jumped_over_does_not_matter() -> None:
    """M3: neither water nor cars; the bump itself must be free (M6)."""
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
    assert {"4:2.2.r^3.2.i1", "4:2.2.r^3.2.o1", "4:2.2.r^3.1.s2"} <= ways(BUMP_BEND, "2.1.l", 3)
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
    road = BUMP_BEND
    lost = Scene(road, car("ana", "2.1.l", 3)).turn("ana", "4:2.2.l^3.2.i1", ".", cards=["spin"])
    assert lost.place("ana") == ("3.2.i1", 0)
    assert Scene(road, car("ana", "2.1.l", 3)).turn("ana", "4:2.2.l^3.2.o1", ".").place("ana") == ("3.2.o1", 4)


def test_M3_needs_a_landing_in_the_plan() -> None:
    Scene(BUMP, car("ana", "2.1.l", 5)).refuse("M3", "ana", "6:2.2.l")
    Scene(BUMP, car("ana", "1.3.l", 5)).refuse("M3", "ana", "5:2.1.l^2.2.l")


# M4: water


def test_M4_water_is_coasted_or_crawled_through() -> None:
    """M4: with a coast die in any gear, or in gear 1 without a brake."""
    assert dice(ways(BUMP_FORD, "2.2.l", 2)) == {"1", "c"}
    assert dice(ways(BUMP_FORD, "2.2.l", 3)) == {"c"}
    assert dice(ways(BUMP_FORD, "2.2.l", 0)) == {"1"}
    scene = Scene(BUMP_FORD, car("ana", "2.2.l", 3))
    scene.refuse("M4", "ana", "3:2.3.l")
    scene.refuse("M4", "ana", "1b:2.3.l")
    scene.turn("ana", "c:2.3.l 4:2.4.l", "..")
