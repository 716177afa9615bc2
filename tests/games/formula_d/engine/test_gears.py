"""Gears (G)."""

from __future__ import annotations

import pytest

from tests.games.formula_d.engine.scene import car, lost, played, refused, turn


@pytest.mark.parametrize("gear", [None, 0, 7, "4", True, 2.0])
def test_g1_no_such_gear(gear: object) -> None:
    order = {"car": "ana", "path": []} | ({} if gear is None else {"gear": gear})
    assert refused([car("ana", "S1.1.0", 3)], order) == "G1"


def test_g2_one_gear_up() -> None:
    cars = [car("ana", "S1.1.0", 3)]
    assert refused(cars, turn("ana", 5, "")) == "G2"
    assert played(cars, turn("ana", 4, "S1.1.1-7"), dice=[7])["cars"]["ana"]["gear"] == 4


def test_g2_the_first_gear_is_the_first() -> None:
    assert refused([car("ana")], turn("ana", 2, ""), start_roll=False) == "G2"
    assert played([car("ana")], turn("ana", 1, "S1.3.0"), dice=[1], start_roll=False)["cars"]["ana"]["gear"] == 1


def test_g3_sixth_to_first_never() -> None:
    assert refused([car("ana", "S1.1.0", 6)], turn("ana", 1, "")) == "G3"
    assert refused([car("ana", "S1.1.0", 6)], turn("ana", 1, ""), rules="basic") == "G3"


@pytest.mark.parametrize(
    ("own", "price"),
    [(2, {}), (3, {"gearbox": 1}), (4, {"gearbox": 1, "brakes": 1}), (5, {"gearbox": 1, "brakes": 1, "engine": 1})],
)
def test_g4_advanced_price(own: int, price: dict[str, int]) -> None:
    shown = played([car("ana", "S1.1.0", own)], turn("ana", 1, "S1.1.1"), dice=[1])
    assert lost(shown) == price


@pytest.mark.parametrize(("own", "price"), [(2, 0), (3, 1), (4, 2), (5, 3)])
def test_g4_basic_price(own: int, price: int) -> None:
    shown = played([car("ana", "S1.1.0", own)], turn("ana", 1, "S1.1.1"), dice=[1], rules="basic")
    assert shown["cars"]["ana"]["wp"] == {"total": 18 - price}


def test_g4_basic_one_wp_remains() -> None:
    poor = car("ana", "S1.1.0", 4, wp={"total": 2})
    assert refused([poor], turn("ana", 1, ""), rules="basic") == "G4"
    enough = car("ana", "S1.1.0", 4, wp={"total": 3})
    assert played([enough], turn("ana", 1, "S1.1.1"), dice=[1], rules="basic")["cars"]["ana"]["wp"]["total"] == 1


@pytest.mark.parametrize(
    ("own", "wear"), [(3, {"gearbox": 0}), (4, {"brakes": 0}), (5, {"engine": 1}), (5, {"brakes": 0})]
)
def test_g5_no_wp_for_it(own: int, wear: dict[str, int]) -> None:
    assert refused([car("ana", "S1.1.0", own, wp=wear)], turn("ana", 1, "")) == "G5"


def test_g5_the_last_gearbox_and_brake_wp_may_be_given() -> None:
    poor = car("ana", "S1.1.0", 5, wp={"gearbox": 1, "brakes": 1, "engine": 2})
    shown = played([poor], turn("ana", 1, "S1.1.1"), dice=[1])
    assert [shown["cars"]["ana"]["wp"][area] for area in ("gearbox", "brakes", "engine")] == [0, 0, 1]


def test_g5_brakes_used_for_gears_cannot_be_used_for_braking() -> None:
    poor = car("ana", "S1.1.0", 4, wp={"brakes": 1})
    assert refused([poor], turn("ana", 1, "S1.1.1"), dice=[2]) == "B1"


def test_g6_the_engine_wp_leaves_a_marker_where_the_movement_ends() -> None:
    shown = played([car("ana", "S1.1.0", 5)], turn("ana", 1, "S1.1.1-2"), dice=[2])
    assert shown["markers"] == ["S1.1.2"]


def test_g6_the_marker_is_there_before_the_collision_dice() -> None:
    """Two markers count as one: a space has one marker or none (D1)."""
    cars = [car("ana", "S1.1.0", 5, lap=1), car("bo", "S1.1.3", 1, lap=0)]
    shown = played(cars, turn("ana", 1, "S1.1.1-2"), dice=[2, 20, 1])
    assert shown["markers"] == ["S1.1.2"] and lost(shown)["body"] == 1


def test_g6_none_behind_the_finish_nor_out_of_the_race() -> None:
    assert played([car("ana", "S7.1.13", 5)], turn("ana", 1, "S1.1.0"), dice=[1])["markers"] == []
    out = car("ana", "S1.1.0", 5, wp={"road": 1})
    shown = played([out], turn("ana", 1, "S1.1.1"), dice=[1, 4], more={"markers": ["S1.1.1"]})
    assert shown["markers"] == ["S1.1.1"] and shown["cars"]["ana"]["wp"]["engine"] == 2


def test_g6_none_in_the_pits() -> None:
    shown = played([car("ana", "P.0.3", 5)], turn("ana", 1, "P.0.4"), dice=[1], laps=2)
    assert shown["markers"] == [] and lost(shown)["engine"] == 1


def test_a1_the_gear_is_paid_though_the_path_takes_the_car_out() -> None:
    """A4: a car that retires by M7 has paid for its gear."""
    poor = car("ana", "C1.1.8", 6, wp={"brakes": 1, "tires": 0})
    shown = played([poor], turn("ana", 3), dice=[8])
    wear = shown["cars"]["ana"]["wp"]
    assert (wear["gearbox"], wear["brakes"], shown["cars"]["ana"]["status"]) == (2, 0, "out")
