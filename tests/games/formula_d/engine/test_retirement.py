"""Out of the race (X), markers (D), results (R)."""

from __future__ import annotations

from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.scene import car, lost, played, refused, turn
from tests.games.formula_d.engine.test_braking import TOLD, WALL
from tests.games.formula_d.engine.test_game import Dice, under_way


def marked(*spaces: str) -> dict[str, object]:
    return {"markers": list(spaces)}


def test_d1_one_marker_to_a_space() -> None:
    cars = [car("ana", "S2.1.1", 1), car("bo", "S2.1.3", 1)]
    shown = played(cars, turn("bo", 1, ""), turn("ana", 1, "S2.1.2"), dice=[1, 1, 1, 1], more=marked("S2.1.3"))
    assert shown["markers"] == ["S2.1.2", "S2.1.3"]


def test_d2_a_die_for_each_in_the_order_of_the_path() -> None:
    shown = played(
        [car("ana", "S1.1.0", 2)], turn("ana", 2, "S1.1.1-3"), dice=[3, 5, 4], more=marked("S1.1.3", "S1.1.1")
    )
    assert lost(shown) == {"road": 1}


def test_x5_no_marker_counts_in_the_basic_game() -> None:
    shown = played(
        [car("ana", "S1.1.0", 1)], turn("ana", 2, "S1.1.1-3"), dice=[3], more=marked("S1.1.2"), rules="basic"
    )
    assert shown["cars"]["ana"]["wp"] == {"total": 18}


def test_p3_no_marker_counts_in_the_pits() -> None:
    """Given a marker in the pit lane, the car drives over it into its box: the second die is that of the stop (P5)."""
    into_the_box = turn("ana", 3, "P.0.0-2 PITE1")
    shown = played([car("ana", "S7.3.3", 3, box="E1")], into_the_box, dice=[6, 15], more=marked("P.0.1"), laps=2)
    assert lost(shown) == {}


def test_d2_not_for_the_space_it_starts_from() -> None:
    played([car("ana", "S1.1.0", 1)], turn("ana", 1, "S1.1.1"), dice=[1], more=marked("S1.1.0"))


def test_d3_the_last_road_wp_puts_it_out_there() -> None:
    """A4: the overshoot is not paid any more; the car is taken off and leaves no marker."""
    poor = car("ana", "S2.1.17", 3, wp={"road": 1})
    shown = played([poor], turn("ana", 3, "C2.1.0-3 S3.1.0"), dice=[5, 1], more=marked("C2.1.1", "S3.1.0"))
    ana = shown["cars"]["ana"]
    assert (ana["status"], ana["space"], ana["wp"]["tires"], ana["wp"]["road"]) == ("out", None, 6, 0)
    assert shown["markers"] == ["C2.1.1", "S3.1.0"]


def test_d3_five_is_enough_in_the_wet() -> None:
    cars = [car("ana", "S1.1.0", 1)]
    dry, wet = {"weather": "good"} | marked("S1.1.1"), {"weather": "rain"} | marked("S1.1.1")
    order = turn("ana", 1, "S1.1.1")
    assert lost(played(cars, order, dice=[1, 5], more=dry, weather=True)) == {}
    assert lost(played(cars, order, dice=[1, 5], more=wet, weather=True)) == {"road": 1}
    assert lost(played(cars, order, dice=[1, 6], more=wet, weather=True)) == {}


def test_d4_the_last_space_of_the_race_rolls_nothing() -> None:
    shown = played([car("ana", "S7.1.13", 1)], turn("ana", 1, "S1.1.0"), dice=[1], more=marked("S1.1.0"))
    assert shown["cars"]["ana"]["status"] == "finished"


def test_d4_on_other_laps_it_does() -> None:
    played([car("ana", "S7.1.13", 1)], turn("ana", 1, "S1.1.0"), dice=[1, 20], more=marked("S1.1.0"), laps=2)


def blocked(**more: object) -> list[dict[str, object]]:
    return [car("ana", "S2.2.0", 4, lap=2, **more), *WALL]


