"""Qualifying (Q)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.formula_d import scenario
from engine.formula_d.ending import places_of_those_out
from engine.formula_d.fold import fold
from engine.formula_d.movement.reach import layers
from engine.formula_d.movement.walk import Drive
from engine.formula_d.race import wet
from engine.formula_d.setup import setup
from engine.formula_d.track import load_track
from tests.games.formula_d.engine.scene import car, document, played, refused, turn

DRIVEN = next(
    scene["document"]
    for scene in map(json.loads, Path(__file__).with_name("driven.jsonl").read_text("utf-8").splitlines())
    if scene["name"] == "26-qualifying"
)
LAP, LAP_DICE = DRIVEN["orders"][:17], DRIVEN["dice"][:17]
"""A whole lap: 17 turns, ten spaces overshot."""
FAILED, FAILED_DICE = DRIVEN["orders"][17:], DRIVEN["dice"][17:]
"""A lap that ends at a corner without a stop."""
ON = {"qualifying": True, "start_roll": False}


def lap(name: str, driven: list[dict[str, Any]] = LAP) -> list[dict[str, Any]]:
    return [{**order, "car": name} for order in driven]


def race(
    cars: list[dict[str, Any]], laps: list[list[dict[str, Any]]], dice: list[int], **options: Any
) -> dict[str, Any]:
    return played(cars, *(order for one in laps for order in one), dice=dice, **{**ON, **options})


def test_q1_alone_from_the_middle_before_the_line() -> None:
    """A2: the others are not on the track yet; there is no start roll."""
    shown = played([car("ana"), car("bo")], turn("ana", 1, "S1.2.0"), dice=[1], qualifying=True)
    ana, bo = shown["cars"]["ana"], shown["cars"]["bo"]
    assert (shown["next"], ana["space"], ana["lap"], bo["space"]) == ("ana", "S1.2.0", 1, None)
    assert ana["qualifying"] is None and "qualifying" not in bo
    assert refused([car("ana"), car("bo")], turn("bo", 1, "S1.2.0"), dice=[1], qualifying=True) == "O1"


def test_q2_up_one_down_any_at_no_price() -> None:
    cars = [car("ana")]
    assert refused(cars, turn("ana", 2, ""), **ON) == "G2"
    start = LAP[:16]
    assert refused(cars, *start, turn("ana", 1, "S7.1.7"), dice=[*LAP_DICE[:16]], **ON) == "dice"
    down = turn("ana", 1, "S7.1.7")
    shown = played(cars, *start, down, dice=[*LAP_DICE[:16], 1], **ON)
    assert shown["cars"]["ana"]["wp"]["gearbox"] == 3


def test_q3_q4_a_point_a_turn_and_one_a_space_overshot() -> None:
    assert race([car("ana")], [lap("ana")], LAP_DICE)["cars"]["ana"]["qualifying"] == 27


@pytest.mark.parametrize("kind", ["soft", "wet"])
def test_q4_times_the_factor(kind: str) -> None:
    """T4, dry: ten spaces at factor 2. WP are not changed."""
    shown = race([car("ana", tyres_q=kind)], [lap("ana")], LAP_DICE, tyres=True)
    ana = shown["cars"]["ana"]
    assert (ana["qualifying"], ana["wp"]["tires"], ana["tyres"], ana["age"]) == (37, 6, "hard", 0)


def test_q4_no_brakes_no_nitro_no_pits() -> None:
    cars = [car("ana")]
    assert refused(cars, turn("ana", 1, ""), dice=[1], **ON) == "Q4"
    assert refused(cars, turn("ana", 1, "S1.2.0-1", nitro=True), dice=[1], **ON, nitro=True) == "N1"
    assert refused(cars, turn("ana", 1, "S1.2.0", bonus=True), dice=[1], **ON) == "T3"
    near = [*LAP[:15], turn("ana", 3, "C6.1.1-3 C6.2.2 C6.2.3")]
    assert refused(cars, *near, turn("ana", 1), dice=[*LAP_DICE[:15], 5, 1], **ON) == "M6"


def test_q4_the_pit_lane_is_closed() -> None:
    more = [turn("ana", 3, "C6.1.1 C6.2.1 C6.3.1-2"), turn("ana", 3, "C6.3.3-4 S7.3.0-2"), turn("ana", 1, "P.0.0")]
    dice = [*LAP_DICE[:15], 4, 5, 1]
    assert refused([car("ana")], *LAP[:15], *more, dice=dice, laps=3, **ON) == "P1"


def test_q4_soft_tyres_give_their_bonus() -> None:
    cars = [car("ana", tyres_q="soft")]
    shown = played(cars, turn("ana", 1, "S1.2.0-1", bonus=True), dice=[1], tyres=True, **ON)
    assert shown["cars"]["ana"]["space"] == "S1.2.1"
    assert refused(cars, turn("ana", 1, "S1.2.0", bonus=True), dice=[1], tyres=True, **ON) == "Q4"


def test_q4_slides_as_in_the_race() -> None:
    """W2: 1 is rain. From S1.1.10 four spaces and three more."""
    turns = [*LAP[:3], turn("ana", 2, "S1.1.11-13 C1.1.0-3")]
    shown = played([car("ana")], *turns, dice=[1, *LAP_DICE[:3], 4], weather=True, **ON)
    assert (shown["cars"]["ana"]["space"], shown["weather"]) == ("C1.1.3", "rain")


def test_q5_no_other_path_than_past_a_corner_without_a_stop() -> None:
    shown = race([car("ana")], [lap("ana", FAILED)], FAILED_DICE)
    ana = shown["cars"]["ana"]
    assert (ana["qualifying"], ana["points"], shown["round"], ana["space"]) == (None, 0, 1, "S7.3.14")


def test_q5_leaving_a_three_stop_corner_after_one_stop_is_overshooting() -> None:
    """Monaco's C5 of three stops: one made, then out of it."""
    shown, legal = scenario.play(document([car("ana")], [], [], {**ON}, {"track": "monaco"}))
    assert legal and shown["next"] == "ana"
    track = load_track("monaco")
    for made, lost in ((0, True), (1, False), (2, False)):
        drive = Drive(track, track.index["C5.1.11"], 1, stops=made, laps=1, qualifying=True)
        assert [at.lost for at in layers(drive)[1]] == [lost]


