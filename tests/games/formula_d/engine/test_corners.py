"""Corners (C): stops, overshooting, spins."""

from __future__ import annotations

import pytest

from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.scene import car, lost, played, refused, slip, turn
from tests.games.formula_d.engine.test_game import Dice, under_way

OVER = "C2.1.0-3 S3.1.0-"
"""From S2.1.17 through a corner of one stop. The last index is the number of spaces past it."""


def test_c1_stops_add_up_in_one_corner() -> None:
    shown = played([car("ana", "C1.1.2", 1, stops=1)], turn("ana", 1, "C1.1.3"), dice=[1])
    assert shown["cars"]["ana"]["stops"] == 2


def test_c1_another_corner_begins_again() -> None:
    shown = played([car("ana", "C2.1.3", 3, stops=1)], turn("ana", 3, "S3.1.0-2 C3.1.0"), dice=[4])
    assert shown["cars"]["ana"]["stops"] == 1


def test_c1_elsewhere_there_are_none() -> None:
    shown = played([car("ana", "C2.1.3", 1, stops=1)], turn("ana", 1, "S3.1.0"), dice=[1])
    assert shown["cars"]["ana"]["stops"] == 0


def test_c1_only_the_end_of_the_turn_counts() -> None:
    """The first movement ends in the corner, the slipstream past it: no stop was made, one is missing (C4)."""
    cars = [car("ana", "C1.2.1", 4, stops=1), car("bo", "C1.2.5", 4, stops=2)]
    turns = [turn("bo", 4, "C1.2.6-7 S2.2.0-4"), turn("ana", 4, "C1.2.2-7 S2.2.0")]
    shown = played(cars, *turns, dice=[7, 7])
    assert (shown["cars"]["ana"]["stops"], lost(shown)) == (0, {"tires": 1})


def test_c1_s4_stops_of_a_corner_do_not_count_in_the_next_one_of_the_same_turn() -> None:
    """The movement goes from one corner into another, the slipstream leaves that one: its stop is missing."""
    cars = [car("ana", "C2.1.0", 4, lap=2, stops=1), car("bo", "C3.2.1", 4, lap=1)]
    order = turn("ana", 4, "C2.1.1-4 S3.1.0-1 S3.2.1 C3.2.0", slip=[slip("C3.3.0-1 S4.3.0")])
    shown = played(cars, order, dice=[8], laps=3, more={"track": "monaco"})
    assert (shown["cars"]["ana"]["space"], lost(shown)) == ("S4.3.0", {"tires": 1})


def test_c1_a_stalled_car_has_made_a_stop() -> None:
    """Y4: its turn is over, and it ends in the corner."""
    shown = played([car("ana", "C1.1.2", 0, stops=1)], turn("ana"), dice=[1])
    assert shown["cars"]["ana"]["stops"] == 2


def test_c1_a_car_that_has_left_the_track_makes_no_stop() -> None:
    """R1, X1: its stops keep their last count."""
    done = car("ana", "C10.1.5", 5, stops=1)
    shown = played([done], turn("ana", 5, "S11.1.0-15 S1.1.0"), dice=[19], more={"track": "monaco"})
    assert (shown["cars"]["ana"]["status"], shown["cars"]["ana"]["stops"]) == ("finished", 1)
    shown = played([car("ana", "C1.1.8", 3, stops=0, wp={"brakes": 0})], turn("ana", 3), dice=[4])
    assert (shown["cars"]["ana"]["status"], shown["cars"]["ana"]["stops"]) == ("out", 0)


def test_c2_all_stops_made_any_arrow() -> None:
    shown = played([car("ana", "C2.2.3", 1, stops=1)], turn("ana", 1, "S3.3.0"), dice=[1])
    assert lost(shown) == {}


def test_c3_price_by_space() -> None:
    shown = played([car("ana", "S2.1.17", 3)], turn("ana", 3, OVER + "2"), dice=[7])
    assert lost(shown) == {"tires": 3}


def test_c3_the_next_corner_counts_too() -> None:
    """C8: and the turn counts no stop there."""
    shown = played([car("ana", "S2.1.17", 3)], turn("ana", 3, OVER + "2 C3.1.0"), dice=[8])
    assert (lost(shown), shown["cars"]["ana"]["stops"]) == ({"tires": 4}, 0)


def test_c3_not_more_than_it_has() -> None:
    poor = car("ana", "S2.1.17", 3, wp={"tires": 2, "brakes": 1})
    assert refused([poor], turn("ana", 3, OVER + "2"), dice=[7]) == "C3"


def test_c3_basic_one_wp_remains() -> None:
    """The path over the middle lane ends one space farther past the corner."""
    enough = car("ana", "S2.1.17", 3, wp={"total": 4})
    assert refused([enough], turn("ana", 3, "C2.1.0 C2.2.2-3 S3.2.0-3"), dice=[7], rules="basic") == "C3"
    shown = played([enough], turn("ana", 3, OVER + "2"), dice=[7], rules="basic")
    assert shown["cars"]["ana"]["wp"] == {"total": 1}


def test_c4_two_stops_missing() -> None:
    assert refused([car("ana", "C1.1.8", 2)], turn("ana", 2, "S2.1.0-1"), dice=[2]) == "C4"


