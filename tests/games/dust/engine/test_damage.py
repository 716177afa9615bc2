"""Risk and damage (R1 to R8): rolls, hits, tokens, a wreck, and rolls that are treated as blank."""

from __future__ import annotations

import pytest

from tests.games.dust.engine.scenes import after, card_set, laid, legal, probe, run

BOARD = laid(s3="bolts")


@pytest.mark.parametrize(
    ("hits", "flipped", "rolled", "now"),
    [(2, 0, "3/0", (0, 1)), (2, 0, "2/0", (4, 0)), (4, 3, "3/0", (2, 4)), (0, 7, "3/0", (3, 7)), (4, 7, "0/0", (4, 7))],
)
def test_r3_hits_flip_tokens(hits: int, flipped: int, rolled: str, now: tuple[int, int]) -> None:
    cards = card_set(dice={"risk": ["0/0", "2/0", "3/0"]})
    ana = after("risk", cards=cards, hits=hits, flipped=flipped, risk=[rolled])
    assert (ana["hits"], ana["flipped"]) == now


def test_r3_two_tokens_in_one_roll() -> None:
    cards = card_set(dice={"risk": ["9/1"]})
    ana = after("risk", cards=cards, hits=4, risk=["9/1"])
    assert (ana["hits"], ana["flipped"], ana["popularity"]) == (3, 2, 1)


def test_r2_with_three_dice_in_the_pool_one_is_rolled() -> None:
    drivers = {"ana": {"risk": 3, "board": BOARD}}
    chance = {"ana": {"risk": ["0/0"] * 3 + ["2/0"]}}
    ana = run(("ana", ["prepare", "use 3 p", "do 1"]), cards=probe("risk"), drivers=drivers, chance=chance)["drivers"][
        "ana"
    ]
    assert (ana["risk"], ana["hits"]) == (3, 2)


def test_r4_a_roll_of_several_dice_is_one_roll() -> None:
    drivers = {"ana": {"risk": 2, "flipped": 7, "hits": 0}}
    assert (
        run(("ana", ["prepare"]), drivers=drivers, chance={"ana": {"risk": ["3/1", "1/0"]}})["drivers"]["ana"]["hits"]
        == 4
    )
    found = run(("ana", ["prepare"]), drivers={**drivers, "bo": {}}, chance={"ana": {"risk": ["3/1", "2/0"]}})
    assert found["drivers"]["ana"]["phase"] == "out"


def test_r5_a_wreck_loses_what_the_rule_names_and_nothing_else() -> None:
    start = {
        "flipped": 7, "hits": 4, "space": "A1", "speed": 9, "popularity": 5, "keys": 9, "traction": 9, "star": True,
        "hand": ["ready"] * 3, "board": {"3": "bolts", "1": {"card": "racing-line", "used": True}},
        "markers": {"2": 1}, "discard": ["turbo"],
    }  # fmt: skip
    steps = ["prepare", "use 3 p", "done", "buy turbo", "place 1", "done", "risk"]
    chance = {"ana": {"popularity": "-", "risk": ["3/2"]}}
    found = run(("ana", steps), drivers={"ana": start, "bo": {}}, chance=chance)
    ana = found["drivers"]["ana"]
    assert (ana["phase"], ana["speed"], ana["popularity"], ana["hits"], ana["flipped"]) == ("out", 0, 0, 0, 7)
    assert (ana["markers"], ana["aside"], ana["dice"], ana["open"], ana["pending"]) == ({}, [], [], None, None)
    assert (ana["spent"], ana["keys"], ana["traction"], ana["risk"], ana["star"]) == (["p3"], 4, 9, 1, True)
    assert ana["board"]["1"]["used"] and ana["hand"] == ["ready"] * 3
    assert (found["holder"], found["next"]) == ("ana", ["bo"]), "the holder until the round closes (D1)"
    after_it = run(("ana", steps), ("bo", ["prepare", "end"]), drivers={"ana": start, "bo": {}}, chance=chance)
    assert after_it["drivers"]["ana"] == ana, "nothing touches it from then on"
    assert (after_it["round"], after_it["holder"]) == (2, None)


def test_r5_the_popularity_of_the_roll_and_the_die_of_the_dice_phase_are_lost() -> None:
    start = {"flipped": 7, "hits": 4, "popularity": 5, "risk": 1}
    chance = {"ana": {"popularity": "2", "risk": ["3/2"]}}
    found = run(("ana", ["prepare"]), drivers={"ana": start, "bo": {}}, chance=chance)["drivers"]["ana"]
    assert (found["popularity"], found["dice"]) == (0, [])


VOIDING = {"bolts": [{"passive": True, "do": "void; discard this"}, {"do": "keys 1"}]}