def test_x3_a_blocked_car_drives_on_stands_and_leaves_a_marker() -> None:
    """Of S2.1.0 S2.1.1 S2.1.2 and others, lane 1 is first in the file. No collision dice, no price."""
    shown = played(blocked(wp={"brakes": 0}), turn("ana", 4), dice=[7], **TOLD)
    ana = shown["cars"]["ana"]
    assert (ana["space"], ana["status"], shown["markers"]) == ("S2.1.2", "out", ["S2.1.2"])
    assert ana["wp"]["tires"] == 6 and shown["next"] == "cy"


def test_x3_without_marker_dice() -> None:
    played(blocked(wp={"brakes": 0}), turn("ana", 4), dice=[7], more=marked("S2.1.0"), **TOLD)


def test_x3_it_crosses_the_line_and_its_distance_is_that_of_the_beginning() -> None:
    """X4: bo, out at C6 a lap before, is behind; cy, out just behind the space where ana began, too."""
    wall = [car("di", "S1.1.1", 1), car("ed", "S1.2.1", 1), car("flo", "S1.3.1", 1)]
    ana = car("ana", "S7.2.13", 4, lap=2, wp={"brakes": 0})
    shown = played([ana, *wall], turn("ana", 4), dice=[7], **TOLD)
    assert (shown["cars"]["ana"]["lap"], shown["cars"]["ana"]["space"]) == (3, "S1.1.0")


def test_x3_basic_too_but_without_marker() -> None:
    shown = played(blocked(wp={"total": 1}), turn("ana", 4), dice=[7], rules="basic", **TOLD)
    assert (shown["cars"]["ana"]["space"], shown["markers"]) == ("S2.1.2", [])


def test_x3_it_is_nobodys_opponent() -> None:
    """Cy beside the standing car rolls nothing."""
    shown = played(blocked(wp={"brakes": 0}), turn("ana", 4), turn("cy", 1, "S2.1.4"), dice=[7, 1], **TOLD)
    assert shown["next"] == "di"


def test_x5_basic_no_wp_left() -> None:
    cars = [car("ana", "S2.1.1", 1, wp={"total": 1}), car("bo", "S2.1.3", 1, wp={"total": 1})]
    shown = played(cars, turn("bo", 1, "S2.1.4"), turn("ana", 1, "S2.1.2-3"), dice=[1, 2, 4], rules="basic")
    assert [one["status"] for one in shown["cars"].values()] == ["out", "out"]
    assert shown["markers"] == []


def test_r1_the_line_on_the_last_lap() -> None:
    cars = [car("ana", "S7.1.13", 1, lap=2), car("bo", "S7.3.14", 1, lap=1)]
    shown = played(cars, turn("ana", 1, "S1.1.0"), turn("bo", 1, "S1.3.0"), dice=[2, 1], laps=2)
    ana, bo = shown["cars"]["ana"], shown["cars"]["bo"]
    assert (ana["status"], ana["lap"], ana["rank"], ana["points"], ana["space"]) == ("finished", 3, 1, 1000, None)
    assert (bo["status"], bo["lap"], bo["rank"], bo["points"]) == ("racing", 2, None, 0)


def test_r1_overshooting_counts_to_the_line() -> None:
    """Monaco: its corner 10 has one stop and 17 spaces of straight after it."""
    cars = [car("ana", "C10.1.5", 5, wp={"tires": 18})]
    shown = played(cars, turn("ana", 5, "S11.1.0-15 S1.1.0"), dice=[20], more={"track": "monaco"})
    assert shown["cars"]["ana"]["wp"]["tires"] == 1


def test_r2_over_when_nobody_races() -> None:
    cars = [car("ana", "S7.1.13", 1), car("bo", "C1.1.8", 3, wp={"brakes": 0})]
    shown = played(cars, turn("ana", 1, "S1.1.0"), turn("bo", 3), dice=[1, 8])
    assert (shown["over"], shown["next"], shown["round"]) == (True, None, 1)


