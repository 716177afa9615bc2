"""Slipstreams (S)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.formula_d.engine.scene import car, lost, played, refused, slip, turn

ROUND = slip("S2.2.10-11 S2.1.11")
"""Around the car on S2.1.10 and back into lane 1."""


def scene(gear: int = 4, rival: int = 1, **more: Any) -> list[dict[str, Any]]:
    """Return Ana, a lap ahead and first to play, seven spaces from the place directly behind bo."""
    return [car("ana", "S2.1.2", gear, lap=2, **more), car("bo", "S2.1.10", rival, lap=1)]


def follow(gear: int = 4, *slips: dict[str, Any], **more: Any) -> dict[str, Any]:
    return turn("ana", gear, "S2.1.3-9", slip=list(slips or [ROUND]), **more)


LAPS = {"laps": 3}


def test_s1_behind_a_car_in_fourth_gear() -> None:
    shown = played(scene(4, 4), follow(), dice=[7], **LAPS)
    assert shown["cars"]["ana"]["space"] == "S2.1.11"


def test_s1_the_rival_in_third_gear() -> None:
    assert refused(scene(4, 3), follow(), dice=[7], **LAPS) == "S1"


def test_s1_the_own_gear_below_the_fourth() -> None:
    assert refused(scene(3, 4), follow(3), dice=[7], **LAPS) == "S1"


def test_s1_the_own_gear_below_the_rivals() -> None:
    assert refused(scene(4, 5), follow(), dice=[7], **LAPS) == "S1"
    assert played(scene(4, 4), follow(), dice=[7], **LAPS)["over"] is False


def test_s1_nobody_ahead() -> None:
    assert refused(scene(4, 4)[:1], follow(), dice=[7], **LAPS) == "S1"


def test_s1_beside_is_not_ahead() -> None:
    cars = [scene()[0], car("bo", "S2.2.9", 4, lap=1)]
    assert refused(cars, follow(), dice=[7], **LAPS) == "S1"


def test_s1_not_after_braking() -> None:
    assert refused(scene(4, 4), follow(), dice=[8], **LAPS) == "S1"


def test_s1_not_after_overshooting() -> None:
    cars = [car("ana", "C1.1.8", 4, lap=2, stops=1, wp={"tires": 12}), car("bo", "S2.1.7", 4, lap=1)]
    order = turn("ana", 4, "S2.1.0-6", slip=[slip("S2.2.7-8 S2.1.8")])
    assert refused(cars, order, dice=[7], **LAPS) == "S1"
    cars[0]["stops"] = 2
    assert played(cars, order, dice=[7], **LAPS)["cars"]["ana"]["wp"]["tires"] == 12


def test_s1_not_behind_a_car_that_is_out() -> None:
    """Bo has lost its last body WP to cy's die and stays on the track."""
    cars = [
        car("bo", "S2.1.10", 4, lap=2, wp={"body": 1, "brakes": 12}),
        car("cy", "S2.2.10", 1, lap=1),
        car("ana", "S2.1.2", 4, lap=1),
    ]
    turns = [turn("bo", 4, ""), turn("cy", 1, "S2.2.11"), follow()]
    assert refused(cars, *turns, dice=[7, 20, 1, 1, 7], **LAPS) == "S1"


def test_s1_not_from_the_pits() -> None:
    cars = [car("ana", "P.0.12", 4, lap=1, boxed=True), car("bo", "S1.3.8", 4, lap=2)]
    order = turn("ana", 4, "P.0.13 S1.3.3-7", slip=[slip("S1.2.7-8 S1.3.9")])
    cars.append(car("cy", "S5.1.0", 1, lap=1))
    turns = [turn("bo", 4, "", tires=0), turn("cy", 1, "S5.1.1"), order]
    cars[0]["gear"], cars[1]["wp"] = 3, {"brakes": 9}
    turns[2] = turn("ana", 4, "P.0.13 S1.3.2-7", slip=[slip("S1.2.7-8 S1.3.9")])
    assert refused(cars, *turns, dice=[7, 1, 7], **LAPS) == "S1"


def test_s_basic_knows_none() -> None:
    assert refused(scene(4, 4), follow(), dice=[7], rules="basic", **LAPS) == "S1"


def test_s2_three_spaces_on_a_stretch_of_its_own() -> None:
    """M3 for both: lane 2 and back is the shortest way round bo."""
    assert refused(scene(4, 4), follow(4, slip("S2.2.9 S2.2.10 S2.1.11 S2.1.12")), dice=[7], **LAPS) == "M1"
    assert refused(scene(4, 4), follow(4, slip("S2.2.10-13")), dice=[7], **LAPS) == "M6"
    assert refused(scene(4, 4), follow(4, slip("S2.1.10")), dice=[7], **LAPS) == "M2"


def test_s2_one_space_at_least() -> None:
    assert refused(scene(4, 4), follow(4, slip("")), dice=[7], **LAPS) == "S2"
    assert refused(scene(4, 4), follow(4, {}), dice=[7], **LAPS) == "S2"


def test_s2_not_into_the_pit_lane() -> None:
    cars = [car("ana", "C6.3.1", 4, lap=1, stops=1), car("bo", "S7.3.4", 4, lap=1)]
    cars[0]["lap"] = 2
    order = turn("ana", 4, "C6.3.2-4 S7.3.0-3", slip=[slip("P.0.0-2")])
    assert refused(cars, order, dice=[7], **LAPS) == "P1"


