"""The ghost driver (G) and the training stage (T)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.dust import scenario
from tests.games.dust.engine.scenes import card_set, document, laid, run, stopped

TURN = ["prepare", "end"]
TAKING = card_set({"bolts": [{"do": "take 1-2"}, {"do": "take 1-5"}]})


def solo(
    *turns: tuple[str, list[str]], ghost: dict[str, Any], level: str = "plain", chance: Any = None, **more: Any
) -> dict[str, Any]:
    return run(*turns, ghost=ghost, options={"ghost": level}, chance=chance, **{"drivers": {"ana": {}}, **more})


@pytest.mark.parametrize(
    ("level", "pairs"),
    [
        ("plain", [0, 1, 2, 3, 3, 3, 3]),
        ("amateur", [0, 0, 1, 2, 3, 3, 3]),
        ("novice", [0, 0, 0, 1, 2, 3, 3]),
        ("rookie", [0, 0, 0, 0, 1, 2, 3]),
        ("daredevil", [1, 2, 3, 3, 3, 3, 3]),
        ("veteran", [2, 3, 3, 3, 3, 3, 3]),
        ("devil", [3, 3, 3, 3, 3, 3, 3]),
    ],
)
def test_g2_levels(level: str, pairs: list[int]) -> None:
    chance = {"ghost": {"dice": "1" * 30, "risk": ["0/0"] * 30}}
    for played, count in enumerate(pairs):
        found = solo(*[("ana", TURN)] * played, ghost={}, level=level, chance=chance)
        assert found["ghost"]["pairs"] == count


def test_g1_the_ghost_has_three_pairs_at_most() -> None:
    chance = {"ghost": {"dice": "1" * 9, "risk": ["0/0"] * 9}}
    assert solo(("ana", TURN), ghost={"pairs": 3, "cards": [1, 2]}, chance=chance)["ghost"]["pairs"] == 3


def test_g3_g4_g5_pairs_are_rolled_blocked_and_scored() -> None:
    chance = {"ghost": {"dice": "31", "risk": ["3/2", "2/0"]}}
    ghost = {"pairs": 2, "cards": []}
    assert solo(ghost=ghost, chance=chance)["ghost"]["dice"] == [], "empty before prepare"
    found = solo(("ana", ["prepare", "block 1 p3"]), ghost=ghost, chance=chance)
    assert found["ghost"]["dice"] == ["3 3/2", "1 2/0"]
    assert found["drivers"]["ana"]["spent"] == ["p3"]
    found = solo(("ana", ["prepare", "block 1 p3", "end"]), ghost=ghost, chance=chance)
    assert (found["ghost"]["speed"], found["ghost"]["popularity"], found["ghost"]["dice"]) == (2, 0, [])
    found = solo(("ana", ["prepare", "end"]), ghost={**ghost, "popularity": 14}, chance=chance)
    assert (found["ghost"]["speed"], found["ghost"]["popularity"]) == (5, 15)


def test_g4_what_is_refused() -> None:
    chance = {"ghost": {"dice": "31", "risk": ["3/2", "2/0"]}, "ana": {"dice": "133"}}
    more = {"ghost": {"pairs": 2, "cards": []}, "options": {"ghost": "plain"}, "drivers": {"ana": {}}, "chance": chance}
    for steps in (["block 3 p3"], ["block 1 p1"], ["block 1 b3"], ["block 1 p3", "block 1 p3"]):
        assert stopped(("ana", ["prepare", *steps]), **more) == "G4"
    assert stopped(("ana", ["prepare", "block 1 p1"]), drivers={"ana": {}}) == "G4", "there is no ghost"


def test_d1_f3_the_ghost_counts_as_a_driver() -> None:
    drivers = {"ana": {"popularity": 2}}
    assert solo(ghost={"popularity": 2}, drivers=drivers)["holder"] is None
    assert solo(ghost={"popularity": 1}, drivers=drivers)["holder"] == "ana"
    assert solo(ghost={"popularity": 3}, drivers=drivers)["holder"] == "ghost"
    ghost = {"popularity": 3, "speed": 5}
    found = solo(("ana", TURN), ghost=ghost, drivers=drivers, round=10)
    assert (found["ghost"]["points"], found["ghost"]["place"]) == (8, 1)
    assert (found["drivers"]["ana"]["points"], found["drivers"]["ana"]["place"]) == (1, 2)


def test_g1_the_ghost_has_no_car_and_takes_no_damage() -> None:
    chance = {"ghost": {"dice": "123", "risk": ["3/2"] * 3}}
    found = solo(("ana", TURN), ghost={}, level="devil", chance=chance)
    assert set(found["ghost"]) == {"speed", "popularity", "pairs", "dice", "points", "place"}
    assert (found["ghost"]["speed"], found["ghost"]["popularity"], found["ghost"]["pairs"]) == (9, 6, 3)


def test_g6_the_ghost_pays_nothing_for_risk_dice_and_has_no_flipped_token() -> None:
    ghost = {"speed": 5, "pairs": 3, "cards": []}
    chance = {"ghost": {"dice": "111", "risk": ["0/0"] * 3}}
    found = solo(("ana", TURN), ghost=ghost, chance=chance, drivers={"ana": {"speed": 5, "flipped": 1}}, round=10)
    assert (found["ghost"]["points"], found["ghost"]["place"], found["drivers"]["ana"]["place"]) == (5, 1, 2)


def test_f5_the_ghost_is_nobodys_slowest() -> None:
    start = {"flipped": 7, "hits": 4}
    found = solo(("ana", ["prepare", "risk"]), ghost={}, drivers={"ana": start}, chance={"ana": {"risk": ["1/0"]}})
    assert (found["drivers"]["ana"]["seconds"], found["drivers"]["ana"]["place"], found["ghost"]["place"]) == (
        960,
        2,
        1,
    )


# Training


def training(*turns: tuple[str, list[str]], **more: Any) -> dict[str, Any]:
    return run(*turns, stage="training", **more)


def test_t1_t2_five_cards_four_piles_and_the_training_deck() -> None:
    found = document(drivers={"ana": {"driver": "aiko"}}, stage="training")
    del found["drivers"][0]["start"]
    shown = scenario.play(found)[0]
    assert shown["visible"] == [1, 2, 3, 4, 5]
    assert sorted(shown["piles"]) == ["roadbook", "split-times", "turbo", "tyre-change"]
    deck = shown["drivers"]["ana"]["deck"]
    assert (len(deck), deck.count("tyre-change"), deck.count("split-times"), deck.count("roadbook")) == (10, 2, 2, 1)
    assert shown["drivers"]["ana"]["driver"] == "aiko"


def test_t3_which_drivers_are_to_play() -> None:
    drivers: dict[str, Any] = {"ana": {}, "bo": {}, "cy": {}}
    assert training(drivers=drivers)["next"] == ["ana", "bo", "cy"]
    assert training(("bo", ["prepare"]), drivers=drivers)["next"] == ["ana", "cy"]
    assert training(("bo", ["prepare"]), ("ana", TURN), drivers=drivers)["next"] == ["bo", "cy"]
    assert stopped(("bo", ["prepare", "end"]), drivers=drivers, stage="training") == "S2"
    assert stopped(("bo", ["end"]), drivers=drivers, stage="training") == "Q2"
    assert stopped(("bo", ["sleep"]), drivers=drivers, stage="training") == "S8"


def test_t3_what_waits_after_prepare_is_decided_by_everybody() -> None:
    cards = card_set({"bolts": [{"passive": True, "do": "void"}]})
    drivers: dict[str, Any] = {"ana": {}, "bo": {"risk": 1, "board": laid(s3="bolts")}}
    more: dict[str, Any] = {"cards": cards, "drivers": drivers, "chance": {"bo": {"risk": ["1/0"]}}}
    assert training(("bo", ["prepare"]), **more)["next"] == ["ana", "bo"]
    assert training(("bo", ["prepare", "accept"]), **more)["next"] == ["ana"]
    assert stopped(("bo", ["prepare", "end"]), stage="training", **more) == "R6"


def test_t3_b5_orders_are_settled_at_the_end_of_a_turn() -> None:
    drivers = {"ana": {"keys": 9}, "bo": {"keys": 9}}
    turns = [("ana", ["prepare", "buy turbo", "end"]), ("bo", ["prepare"])]
    found = training(*turns, drivers=drivers, piles={"turbo": 1})
    assert (found["piles"]["turbo"], found["drivers"]["ana"]["discard"]) == (0, ["turbo"])
    assert stopped(*turns, ("bo", ["buy turbo"]), drivers=drivers, piles={"turbo": 1}, stage="training") == "B2"
    board = {"3": "bolts"}
    steps = ["prepare", "use 3 p", "do 1 tyre-change", "done", "end"]
    found = training(("ana", steps), cards=TAKING, drivers={"ana": {"board": board}, "bo": {}})
    assert found["drivers"]["ana"]["top"] == ["tyre-change"]


def test_t3_the_round_closes_as_any() -> None:
    found = training(("ana", TURN), ("bo", TURN), drivers={"ana": {"markers": {"1": 1}}, "bo": {}})
    assert (found["round"], found["drivers"]["ana"]["speed"], found["next"]) == (2, 4, ["ana", "bo"])


def test_t4_the_points_to_pass_are_data() -> None:
    assert card_set().pass_points == 15