def test_r6_the_driver_decides_after_a_roll_that_is_not_blank() -> None:
    cards = card_set(VOIDING)
    ana = after("risk", cards=cards, board=BOARD, risk=["2/0"])
    assert (ana["pending"], ana["risk"], ana["traction"], ana["hits"]) == ("2/0", 1, 2, 0)
    assert legal("risk", cards=cards, board=BOARD, risk=["2/0"]) == ["accept", "void 3"]
    assert after("risk", "accept", cards=cards, board=BOARD, risk=["2/0"])["hits"] == 2
    ana = after("risk", "void 3", cards=cards, board=BOARD, risk=["2/0"])
    assert (ana["hits"], ana["risk"], ana["discard"], ana["pending"]) == (0, 1, ["bolts"], None)
    assert after("risk", cards=cards, board=BOARD, risk=["0/0"])["pending"] is None, "a blank roll asks nothing"


@pytest.mark.parametrize(
    "start",
    [
        {"flipped": 6},
        {"board": {"3": {"card": "bolts", "covered": True}}},
        {"board": {"3": {"card": "bolts", "used": True}}},
        {"board": {}, "hand": ["bolts"]},
    ],
)
def test_r6_nothing_waits_without_a_void_that_can_be_used(start: dict[str, object]) -> None:
    ana = after("risk", cards=card_set(VOIDING), **{"board": BOARD, "risk": ["1/0"], **start})  # type: ignore[arg-type]
    assert (ana["pending"], ana["hits"]) == (None, 1)


@pytest.mark.parametrize(
    "effect",
    [
        {"when": "brake", "do": "void"},
        {"pay": "keys 1", "do": "void"},
        {"do": "void; move left 4"},
        {"do": "void; repair 1; repair 1"},
    ],
)
def test_r6_a_void_whose_conditions_price_or_operations_fail_cannot_be_used(effect: dict[str, object]) -> None:
    cards = card_set({"bolts": [{"passive": True, **effect}, {"do": "keys 1"}]})
    assert after("risk", cards=cards, board=BOARD, risk=["1/0"])["pending"] is None


def test_r6_once_a_round_by_copies() -> None:
    cards = card_set({"bolts": [{"passive": True, "do": "void"}]})
    ana = after("risk", "void 3", "risk", cards=cards, board=BOARD, risk=["1/0", "1/0"])
    assert (ana["pending"], ana["hits"]) == (None, 1)


def test_r6_d3_in_the_dice_phase_the_popularity_die_is_paid_after_the_word() -> None:
    chance = {"ana": {"popularity": "2", "risk": ["1/1"]}}
    cards = card_set(VOIDING, dice={"risk": ["0/0", "1/1"]})
    drivers = {"ana": {"popularity": 3, "risk": 1, "board": BOARD}}

    def popularity(*steps: str) -> tuple[int, str | None]:
        ana = run(("ana", ["prepare", *steps]), cards=cards, drivers=drivers, chance=chance)["drivers"]["ana"]
        assert (ana["phase"], ana["dice"]) == ("drive", ["f2", "p1", "p2", "p3"])
        return ana["popularity"], ana["pending"]

    assert popularity() == (3, "1/1")
    assert popularity("accept") == (2, None)
    assert popularity("void 3") == (1, None)


def test_r6_a_card_whose_last_effect_was_the_risk_has_closed_a_stage_card_is_open() -> None:
    cards = card_set(
        {"ready": [{"passive": True, "do": "void"}], "bolts": [{"do": "risk"}]}, stage=[{"move": "left 4"}]
    )
    board = laid(s3="bolts", s4="ready")
    assert after("use 3 p", "do 1", cards=cards, board=board, risk=["1/0"])["open"] is None
    cards = card_set(
        {"ready": [{"passive": True, "do": "void"}]},
        stage=[{"move": "left 4", "effects": [{"do": "keys 1"}]}, {"move": "left 4", "effects": []}],
    )
    ana = after("place 1", cards=cards, board=board, risk=["1/0"])
    assert (ana["open"], ana["pending"]) == ({"card": 1, "left": [1]}, "1/0")
    assert after("place 1", "accept", "do 1", cards=cards, board=board, risk=["1/0"])["keys"] == 1
    assert after("place 2", cards=cards, board=board, risk=["1/0"])["open"] is None


def test_r6_a_void_may_bring_another_roll() -> None:
    cards = card_set({"bolts": [{"passive": True, "do": "void; risk"}], "ready": [{"passive": True, "do": "void"}]})
    board = laid(s3="bolts", s4="ready")
    ana = after("risk", "void 3", cards=cards, board=board, risk=["1/0", "2/0"])
    assert (ana["pending"], ana["risk"]) == ("2/0", 2)
    assert after("risk", "void 3", "void 4", cards=cards, board=board, risk=["1/0", "2/0"])["hits"] == 0


def test_r5_an_open_card_is_closed_by_a_wreck() -> None:
    drivers = {"ana": {"board": BOARD, "flipped": 7, "hits": 4}, "bo": {}}
    steps = ["prepare", "use 3 p", "do 1"]
    found = run(("ana", steps), cards=probe("risk", "keys 1"), drivers=drivers, chance={"ana": {"risk": ["1/0"]}})
    assert (found["drivers"]["ana"]["phase"], found["drivers"]["ana"]["open"]) == ("out", None)