def test_s3_again_and_again() -> None:
    cars = [*scene(4, 4), car("cy", "S2.1.12", 4, lap=1)]
    again = follow(4, ROUND, slip("S2.2.12-13 S2.1.13"))
    assert played(cars, again, dice=[7], **LAPS)["cars"]["ana"]["space"] == "S2.1.13"
    assert refused(cars, follow(4, ROUND, ROUND, ROUND), dice=[7], **LAPS) == "M1"


def test_s4_braking_ends_it() -> None:
    """One brake WP, directly behind cy: no further slipstream."""
    cars = [*scene(4, 4), car("cy", "S2.2.12", 4, lap=1)]
    shortened = slip("S2.2.10-11")
    shown = played(cars, follow(4, shortened), dice=[7, 20, 20, 20, 20], **LAPS)
    assert lost(shown) == {"brakes": 1}
    assert refused(cars, follow(4, shortened, slip("S2.3.12")), dice=[7], **LAPS) == "S1"


def test_s4_no_emergency_braking() -> None:
    cars = scene(4, 4, wp={"brakes": 0})
    order = follow(4, slip("S2.2.10", tires=2))
    assert refused(cars, order, dice=[7], **LAPS) == "B1"


CORNER = [car("ana", "S2.1.9", 4, lap=2), car("bo", "S2.1.17", 4, lap=1)]
INTO = turn("ana", 4, "S2.1.10-16", slip=[slip("S2.2.17 C2.2.0 C2.1.0")])


def test_s5_into_a_corner_costs_a_brake_wp() -> None:
    shown = played(CORNER, INTO, dice=[7], **LAPS)
    assert lost(shown) == {"brakes": 1} and shown["cars"]["ana"]["stops"] == 1


def test_s5_not_without_it() -> None:
    poor = [{**CORNER[0], "wp": {"brakes": 0}}, CORNER[1]]
    assert refused(poor, INTO, dice=[7], **LAPS) == "S5"


def test_s5_besides_braking() -> None:
    one = [{**CORNER[0], "wp": {"brakes": 1}}, CORNER[1]]
    short = turn("ana", 4, "S2.1.10-16", slip=[slip("S2.2.17 C2.2.0")])
    assert refused(one, short, dice=[7], **LAPS) == "S5"
    none = [{**CORNER[0], "wp": {"brakes": 0}}, CORNER[1]]
    assert refused(none, short, dice=[7], **LAPS) == "B1"


def test_s5_is_not_braking() -> None:
    """S1: after it a further slipstream is possible."""
    cars = [*CORNER, car("cy", "C2.1.1", 4, lap=1, stops=1)]
    order = turn("ana", 4, "S2.1.10-16", slip=[slip("S2.2.17 C2.2.0 C2.1.0"), slip("C2.2.2-3 S3.2.0")])
    shown = played(cars, order, dice=[7], **LAPS)
    assert lost(shown) == {"brakes": 1, "tires": 1}


def test_s5_leaving_a_corner_is_not_entering() -> None:
    cars = [car("ana", "C1.1.0", 4, lap=2, stops=2), car("bo", "C1.1.8", 4, lap=1, stops=2)]
    order = turn("ana", 4, "C1.1.1-7", slip=[slip("C1.2.7 S2.2.0 S2.1.0")])
    assert lost(played(cars, order, dice=[7], **LAPS)) == {}


def test_s6_overshooting_costs_the_spaces_of_the_slipstream() -> None:
    """Ana stops in the corner. The slipstream leads two spaces past it, so it was not a stop (C1)."""
    cars = [car("ana", "S2.1.13", 4, lap=2), car("bo", "C2.1.3", 4, lap=1, stops=1)]
    order = turn("ana", 4, "S2.1.14-17 C2.1.0-2", slip=[slip("C2.2.3 S3.2.0-1")])
    shown = played(cars, order, dice=[7], **LAPS)
    assert (lost(shown), shown["cars"]["ana"]["stops"]) == ({"tires": 2}, 0)


@pytest.mark.parametrize(("where", "used"), [("move", True), ("slip", False)])
def test_s7_the_bonus_once_a_turn(where: str, used: bool) -> None:
    cars = scene(4, 4, tyres="soft", age=1)
    cars[0]["space"] = "S2.1.1" if used else "S2.1.2"
    path = "S2.1.2-9" if used else "S2.1.3-9"
    longer = slip("S2.2.10-11 S2.1.11-12", bonus=True)
    order = turn("ana", 4, path, bonus=used, slip=[longer])
    if used:
        assert refused(cars, order, dice=[7], tyres=True, **LAPS) == "S7"
    else:
        assert played(cars, order, dice=[7], tyres=True, **LAPS)["cars"]["ana"]["space"] == "S2.1.12"


def test_s7_not_on_old_tyres() -> None:
    cars = scene(4, 4, tyres="soft", age=2)
    order = follow(4, slip("S2.2.10-11 S2.1.11-12", bonus=True))
    assert refused(cars, order, dice=[7], tyres=True, **LAPS) == "S7"


def test_s7_in_one_slipstream_only() -> None:
    cars = [*scene(4, 4, tyres="soft", age=1), car("cy", "S2.1.13", 4, lap=1)]
    longer = slip("S2.2.10-11 S2.1.11-12", bonus=True)
    again = slip("S2.2.13-14 S2.1.14-15", bonus=True)
    assert refused(cars, follow(4, longer, again), dice=[7], tyres=True, **LAPS) == "S7"


def test_n2_a_slipstream_with_bonus_is_driven_in_full() -> None:
    cars = scene(4, 4, tyres="soft", age=1)
    order = follow(4, slip("S2.2.10-11 S2.1.11", bonus=True))
    assert refused(cars, order, dice=[7], tyres=True, **LAPS) == "N2"
