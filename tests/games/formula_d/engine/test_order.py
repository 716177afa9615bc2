"""Order of play (O) and positions (F4)."""

from __future__ import annotations

import json
from typing import Any

from engine.formula_d.scenario import Listed
from engine.formula_d.setup import setup
from engine.formula_d.start import to_the_grid
from engine.formula_d.table import Table
from tests.games.formula_d.engine.scene import car, played, refused, turn


def first_round(*cars: dict[str, Any], **options: Any) -> list[str]:
    """Return the order of the first round: the turns, when each car brakes to a stop."""
    found: list[str] = []
    turns: list[dict[str, Any]] = []
    for _ in cars:
        shown = played(list(cars), *turns, dice=[1] * len(turns), start_roll=False, **options)
        found.append(shown["next"])
        turns.append(turn(shown["next"], 1, ""))
    return found


def test_o2_the_farthest_first() -> None:
    cars = [car("ana", "S1.1.0", 1), car("bo", "S5.1.0", 1), car("cy", "S2.1.0", 1)]
    assert first_round(*cars) == ["bo", "cy", "ana"]


def test_f4_laps_come_before_the_way_round() -> None:
    cars = [car("ana", "S5.1.0", 1, lap=1), car("bo", "S1.1.0", 1, lap=2)]
    assert first_round(*cars, laps=2) == ["bo", "ana"]


def test_o2_then_the_higher_gear() -> None:
    """S1.1.4 and S1.3.4 are level."""
    assert first_round(car("ana", "S1.1.4", 1), car("bo", "S1.3.4", 2)) == ["bo", "ana"]


def test_o2_then_the_one_that_came_first() -> None:
    assert first_round(car("ana", "S1.1.4", 1), car("bo", "S1.3.4", 1)) == ["ana", "bo"]
    assert first_round(car("bo", "S1.3.4", 1), car("ana", "S1.1.4", 1)) == ["bo", "ana"]


def test_o2_the_first_to_arrive_is_remembered_over_rounds() -> None:
    """Cy, last in the file, is level with ana first; a turn without moving changes nothing."""
    cars = [car("ana", "S2.1.2", 1), car("cy", "S2.3.4", 1)]
    shown = played(cars, turn("cy", 1, ""), turn("ana", 1, "S2.1.3"), dice=[1, 1])
    assert shown["next"] == "cy"


def test_o2_at_the_start_grid_places_count() -> None:
    """S7.1.12, place 2, and S7.3.12 are level; ana was there before bo arrived."""
    cars = [car("ana", "S7.1.12", 0), car("bo", "S7.3.11", 1, lap=0)]
    shown = played(cars, turn("ana", 1, ""), turn("bo", 1, "S7.3.12"), dice=[1, 1], start_roll=False)
    assert shown["next"] == "ana"


def test_o3_cars_in_the_pits_play_last_and_by_position() -> None:
    cars = [car("ana", "PITD1", 2), car("bo", "P.0.12", 2), car("cy", "C1.1.0", 2, lap=1)]
    found = played(cars, turn("cy", 1, "C1.1.1"), dice=[1], laps=2)
    assert found["next"] == "bo"


def test_o3_by_place_past_the_entry_then_lane_then_box_then_those_before_it() -> None:
    """At Monza the last way into the pits is S7.3.3. Cy may still come in, dan has passed, eve is a lap ahead."""
    cars = [
        *(car("ana", "PITD1", 4), car("bo", "P.0.2", 2), car("cy", "S7.3.3", 2, lap=1)),
        *(car("dan", "S7.1.5", 2, lap=1), car("eve", "C1.1.0", 2, lap=2)),
    ]
    found, turns = [], []
    for _ in cars:
        shown = played(cars, *turns, dice=[1] * len(turns), laps=3, pits_by_place=True, start_roll=False)
        found.append(shown["next"])
        turns.append(turn(shown["next"], 1, ""))
    assert found == ["eve", "dan", "bo", "ana", "cy"]


def test_o1_out_of_turn() -> None:
    cars = [car("ana", "S1.1.0", 1), car("bo", "S5.1.0", 1)]
    assert refused(cars, turn("ana", 1, "S1.1.1"), dice=[1]) == "O1"
    assert refused(cars, turn("nobody", 1, "S1.1.1"), dice=[1]) == "O1"


def test_o1_the_order_is_fixed_when_the_round_begins() -> None:
    """Ana overtakes cy, who still plays in this round."""
    cars = [car("ana", "S2.1.4", 2), car("cy", "S2.3.3", 2)]
    shown = played(cars, turn("ana", 3, "S2.1.5-8"), dice=[4])
    assert (shown["next"], shown["round"]) == ("cy", 1)


def test_o1_nobody_plays_when_the_race_is_over() -> None:
    cars = [car("ana", "S7.1.13", 1)]
    assert refused(cars, turn("ana", 1, "S1.1.0"), turn("ana", 1, "S1.1.1"), dice=[2, 1]) == "O1"


def test_o4_standing_cars_go_before_the_next_round() -> None:
    """X3: bo is out and stays until the round ends."""
    cars = [car("ana", "S2.1.1", 1), car("bo", "S2.1.3", 1, wp={"body": 1})]
    shown = played(cars, turn("bo", 1, ""), turn("ana", 1, "S2.1.2"), dice=[1, 1, 1])
    assert shown["cars"]["bo"]["space"] is None and shown["round"] == 2


def test_y3_a_state_that_was_kept_as_json_rolls_for_the_grid_in_order_of_entry() -> None:
    """A database may return the cars in another order than that of entry."""
    given = setup("monza", [{"id": name} for name in ("10", "2", "1")], {}, grid="roll", asks=False)
    kept = json.loads(json.dumps(given, sort_keys=True))
    assert list(kept["cars"]) != list(given["cars"])

    table = Table(kept, "", Listed([3, 20, 11]))
    to_the_grid(table)
    assert table.race["order"] == ["2", "1", "10"]
