"""An absent driver (S10), the greedy codriver, and the codrivers that plan whole turns."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import Ladder, RuleError, offered
from engine.dust import scenario
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet
from engine.dust.codriver import MANNERS, next_steps
from engine.dust.codriver.card_values import CardValues, Scene
from engine.dust.codriver.evaluation import weights
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.random_sets import random_set
from tests.games.dust.engine.scenes import OWN, card_set, document, laid
from tests.games.dust.engine.tables import GAME, STAGES, begun, post, random_start, random_step


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("manner", ["absent", "greedy"])
def test_s10_an_absent_driver_gets_to_the_end_from_anywhere(seed: int, manner: str) -> None:
    """Random play stops somewhere in a turn; the autopilot continues from there."""
    state, rng = random_start(seed if manner == "absent" else seed * 3)
    luck = Luck(seed)
    for _ in range(rng.randint(0, 60)):
        if seats := GAME.to_play(state):
            seat = rng.choice(seats)
            state, _ = post(state, seat, random_step(state, seat, rng), luck=luck)
    posts = 0
    while seats := GAME.to_play(state):
        state, _ = GAME.play(state, seats[-1], GAME.autopilot(state, seats[-1], manner), luck)
        posts += 1
        assert posts < 3000


def test_s10_what_an_absent_driver_does() -> None:
    document = random_set(1)
    for card in document["card"]:
        card["effects"] = [{"do": "keys 1"}, {"do": "swap", "must": True}, {"do": "move 1", "must": True}]
    state, _ = post(begun("ana bo", document=document), "ana", "prepare")
    hand = state["drivers"]["ana"]["hand"]
    die = state["drivers"]["ana"]["dice"][0]
    other = next(slot for slot in "123456" if slot != die[1])
    state, _ = post(state, "ana", f"play {hand[0]} {die[1]}", f"play {hand[1]} {other}", f"use {die[1]} p")
    seen = []
    while "ana" in GAME.to_play(state):
        orders = GAME.autopilot(state, "ana", "absent")
        seen += orders["steps"]
        state, _ = GAME.play(state, "ana", orders, Luck())
    assert seen == [f"do 2 {' '.join(sorted((die[1], other)))}", "do 3 left", "done", "end"]
    with pytest.raises(RuleError, match="S2"):
        GAME.autopilot(state, "ana")


def test_s10_q3_cards_first_in_the_alphabet_are_given_up() -> None:
    state = begun("ana")
    state["drivers"]["ana"]["hand"] = ["bolts", "engine-tuning", "ready", "ready", "turbo", "under-way", "zebra"][:6]
    assert GAME.autopilot(state, "ana", "absent")["steps"] == ["prepare bolts"]


def test_the_greedy_codriver_beats_one_who_is_absent() -> None:
    def points(manner: str) -> int:
        total = 0
        for seed, stage in enumerate(STAGES[:3]):
            state, luck = begun("ana bo", stage, cards="5"), Luck(seed)
            while seats := GAME.to_play(state):
                state, _ = GAME.play(state, seats[0], GAME.autopilot(state, seats[0], manner), luck)
            result = GAME.result(state)
            assert result is not None
            total += sum(one.measure or 0 for one in result.seats)
        return total

    assert points("greedy") > points("absent") + 30


# Codrivers that plan


def planned(*steps: str, manner: str = "club", cards: CardSet = OWN, round_: int = 10, **start: Any) -> list[str]:
    """Return a codriver's next step for Ana, alone, after these steps of the last round or of another one.

    A risk die shows 3/1, the popularity die is blank.
    """
    turns = [("ana", steps)] if steps else []
    told = document(*turns, drivers={"ana": start}, chance={"ana": {"risk": ["3/1"], "popularity": "-"}}, round=round_)
    table, error = scenario.ended(told, cards)
    assert error is None, error
    return next_steps(table, "ana", cards, manner)


def test_a_careful_manner_drives_where_nobody_has_chosen_and_the_ladder_has_all() -> None:
    ladder = offered(GAME, Ladder)
    assert ladder is not None and ladder.manners == MANNERS and MANNERS[:3] == ("cautious", "club", "bold")
    assert sorted(rung.manner for rung in ladder.rungs) == sorted(MANNERS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("manner", MANNERS)
def test_a_codriver_goes_on_from_anywhere_with_any_cards(seed: int, manner: str) -> None:
    """Random sets, random play to somewhere in a turn: every post of a codriver is legal."""
    state, rng = random_start(20 + 10 * seed + MANNERS.index(manner))
    luck = Luck(seed)
    for _ in range(rng.randint(0, 40)):
        if seats := GAME.to_play(state):
            seat = rng.choice(seats)
            state, _ = post(state, seat, random_step(state, seat, rng), luck=luck)
    for _ in range(3):
        if seats := GAME.to_play(state):
            orders = GAME.autopilot(state, seats[-1], manner)
            assert orders == GAME.autopilot(state, seats[-1], manner), "the same position, the same orders"
            state, _ = GAME.play(state, seats[-1], orders, luck)
            assert not state["drivers"][seats[-1]]["draft"], "a plan ends where chance begins (S9)"


def test_s3_a_codriver_does_not_look_at_what_is_sealed() -> None:
    state, luck = begun("ana bo", "harrow"), Luck(2)
    state, _ = post(state, "ana", "prepare", luck=luck)
    for step in ("prepare", "risk"):
        state, _ = post(state, "bo", step, luck=luck)
    plan = GAME.autopilot(state, "ana", "club")
    other = {
        **state["drivers"]["bo"],
        "popularity": 15,
        "keys": 9,
        "speed": 40,
        "aside": [{"card": "turbo", "paid": 4}],
    }
    assert GAME.autopilot({**state, "drivers": {**state["drivers"], "bo": other}}, "ana", "club") == plan


def test_v2_a_codriver_stays_where_its_markers_are_worth_most() -> None:
    """Card 10 is assessed now. The car brakes. `under-way` can move it up to the centre, which is worth twice
    as much.
    """
    steps = planned("prepare", space="B5", markers={"10": 1}, hand=["under-way"])
    assert "do 1 A3" in steps and steps[-1] == "end"


def test_a1_a_codriver_steers_to_a_better_space_for_its_marker() -> None:
    start = {"space": "B3", "markers": {"10": 1}, "traction": 2}
    assert planned("prepare", popularity=1, **start) == ["steer right 1", "end"]


def test_f3_nobody_else_has_popularity_a_little_is_worth_three_points() -> None:
    assert planned("prepare", space="B3", markers={"10": 1}, traction=2)[0] == "steer left 1"


def test_n1_a_codriver_places_markers_while_they_can_still_be_resolved() -> None:
    """Card 10 of saltwind costs 6 and moves the car three spaces to the left, off the red one, for 3 points."""
    assert planned("prepare", space="A5", traction=6) == ["place 10", "end"]
    assert planned("prepare", space="A2", traction=6, markers={"10": 1}, star=True) == ["end"]


def test_f2_keys_are_spent_on_end_points_in_the_last_round() -> None:
    assert planned("prepare", keys=4).count("buy service-park") == 2


def test_r5_nobody_gambles_the_car_for_nothing() -> None:
    for manner in MANNERS:
        steps = planned("prepare", manner=manner, flipped=7, hits=4, speed=30, traction=0, hand=["bolts"])
        assert "risk" not in steps


def test_r6_a_roll_that_would_flip_a_token_is_voided() -> None:
    board = laid(s6="sofia-nerves")
    start = {"driver": "sofia", "flipped": 5, "hits": 4, "risk": 1, "popularity": 3, "board": board}
    assert planned("prepare", round_=5, **start) == ["void 6"]


def test_q3_bad_cards_are_given_up_for_better_ones() -> None:
    cards = card_set({"bolts": [{"do": "lose keys 1"}]})
    steps = planned(
        cards=cards, round_=3, hand=["bolts", "split-times"], deck=["ready", "split-times", "ready", "turbo"]
    )
    assert steps == ["prepare bolts"]


def test_c1_a_card_is_worth_what_its_effects_are_whatever_its_name() -> None:
    first = CardValues(OWN, weights("club"), 5)
    document_ = {
        **card_set_reading.own_document(),
        "card": [dict(card) for card in card_set_reading.own_document()["card"]],
    }
    for card in document_["card"]:
        if card["name"] == "bolts":
            card["effects"] = [{"do": "traction 1"}, {"do": "traction 2"}]
    other = CardValues(card_set_reading.of_document(document_), weights("club"), 5)
    assert other.usual("bolts") > first.usual("bolts")
    assert other.usual("ready") == first.usual("ready")


@pytest.mark.slow
def test_a_codriver_who_plans_beats_the_greedy_one() -> None:
    def points(manner: str) -> int:
        total = 0
        for seed, stage in enumerate(("oldtown", "harrow", "fernwood")):
            state, luck = begun("ana", stage, cards="5"), Luck(seed)
            while seats := GAME.to_play(state):
                state, _ = GAME.play(state, seats[0], GAME.autopilot(state, seats[0], manner), luck)
            result = GAME.result(state)
            assert result is not None
            total += sum(one.measure or 0 for one in result.seats)
        return total

    assert points("club") > points("greedy") + 5


def test_a4_copies_of_a_card_share_their_passive_effects() -> None:
    """One copy has come back to the hand. It is not played for an effect that it cannot use again."""
    cards = card_set(
        {"harry-showman": [{"passive": True, "do": "keys 3; discard this; shuffle; draw 1"}, {"do": "keys 1"}]}
    )
    told = document(
        ("ana", ["prepare", "passive 6"]),
        drivers={"ana": {"driver": "harry", "board": laid(s6="harry-showman")}},
        chance={"ana": {"cards": ["harry-showman"]}},
    )
    table, error = scenario.ended(told, cards)
    assert error is None and table["drivers"]["ana"]["hand"] == ["harry-showman"]
    assert not any(step.startswith("passive") for step in next_steps(table, "ana", cards, "club"))


def test_e7_a_card_that_counts_removed_cards_is_worth_more_the_more_there_are() -> None:
    """The effect is `keys 1 per removed max 3`. The codriver's search starts with the cards removed so far."""
    worth = CardValues(OWN, weights("club"), 5)
    assert worth.usual("aiko-focus", 3) == worth.usual("aiko-focus", 4) > worth.usual("aiko-focus", 1)
    assert worth.usual("ready", 3) == worth.usual("ready")
    assert CardValues(OWN, weights("club"), 5, removed=3).usual("aiko-focus") == worth.usual("aiko-focus", 3)


