"""Weather (W), tyres (T), nitro (N)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.formula_d.weather import moved
from tests.games.formula_d.engine.scene import car, lost, played, refused, slip, turn

WET = {"weather": "rain"}


def wet(state: str, **more: Any) -> dict[str, Any]:
    return {"more": {"weather": state, **more}, "weather": True}


@pytest.mark.parametrize(("state", "slides"), [
    ("good", False), ("good_temp", False), ("changeable", False), ("rain_temp", True), ("rain", True)
])  # fmt: skip
def test_w1_wet_in_the_last_two(state: str, slides: bool) -> None:
    cars = [car("ana", "S2.1.17", 1)]
    order = turn("ana", 1, "C2.1.0" + ("-3" if slides else ""))
    assert played(cars, order, dice=[1], **wet(state))["cars"]["ana"]["stops"] == 1


@pytest.mark.parametrize(
    ("die", "state"), [(1, "rain"), (5, "rain"), (6, "changeable"), (11, "changeable"), (12, "good"), (20, "good")]
)
def test_w3_before_the_race(die: int, state: str) -> None:
    assert played([car("ana")], dice=[die], weather=True)["weather"] == state


def test_w3_each_track_has_its_table() -> None:
    """F7: 7 is rain at Monaco and unsettled on other tracks."""
    assert played([car("ana")], dice=[7], more={"track": "monaco"}, weather=True)["weather"] == "rain"


@pytest.mark.parametrize(("state", "result", "then"), [
    ("changeable", "good", "good_temp"), ("changeable", "rain", "rain_temp"), ("changeable", "unsettled", "changeable"),
    ("good_temp", "good", "good"), ("good_temp", "rain", "rain_temp"), ("good_temp", "unsettled", "good_temp"),
    ("rain_temp", "rain", "rain"), ("rain_temp", "good", "good_temp"), ("rain_temp", "unsettled", "rain_temp"),
])  # fmt: skip
def test_w4_one_state_and_changeable_is_skipped(state: str, result: str, then: str) -> None:
    assert moved(state, result) == then


FULL = [car("ana", "S5.1.0", 5, lap=2, wp={"brakes": 40}), car("bo", "S5.3.4", 5, wp={"brakes": 40})]
TWENTIES = [turn("ana", 5, "S5.1.1"), turn("bo", 5, "S5.3.5")]


def test_w4_a_die_for_each_at_the_end_of_the_round() -> None:
    shown = played(FULL, *TWENTIES, dice=[20, 20, 20, 20, 20, 20, 20, 1], laps=3, **wet("changeable"))
    assert shown["weather"] == "rain_temp"


def test_w5_good_and_rain_are_final() -> None:
    """The first die makes it good; the second is not rolled."""
    shown = played(FULL, *TWENTIES, dice=[20, 20, 20, 20, 20, 20, 20], laps=3, **wet("good_temp"))
    assert shown["weather"] == "good"
    assert played(FULL, *TWENTIES, dice=[20, 20, 20, 20, 20, 20], laps=3, **wet("rain"))["weather"] == "rain"


@pytest.mark.parametrize(("tyres", "more"), [("hard", 3), ("soft", 3), ("wet", 1)])
def test_w7_slide_by_tyres(tyres: str, more: int) -> None:
    """T2: one space to the corner, then so many."""
    path = "C2.1.0" + (f"-{more}" if more else "")
    shown = played([car("ana", "S2.1.17", 1, tyres=tyres)], turn("ana", 1, path), dice=[1], tyres=True, **wet("rain"))
    assert shown["cars"]["ana"]["stops"] == 1


def test_w7_not_before_the_corner() -> None:
    played([car("ana", "S2.1.16", 1)], turn("ana", 1, "S2.1.17"), dice=[1], **wet("rain"))


def test_w7_not_beyond_the_count() -> None:
    assert refused([car("ana", "S2.1.16", 1)], turn("ana", 1, "S2.1.17 C2.1.0"), dice=[1], **wet("rain")) == "M6"


def test_w7_from_a_corner_with_stops_missing_onto_the_straight() -> None:
    shown = played([car("ana", "C2.1.3", 1)], turn("ana", 1, "S3.1.0-2 C3.1.0"), dice=[1], **wet("rain"))
    assert lost(shown) == {"tires": 4}


def test_w7_not_through_a_corner_that_is_done() -> None:
    shown = played([car("ana", "C2.1.2", 2, stops=1)], turn("ana", 2, "C2.1.3 S3.1.0"), dice=[2], **wet("rain"))
    assert lost(shown) == {}


def test_w7_out_of_a_corner_that_is_done_into_the_next() -> None:
    cars = [car("ana", "C2.1.3", 3, stops=1)]
    shown = played(cars, turn("ana", 3, "S3.1.0-2 C3.1.0-3"), dice=[4], **wet("rain"))
    assert shown["cars"]["ana"]["stops"] == 1


def test_w7_once_a_turn() -> None:
    """Overshooting C3 into C4: three spaces more, not six."""
    cars = [car("ana", "C3.3.2", 3, wp={"tires": 8})]
    shown = played(cars, turn("ana", 3, "S4.3.0-3 C4.3.0 S5.3.0-1"), dice=[4], **wet("rain"))
    assert shown["cars"]["ana"]["wp"]["tires"] == 1


def test_w7_once_a_turn_slipstreams_included() -> None:
    """The movement has slid. The slipstream from a corner with stops missing drives three spaces."""
    cars = [car("ana", "S1.1.9", 4, lap=2), car("bo", "C1.1.6", 4, lap=1, stops=1)]
    order = turn("ana", 4, "S1.1.10-13 C1.1.0-5", slip=[slip("C1.2.5-7")])
    shown = played(cars, order, dice=[7], laps=3, **wet("rain"))
    assert shown["cars"]["ana"]["stops"] == 1 and lost(shown) == {}


def test_w7_the_spaces_can_be_braked() -> None:
    shown = played([car("ana", "S2.1.17", 1)], turn("ana", 1, "C2.1.0"), dice=[1], **wet("rain"))
    assert lost(shown) == {"brakes": 3}


def soft(space: str, age: int, **more: Any) -> list[dict[str, Any]]:
    return [car("ana", space, 1, tyres="soft", age=age, **more)]


@pytest.mark.parametrize("age", [0, 1])
def test_t3_one_space_more(age: int) -> None:
    played(soft("S1.1.0", age), turn("ana", 1, "S1.1.1-2", bonus=True), dice=[1], tyres=True)


@pytest.mark.parametrize(
    ("cars", "options"),
    [
        (soft("S1.1.0", 2), {"tyres": True}),
        (soft("S1.1.0", 1), {}),
        ([car("ana", "S1.1.0", 1, tyres="hard")], {"tyres": True}),
        ([car("ana", "S1.1.0", 1, tyres="wet")], {"tyres": True}),
        (soft("S1.1.0", 1), {"tyres": True, **wet("rain")}),
        (soft("P.0.3", 1), {"tyres": True, "laps": 2}),
    ],
)
def test_t3_not_to_be_had(cars: list[dict[str, Any]], options: dict[str, Any]) -> None:
    path = "P.0.4-5" if cars[0]["space"] == "P.0.3" else "S1.1.1-2"
    assert refused(cars, turn("ana", 1, path, bonus=True), dice=[1], **options) == "T3"


def test_t3_driven_in_full() -> None:
    assert refused(soft("S1.1.0", 1), turn("ana", 1, "S1.1.1", bonus=True), dice=[1], tyres=True) == "N2"


@pytest.mark.parametrize(
    ("kind", "state", "age", "factor"),
    [
        ("hard", "good", 3, 1), ("hard", "rain", 3, 1),
        ("soft", "good", 2, 2), ("soft", "rain", 2, 1), ("soft", "good", 3, 3), ("soft", "rain", 3, 3),
        ("wet", "good", 2, 2), ("wet", "rain", 2, 1), ("wet", "good", 3, 3), ("wet", "rain", 3, 1),
    ],
)  # fmt: skip
def test_t4_factor(kind: str, state: str, age: int, factor: int) -> None:
    """Out of a corner with a stop missing; in the wet the slide is braked."""
    cars = [car("ana", "C2.1.3", 1, tyres=kind, age=age, wp={"brakes": 9})]
    shown = played(cars, turn("ana", 1, "S3.1.0"), dice=[1], laps=3, tyres=True, **wet(state))
    assert lost(shown)["tires"] == factor


def test_t4_the_age_is_that_when_the_movement_begins() -> None:
    """T5: Monaco, over the line while overshooting its corner 10 on tyres in their second lap."""
    cars = [car("ana", "C10.1.5", 5, lap=2, tyres="soft", age=2, wp={"tires": 40})]
    path = "S11.1.0-15 S1.1.0-3"
    shown = played(cars, turn("ana", 5, path), dice=[20, 20], more={"track": "monaco"}, laps=3, tyres=True)
    assert shown["cars"]["ana"]["wp"]["tires"] == 40 - 2 * 20 + 1
    assert shown["cars"]["ana"]["age"] == 3


def test_t1_without_the_option_all_are_hard() -> None:
    shown = played([car("ana", "C2.1.3", 1, tyres="soft")], turn("ana", 1, "S3.1.0"), dice=[1])
    assert lost(shown) == {"tires": 1} and "tyres" not in shown["cars"]["ana"]


def test_t6_another_kind_in_the_box() -> None:
    cars = [car("ana", "S7.3.3", 3, box="E1", age=2)]
    order = turn("ana", 3, "P.0.0-2 PITE1", pit={"tyres": "soft"})
    shown = played(cars, order, dice=[8, 11], laps=2, tyres=True)
    assert (shown["cars"]["ana"]["tyres"], shown["cars"]["ana"]["age"]) == ("soft", 0)
    assert refused(cars, order, dice=[8], laps=2) == "T6"
    order["pit"] = {"tyres": "square"}
    assert refused(cars, order, dice=[8], laps=2, tyres=True) == "T6"


def test_n1_once_a_lap() -> None:
    cars = [car("ana", "S1.1.0", 2)]
    used = turn("ana", 2, "S1.1.1-4", nitro=True)
    assert played(cars, used, dice=[2], nitro=True)["cars"]["ana"]["nitro"] is False
    assert refused(cars, used, turn("ana", 2, "S1.1.5-8", nitro=True), dice=[2, 2], nitro=True) == "N1"
    assert refused(cars, used, dice=[2]) == "N1"


def test_n1_ready_again_when_a_lap_is_completed() -> None:
    cars = [car("ana", "S7.1.13", 1, nitro=False)]
    shown = played(cars, turn("ana", 1, "S1.1.0"), dice=[1], nitro=True, laps=2)
    assert shown["cars"]["ana"]["nitro"] is True


def test_n1_not_by_crossing_the_line_for_the_first_time() -> None:
    cars = [car("ana", "S7.1.13", 1, lap=0, nitro=False)]
    shown = played(cars, turn("ana", 1, "S1.1.0"), dice=[1], nitro=True, laps=2)
    assert shown["cars"]["ana"]["nitro"] is False


def test_n1_not_at_a_great_start() -> None:
    order = turn("ana", 1, "S1.3.0-4", nitro=True)
    assert refused([car("ana")], order, dice=[20], nitro=True) == "N1"


def test_n1_basic_too() -> None:
    cars = [car("ana", "S1.1.0", 2)]
    played(cars, turn("ana", 2, "S1.1.1-4", nitro=True), dice=[2], nitro=True, rules="basic")


def test_n2_nitro_and_bonus_go_together() -> None:
    cars = soft("S1.1.0", 1)
    played(cars, turn("ana", 1, "S1.1.1-3", nitro=True, bonus=True), dice=[1], nitro=True, tyres=True)
    assert refused(cars, turn("ana", 1, "S1.1.1-2", nitro=True, bonus=True), dice=[1], nitro=True, tyres=True) == "N2"


def test_w3_the_state_of_a_file_begins_with_the_race_and_not_with_qualifying() -> None:
    """Given rain for the race and no weather die (W2), qualifying is dry: the car does not slide (W7)."""
    shown = played([car("ana")], dice=[], more={"weather": "rain"}, qualifying=True)
    assert shown["weather"] == "good"
    assert played([car("ana")], dice=[], more={"weather": "rain"})["weather"] == "rain"