def test_r3_points_by_place() -> None:
    lanes = ["S7.1.13", "S7.3.14", "S7.2.14", "S7.1.12"]
    cars = [car(f"c{place}", space, 1) for place, space in enumerate(lanes)]
    turns = [turn("c2", 1, "S1.2.0"), turn("c0", 1, "S1.1.0"), turn("c1", 1, "S1.3.0"), turn("c3", 1, "S7.1.13 S1.1.0")]
    shown = played(cars, *turns, dice=[1, 1, 1, 2])
    assert {one["rank"]: one["points"] for one in shown["cars"].values()} == {1: 1000, 2: 720, 3: 600, 4: 480}


def out_at(*cars: dict[str, object], **options: object) -> dict[str, object]:
    """Return the places of cars that retire one after the other, all by M7."""
    return {name: one["rank"] for name, one in played(list(cars), *(
        turn(str(one["id"]), 3) for one in cars), dice=[4] * len(cars), **options)["cars"].items()}  # fmt: skip


NO_BRAKES = {"wp": {"brakes": 0}}


def test_r4_by_distance_and_equals_share() -> None:
    """C1.1.8 (lap 2), then C5.1.7 and C1.1.8 in lap 1."""
    cars = [
        car("ana", "C1.1.8", 3, lap=2, **NO_BRAKES),
        car("bo", "C5.1.7", 3, lap=1, **NO_BRAKES),
        car("cy", "C1.1.8", 3, lap=1, **NO_BRAKES) | {"space": "C1.2.7"},
    ]
    assert out_at(*cars, laps=3) == {"ana": 1, "bo": 2, "cy": 3}


def test_r4_in_teams_all_are_equal() -> None:
    cars = [car("ana", "C5.1.7", 3, box="A1", **NO_BRAKES), car("bo", "C1.1.8", 3, box="A2", **NO_BRAKES)]
    assert out_at(*cars, teams=True) == {"ana": 1, "bo": 1}


def test_r4_behind_all_finishers_and_the_next_place_is_left_out() -> None:
    """C1.3.7 and C1.1.7 are level: both share place 2, then 4."""
    cars = [
        car("fin", "S7.1.13", 3),
        car("ana", "C1.1.7", 3, **NO_BRAKES),
        car("bo", "C1.3.7", 3, **NO_BRAKES),
        car("cy", "C1.2.0", 3, stops=0, wp={"brakes": 0}),
    ]
    shown = played(
        cars, turn("fin", 3, "S1.1.0"), turn("ana", 3), turn("bo", 3), turn("cy", 4), dice=[4, 4, 4, 12]
    )  # fmt: skip
    assert {name: one["rank"] for name, one in shown["cars"].items()} == {"fin": 1, "ana": 2, "bo": 2, "cy": 4}


def test_r5_teams_add_their_points() -> None:
    cars = [car("ana", "S7.1.13", 1, box="A1"), car("bo", "S7.3.14", 1, box="B1")]
    cars += [car("cy", "S7.2.14", 1, box="A2"), car("di", "S7.1.11", 1, box="B2")]
    turns = [turn("cy", 1, "S1.2.0"), turn("ana", 1, "S1.1.0"), turn("bo", 1, "S1.3.0")]
    shown = played(cars, *turns, dice=[1, 1, 1], teams=True)
    assert shown["teams"] == {"A": 1720, "B": 600}


def test_refused_moves_nothing_counts_from_one() -> None:
    assert refused([car("ana", "S1.1.0", 1)], turn("ana", 1, "S1.1.1"), turn("ana", 9), dice=[1]) == "G1"


def test_d3_a_car_that_a_marker_puts_out_before_the_line_has_not_finished() -> None:
    state = under_way(car("ana", "S7.1.12", 2, lap=1, wp={"road": 1}))
    state["markers"] = ["S7.1.13"]
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 2}, Dice(0))
    state, events = GAME.play(state, "ana", {"do": "move", "path": ["S7.1.13", "S1.1.0"]}, Dice(0))
    assert (state["cars"]["ana"]["status"], state["cars"]["ana"]["why"]) == ("out", "road")
    assert "finish" not in [event["kind"] for event in events]
