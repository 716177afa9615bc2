"""A bold codriver drives to win: it dares more behind and less in front."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from engine.contract import State
from engine.formula_d.choices import table_of
from engine.formula_d.codriver import orders
from engine.formula_d.manner import manner, measure
from engine.formula_d.stand import Stand
from engine.formula_d.winner import look, stand
from tests.engine.formula_d.drawn import GAME
from tests.engine.formula_d.scene import car
from tests.engine.formula_d.test_game import Dice, under_way

BOLD = manner("bold")


def two(mine: str, theirs: str, **more: Any) -> State:
    """Ana and Bo on a track."""
    return under_way(car("ana", mine, 4, lap=1, **more), car("bo", theirs, 4, lap=1))


def stands(state: State, seat: str = "ana") -> Stand:
    """How the race stands for a car."""
    found = stand(state, seat)
    assert found is not None
    return found


def lies(state: State, seat: str = "ana") -> float:
    """How far a car lies behind."""
    return stands(state, seat).behind


def test_in_front_it_dares_less_and_behind_more() -> None:
    """Behind, a lottery of two turns is worth more than its mean; in front it is worth less."""
    assert BOLD.wins and not manner("club").wins
    for mine, dares in ((4.0, False), (8.0, True)):
        one = Stand(mine, 6.0, 1.5)
        assert ((one.lost(mine - 1) + one.lost(mine + 1)) / 2 < one.lost(mine)) == dares


def test_behind_it_takes_a_gear_that_is_slower_in_the_mean() -> None:
    """Before the last corner of Monza the 4th gear is the fastest; only the 5th may still come home before Bo."""
    places = {place: two("S6.1.16", place) for place in ("S1.2.0", "S5.1.10", "S7.2.2")}
    assert {orders(state, "ana", "club")["gear"] for state in places.values()} == {4}
    assert [orders(state, "ana", "bold")["gear"] for state in places.values()] == [4, 4, 5]


@pytest.mark.parametrize("mine", ["S2.2.0", "S4.3.0", "S6.2.0"])
def test_k4_dice_that_may_take_the_last_point_are_a_risk_and_no_certain_loss(mine: str) -> None:
    state = under_way(
        car("ana", mine, 4, lap=1, wp={"total": 1}), car("bo", "S4.2.0", 4, lap=1), track="monza", rules="basic"
    )
    seen = look(table_of(state, "ana"), BOLD)
    beside = [space for space in range(len(seen.field.spaces)) if seen.near(space)]
    assert seen.stand and beside
    for space in beside:
        alone = seen.place(space, 1, 4, {"total": 1}, over=False, spun=False)
        assert alone < seen.stop(space, 1, 4, {"total": 1}, over=False, spun=False) < inf


def test_going_out_costs_a_leader_most() -> None:
    """It costs the whole chance to win, and who has little of it has little to lose."""
    outs = [look(table_of(two(place, "S4.3.0"), "ana"), BOLD).manner.out for place in ("S2.2.0", "S4.2.0", "S6.2.0")]
    assert outs == sorted(outs) and outs[0] < measure().out < outs[2]


@pytest.mark.parametrize("mine", [4.0, 6.0, 9.0])
def test_the_loss_is_that_of_the_chance(mine: float) -> None:
    one, step = Stand(mine, 6.0, 1.5), 1e-3
    worse, level, better = (one.lost(mine + more) for more in (step, 0.0, -step))
    slope = (worse - better) / (2 * step)
    assert one.out == pytest.approx((1 - level) / slope, rel=1e-3)
    assert Stand(mine, mine, 1.5).lost(mine) == 0.5


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
    for state in (won, alone, qualifying):
        ever = look(table_of(state, "ana"), BOLD)
        assert ever.manner is BOLD and ever.stand is None
    for name in ("club", "cautious"):
        assert look(table_of(two("S2.2.0", "S6.2.0"), "ana"), manner(name)).manner is manner(name)


@pytest.mark.parametrize("space", ["P.0.3", "PITA1"])
def test_p9_a_car_in_the_pits_is_all_but_a_lap_in_front(space: str) -> None:
    state = under_way(car("ana", space, 4, lap=1), car("bo", "S2.2.0", 4, lap=1), laps=2)
    assert lies(state) < -1 and lies(state, "bo") > 1
