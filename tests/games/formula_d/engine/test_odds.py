"""Odds before the gear is chosen and ends after the roll, checked against play itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from engine.contract import Odds, RuleError, State, offered
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.manner import manner
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.facts import facts
from engine.formula_d.movement.fan import Fan
from engine.formula_d.movement.moving import drive_for
from engine.formula_d.movement.path_price import MOVE, Budget, Search
from engine.formula_d.movement.reach import layers
from engine.formula_d.odds import _any
from engine.formula_d.track import load_track
from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.scene import car
from tests.games.formula_d.engine.test_game import Dice, under_way

LUCKY = 19
"""The highest result of a d20 draw: nothing is lost."""


def scenes(seed: int, *, times: int = 4, **options: Any) -> Iterator[tuple[State, str]]:
    """Return scenes in traffic in which a car must choose its gear."""
    lot = random.Random(seed)
    track = load_track(lot.choice(("monza", "monaco", "suzuka")))
    road = [at for at in range(len(track.spaces)) if not track.in_the_pits(at)]
    for _ in range(times):
        here = lot.choice(road)
        near = sorted(road, key=lambda at: abs(track.along[at] - track.along[here]))[:24]
        spaces = [track.spaces[at] for at in lot.sample(near, 6)]
        wear = {"tires": lot.randint(0, 6), "brakes": lot.randint(0, 3)}
        cars = [
            car(f"c{place}", space, lot.randint(1, 6), lap=1, stops=lot.randint(0, 2), wp=wear)
            for place, space in enumerate(spaces)
        ]
        state = under_way(*cars, track=track.name, **options)
        state["markers"] = [track.spaces[at] for at in lot.sample(near, 2)]
        (seat,) = GAME.to_play(state)
        yield state, seat


def rolled(state: State, seat: str, gear: int, face: int) -> State:
    """Return the scene after a roll."""
    number = facts().gears[gear].index(face)
    return GAME.play(state, seat, {"do": "gear", "gear": gear}, Dice(number, *[LUCKY] * 40))[0]


def chance(pair: list[int]) -> Fraction:
    return Fraction(*pair)


def test_the_game_offers_odds() -> None:
    assert offered(GAME, Odds) is not None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sky", ["good", "rain_temp"])
def test_w7_m1_a_fan_holds_the_searches_of_all_rolls(seed: int, sky: str) -> None:
    for state, seat in scenes(seed, weather=True):
        state["weather"] = sky
        costs = TurnCosts(table_of(state, seat), manner("club"))
        fan = Fan(costs.table, MOVE, 30)
        for count in (1, 2, 5, 8, 13, 20, 30):
            search = fan.search(count, Budget(MOVE, costs.car["wp"]))
            alone = [layer for layer in layers(drive_for(costs.table, MOVE, count)) if layer]
            found = [layer for layer in search.layers if layer]
            assert [list(layer.items()) for layer in found] == [list(layer.items()) for layer in alone]


@pytest.mark.parametrize("seed", range(4))
def test_g1_reach_and_m7_are_those_of_play(seed: int) -> None:
    """Each face of each gear is played: the ends of the choices are the reachable ones; without any choice the car is
    out.
    """
    for state, seat in scenes(seed):
        told = {one["gear"]: one for one in GAME.odds(state, seat, {})["gears"]}
        assert set(told) == {way.orders["gear"] for way in GAME.choices(state, seat).ways}
        for gear, one in told.items():
            reach: dict[str, Fraction] = {}
            nowhere = Fraction(0)
            faces = facts().gears[gear]
            for face in faces:
                after = rolled(state, seat, gear, face)
                if GAME.to_play(after) != (seat,) or GAME.phase(after, seat) != "move":
                    nowhere += Fraction(1, len(faces))
                    continue
                for space in {way.does["to"] for way in GAME.choices(after, seat).ways}:
                    reach[space] = reach.get(space, Fraction(0)) + Fraction(1, len(faces))
            assert chance(one["no_path"]) == nowhere
            assert {space: chance(pair) for space, pair in one["reach"].items()} == reach
            assert one["price"] == dict(GAME.choices(state, seat).ways[sorted(told).index(gear)].does["price"])


@pytest.mark.parametrize("seed", range(4))
def test_a4_the_best_end_after_each_roll_makes_the_odds(seed: int) -> None:
    """C1, C3, C6, B1: stop, overshoot, spin and wear of a gear are the means of the best ends of its faces."""
    for state, seat in scenes(seed, times=2):
        for one in GAME.odds(state, seat, {})["gears"]:
            faces = facts().gears[one["gear"]]
            sums = dict.fromkeys(("stop", "overshoot", "spin"), Fraction(0))
            wear: dict[str, Fraction] = {area: Fraction(number) for area, number in one["price"].items()}
            for face in faces:
                after = rolled(state, seat, one["gear"], face)
                if GAME.to_play(after) != (seat,) or GAME.phase(after, seat) != "move":
                    continue
                best = GAME.odds(after, seat, {})["ends"][0]
                for word in sums:
                    sums[word] += Fraction(bool(best[word]), len(faces))
                for area, number in best["wear"].items():
                    wear[area] = wear.get(area, Fraction(0)) + Fraction(number, len(faces))
            assert {word: chance(one[word]) for word in sums} == sums
            assert {area: chance(pair) for area, pair in one["wear"].items()} == {
                area: number for area, number in wear.items() if number
            }
            assert sum((chance(end["chance"]) for end in one["ends"]), chance(one["no_path"])) == 1


@pytest.mark.parametrize("seed", range(4))
def test_every_end_after_a_roll_costs_what_it_says(seed: int) -> None:
    """M7, B1, C3, C6, K1, D2: all ends are listed. Each is played, and takes the listed wear and dice."""
    for state, seat in scenes(seed, times=2):
        gear = GAME.choices(state, seat).ways[0].orders["gear"]
        after = rolled(state, seat, gear, max(facts().gears[gear]))
        if GAME.to_play(after) != (seat,) or GAME.phase(after, seat) != "move":
            continue
        ends = GAME.odds(after, seat, {})["ends"]
        assert len(ends) == len(GAME.choices(after, seat).ways)
        assert [end["hundredths"] for end in ends] == sorted(end["hundredths"] for end in ends)
        for end in ends:
            _, events = GAME.play(after, seat, end["orders"], Dice(*[LUCKY] * 40))
            mine = [event for event in events if event.get("seat") == seat]
            lost: dict[str, int] = {}
            for event in mine:
                if event["kind"] == "wear":
                    lost[event["area"]] = lost.get(event["area"], 0) + event["number"]
                elif event["kind"] == "spin":
                    lost["tires"] -= event["tires"]
            assert {area: number for area, number in lost.items() if number} == end["wear"]
            assert sum(event["kind"] == "marker" for event in mine) == end["marker_dice"]
            assert sum(event["kind"] == "collision" for event in mine) == end["collision_dice"]
            assert any(event["kind"] == "spin" for event in mine) == end["spin"]


def test_the_chance_to_be_out_holds_all_dice() -> None:
    """D3, K3, K4: the last road WP against markers, the last body WP against a rival who also has one left."""
    marked = [f"S2.{lane}.{index}" for lane in (1, 2, 3) for index in range(8)]
    state = under_way(car("ana", "S2.1.1", 1, lap=1, wp={"road": 1, "brakes": 0}))
    state["markers"] = marked
    (first, *_) = [one for one in GAME.odds(state, "ana", {})["gears"] if one["gear"] == 1]
    lost = Fraction(4, 20)
    assert chance(first["out"]) == (lost + 1 - (1 - lost) ** 2) / 2
    cars = [car("ana", "S2.1.1", 1, lap=1, wp={"body": 1, "brakes": 0})]
    cars += [car("bo", "S2.1.4", 1, lap=0, wp={"body": 1}), car("cy", "S2.2.4", 1, lap=0, wp={"body": 2})]
    state = under_way(*cars)
    after = rolled(state, "ana", 1, 2)
    by_end = {end["to"]: end for end in GAME.odds(after, "ana", {})["ends"]}
    assert by_end["S2.1.3"]["collision_dice"] >= 1


@pytest.mark.parametrize(
    ("chances", "left", "whole"),
    [([], 1, Fraction(0)), ([Fraction(1, 2)] * 2, 1, Fraction(3, 4)), ([Fraction(1, 2)] * 3, 2, Fraction(1, 2))],
)
def test_wp_that_run_out(chances: list[Fraction], left: int, whole: Fraction) -> None:
    assert _any(chances, left) == whole


def test_y4_the_start_roll_is_an_event() -> None:
    state, _ = GAME.begin(GAME.setup("monza", [{"id": "ana"}], {}), Dice(3))
    told = GAME.odds(state, "ana", {})
    assert told["start"] == {"stalled": [1, 20], "great": [1, 20]}
    assert [one["gear"] for one in told["gears"]] == [1]


def test_o1_odds_belong_to_the_car_whose_turn_it_is() -> None:
    state = under_way(car("ana", "S2.1.2", 4, lap=1), car("bo", "S2.1.1", 4, lap=1))
    with pytest.raises(RuleError, match="O1"):
        GAME.odds(state, "bo", {})


def test_a_search_is_kept_with_its_layers() -> None:
    """A search made for a fan is not repeated."""
    state = under_way(car("ana", "S2.1.2", 4, lap=1))
    costs = TurnCosts(table_of(state, "ana"), manner("club"))
    fan = costs.fan([4])
    search: Search = fan.search(9, Budget(MOVE, costs.car["wp"]))
    assert search.layers[9] is fan.layers[9]
