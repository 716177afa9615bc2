"""The step table of chapter S: which rule refuses a step, and which of two broken rules is named."""

from __future__ import annotations

import pytest

from tests.games.dust.engine.scenes import OWN, card_set, laid, probe, refused, stopped

VOIDING = card_set({"bolts": [{"passive": True, "do": "void"}, {"do": "keys 1"}]})
"""`bolts` voids risk rolls."""

WAITING = {"cards": VOIDING, "board": laid(s4="bolts"), "risk": ["1/0"]}
"""After `risk` a roll waits."""


@pytest.mark.parametrize(
    "step",
    [
        "", "sleep", "Prepare",
        "accept 1", "done 1", "risk 1", "end 1", "void", "void 0", "void 7", "void 1 2", "void 11",
        "play ready", "play ready 0", "play 3", "play ready 3 4", "use 4", "use p 4", "use 0 p", "use 4 x", "use 4 p 1",
        "do", "do 0", "do 10", "do 01", "do x", "do ²", "passive", "passive 0", "passive x", "buy", "buy a b",
        "place", "place 0", "place 01", "place 100", "place +1", "place x", "place 1 2", "steer", "steer left",
        "steer left 0", "steer left 01", "steer up 1", "steer left 100", "steer left 1 1", "tune", "tune p5",
        "tune p5=0", "tune p5=7", "tune p0=1", "tune x5=6", "tune p5=6 1", "tune 5=6", "tune r1=2",
        "block", "block 1", "block 0 p1", "block 4 p1", "block 1 p7", "block 1 x1", "block 1 p1 p2", "block p1 1",
    ],
)  # fmt: skip
def test_s8_a_step_that_cannot_be_read_is_refused_first(step: str) -> None:
    assert refused(step) == "S8"
    if step:
        assert refused(step, prepare=None) == "S8"


@pytest.mark.parametrize(
    ("rule", "step"),
    [
        ("Q3", "prepare nobody"),
        ("Q2", "play nobody 1"),
        ("Q2", "do 9"),
        ("Q2", "done"),
        ("Q2", "passive 1 2 3"),
        ("Q2", "buy nobody"),
        ("Q2", "place 99"),
        ("Q2", "steer left 99"),
        ("Q2", "tune f1=6"),
        ("Q2", "risk"),
        ("Q2", "block 3 b6"),
        ("Q2", "use 1 b"),
        ("Q2", "end"),
        ("R6", "accept"),
        ("R6", "void 1"),
    ],
)
def test_q2_before_prepare(rule: str, step: str) -> None:
    assert refused(step, prepare=None) == rule


@pytest.mark.parametrize(
    ("rule", "step"),
    [
        ("Q2", "prepare"),
        ("R6", "play nobody 1"),
        ("R6", "use 1 b"),
        ("R6", "do 9"),
        ("R6", "done"),
        ("R6", "passive 1"),
        ("R6", "buy nobody"),
        ("R6", "place 99"),
        ("R6", "steer left 99"),
        ("R6", "tune f1=6"),
        ("R6", "risk"),
        ("R6", "block 3 b6"),
        ("R6", "end"),
        ("R6", "void 1"),
        ("S8", "void x"),
    ],
)
def test_r6_while_a_roll_waits(rule: str, step: str) -> None:
    assert refused("risk", step, **WAITING) == rule


@pytest.mark.parametrize(
    ("rule", "step"),
    [
        ("Q2", "prepare"),
        ("P5", "play nobody 1"),
        ("P5", "use 1 b"),
        ("P5", "passive 1"),
        ("P5", "buy nobody"),
        ("P5", "place 99"),
        ("P5", "steer left 99"),
        ("P5", "tune f1=6"),
        ("P5", "risk"),
        ("P5", "block 3 b6"),
        ("P5", "end"),
        ("R6", "accept"),
        ("R6", "void 3"),
        ("P4", "do 9"),
    ],
)
def test_p5_while_a_card_is_open(rule: str, step: str) -> None:
    assert refused("use 3 p", step, board=laid(s3="bolts")) == rule


def test_r6_comes_before_p5() -> None:
    cards = probe({"passive": True, "do": "void"}, "keys 1; risk", "keys 1")
    assert refused("use 3 p", "do 2", "play nobody 1", cards=cards, board=laid(s3="bolts"), risk=["1/0"]) == "R6"
    assert refused("use 3 p", "do 2", "done", cards=cards, board=laid(s3="bolts"), risk=["1/0"]) == "R6"


def test_p5_do_and_done_need_an_open_card() -> None:
    assert refused("do 1") == refused("done") == "P5"


