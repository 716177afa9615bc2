"""Braking (B)."""

from __future__ import annotations

from typing import Any

from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.scene import car, lost, played, refused, turn
from tests.games.formula_d.engine.test_game import Dice, under_way

WALL = [car("cy", "S2.1.3", 1, lap=1), car("di", "S2.2.3", 1, lap=1), car("ed", "S2.3.3", 1, lap=1)]
"""Three cars side by side. From S2.2.0 three spaces are free before them."""
TOLD = {"laps": 3}
FREE = [20, 20, 20, 20]
"""The dice of the collisions that follow: for the two cars beside the end of the path, then twice for the mover."""


def behind(**more: Any) -> list[dict[str, Any]]:
    """Return Ana, a lap ahead, before the wall."""
    return [car("ana", "S2.2.0", 4, lap=2, **more), *WALL]


def test_b1_each_space_costs_a_brake_wp() -> None:
    shown = played([car("ana", "S1.1.0", 3)], turn("ana", 3, "S1.1.1-2"), dice=[4])
    assert lost(shown) == {"brakes": 2}


def test_b1_all_may_be_braked_and_that_is_a_stop() -> None:
    shown = played([car("ana", "C1.1.0", 1)], turn("ana", 1, ""), dice=[2])
    assert (lost(shown), shown["cars"]["ana"]["stops"]) == ({"brakes": 2}, 1)


def test_b1_not_more_than_there_is() -> None:
    assert refused([car("ana", "S1.1.0", 3)], turn("ana", 3, ""), dice=[4]) == "B1"


def test_b1_basic_one_wp_remains() -> None:
    poor = [car("ana", "S1.1.0", 1, wp={"total": 2})]
    assert refused(poor, turn("ana", 1, ""), dice=[2], rules="basic") == "B1"
    assert played(poor, turn("ana", 1, "S1.1.1"), dice=[2], rules="basic")["cars"]["ana"]["wp"]["total"] == 1


def test_b1_overshoot_and_braking_together() -> None:
    """Basic: one pool for both."""
    cars = [car("ana", "C2.1.3", 3, wp={"total": 5})]
    shown = played(cars, turn("ana", 3, "S3.1.0-1"), dice=[4], rules="basic")
    assert shown["cars"]["ana"]["wp"]["total"] == 1
    assert played(cars, turn("ana", 3), dice=[5], rules="basic")["cars"]["ana"]["status"] == "out"


def test_b2_not_blocked_while_a_path_is_complete() -> None:
    """With lane 3 free there is a full path: no emergency."""
    cars = [*behind()[:3], car("ed", "S2.3.9", 1, lap=1)]
    assert refused(cars, turn("ana", 4, "S2.1.0-2", tires=1), dice=[7], **TOLD) == "B3"


def test_b2_a_path_that_c4_forbids_is_complete_all_the_same() -> None:
    """Straight on out of a corner with both stops missing: not blocked, so no emergency braking; the car is out (M7,
    X1).
    """
    cars = [car("ana", "C1.1.8", 3, wp={"brakes": 0})]
    shown = played(cars, turn("ana", 3), dice=[4])
    assert shown["cars"]["ana"]["space"] is None and shown["markers"] == []


def test_b2_nitro_does_not_count() -> None:
    """Three spaces rolled and driven: complete, although the wall would stop the nitro."""
    cars = [car("ana", "S2.2.0", 2, lap=2), *WALL]
    assert refused(cars, turn("ana", 2, "S2.1.0-2", nitro=True), dice=[3], nitro=True, **TOLD) == "N2"


def test_b3_the_first_three_by_brakes_then_as_one_likes() -> None:
    rich = behind(wp={"brakes": 5})
    for tires, wear in ((0, {"brakes": -2 + 4}), (1, {"tires": 1})):
        order = turn("ana", 4, "S2.1.0-2", tires=tires)
        shown = played(rich, order, dice=[7, *FREE], **TOLD)
        brakes = shown["cars"]["ana"]["wp"]["brakes"]
        assert (brakes, shown["cars"]["ana"]["wp"]["tires"]) == (5 - 4 + tires, 6 - tires), wear


def test_b3_there_is_no_upper_limit() -> None:
    """Nine spaces missing: three brake WP and six tire WP."""
    cars = behind(wp={"tires": 7})
    shown = played(cars, turn("ana", 4, "S2.1.0-2", tires=6), dice=[12, *FREE], **TOLD)
    assert (shown["cars"]["ana"]["wp"]["tires"], shown["cars"]["ana"]["wp"]["brakes"]) == (1, 0)


