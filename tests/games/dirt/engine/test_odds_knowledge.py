"""Odds of a plan: what each viewer knows about the decks, and orders without odds (R6, R7, E1 to E4)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import GameError, RuleError
from engine.dirt.facts import facts
from engine.dirt.odds import odds, unseen_decks
from tests.games.dirt.engine.rolling import FLYING, SIX, STRAIGHT
from tests.games.dirt.engine.scenes import Scene, car

# What is known --------------------------------------------------------------------------------------


def test_cards_that_left_face_up_are_not_given_away() -> None:
    """The deck in the state knows which time cards have left it; the odds do not."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2))
    before = odds(scene.state, "ana", "3:1.3.l", orders={})
    scene.state["decks"]["3"] = {"spin": 1}
    scene.state["bag"] = {"gear/ok": 1}
    assert odds(scene.state, "ana", "3:1.3.l", orders={}) == before


def test_card_backs_that_everyone_saw_count_if_the_run_lists_them() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2))
    scene.turn("ana", "3:1.3.l 4:2.1.l 5:2.2.l", "!!!", cards=["spin"])
    scene.turn("ana", "1:2.3.l", ".")
    left = unseen_decks(scene.state, scene.events)
    assert left[5] == {**facts().decks[5], "spin": facts().decks[5]["spin"] - 1}
    assert left[1] == facts().decks[1]
    assert left == {**facts().decks, 5: left[5]}
    plan = "2:2.4.l 3:3.1.l 4:3.2.l 5:3.3.l"
    scene.order("ana", "lay", plan=plan).order("ana", "roll", "!").order("ana", "roll", "!").order("ana", "roll", ".")
    lost = next(end for end in odds(scene.state, "ana", "", orders={}, decks=left).ends if end.lost)
    assert (lost.gear, lost.cards) == (5, pytest.approx((2 * 10 + 29 * 60) / 31))


def test_a_reshuffled_deck_is_complete() -> None:
    full = facts().decks[1]
    backs = [back for back, times in full.items() for _ in range(times)]
    events = [{"kind": "card", "gear": 1, "side": "back", "back": back} for back in backs]
    state = Scene(STRAIGHT, "ana").state
    assert unseen_decks(state, events)[1] == full
    assert unseen_decks(state, events[:-1])[1][backs[-1]] == 1
    face_up = [{**event, "side": "front"} for event in events]
    assert unseen_decks(state, [*events[:5], *face_up[5:]])[1] == full
    again = unseen_decks(state, [*events, events[0]])[1]
    assert sum(again.values()) == sum(full.values()) - 1
    assert sum(unseen_decks(state, events[:17])[1].values()) == sum(full.values()) - 17
    assert unseen_decks(state, [*events, *events[:-1]])[1] == {back: int(back == backs[-1]) for back in full}


@pytest.mark.parametrize(("last", "seen"), [(True, 0), (False, 1)])
def test_the_back_of_a_loss_behind_the_line_is_seen_when_it_hurts(last: bool, seen: int) -> None:
    """F1."""
    state = {**Scene(STRAIGHT, "ana", last=last).state}
    events = [
        {"kind": "loss", "rule": "R2", "gear": 4, "space": "4.1.l"},
        {"kind": "card", "gear": 4, "side": "front", "back": "spin"},
        {"kind": "card", "gear": 4, "side": "front", "back": "spin"},
    ]
    assert facts().decks[4]["spin"] - unseen_decks(state, events)[4]["spin"] == seen
    assert unseen_decks(state, [{"kind": "move"}, *events[1:]]) == facts().decks, "no loss, no back"


@pytest.mark.parametrize(
    ("plan", "orders", "rule"),
    [
        ("", {}, "D9"),
        ("5:1.2.l", {}, "D4"),
        (SIX, {"roll": "carefully"}, "R1"),
        (SIX, {"stop_after": 0}, "D9"),
        (SIX, {"stop_after": 7}, "R1"),
        (SIX, {"secure": [7]}, "R3"),
        (SIX, {"secure": [1]}, "R3"),
        (SIX, {"roll": "flat out", "secure_at": 1}, "R3"),
        (SIX, {"roll": "flat out", "secure": [1]}, "R3"),
        (SIX, {"roll": "flat out", "stop_after": 1}, "R4"),
        (SIX, {"roll": "flat out", "stop_at": 2}, "R4"),
    ],
)
def test_what_cannot_be_played_has_no_odds(plan: str, orders: dict[str, Any], rule: str) -> None:
    with pytest.raises(RuleError) as refusal:
        odds(Scene(STRAIGHT, "ana").state, "ana", plan, orders=orders)
    assert refusal.value.rule == rule