def test_c4_three_stops_asked_and_one_made() -> None:
    monaco = {"track": "monaco"}
    cars = [car("ana", "C5.1.11", 1, stops=1)]
    assert refused(cars, turn("ana", 1, "S6.1.0"), dice=[1], more=monaco) == "C4"
    cars[0]["stops"] = 2
    assert lost(played(cars, turn("ana", 1, "S6.1.0"), dice=[1], more=monaco)) == {"tires": 1}


def test_c5_straight_on_out_of_the_corner_and_after() -> None:
    cars = [car("ana", "C2.1.3", 2)]
    assert refused(cars, turn("ana", 2, "S3.2.0-1"), dice=[2]) == "C5"
    assert refused(cars, turn("ana", 2, "S3.1.0 S3.2.1"), dice=[2]) == "C5"
    assert lost(played(cars, turn("ana", 2, "S3.1.0-1"), dice=[2])) == {"tires": 2}


def test_c5_within_the_corner_any_arrow() -> None:
    shown = played([car("ana", "C2.1.2", 2)], turn("ana", 2, "C2.2.3 S3.2.0"), dice=[2])
    assert lost(shown) == {"tires": 1}


def test_c5_a_one_stop_corner_passed_costs_nothing_extra() -> None:
    """Seven spaces past C3 and through C4: the price is that of the spaces."""
    rich = car("ana", "C3.3.2", 3)
    path = "S4.3.0-3 C4.3.0 S5.3.0"
    assert lost(played([rich], turn("ana", 3, path), dice=[6])) == {"tires": 5}


def test_c5_a_two_stop_corner_passed_is_c4() -> None:
    """From C4, one stop missing, through C5 of two stops."""
    rich = car("ana", "C4.1.4", 6, wp={"tires": 40})
    path = "S5.1.0-17 C5.1.0-7 S6.1.0"
    assert refused([rich], turn("ana", 6, path), dice=[27]) == "C4"
    assert played([rich], turn("ana", 6, "S5.1.0-17 C5.1.0-7"), dice=[26])["cars"]["ana"]["stops"] == 0


def test_c6_the_last_tire_wp() -> None:
    shown = played([car("ana", "S2.1.17", 3, wp={"tires": 3})], turn("ana", 3, OVER + "2"), dice=[7])
    assert shown["cars"]["ana"]["wp"]["tires"] == 1


def test_c6_exactly_one_from_a_car_with_none() -> None:
    bald = car("ana", "S2.1.17", 3, wp={"tires": 0})
    shown = played([bald], turn("ana", 3, "C2.1.0-3 S3.1.0"), dice=[5])
    assert shown["cars"]["ana"]["wp"]["tires"] == 1
    assert refused([bald], turn("ana", 3, OVER + "1"), dice=[6]) == "C3"


@pytest.mark.parametrize("gear", [2, 3, 4, 5, 6])
def test_c7_then_only_the_first_gear(gear: int) -> None:
    cars = [car("ana", "S2.1.17", 3, wp={"tires": 1})]
    spun = turn("ana", 3, "C2.1.0-3 S3.1.0")
    assert refused(cars, spun, turn("ana", gear, ""), dice=[5]) == "C7"


def test_c7_without_price_and_once() -> None:
    """From 4th gear to the 1st without a price, then to the 2nd."""
    cars = [car("ana", "S2.1.17", 4, wp={"tires": 1, "brakes": 9})]
    spun, again = turn("ana", 4, "C2.1.0-3 S3.1.0"), turn("ana", 1, "S3.1.1")
    shown = played(cars, spun, again, turn("ana", 2, "S3.1.2 C3.1.0"), dice=[7, 1, 2])
    assert shown["cars"]["ana"]["gear"] == 2 and shown["cars"]["ana"]["wp"]["gearbox"] == 3


def test_c7_until_then_the_gear_counts_as_it_was() -> None:
    """Ana spins in 5th gear. Bo's roll of 20 makes ana roll for its engine."""
    cars = [car("ana", "C2.2.3", 5, lap=1, wp={"tires": 1, "brakes": 20}), car("bo", "S1.1.0", 5, lap=0)]
    shown = played(
        cars,
        turn("ana", 5, "S3.2.0"),
        turn("bo", 5, "S1.1.1-13 C1.1.0-6"),
        dice=[11, 20, 1, 20],
    )
    assert lost(shown)["engine"] == 1


def test_c8_no_stop_after_a_slipstream_that_overshot() -> None:
    """Ana's slipstream leaves C2 with a stop missing. It does not end in a corner, and counts no stop."""
    cars = [car("ana", "S2.1.11", 4), car("bo", "C2.1.1", 4, stops=1)]
    turns = [turn("bo", 4, "C2.1.2-3 S3.1.0-2 C3.1.0-1"), turn("ana", 4, "S2.1.12-17 C2.1.0")]
    assert played(cars, *turns, dice=[7, 7])["cars"]["ana"]["stops"] == 1


def test_c6_b1_a_bald_car_that_spins_may_brake_what_is_left() -> None:
    """One space past the corner without a tire WP, the sixth space braked."""
    state = under_way(car("ana", "S2.1.17", 3, wp={"tires": 0, "brakes": 1}))
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(2))
    way = next(way for way in GAME.choices(state, "ana").ways if way.does["to"] == "S3.1.0")
    assert (way.does["overshoot"], way.does["brakes"], way.does["spin"]) == (1, 1, True)
    state, _ = GAME.play(state, "ana", way.orders, Dice())
    assert state["cars"]["ana"]["wp"]["brakes"] == 0 and state["cars"]["ana"]["spun"]