def test_p2_play() -> None:
    assert refused("play nobody 1", hand=["ready"]) == "P2"
    assert refused("play ready 3", hand=["ready"], board=laid(s3="bolts")) == "P2"


def test_p3_p8_use() -> None:
    assert refused("use 4 p") == "P3"
    assert refused("use 4 p", board=laid(s4="bolts")) == "P3", "no die above it"
    assert refused("use 3 b", board=laid(s3="bolts")) == "P3", "another kind of die"
    assert refused("use 4 p", board={"4": {"card": "bolts", "covered": True}}) == "P8", "before the die is looked at"


def test_p4_do_what_is_done_or_passive() -> None:
    cards = probe({"passive": True, "do": "keys 1"}, "keys 1", "keys 1")
    assert refused("use 3 p", "do 1", cards=cards, board=laid(s3="bolts")) == "P4"
    assert refused("use 3 p", "do 2", "do 2", cards=cards, board=laid(s3="bolts")) == "P4"
    assert refused("use 3 p", "do 4", cards=cards, board=laid(s3="bolts")) == "P4"


def test_n4_effects_above_a_used_effect_can_no_longer_be_used() -> None:
    cards = card_set(stage=[{"effects": [{"do": "keys 1"}, {"do": "keys 1"}, {"do": "keys 1"}]}])
    assert refused("place 1", "do 2", "do 1", cards=cards) == "P4"


def test_p6_comes_after_p4_and_before_e3_on_a_stage_card() -> None:
    effects = [{"do": "keys 1", "must": True}, {"do": "keys 1", "when": "brake"}]
    cards = card_set(stage=[{"effects": effects}])
    assert refused("place 1", "do 3", cards=cards) == "P4"
    assert refused("place 1", "do 2", cards=cards) == "P6"
    assert refused("place 1", "do 1", "do 2", cards=cards) == "E3"
    assert refused("place 1", "done", cards=cards) == "P6"


def test_e3_e4_e6_e5_in_this_order() -> None:
    board = laid(s3="bolts")
    all_of_it = probe({"when": "brake", "pay": "keys 1", "do": "repair 1"})
    assert refused("use 3 p", "do 1 x", cards=all_of_it, board=board) == "E3"
    assert refused("use 3 p", "do 1 x", cards=all_of_it, board=board, space="B1") == "E4"
    assert refused("use 3 p", "do 1 x", cards=all_of_it, board=board, space="B1", keys=1) == "E6"
    prepared = {"space": "B1", "keys": 1, "hits": 0}
    cards = probe({"when": "brake", "pay": "keys 1", "do": "shift"})
    assert refused("use 3 p", "do 1 A1 x", cards=cards, board=board, **prepared) == "E5"


def test_e5_comes_after_the_operation_and_before_what_does_not_fit() -> None:
    board = laid(s3="bolts", s4="ready")
    assert refused("use 3 p", "do 1", cards=probe("swap"), board=board) == "E5"
    assert refused("use 3 p", "do 1 3", cards=probe("swap"), board=board) == "E5"
    assert refused("use 3 p", "do 1 9 3", cards=probe("swap"), board=board) == "E5"
    assert refused("use 3 p", "do 1 1 x", cards=probe("swap"), board=board) == "E5", "before slot 1 is looked at"
    assert refused("use 3 p", "do 1 1 3", cards=probe("swap"), board=board) == "E6"
    assert refused("use 3 p", "do 1 3 3", cards=probe("swap"), board=board) == "E6"
    assert refused("use 3 p", "do 1 3 4 5", cards=probe("swap"), board=board) == "E5"
    assert refused("use 3 p", "do 1", cards=probe("swap"), board=laid(s3="bolts")) == "E6", "one card does not swap"


def test_m3_a_move_that_does_not_fit() -> None:
    board = laid(s3="bolts")
    assert refused("use 3 p", "do 1", cards=probe("move left 3"), board=board) == "M3"
    assert refused("use 3 p", "do 1", cards=probe("move 3"), board=board) == "M3", "neither way, before E5"
    assert refused("use 3 p", "do 1", cards=probe("move 2"), board=board) == "E5"
    assert refused("use 3 p", "do 1 up", cards=probe("move 2"), board=board) == "E5"
    assert refused("use 3 p", "do 1 left", cards=probe("move 2"), board=board, space="A1") == "M3"


def test_m4_a_space_that_the_car_does_not_reach() -> None:
    board = laid(s3="bolts")
    assert refused("use 3 p", "do 1", cards=probe("shift"), board=board) == "E5"
    assert refused("use 3 p", "do 1 B7", cards=probe("shift"), board=board) == "M4"
    assert refused("use 3 p", "do 1 Z", cards=probe("shift"), board=board) == "M4", "any word is a space well written"


