"""Codrivers: their cost tables, their manners, and their decisions in each phase of a race."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.contract import Ladder, State, offered
from engine.formula_d import contest
from engine.formula_d.choices import table_of
from engine.formula_d.codriver import decisions as codriver
from engine.formula_d.codriver import pitwall
from engine.formula_d.codriver.cost_tables import LapTables, TyreEffect, tables_of_race
from engine.formula_d.codriver.lap_layout import lap_layout
from engine.formula_d.codriver.manner import Manner, manner, manners, neutral_manner, price, risk
from engine.formula_d.codriver.turn_costs import TurnCosts, tables_of_car
from engine.formula_d.codriver.wear_states import points, wear_states
from engine.formula_d.facts import AREAS
from engine.formula_d.race import FINISHED
from engine.formula_d.track import load_track, names
from tests.games.formula_d.engine import pond
from tests.games.formula_d.engine.drawn import GAME, Lot
from tests.games.formula_d.engine.scene import STANDARD, car
from tests.games.formula_d.engine.test_game import Dice, under_way

WEAR = wear_states(basic=False)
FULL = WEAR.index_of(STANDARD)
POND = pond.track()
SHORT = load_track(POND)
"""A small track, whose tables are computed quickly."""


def table(track: str = "monza", driver: Manner | None = None, tread: TyreEffect = TyreEffect()) -> LapTables:  # noqa: B008
    """Return the tables of the last lap of a track."""
    return tables_of_race(load_track(track), WEAR, driver or neutral_manner(), (tread, tread))[0]


def at(lap: LapTables, space: str) -> int:
    return lap.track.index[space]


def before_the_line(lap: LapTables, steps: int) -> int:
    """Return a space so many steps before the finish line."""
    return lap.layout.left.index(steps)


def test_a_careful_manner_drives_where_nobody_has_chosen_and_the_ladder_has_all() -> None:
    found = offered(GAME, Ladder)
    assert found is not None and found.manners == ("cautious", "club", "bold", "novice", "learner")
    assert sorted(rung.manner for rung in found.rungs) == sorted(found.manners)


def test_r1_g1_turns_to_the_line_are_those_of_the_dice() -> None:
    """One step before the line any die crosses it; two steps before it half of the faces of the 1st gear do not."""
    lap = table()
    one, two = before_the_line(lap, 1), before_the_line(lap, 2)
    assert [lap.gear_cost(one, 0, gear, FULL) for gear in range(1, 7)] == [1.0] * 6
    assert lap.gear_cost(two, 0, 1, FULL) == pytest.approx(1.5)
    assert lap.gear_cost(two, 0, 2, FULL) == pytest.approx(1.0)


def test_c1_f6_missing_stops_cost_turns() -> None:
    lap = table()
    for space in (at(lap, "C1.1.0"), at(lap, "C5.2.0")):
        costs = [min(lap.gear_cost(space, missing, gear, FULL) for gear in (1, 2, 3)) for missing in (0, 1, 2)]
        assert costs == sorted(costs) and costs[2] > costs[0] + 0.2


@pytest.mark.parametrize("name", ["cautious", "club", "bold"])
def test_b1_c3_wear_is_worth_turns(name: str) -> None:
    """More tire and brake WP never cost more turns, and save some in places."""
    lap = table(driver=manner(name))
    saved = 0
    for space in range(0, len(lap.track.spaces), 9):
        if lap.track.in_the_pits(space):
            continue
        for gear in range(1, 7):
            full, tires, brakes = (
                lap.gear_cost(space, 0, gear, WEAR.index_of({"tires": one, "brakes": other}))
                for one, other in ((6, 3), (1, 3), (6, 0))
            )
            assert full <= tires + 1e-6 and full <= brakes + 1e-6
            saved += full < tires - 0.05
    assert saved > 10


def test_w7_t4_a_wet_track_and_dear_tyres_cost_turns() -> None:
    grid = SHORT.grid[0]
    cost = {
        tread: tables_of_race(SHORT, WEAR, manner("club"), (tread, tread))[1].gear_cost(grid, 0, 1, FULL)
        for tread in (TyreEffect(), TyreEffect(slide=3), TyreEffect(factor=3), TyreEffect(bonus=1))
    }
    assert cost[TyreEffect(slide=3)] > cost[TyreEffect()] < cost[TyreEffect(factor=3)]
    assert cost[TyreEffect(bonus=1)] < cost[TyreEffect()]


def test_g3_skipping_gears_has_its_price() -> None:
    """A driver who values the gearbox highly is slower than one who does not."""
    track, club = load_track("monza"), manner("club")
    costs = [
        tables_of_race(track, WEAR, replace(club, gearbox=dear), (TyreEffect(), TyreEffect()))[1].gear_cost(
            track.grid[0], 0, 1, FULL
        )
        for dear in (0.0, 0.2, 5.0)
    ]
    assert costs == sorted(costs) and costs[0] < costs[2]


def test_p6_a_stop_gives_tires_back() -> None:
    """A worn car in the pit lane of the lap before the last is worth more than one without that stop."""
    first = tables_of_race(SHORT, WEAR, manner("club"), (TyreEffect(), TyreEffect(), TyreEffect()))[1]
    worn, full = WEAR.index_of({"tires": 1, "brakes": 3}), WEAR.index_of({"tires": 6, "brakes": 3})
    assert first.boxed[3][worn] == first.boxed[3][full]


@pytest.mark.parametrize("name", manners())
def test_costs_and_turns_are_one_the_others_inverse(name: str) -> None:
    one = manner(name)
    for turns in (0.0, 1.0, 17.5):
        assert one.turns(one.cost(turns)) == pytest.approx(turns)
        assert one.turns(one.plus_turns(one.cost(turns), 2.0)) == pytest.approx(turns + 2.0)


def test_the_more_careful_a_manner_the_more_it_dislikes_a_lottery_and_going_out() -> None:
    daring = [neutral_manner(), manner("club"), manner("cautious")]
    worth = [one.turns((one.cost(2) + one.cost(6)) / 2) for one in daring]
    assert worth == sorted(set(worth)) and worth[0] == 4.0
    fear = [one.turns(0.9 * one.cost(9) + 0.1 * one.cost(9 + one.out)) for one in daring]
    assert fear == sorted(set(fear))


def test_k5_the_last_wp_is_dearest() -> None:
    club = manner("club")
    prices = [price(club, 0.035, left, 17) for left in (1, 2, 3, 4)]
    risks = [risk(club, 0.035, left, 17) for left in (1, 2, 3, 4)]
    assert prices == sorted(prices, reverse=True) and risks == sorted(risks, reverse=True)
    assert prices[0] == club.out


# Decisions ----------------------------------------------------------------------------------------


def orders(state: State, seat: str = "ana", name: str = "club") -> dict[str, Any]:
    return GAME.autopilot(state, seat, name)


def test_a_manner_that_there_is_none_of_is_club() -> None:
    state = under_way(car("ana", "S2.1.2", 4, lap=1))
    assert orders(state, name="") == orders(state, name="club") == orders(state, name="none")


@pytest.mark.parametrize("name", manners())
def test_c4_nobody_drives_flat_out_into_a_corner_of_two_stops(name: str) -> None:
    """Ten spaces before a corner of two stops, without brakes, the 6th gear would end the race of the car."""
    track = load_track("monza")
    middle = [space for space in track.spaces if space.startswith("S1.2.")]
    state = under_way(car("ana", middle[-10], 5, lap=1, wp={"brakes": 0}))
    costs = codriver.gear_costs(TurnCosts(table_of(state, "ana"), manner(name)))
    turns = {gear: manner(name).turns(cost) for gear, cost in costs.items()}
    assert orders(state, name=name)["gear"] in (4, 5) and turns[6] > turns[5] + 3 * manner(name).out / 5


def test_k1_a_worn_body_keeps_away_from_others() -> None:
    """Of two otherwise equal ends one has a rival beside it: with the last body WP that one costs more."""
    rivals, dearer = [car("bo", "S2.1.9", 1, lap=0), car("cy", "S2.1.10", 1, lap=0)], {}
    for left in (3, 1):
        state = under_way(car("ana", "S2.2.1", 4, lap=1, wp={"body": left}), *rivals)
        costs = TurnCosts(table_of(state, "ana"), manner("club"))
        spaces = [costs.track.index[name] for name in ("S2.2.9", "S2.3.9")]
        near, far = (costs.stop(space, 1, 4, costs.car["wp"], over=False, spun=False) for space in spaces)
        assert costs.rivals_near(spaces[0]) > costs.rivals_near(spaces[1]) == 0
        dearer[left] = near - far
    assert 0 < 5 * dearer[3] < dearer[1]


def test_s1_a_slipstream_is_taken_where_it_brings_the_car_on() -> None:
    cars = [car("ana", "S2.1.2", 4, lap=1), car("bo", "S2.1.10", 4, lap=0)]
    state = under_way(*cars)
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 4}, Dice(0))
    state, _ = GAME.play(state, "ana", {"do": "move", "path": [f"S2.1.{index}" for index in range(3, 10)]}, Dice())
    assert GAME.phase(state, "ana") == "slip"
    given = orders(state)
    assert given["do"] == "slip" and len(given["path"]) == 3


def in_the_box(**more: Any) -> State:
    """Ana has entered its box beside the pond."""
    wishes: dict[str, Any] = {"laps": 2, "technical_pit": True, "tyres": True}
    ana = car("ana", "S3.3.1", 3, box="A1", lap=1, **more)
    state, _ = GAME.play(under_way(ana, track=POND, **wishes), "ana", {"do": "gear", "gear": 3}, Dice(7))
    return GAME.play(state, "ana", {"do": "move", "path": ["P.0.0", "P.0.1", "P.0.2", "PITA1"]}, Dice())[0]


def test_t1_t6_wet_tyres_for_a_wet_track() -> None:
    state = GAME.setup({"csv": POND}, [{"id": "ana"}], {"weather": True, "tyres": True})
    state, _ = GAME.begin(state, Dice(0, 0))
    assert state["weather"] == "rain" and GAME.phase(state, "ana") == "garage"
    assert orders(state)["tyres"] == "wet"
    boxed = in_the_box(tyres="hard")
    boxed["weather"] = "rain"
    assert orders(boxed)["tyres"] == "wet"


def test_p10_a_car_about_to_break_is_repaired() -> None:
    boxed = in_the_box(wp={"body": 1, "engine": 1})
    given = orders(boxed, name="cautious")
    assert sum((given.get("technical") or {}).values()) > 0


@pytest.mark.parametrize("name", manners())
def test_y5_a_build_is_legal_and_knows_what_wears(name: str) -> None:
    state = GAME.setup({"csv": POND}, [{"id": "ana"}], {"build": True, "tyres": True})
    state, _ = GAME.begin(state, Dice(3))
    given = orders(state, name=name)
    assert set(given["build"]) == set(AREAS) and sum(given["build"].values()) == 20
    assert given["build"]["body"] >= 2
    after, _ = GAME.play(state, "ana", given, Dice(*[19] * 4))
    assert after["cars"]["ana"]["wp"] == given["build"]


def test_y5_builds_are_weighed() -> None:
    """When retiring costs nothing, body and engine get only the one WP that each area must have."""
    treads, club = (TyreEffect(), TyreEffect()), manner("club")
    careless = dict(pitwall.best_build(POND, replace(club, out=0.0), treads, 20))
    careful = dict(pitwall.best_build(POND, replace(club, out=40.0), treads, 20))
    assert careless["body"] == careless["engine"] == 1 < careful["body"] == careful["engine"]


def test_q2_q4_the_lap_of_qualifying_counts_turns_and_points() -> None:
    state = GAME.setup("monza", [{"id": "ana"}], {"qualifying": True})
    state, _ = GAME.begin(state, Dice())
    lap = tables_of_car(state, state["cars"]["ana"], manner("club"))[0]
    assert lap.rules is points()
    chance = Lot(4)
    while state["stage"] == "qualifying":
        state, _ = GAME.play(state, "ana", orders(state), chance)
    assert 8 <= state["cars"]["ana"]["qualifying"] <= 25


@pytest.mark.parametrize("seed", range(4))
def test_codrivers_come_home_under_all_options(seed: int) -> None:
    wishes: dict[str, Any] = [
        {"laps": 2, "nitro": True, "rules": "basic"},
        {"laps": 2, "weather": True, "tyres": True, "technical_pit": True, "nitro": True},
        {"laps": 3, "teams": True, "technical_pit": True},
        {"laps": 1, "qualifying": True, "build": True, "tyres": True},
    ][seed]
    setup = GAME.setup({"csv": POND}, [{"id": "ana"}, {"id": "bo"}], GAME.clean_options(wishes))
    chance = Lot(seed)
    state, told = GAME.begin(setup, chance)
    events = list(told)
    while waiting := GAME.to_play(state):
        state, told = GAME.play(state, waiting[0], orders(state, waiting[0]), chance)
        events += told
    assert sum(one["status"] == FINISHED for one in state["cars"].values()) >= 1
    folded = setup
    for event in events:
        folded = GAME.apply(folded, event)
    assert folded == state


# Against each other -------------------------------------------------------------------------------


def test_ten_drivers_three_of_each_manner_and_one_flat_out() -> None:
    cars = contest.drivers(3)
    assert sorted(cars.values()) == sorted([*contest.MANNERS * 3, contest.FLAT_OUT])
    assert contest.drivers(3) == cars != contest.drivers(4)


def test_the_tenth_takes_the_highest_gear_that_is_safe() -> None:
    state = under_way(car("ana", "S2.1.2", 4, lap=1, wp={"brakes": 0}))
    gears = {way.orders["gear"] for way in GAME.choices(state, "ana").ways}
    given = contest.flat_out(state, "ana")
    told = {one["gear"]: one for one in GAME.odds(state, "ana", {})["gears"]}
    safe = [gear for gear in gears if told[gear]["overshoot"] == [0, 1] and told[gear]["no_path"] == [0, 1]]
    assert given == {"do": "gear", "gear": max(safe)}


def test_a_contest_counts_every_driver() -> None:
    told = contest.contest("monza", 2)
    drivers = [told[name] for name in (*contest.MANNERS, contest.FLAT_OUT)]
    assert [one["races"] for one in drivers] == [6, 6, 6, 2]
    assert sum(one["won"] * one["races"] for one in drivers) == pytest.approx(2, abs=0.02)
    for one in drivers:
        assert one["out"] == pytest.approx(one["collisions"] + one["out_beyond_collisions"], abs=0.002)


def test_a_race_follows_from_its_words() -> None:
    cars = {"ana": "club", "bo": "bold"}
    races = [contest.drive_race("monza", cars, words, options={})[2] for words in ("one", "one", "two")]
    assert races[0] == races[1] != races[2]


def test_places_round_the_lap_get_nearer_to_the_line() -> None:
    """F4: the remaining steps decrease along every lane, and every space of the track has a number."""
    for name in names():
        lap = lap_layout(load_track(name))
        for space, nexts in enumerate(lap.track.nexts):
            if not lap.track.in_the_pits(space):
                steps = [0 if lap.track.crosses(space, to) else lap.left[to] for to in nexts]
                assert lap.left[space] == 1 + min(one for to, one in zip(nexts, steps, strict=True) if one >= 0)
        places = {space: number for number, space in enumerate(lap.order)}
        for space, nexts in enumerate(lap.track.nexts):
            for to in nexts:
                if space in places and to in places and not lap.track.crosses(space, to):
                    assert places[to] < places[space]