def test_b3_only_as_far_as_it_goes() -> None:
    assert refused(behind(), turn("ana", 4, "S2.1.0-1", tires=2), dice=[7], **TOLD) == "B3"


def test_b3_not_in_the_basic_game() -> None:
    cars = behind()
    assert refused(cars, turn("ana", 4, "S2.1.0-2", tires=1), dice=[7], rules="basic", **TOLD) == "B3"


def test_b3_not_where_the_overshoot_cannot_be_paid() -> None:
    """Two spaces past the corner are one too many; the car drives only one, and spins there."""
    cars = [
        car("ana", "C2.1.2", 3, lap=2, wp={"tires": 1, "brakes": 9}),
        car("bo", "S3.1.2", 1, lap=1),
        car("cy", "S3.2.2", 1, lap=1),
    ]
    assert refused(cars, turn("ana", 3, "C2.1.3 S3.1.0-1", tires=1), dice=[7], **TOLD) == "C3"
    assert refused(cars, turn("ana", 3, "C2.1.3 S3.1.0", tires=1), dice=[7], **TOLD) == "B4"
    assert refused(cars, turn("ana", 3, "C2.1.3", tires=1), dice=[7], **TOLD) == "B3"


def test_b3_paths_are_counted_once_however_they_are_paid() -> None:
    state, _ = GAME.play(under_way(*behind(wp={"brakes": 5}), **TOLD), "ana", {"do": "gear", "gear": 4}, Dice(0))
    does = [way.does for way in GAME.choices(state, "ana").ways if way.does["to"] == "S2.1.2"]
    assert [(one["tires"], one["paths"]) for one in does] == [(0, 3), (1, 3)]


def test_b2_a_car_that_could_drive_on_but_cannot_pay_is_not_blocked() -> None:
    """All 6 spaces are free, at a price of 12 tire WP: that is C3, not an emergency."""
    cars = [car("ana", "C2.1.3", 3, lap=2, tyres="soft", wp={"tires": 3, "brakes": 5})]
    assert refused(cars, turn("ana", 3, "S3.1.0", tires=1), dice=[6], tyres=True, **TOLD) == "B3"


def test_b4_the_first_three_missing_not_by_tires() -> None:
    assert refused(behind(), turn("ana", 4, "S2.1.0-2", tires=2), dice=[7], **TOLD) == "B4"


def test_b4_then_brakes_then_tires() -> None:
    assert refused(behind(), turn("ana", 4, "S2.1.0-2", tires=1), dice=[8], **TOLD) == "B1"
    assert refused(behind(wp={"tires": 1, "brakes": 5}), turn("ana", 4, "S2.1.0-2", tires=2), dice=[8], **TOLD) == "B4"


def test_b4_overshooting_is_paid_first() -> None:
    """Blocked after a corner with one stop missing: one space overshot, four missing."""
    cars = [car("ana", "C2.1.3", 3, lap=2, wp={"tires": 2}), car("bo", "S3.1.1", 1, lap=1)]
    shown = played(cars, turn("ana", 3, "S3.1.0", tires=1), dice=[5, 20, 20], **TOLD)
    assert shown["cars"]["ana"]["wp"] | {} == {
        "tires": 0, "brakes": 0, "gearbox": 3, "body": 3, "engine": 3, "road": 2,
    }  # fmt: skip
    cars[0]["wp"] = {"tires": 2, "brakes": 9}
    assert refused(cars, turn("ana", 3, "S3.1.0", tires=2), dice=[6], **TOLD) == "B4"


def test_b4_none_after_a_spin() -> None:
    cars = [car("ana", "C2.1.3", 3, lap=2, wp={"tires": 1, "brakes": 9}), car("bo", "S3.1.1", 1, lap=1)]
    assert refused(cars, turn("ana", 3, "S3.1.0", tires=1), dice=[5], **TOLD) == "B4"


def test_b4_braking_to_no_tires_is_no_spin() -> None:
    cars = behind(wp={"tires": 1})
    shown = played(cars, turn("ana", 4, "S2.1.0-2", tires=1), dice=[7, *FREE], **TOLD)
    assert shown["cars"]["ana"]["wp"]["tires"] == 0


def test_b5_a_movement_with_nitro_is_not_braked() -> None:
    cars = [car("ana", "S1.1.0", 1)]
    assert refused(cars, turn("ana", 1, "S1.1.1", nitro=True), dice=[1], nitro=True) == "N2"


def test_tires_that_are_no_number() -> None:
    for tires in (-1, "2", True, 1.5):
        assert refused(behind(), turn("ana", 4, "S2.1.0-2", tires=tires), dice=[7], **TOLD) == "B3"