def test_no_odds_out_of_turn_nor_without_a_token_nor_where_another_car_stands() -> None:
    scene = Scene(STRAIGHT, car("bo", "2.1.l", 2), car("ana", "1.2.l", 4), sisu="none")
    for driver, plan, orders, rule, words in (
        ("ana", "c:1.3.l", {}, "O1", "it is another driver's turn"),
        ("bo", "c:2.2.l", {"sisu": True}, "R7", "there is no SISU token left"),
        ("bo", "", {}, "D9", "a driver who can move moves at least one space"),
    ):
        with pytest.raises(RuleError) as refusal:
            odds(scene.state, driver, plan, orders=orders)
        assert (refusal.value.rule, refusal.value.template) == (rule, words)
    waiting = Scene(STRAIGHT, car("bo", "2.1.l", 2), car("ana", "1.3.l", beside=True))
    waiting.state["drivers"]["ana"].update(space="2.1.l")
    waiting.state["queue"] = ["ana"]
    with pytest.raises(RuleError) as refusal:
        odds(waiting.state, "ana", "1:2.2.l", orders={})
    assert refusal.value.rule == "E6"
    assert odds(waiting.state, "ana", "", orders={}).ends[0].rule == "E6"


def test_a_re_lay_that_is_none_has_no_odds() -> None:
    flat: dict[str, Any] = {"plan": FLYING, "roll": "flat out", "dice": ".!!!!"}
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", **flat)
    for plan, rule in (("1:1.2.l", "D7"), ("2:1.2.l", "R6"), ("2:1.2.l 4:1.3.l", "D4")):
        with pytest.raises(RuleError) as refusal:
            odds(scene.state, "ana", plan, orders={})
        assert refusal.value.rule == rule
        if rule == "D7":
            words = "a flying start is neither made nor dropped when the dice are laid again"
            assert (refusal.value.template, refusal.value.move) == (words, 1)


def test_SISU_saves_flat_out_from_the_gear_in_which_control_is_lost() -> None:
    """R7: the third warning lies on the die of gear 3."""
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", plan=SIX, roll="flat out", dice="!!!...")
    for lowest, rule in ((3, "E1"), (4, "R2")):
        assert [end.rule for end in odds(scene.state, "ana", "", orders={"sisu_from": lowest}).ends] == [rule]


def test_a_wheel_that_is_left_costs_the_time_card() -> None:
    """E4: the driver is asked at the end of a turn in gear 1."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1})).order("ana", "lay", plan="1:1.3.l")
    scene.order("ana", "roll", ".")
    for spare, rule, seconds in ((False, "E1", 50), (True, "E4", 120)):
        (end,) = odds(scene.state, "ana", "", orders={"spare": spare}).ends
        assert (end.rule, end.cards) == (rule, seconds)


def test_a_wheel_without_damage_of_its_kind_is_of_no_use() -> None:
    """E4."""
    whole = Scene(STRAIGHT, car("ana", "1.2.l", 2))
    assert {end.rule for end in odds(whole.state, "ana", "1:1.3.l", orders={"spare": True}).ends} == {"E1"}


@pytest.mark.parametrize(
    "orders",
    [
        {"hurry": True}, {"stop_at": "2"}, {"stop_at": True}, {"stop_at": -1}, {"secure": 3}, {"secure": ["1"]},
        {"sisu": 1}, {"roll": 5}, {"spare": "yes"}, {"sisu_from": 2.5},
    ],
)  # fmt: skip
def test_orders_that_are_none(orders: dict[str, Any]) -> None:
    with pytest.raises(GameError) as refusal:
        odds(Scene(STRAIGHT, "ana").state, "ana", SIX, orders=orders)
    assert str(next(iter(orders))) in refusal.value.message
