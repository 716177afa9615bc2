"""A bold codriver drives to win: it dares more behind and less in front."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import State
from engine.formula_d.manner import manner
from engine.formula_d.mood import behind, mood
from tests.engine.formula_d.drawn import GAME
from tests.engine.formula_d.scene import car
from tests.engine.formula_d.test_game import Dice, under_way

BOLD = manner("bold")


def two(mine: str, theirs: str, **more: Any) -> State:
    """Ana and Bo on a track."""
    return under_way(car("ana", mine, 4, lap=1, **more), car("bo", theirs, 4, lap=1))


def lies(state: State, seat: str = "ana") -> float:
    """How far a car lies behind."""
    found = behind(state, seat)
    assert found is not None
    return found


def test_in_front_it_dares_less_and_behind_more() -> None:
    assert BOLD.ahead is not None and BOLD.behind is not None
    assert BOLD.ahead.eager < BOLD.eager < BOLD.behind.eager
    assert BOLD.ahead.out > BOLD.out > BOLD.behind.out
    assert mood(two("S6.2.0", "S2.2.0"), "ana", BOLD) is BOLD.ahead
    assert mood(two("S2.2.0", "S6.2.0"), "ana", BOLD) is BOLD.behind
    assert mood(two("S2.2.0", "S2.3.0"), "ana", BOLD) is BOLD


def test_nearer_to_the_line_is_farther_in_front() -> None:
    places = [lies(two(space, "S4.2.0")) for space in ("S2.2.0", "S3.2.0", "S5.2.0", "S6.2.0")]
    assert places == sorted(places, reverse=True) and places[0] > 1 > -1 > places[-1]
    assert lies(two("S5.2.0", "S4.2.0")) == pytest.approx(-lies(two("S5.2.0", "S4.2.0"), "bo"), abs=1.0)


def test_c6_wear_and_stops_count_too() -> None:
    assert lies(two("S2.2.0", "S2.3.0", wp={"tires": 0, "brakes": 0})) > lies(two("S2.2.0", "S2.3.0"))
    assert lies(two("C1.2.0", "S2.3.0", stops=2)) < lies(two("C1.2.0", "S2.3.0", stops=0))


def test_of_many_level_rivals_one_will_be_lucky() -> None:
    cars = [car(f"c{place}", f"S2.{1 + place % 3}.{place // 3}", 4, lap=1) for place in range(9)]
    one, many = under_way(car("ana", "S2.2.5", 4, lap=1), cars[0]), under_way(car("ana", "S2.2.5", 4, lap=1), *cars)
    assert lies(many) > lies(one) + 0.5


def test_o1_a_turn_made_in_this_round_counts() -> None:
    state = two("S2.2.0", "S2.3.0")
    before = lies(state)
    first = state["left"][0]
    done = {**state, "left": [seat for seat in state["left"] if seat != first]}
    assert (lies(done) > before) == (first == "ana") and lies(done) != before


def test_who_wins_nothing_any_more_drives_as_ever() -> None:
    won = two("S2.2.0", "S2.3.0")
    won["cars"]["bo"].update(status="finished", space=None, rank=1)
    alone = under_way(car("ana", "S2.2.0", 4, lap=1))
    qualifying = GAME.setup("monza", [{"id": "ana"}, {"id": "bo"}], {"qualifying": True})
    qualifying, _ = GAME.begin(qualifying, Dice())
    assert [mood(state, "ana", BOLD) for state in (won, alone, qualifying)] == [BOLD] * 3
    for name in ("club", "cautious"):
        assert mood(two("S2.2.0", "S6.2.0"), "ana", manner(name)) is manner(name)


@pytest.mark.parametrize("space", ["P.0.3", "PITA1"])
def test_p9_a_car_in_the_pits_is_all_but_a_lap_in_front(space: str) -> None:
    state = under_way(car("ana", space, 4, lap=1), car("bo", "S2.2.0", 4, lap=1), laps=3)
    assert mood(state, "ana", BOLD) is BOLD.ahead and mood(state, "bo", BOLD) is BOLD.behind