def test_d5_after_the_die_and_before_the_values_of_the_card() -> None:
    start = {"cards": probe("set one 5"), "board": laid(s3="bolts")}
    assert refused("use 3 p", "do 1 f2=3", **start) == "E6", "there is no popularity die"
    assert refused("use 3 p", "do 1 p1=6", **start) == "E6", "not a value of the card"
    assert refused("use 3 p", "do 1 p1=0", **start) == "E5"
    assert refused("use 3 p", "do 1 p1=7", **start) == "E5"
    assert refused("use 3 p", "do 1 p1", **start) == "E5"
    assert refused("use 3 p", "do 1 p3=5", **start) == "E6", "the die that opened the card is used"


def _holder(*steps: str, cards: object = OWN, **start: object) -> str:
    """Return the rule that refuses Ana. She holds the popularity die, which shows 2."""
    chance = {"ana": {"popularity": "2"}}
    drivers = {"ana": {"driver": "harry", "popularity": 5, **start}}
    return stopped(("ana", ["prepare", *steps]), drivers=drivers, chance=chance, cards=cards)  # type: ignore[arg-type]


def test_d5_the_popularity_die_shows_1_or_2_only() -> None:
    board = laid(s3="bolts")
    assert _holder("tune f2=3", keys=9) == "D5"
    assert _holder("tune f1=3", keys=9) == "A2", "no such die comes first"
    assert _holder("tune f2=2", keys=9) == "A2"
    assert _holder("tune f2=1") == "A2"
    assert _holder("use 3 p", "do 1 f2=5", cards=probe("set one 5"), board=board) == "D5"
    assert _holder("use 3 p", "do 1 f2=4", cards=probe("set one 5"), board=board) == "D5", "before the card's values"
    assert _holder("use 3 p", "do 1 f2=3", cards=probe("nudge"), board=board) == "D5"
    assert _holder("use 3 p", "do 1 f1=2", cards=probe("nudge"), board=board) == "E6"


def test_e5_too_many_comes_before_any_roll() -> None:
    board = laid(s3="bolts")
    for text in ("boost", "draw 1", "keys 1; risk", "boost; risk"):
        rule = refused("use 3 p", "do 1 x", cards=probe(text), board=board, hand=["ready"] * 5, deck=["ready"])
        assert rule == "E5", text
    assert refused("use 3 p", "do 1 p1 x", cards=probe("reroll"), board=board) == "E5"
    assert refused("use 3 p", "do 1 p6", cards=probe("reroll"), board=board) == "E6"
    assert refused("use 3 p", "do 1 nonsense", cards=probe("reroll"), board=board) == "E6"
    assert refused("use 3 p", "do 1", cards=probe("reroll"), board=board) == "E5"


def test_e6_what_is_not_possible() -> None:
    board = laid(s3="bolts")
    assert refused("use 3 p", "do 1", cards=probe("repair 1"), board=board) == "E6"
    assert refused("use 3 p", "do 1", cards=probe("draw 1"), board=board) == "E6"
    assert refused("use 3 p", "do 1", cards=probe("return"), board=board) == "E6"
    assert refused("use 3 p", "do 1 ready 4", cards=probe("return"), board=board, removed=["turbo"]) == "E6"
    assert refused("use 3 p", "do 1 turbo 3", cards=probe("return"), board=board, removed=["turbo"]) == "E6"
    assert refused("use 3 p", "do 1 turbo 9", cards=probe("return"), board=board, removed=["turbo"]) == "E5"
    assert refused("use 3 p", "do 1", cards=probe("discard this; discard this"), board=board) == "E6"
    assert refused("use 3 p", "do 1 3 3", cards=probe("discard any; remove any"), board=board) == "E6"
    assert refused("use 3 p", "do 1", cards=probe("discard all; cover left 1"), board=board) == "E6"
    covered = {"3": {"card": "bolts", "covered": False}, "4": {"card": "ready", "covered": True}}
    assert refused("use 3 p", "do 1 4", cards=probe("cover any"), board=covered) == "E6"


def test_b2_an_empty_pile_comes_after_the_cost() -> None:
    board, more = laid(s3="bolts"), {"piles": {"suspension": 0}}
    assert refused("use 3 p", "do 1 suspension", cards=probe("take 2-2"), board=board, more=more) == "B2"
    assert refused("use 3 p", "do 1 suspension", cards=probe("take 3-4"), board=board, more=more) == "E6"
    assert refused("use 3 p", "do 1 nobody", cards=probe("take 2-2"), board=board, more=more) == "E6"
    assert refused("use 3 p", "do 1", cards=probe("take 2-2"), board=board, more=more) == "E5"
    empty = {"piles": {"racing-line": 0}}
    assert refused("use 3 p", "do 1", cards=probe("take 5-5"), board=board, more=empty) == "E6"


