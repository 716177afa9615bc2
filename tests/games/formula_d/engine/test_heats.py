"""R6: heats, and how the cars of different heats are compared."""

from __future__ import annotations

from engine.formula_d.race import NEVER
from tests.games.formula_d.engine.drawn import GAME, race
from tests.games.formula_d.engine.scene import car
from tests.games.formula_d.engine.test_game import Dice, under_way


def test_r6_more_than_ten_cars_race_in_even_heats() -> None:
    assert [GAME.heats(cars, {}) for cars in (0, 10, 11, 23)] == [[], [10], [6, 5], [8, 8, 7]]
    assert [GAME.heats(cars, {"teams": True}) for cars in (14, 22, 13)] == [[8, 6], [8, 8, 6], [7, 6]]


def test_r6_in_heats_equal_points_go_by_rounds_then_by_place() -> None:
    """One car finishes a round after the other; the third is out."""
    cars = [car("ana", "S7.1.13", 1), car("bo", "S7.3.13", 1), car("cy", "S5.1.0", 1)]
    state = under_way(*cars)
    for seat, space in (("ana", "S1.1.0"), ("bo", "S7.3.14")):
        state, _ = GAME.play_recorded(state, seat, {"gear": 1, "path": [space]}, Dice(0))
    state, _ = GAME.play(state, "cy", GAME.resign(state, "cy"), Dice())
    state, _ = GAME.play_recorded(state, "bo", {"gear": 1, "path": ["S1.3.0"]}, Dice(0))
    found = GAME.result(state)
    assert found is not None and [one.rank[:2] for one in found.seats] == [(1, 1), (2, 2), (NEVER, 3)]


def test_r6_winners_of_two_heats_are_compared_by_the_wear_points_they_have_left() -> None:
    ranks = []
    for brakes in (3, 2):
        ana = car("ana", "S7.1.13", 1)
        state = under_way(ana)
        state["cars"]["ana"]["wp"]["brakes"] = brakes
        for orders in ({"do": "gear", "gear": 1}, {"do": "move", "path": ["S1.1.0"]}):
            state, _ = GAME.play(state, "ana", orders, Dice(0))
        found = GAME.result(state)
        assert found is not None
        ranks.append(found.seats[0].rank)
    fresh, worn = ranks
    assert fresh[:2] == worn[:2] == (1, 1)
    assert fresh < worn, "the lower rank is ahead"


def test_r6_many_heats_have_one_winner() -> None:
    """The winners of eight heats of the codriver have 1000 points each. Only one of them is first of all."""
    winners = []
    for seed in range(8):
        found = GAME.result(race(seed, autopilot=True, cars=2, laps=1)[1])
        assert found is not None
        winners += [one.rank for one in found.seats if one.measure == 1000]
    assert len(winners) >= 6
    assert len({rank[:2] for rank in winners}) < len(winners), "rounds and places alone leave some of them equal"
    assert winners.count(min(winners)) == 1
