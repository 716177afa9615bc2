"""A bold codriver drives to win: it takes more risks when behind and fewer when ahead."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from engine.contract import State
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import orders
from engine.formula_d.codriver.manner import manner, neutral_manner
from engine.formula_d.codriver.race_outlook import RaceOutlook
from engine.formula_d.codriver.winner import race_outlook, turn_costs_of
from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.scene import car
from tests.games.formula_d.engine.test_game import Dice, under_way

BOLD = manner("bold")


def two(mine: str, theirs: str, **more: Any) -> State:
    """Return Ana and Bo on a track."""
    return under_way(car("ana", mine, 4, lap=1, **more), car("bo", theirs, 4, lap=1))


def position_of(state: State, seat: str = "ana") -> RaceOutlook:
    """Return the position of a car in the race."""
    found = race_outlook(state, seat)
    assert found is not None
    return found


def turns_behind(state: State, seat: str = "ana") -> float:
    """Return how far a car is behind."""
    return position_of(state, seat).behind


def test_ahead_it_takes_fewer_risks_and_behind_more() -> None:
    """When behind, a lottery of two turns is worth more than its mean; when ahead it is worth less."""
    assert BOLD.only_wants_to_win and not manner("club").only_wants_to_win
    for mine, dares in ((4.0, False), (8.0, True)):
        one = RaceOutlook(mine, 6.0, 1.5)
        assert (
            (one.chance_not_first(mine - 1) + one.chance_not_first(mine + 1)) / 2 < one.chance_not_first(mine)
        ) == dares


def test_behind_it_takes_a_gear_that_is_slower_in_the_mean() -> None:
    """Before the last corner of Monza the 4th gear is the fastest; only with the 5th the car may still finish before
    Bo.
    """
    places = {place: two("S6.1.16", place) for place in ("S1.2.0", "S5.1.10", "S7.2.2")}
    assert {orders(state, "ana", "club")["gear"] for state in places.values()} == {4}
    assert [orders(state, "ana", "bold")["gear"] for state in places.values()] == [4, 4, 5]


@pytest.mark.parametrize("mine", ["S2.2.0", "S4.3.0", "S6.2.0"])
def test_k4_dice_that_may_take_the_last_point_are_a_risk_and_no_certain_loss(mine: str) -> None:
    state = under_way(
        car("ana", mine, 4, lap=1, wp={"total": 1}), car("bo", "S4.2.0", 4, lap=1), track="monza", rules="basic"
    )
    seen = turn_costs_of(table_of(state, "ana"), BOLD)
    beside = [space for space in range(len(seen.track.spaces)) if seen.rivals_near(space)]
    assert seen.outlook and beside
    for space in beside:
        alone = seen.place_cost(space, 1, 4, {"total": 1}, over=False, spun=False)
        assert alone < seen.stop(space, 1, 4, {"total": 1}, over=False, spun=False) < inf


def test_going_out_costs_a_leader_most() -> None:
    """Retiring costs the whole probability of winning, so a car with little of it has little to lose."""
    outs = [
        turn_costs_of(table_of(two(place, "S4.3.0"), "ana"), BOLD).manner.out
        for place in ("S2.2.0", "S4.2.0", "S6.2.0")
    ]
    assert outs == sorted(outs) and outs[0] < neutral_manner().out < outs[2]


@pytest.mark.parametrize("mine", [4.0, 6.0, 9.0])
def test_the_loss_is_that_of_the_chance(mine: float) -> None:
    one, step = RaceOutlook(mine, 6.0, 1.5), 1e-3
    worse, level, better = (one.chance_not_first(mine + more) for more in (step, 0.0, -step))
    slope = (worse - better) / (2 * step)
    assert one.out_price == pytest.approx((1 - level) / slope, rel=1e-3)
    assert RaceOutlook(mine, mine, 1.5).chance_not_first(mine) == 0.5


def test_nearer_to_the_line_is_farther_in_front() -> None:
    places = [turns_behind(two(space, "S4.2.0")) for space in ("S2.2.0", "S3.2.0", "S5.2.0", "S6.2.0")]
    assert places == sorted(places, reverse=True) and places[0] > 1 > -1 > places[-1]
    assert turns_behind(two("S5.2.0", "S4.2.0")) == pytest.approx(-turns_behind(two("S5.2.0", "S4.2.0"), "bo"), abs=1.0)


def test_c6_wear_and_stops_count_too() -> None:
    assert turns_behind(two("S2.2.0", "S2.3.0", wp={"tires": 0, "brakes": 0})) > turns_behind(two("S2.2.0", "S2.3.0"))
    assert turns_behind(two("C1.2.0", "S2.3.0", stops=2)) < turns_behind(two("C1.2.0", "S2.3.0", stops=0))


def test_of_many_level_rivals_one_will_be_lucky() -> None:
    cars = [car(f"c{place}", f"S2.{1 + place % 3}.{place // 3}", 4, lap=1) for place in range(9)]
    one, many = under_way(car("ana", "S2.2.5", 4, lap=1), cars[0]), under_way(car("ana", "S2.2.5", 4, lap=1), *cars)
    assert turns_behind(many) > turns_behind(one) + 0.5


def test_o1_a_turn_made_in_this_round_counts() -> None:
    state = two("S2.2.0", "S2.3.0")
    before = turns_behind(state)
    first = state["left"][0]
    done = {**state, "left": [seat for seat in state["left"] if seat != first]}
    assert (turns_behind(done) > before) == (first == "ana") and turns_behind(done) != before


def test_a_car_that_can_no_longer_win_drives_normally() -> None:
    won = two("S2.2.0", "S2.3.0")
    won["cars"]["bo"].update(status="finished", space=None, rank=1)
    alone = under_way(car("ana", "S2.2.0", 4, lap=1))
    qualifying = GAME.setup("monza", [{"id": "ana"}, {"id": "bo"}], {"qualifying": True})
    qualifying, _ = GAME.begin(qualifying, Dice())
    for state in (won, alone, qualifying):
        ever = turn_costs_of(table_of(state, "ana"), BOLD)
        assert ever.manner is BOLD and ever.outlook is None
    for name in ("club", "cautious"):
        assert turn_costs_of(table_of(two("S2.2.0", "S6.2.0"), "ana"), manner(name)).manner is manner(name)


@pytest.mark.parametrize("space", ["P.0.3", "PITA1"])
def test_p9_a_car_in_the_pits_is_all_but_a_lap_in_front(space: str) -> None:
    state = under_way(car("ana", space, 4, lap=1), car("bo", "S2.2.0", 4, lap=1), laps=2)
    assert turns_behind(state) < -1 and turns_behind(state, "bo") > 1