def test_r2_a_risk_with_a_full_pool_brings_no_die_to_pay_for() -> None:
    worth = CardValues(OWN, weights("club"), 5)
    few, full = (worth.under("sofia-limit", Scene("A", "yellow", risk=risk)) for risk in (2, 3))
    assert full > few


def test_e7_a_useless_card_is_taken_out_of_a_deck() -> None:
    """Otherwise it would stay among the good ones to the end. None of these cards counts removed cards."""
    cards = card_set({"bolts": [{"do": "remove any"}], "under-way": [{"do": "lose keys 1"}]})
    good = ["ready", "ready", "engine-tuning", "split-times", "split-times", "turbo", "turbo"]
    held: dict[str, Any] = {"hand": good[:5], "deck": good[5:]}
    steps = planned("prepare", cards=cards, round_=3, board=laid(s1="bolts", s5="under-way"), **held)
    assert "use 1 p" in steps and "do 1 5" in steps


def test_e7_removing_a_card_and_taking_one_back_are_worth_something() -> None:
    worth = CardValues(OWN, weights("club"), 5)
    assert worth.under("aiko-lighten", Scene("A", "yellow")) > worth.under("aiko-lighten", Scene("A", "grey"))
    plain = card_set({"aiko-memory": [{"passive": True, "do": "popularity 1"}, {"do": "traction 1"}]})
    assert worth.usual("aiko-memory") > CardValues(plain, weights("club"), 5).usual("aiko-memory")