def test_a4_p8_r7_passive_in_this_order() -> None:
    cards = probe({"passive": True, "when": "brake", "pay": "keys 1", "do": "repair 1"})
    board = laid(s3="bolts")
    assert refused("passive 3", cards=cards) == "A4"
    assert refused("passive 3", board={"3": {"card": "ready", "covered": True}}, flipped=6) == "P8"
    assert refused("passive 3", board=laid(s3="ready"), flipped=6) == "A4"
    assert refused("passive 3", cards=cards, board=board, flipped=6) == "R7"
    used = {"3": {"card": "bolts", "used": True}}
    assert refused("passive 3", cards=cards, board=used, flipped=6) == "R7"
    assert refused("passive 3", cards=cards, board=used) == "A4"
    assert refused("passive 3", cards=cards, board=board) == "E3"
    assert refused("passive 3", cards=cards, board=board, space="B1") == "E4"
    assert refused("passive 3 x", cards=cards, board=board, space="B1", keys=1) == "E6"


def test_r6_a_void_is_no_step_of_its_own() -> None:
    cards = probe({"passive": True, "when": "brake", "pay": "keys 1", "do": "void"})
    board = laid(s3="bolts")
    assert refused("passive 3", cards=cards, board=board) == "E3"
    assert refused("passive 3", cards=cards, board=board, space="B1") == "E4"
    assert refused("passive 3", cards=cards, board=board, space="B1", keys=1) == "R6"


def test_e6_m3_what_follows_a_void() -> None:
    cards = card_set(
        {"bolts": [{"passive": True, "do": "void; move left 3"}], "ready": [{"passive": True, "do": "void"}]}
    )
    start = {"cards": cards, "board": laid(s3="bolts", s4="ready"), "risk": ["1/0"]}
    assert refused("risk", "void 3", **start) == "M3"
    cards = card_set(
        {"bolts": [{"passive": True, "do": "void; repair 1; repair 1"}], "ready": [{"passive": True, "do": "void"}]}
    )
    assert refused("risk", "void 3", **{**start, "cards": cards}) == "E6"
    assert refused("risk", "void 5", **start) == "R6"


def test_b1_buy() -> None:
    assert refused("buy nobody") == "B1"
    assert refused("buy ready") == "B1"
    assert refused("buy quick-swap") == "B1", "the pile is not in the pool"
    assert refused("buy turbo", more={"piles": {"turbo": 0}}) == "B2", "before the keys"
    assert refused("buy turbo", keys=3) == "B1"
    assert refused("buy turbo", keys=4, flipped=2) == "B1"


def test_n1_n2_n3_place_in_this_order() -> None:
    assert refused("place 7") == refused("place 99") == "N1"
    ten = {"1": 1, "2": 3, "3": 3, "4": 3}
    assert refused("place 1", markers=ten) == "N2"
    assert refused("place 5", markers=ten, star=True) == "N3"
    assert refused("place 5", star=True) == "N1"
    assert refused("place 5", traction=3, flipped=3) == "N1"


def test_a1_steer() -> None:
    assert refused("steer left 9") == "A1"
    assert refused("steer left 2", space="B1", traction=1) == "A1"
    assert refused("steer left 1", space="B1", traction=1) == "M3"


def test_a2_tune() -> None:
    assert refused("tune p6=5", keys=9) == "A2"
    assert refused("tune p3=3", keys=9) == "A2"
    assert refused("tune p3=6", keys=2) == "A2"
    assert refused("tune p1=6", keys=4) == "A2", "6 and 1 are not neighbours"


def test_a3_risk_with_three_dice_in_the_pool() -> None:
    drivers = {"ana": {"risk": 3}}
    chance = {"ana": {"risk": ["0/0"] * 3}}
    assert stopped(("ana", ["prepare", "risk"]), drivers=drivers, chance=chance) == "A3"


def test_s2_a_driver_who_is_not_to_play() -> None:
    drivers = {"ana": {}, "bo": {}}
    assert stopped(("ana", ["prepare", "end", "sleep"]), drivers=drivers) == "S2"
    assert stopped(("cy", ["prepare"]), drivers=drivers) == "S2"
    wrecked = {"ana": {"flipped": 7, "hits": 4}, "bo": {}}
    assert stopped(("ana", ["prepare", "risk", "sleep"]), drivers=wrecked, chance={"ana": {"risk": ["1/0"]}}) == "S2"
    assert stopped(("ana", ["prepare", "end", "prepare"]), drivers={"ana": {}}, round=10) == "S2", "the game is over"
