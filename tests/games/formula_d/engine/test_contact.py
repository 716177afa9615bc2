"""Collisions (K) and engines (E)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.formula_d.engine.scene import car, lost, played, turn


def pair(space: str, **more: Any) -> list[dict[str, Any]]:
    """Ana moves to S2.1.2; bo, a lap behind, is on the space."""
    return [car("ana", "S2.1.1", 1, lap=2), car("bo", space, 1, lap=1, **more)]


MOVES = turn("ana", 1, "S2.1.2")
LAPS = {"laps": 3}


@pytest.mark.parametrize("space", ["S2.1.3", "S2.2.2", "S2.2.3"])
def test_k1_beside_and_ahead(space: str) -> None:
    played(pair(space), MOVES, dice=[1, 20, 20], **LAPS)


@pytest.mark.parametrize("space", ["S2.2.1", "S2.2.4", "S2.1.4"])
def test_k1_not_farther_off(space: str) -> None:
    played(pair(space), MOVES, dice=[1], **LAPS)


def test_k1_not_behind() -> None:
    cars = [car("ana", "S2.1.2", 1, lap=2), car("bo", "S2.1.1", 1)]
    played(cars, turn("ana", 1, ""), dice=[1], **LAPS)


def test_k1_also_without_having_moved() -> None:
    cars = [car("ana", "S2.1.2", 1, lap=2), car("bo", "S2.1.3", 1)]
    played(cars, turn("ana", 1, ""), dice=[1, 20, 20], **LAPS)


def test_k1_not_when_stalled() -> None:
    cars = [car("ana", "S2.1.2", 0, lap=2), car("bo", "S2.1.3", 1)]
    played(cars, turn("ana"), dice=[1], **LAPS)


def test_k2_opponents_first_in_the_order_of_the_round() -> None:
    """Cy, a lap before bo, is first although bo is first in the file; each die hits its car."""
    cars = [
        car("bo", "S2.2.2", 1, lap=0),
        car("cy", "S2.1.3", 1, lap=1),
        car("ana", "S2.1.1", 1, lap=2),
    ]
    shown = played(cars, MOVES, dice=[1, 1, 20, 20, 1], **LAPS)
    assert [lost(shown, name).get("body", 0) for name in ("ana", "bo", "cy")] == [1, 0, 1]
    shown = played(cars, MOVES, dice=[1, 20, 1, 20, 20], **LAPS)
    assert [lost(shown, name).get("body", 0) for name in ("ana", "bo", "cy")] == [0, 1, 0]


def test_k3_against_one_that_went_out_it_fails_without_rolling() -> None:
    shown = played(pair("S2.1.3", wp={"body": 1}), MOVES, dice=[1, 1], **LAPS)
    assert shown["cars"]["bo"]["status"] == "out" and lost(shown)["body"] == 1


@pytest.mark.parametrize(("weather", "die", "hit"), [("good", 1, 1), ("good", 2, 0), ("rain", 2, 1), ("rain", 3, 0)])
def test_k4_results_that_cost_a_wp(weather: str, die: int, hit: int) -> None:
    """W6: two results in the wet."""
    shown = played(pair("S2.1.3"), MOVES, dice=[1, die, 20], more={"weather": weather}, weather=True, **LAPS)
    assert lost(shown, "bo").get("body", 0) == hit
    assert shown["markers"] == ["S2.1.3"] * hit


@pytest.mark.parametrize(("die", "hit"), [(4, 1), (5, 0)])
def test_k4_basic(die: int, hit: int) -> None:
    shown = played(pair("S2.1.3"), MOVES, dice=[1, 20, die], rules="basic", **LAPS)
    assert shown["cars"]["ana"]["wp"]["total"] == 18 - hit and shown["markers"] == []


def test_k5_a_car_that_goes_out_rolls_no_more() -> None:
    cars = [car("ana", "S2.1.1", 1, lap=2, wp={"body": 1}), car("bo", "S2.1.3", 1), car("cy", "S2.2.2", 1)]
    shown = played(cars, MOVES, dice=[1, 20, 20, 1], **LAPS)
    assert (shown["cars"]["ana"]["status"], shown["cars"]["ana"]["space"]) == ("out", "S2.1.2")


def test_k6_not_in_the_pits() -> None:
    cars = [car("ana", "P.0.3", 1), car("bo", "P.0.6", 1)]
    played(cars, turn("bo", 1, "P.0.7"), turn("ana", 1, "P.0.4"), dice=[1, 1], laps=2)


TWENTY = turn("ana", 5, "S1.1.1-13 C1.1.0-6")


def strained(*others: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """Ana, a lap ahead, before a roll of 20 in 5th gear."""
    return [car("ana", "S1.1.0", 5, lap=2, **more), *others]


def test_e1_all_in_fifth_or_sixth_gear_on_the_track() -> None:
    others = [car("bo", "S5.1.0", 6), car("cy", "S5.2.4", 4), car("di", "P.0.3", 5), car("ed", "S7.1.0", 5)]
    shown = played(strained(*others), TWENTY, dice=[20, 20, 4, 5], **LAPS)
    assert [lost(shown, name).get("engine", 0) for name in ("ana", "bo", "cy", "di", "ed")] == [0, 0, 0, 0, 1]


def test_e1_in_the_order_of_the_round_the_mover_in_its_place() -> None:
    """Bo has played before ana and rolls before it."""
    others = [car("bo", "S5.1.5", 5, lap=2, wp={"brakes": 20})]
    shown = played(strained(*others), turn("bo", 5, "S5.1.6"), TWENTY, dice=[11, 20, 1, 20], **LAPS)
    assert (lost(shown, "ana").get("engine"), shown["cars"]["bo"]["wp"]["engine"]) == (None, 2)


def test_e1_thirty_in_sixth() -> None:
    cars = [car("ana", "S7.1.0", 6, lap=2, wp={"brakes": 40})]
    shown = played(cars, turn("ana", 6, "S7.1.1"), dice=[30, 4], **LAPS)
    assert lost(shown)["engine"] == 1


def test_e1_not_by_twenty_spaces_in_another_gear() -> None:
    played([car("ana", "S7.1.0", 5, wp={"brakes": 40})], turn("ana", 5, "S7.1.1"), dice=[19], **LAPS)


def test_e1_still_due_when_the_mover_is_out() -> None:
    """A4: bo rolls, ana does not."""
    cars = strained(car("bo", "S5.1.0", 5), wp={"road": 1})
    shown = played(cars, TWENTY, dice=[20, 1, 3], more={"markers": ["S1.1.1"]}, **LAPS)
    assert lost(shown, "bo")["engine"] == 1


def test_e1_after_the_collision_dice() -> None:
    cars = strained(car("bo", "C1.1.7", 1, lap=1))
    shown = played(cars, TWENTY, dice=[20, 20, 1, 5], **LAPS)
    assert lost(shown) == {"body": 1}


def test_e1_a_turn_begun_in_the_pits_causes_nothing() -> None:
    cars = [car("ana", "P.0.13", 5, boxed=True, wp={"brakes": 30}), car("bo", "S5.1.0", 5, lap=2, wp={"brakes": 30})]
    played(cars, turn("bo", 5, "S5.1.1"), turn("ana", 5, "S1.3.2"), dice=[11, 20], **LAPS)


@pytest.mark.parametrize(("weather", "die", "hit"), [("good", 4, 1), ("good", 5, 0), ("rain", 3, 1), ("rain", 4, 0)])
def test_e2_results_that_cost_a_wp(weather: str, die: int, hit: int) -> None:
    """W6: three results in the wet."""
    cars = [car("ana", "S5.1.0", 5, lap=2, wp={"brakes": 30})]
    shown = played(cars, turn("ana", 5, "S5.1.1"), dice=[20, die], more={"weather": weather}, **LAPS)
    assert lost(shown).get("engine", 0) == hit and shown["markers"] == ["S5.1.1"] * hit


def test_e2_the_last_wp_takes_it_off() -> None:
    """X2: with a marker, at once."""
    cars = strained(car("bo", "S5.1.0", 5, wp={"engine": 1}))
    shown = played(cars, TWENTY, dice=[20, 20, 4], **LAPS)
    assert (shown["cars"]["bo"]["space"], shown["cars"]["bo"]["status"], shown["markers"]) == (None, "out", ["S5.1.0"])
