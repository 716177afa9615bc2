"""Movements (M)."""

from __future__ import annotations

import pytest

from tests.games.formula_d.engine.scene import car, lost, played, refused, turn


def ana(space: str, gear: int = 3, **more: object) -> list[dict[str, object]]:
    return [car("ana", space, gear, **more)]


@pytest.mark.parametrize("path", ["S1.1.2", "S1.3.0", "S1.1.0", "S7.1.13", "nowhere", "P.0.0"])
def test_m1_only_onto_a_next_space(path: str) -> None:
    assert refused(ana("S1.1.0", 1), turn("ana", 1, path), dice=[1]) == "M1"


@pytest.mark.parametrize("path", ["S1.1.1", [3], [None], {"a": 1}])
def test_m1_what_is_no_list_of_spaces(path: object) -> None:
    assert refused(ana("S1.2.5", 1), {"car": "ana", "gear": 1, "path": path}, dice=[1]) == "M1"


def test_m2_a_taken_space() -> None:
    cars = [*ana("S1.1.0", 1, lap=1), car("bo", "S1.1.1", 1, lap=0)]
    assert refused(cars, turn("ana", 1, "S1.1.1"), dice=[1]) == "M2"
    assert refused(cars, turn("ana", 1, "S1.1.1 S1.1.2"), dice=[2]) == "M2"


def test_m2_a_retired_car_still_blocks_its_space() -> None:
    """X3: bo has lost its last body WP against cy and stays until the round ends."""
    cars = [car("bo", "S2.1.3", 1, wp={"body": 1}), car("cy", "S2.2.3", 1)]
    assert refused(cars, turn("bo", 1, ""), turn("cy", 1, "S2.1.3"), dice=[1, 20, 1, 1]) == "M2"


def test_m3_changing_lanes_twice_and_back() -> None:
    assert refused(ana("S1.1.0", 2), turn("ana", 2, "S1.2.0 S1.2.1 S1.1.2"), dice=[3]) == "M3"
    assert lost(played(ana("S1.1.0", 2), turn("ana", 2, "S1.2.0 S1.2.1 S1.3.2"), dice=[3])) == {}


def test_m3_the_line_does_not_end_a_stretch() -> None:
    cars = ana("S7.1.12", 2, lap=0)
    assert refused(cars, turn("ana", 2, "S7.1.13 S7.2.14 S1.1.0 S1.1.1"), dice=[4]) == "M3"


def test_m3_a_corner_begins_a_new_stretch() -> None:
    """Into the corner on the left, out of it to the right and back to the left."""
    cars = ana("C2.1.3", 2, stops=1)
    assert lost(played(cars, turn("ana", 2, "S3.2.0 S3.1.0"), dice=[2])) == {}


def test_m3_round_a_car_the_long_way_is_the_shortest() -> None:
    """With S1.1.1 taken, S1.1.2 is reached in three steps; the four steps by lane 3 are not the shortest way."""
    cars = [*ana("S1.1.0", 2, lap=1), car("bo", "S1.1.1", 1, lap=0)]
    assert played(cars, turn("ana", 2, "S1.2.0-1 S1.1.2"), dice=[3])["cars"]["ana"]["space"] == "S1.1.2"
    assert refused(cars, turn("ana", 2, "S1.2.0 S1.3.1 S1.2.1 S1.1.2"), dice=[4]) == "M3"


def test_m3_markers_are_no_obstacle() -> None:
    more = {"markers": ["S1.1.1"]}
    assert refused(ana("S1.1.0", 2), turn("ana", 2, "S1.2.0-1 S1.1.2"), dice=[3], more=more) == "M3"


def test_m3_round_a_marker_as_round_a_car_when_the_race_says_so() -> None:
    more = {"markers": ["S1.1.1"]}
    round_it = turn("ana", 2, "S1.2.0-1 S1.1.2")
    assert played(ana("S1.1.0", 2), round_it, dice=[3], more=more, detours=True)["cars"]["ana"]["space"] == "S1.1.2"
    too_far = turn("ana", 2, "S1.2.0 S1.3.1 S1.2.1 S1.1.2")
    assert refused(ana("S1.1.0", 2), too_far, dice=[4], more=more, detours=True) == "M3"
    assert refused(ana("S1.1.0", 2), round_it, dice=[3], detours=True) == "M3", "there is no marker"


def test_m3_a_marker_may_still_be_driven_over() -> None:
    shown = played(
        ana("S1.1.0", 2), turn("ana", 2, "S1.1.1-2"), dice=[2, 20], more={"markers": ["S1.1.1"]}, detours=True
    )
    assert shown["cars"]["ana"]["space"] == "S1.1.2"


def test_m4_any_arrow_in_a_corner() -> None:
    """To the right and back to the left."""
    shown = played(ana("C1.3.0", 3), turn("ana", 3, "C1.2.0 C1.1.0 C1.2.1 C1.3.3"), dice=[4])
    assert shown["cars"]["ana"]["space"] == "C1.3.3"


def test_m5_the_path_ends_behind_the_finish() -> None:
    cars = ana("S7.1.13", 2)
    assert played(cars, turn("ana", 2, "S1.1.0"), dice=[4])["cars"]["ana"]["status"] == "finished"
    assert refused(cars, turn("ana", 2, "S1.1.0 S1.1.1"), dice=[4]) == "M5"


def test_m5_not_on_the_laps_before() -> None:
    shown = played(ana("S7.1.13", 2), turn("ana", 2, "S1.1.0-1"), dice=[2], laps=2)
    assert shown["cars"]["ana"]["lap"] == 2 and shown["cars"]["ana"]["status"] == "racing"


def test_m5_the_path_ends_in_the_box() -> None:
    cars = ana("S7.3.3", 3, box="E1")
    path = "P.0.0-2 PITE1"
    assert refused(cars, turn("ana", 3, f"{path} P.0.2"), dice=[6], laps=2) == "M5"


def test_m6_longer_than_the_count() -> None:
    assert refused(ana("S1.1.0", 1), turn("ana", 1, "S1.1.1-2"), dice=[1]) == "M6"


def test_m6_a_path_is_due_where_there_is_one() -> None:
    """M6: nitro, bonus and tires are not considered."""
    cars = ana("S1.1.0", 3)
    assert refused(cars, turn("ana", 3), dice=[4]) == "M6"
    assert refused(cars, turn("ana", 3, nitro=True, bonus=True, tires=3), dice=[4]) == "M6"


def test_m7_no_path_can_be_paid() -> None:
    """X1: not blocked: taken off at once, without a marker. Other orders are ignored."""
    cars = ana("C1.1.8", 3, stops=0, wp={"brakes": 3})
    order = turn("ana", 3, "S2.1.0-3", nitro=True, tires=9, slip=[{}], pit={}, out=[])
    shown = played(cars, order, dice=[4])
    assert (shown["cars"]["ana"]["status"], shown["cars"]["ana"]["space"], shown["markers"]) == ("out", None, [])


def test_m7_not_while_brakes_would_do() -> None:
    cars = ana("C1.1.8", 3, stops=0, wp={"brakes": 4})
    assert refused(cars, turn("ana", 3), dice=[4]) == "M6"
    assert lost(played(cars, turn("ana", 3, ""), dice=[4]), "ana")["brakes"] == 3