def test_q6_a_path_goes_no_farther_than_the_line() -> None:
    beyond = [*LAP[:16], {**LAP[16], "path": [*LAP[16]["path"], "S1.3.1"]}]
    assert refused([car("ana")], *beyond, dice=LAP_DICE, **ON) == "M5"


def test_q6_each_full_minute_is_a_point() -> None:
    shown = race([car("ana", seconds=179)], [lap("ana")], LAP_DICE)
    assert shown["cars"]["ana"]["qualifying"] == 29


def test_q6_q7_order_points_and_grid() -> None:
    """Bo is a minute slower; cy is as fast as ana, in less time of the same minute; di is not qualified."""
    cars = [car("ana", seconds=59), car("bo", seconds=60), car("cy", seconds=3), car("di"), car("ed", seconds=59)]
    laps = [lap("ana"), lap("bo"), lap("cy"), lap("di", FAILED), lap("ed")]
    dice = LAP_DICE * 3 + FAILED_DICE + LAP_DICE
    shown = race(cars, laps, dice)
    found = {name: (one["points"], one["space"]) for name, one in shown["cars"].items()}
    assert found == {
        "cy": (10, "S7.3.14"), "ana": (9, "S7.1.12"), "ed": (8, "S7.3.11"), "bo": (7, "S7.1.9"), "di": (0, "S7.3.8"),
    }  # fmt: skip


def test_a2_weather_before_the_race_comes_after_the_laps() -> None:
    """W2: 20 is dry, qualifying never changes. W3: then 8 is changeable."""
    cars = [car("ana")]
    shown = played(cars, *LAP[:2], dice=[20, *LAP_DICE[:2]], weather=True, **ON)
    assert shown["weather"] == "good"
    assert race(cars, [lap("ana")], [20, *LAP_DICE, 8], weather=True)["weather"] == "changeable"


def test_w1_changeable_is_wet_after_a_wet_qualifying() -> None:
    state = setup("monza", [{"id": "ana"}], {"weather": True, "qualifying": True}, grid="entry", asks=False)
    state["weather"] = "changeable"
    assert not wet(state)
    fold(state, {"kind": "weather", "when": "qualifying", "die": 1, "state": "rain"})
    assert wet(state)
    fold(state, {"kind": "weather", "when": "race", "die": 8, "state": "changeable"})
    assert wet(state)
    fold(state, {"kind": "weather", "when": "round", "die": 20, "state": "good_temp"})
    assert not wet(state)


def test_r4_with_qualifying_cars_that_are_out_rank_by_its_points() -> None:
    """With teams too; those not qualified share a place."""
    names = ("ana", "bo", "cy", "di")
    state = setup("monza", [{"id": name} for name in names], {"qualifying": True}, grid="entry", asks=False)
    for name, points in zip(names, (9, 10, 0, 0), strict=True):
        state["cars"][name] |= {"status": "out", "points": points, "distance": [1, 1]}
    assert places_of_those_out(state) == {"bo": 1, "ana": 2, "cy": 3, "di": 3}
    state["options"]["teams"] = True
    assert places_of_those_out(state) == {"bo": 1, "ana": 2, "cy": 3, "di": 3}
