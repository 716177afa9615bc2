"""Counting plans: the number of legal plans with so many moves, from the grid, on every ready-made stage.

A program that shares no code with the engine computed the same counts. Each is worth many tests: a wrong limit, bump,
ford, shortcut or gear changes one of them.
"""

from __future__ import annotations

import pytest

from engine.dirt.course.compiled_stage import GRID
from engine.dirt.plan import count, start
from engine.dirt.road import Road, limits_under_mud
from engine.dirt.table import road_for
from tests.games.dirt.engine.scenes import HAIRPIN, Scene, car, track_of

PLANS = {
    "1/1": [4, 20, 88, 72, 64, 80, 192, 448],
    "1/2": [4, 20, 88, 480, 1120, 608, 0, 0],
    "1/3": [4, 20, 88, 320, 896, 2048, 5504, 0],
    "2/1": [4, 20, 88, 320, 896, 2048, 5504, 12544],
    "2/2": [4, 20, 88, 480, 1120, 608, 0, 0],
    "2/3": [4, 20, 132, 560, 1248, 2144, 6448, 12496],
    "3/1": [4, 20, 88, 320, 896, 3072, 9632, 4704],
    "3/2": [4, 20, 88, 320, 896, 2048, 5504, 18816],
    "3/3": [4, 20, 132, 560, 1056, 864, 1800, 4080],
    "4/1": [4, 20, 88, 320, 896, 3072, 6880, 3136],
    "4/2": [4, 20, 88, 496, 1472, 2560, 2432, 768],
    "4/3": [4, 20, 88, 480, 1120, 608, 0, 0],
    "5/1": [4, 20, 88, 320, 1344, 2560, 1376, 0],
    "5/2": [4, 20, 132, 400, 512, 192, 240, 480],
    "5/3": [4, 20, 88, 320, 896, 2048, 5504, 18816],
    "6/1": [4, 20, 88, 480, 1120, 1120, 720, 1344],
    "6/2": [4, 20, 132, 560, 1248, 2640, 5072, 6464],
    "6/3": [4, 20, 88, 320, 896, 2048, 9632, 21952],
}


def plans(name: str, space: str, gear: int, depth: int) -> int:
    track = track_of(name)
    road = Road(track, limits_under_mud(track, {}), {})
    return count(road, start(road, track.index[space], gear, {}), depth)


@pytest.mark.parametrize("name", sorted(PLANS))
def test_plans_from_the_grid(name: str) -> None:
    assert [plans(name, "grid", 0, depth) for depth in range(1, 8)] == PLANS[name][:7]


@pytest.mark.parametrize("name", ["1/1", "3/2", "6/2"])
def test_plans_of_eight_moves(name: str) -> None:
    assert plans(name, "grid", 0, 8) == PLANS[name][7]


def test_a_plan_of_no_moves_is_one_plan() -> None:
    track = track_of("1/1")
    road = Road(track, limits_under_mud(track, {}), {})
    assert count(road, start(road, GRID, 0, {}), 0) == 1


def test_plans_among_other_cars() -> None:
    """Counting all plans at once gives the same number as adding them move by move."""
    scene = Scene(HAIRPIN, car("ana", "1.2.l", 2), car("bo", "1.3.r", 2), car("cy", "2.2.o1", 1), leader_dice=False)
    scene.state["queue"] = ["ana", "bo", "cy"]
    road = road_for(scene.state, "ana")
    at = start(road, road.track.index["1.2.l"], 2, {})
    laid = [""]
    for depth in range(1, 5):
        laid = [f"{plan} {move}".strip() for plan in laid for move in scene.legal("ana", plan)]
        assert count(road, at, depth) == len(laid) > 0


MIDDLE = {
    ("6/3", "3.1.r", 3): 3924,
    ("6/3", "5.1.l", 5): 876,
    ("6/3", "6.1.i1", 4): 2076,
    ("6/3", "7.2.s1", 4): 146,
    ("6/3", "7.4.r", 6): 438,
    ("6/3", "9.1.l", 6): 4168,
    ("6/3", "10.1.s1", 2): 1969,
    ("2/2", "6.1.l", 3): 114,
    ("2/2", "6.3.m", 2): 3766,
    ("2/2", "9.1.l", 5): 2276,
    ("3/1", "13.1.l", 4): 0,
    ("4/2", "2.1.r", 3): 2256,
    ("5/1", "8.1.l", 4): 4608,
    ("5/1", "5.1.r", 2): 140,
    ("5/2", "6.1.l", 5): 18880,
    ("3/2", "7.1.r", 5): 459,
    ("3/3", "10.2.l", 4): 1354,
    ("6/1", "5.1.l", 1): 904,
}


def test_plans_in_the_middle_of_a_stage() -> None:
    """Plans of five moves, where the road has bumps, fords, shortcuts and several bends."""
    assert {place: plans(*place, 5) for place in MIDDLE} == MIDDLE
