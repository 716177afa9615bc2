"""Standing orders drive the same as the orders given one by one, and end as the odds say (R1 to R7, E4). Orders ahead
react to the road at their turn (O1, D6, M1, M6, M7).
"""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest

from engine.chance import Chance, SeededChance
from engine.contract import Event, RuleError, State
from engine.dirt import legal_moves, orders_ahead
from engine.dirt.odds import odds
from engine.dirt.scenario import Given
from tests.games.dirt.engine.rolling import (
    CASES,
    FLAT,
    HAIRPIN,
    RED,
    SIX,
    STRAIGHT,
    Case,
    EveryWay,
    next_order,
)
from tests.games.dirt.engine.scenes import RULES, Scene, car

ONLY_ODDS = {"laid again"}
"""A re-lay that the driver decides in the middle of the turn."""
AS_LAID = {"as_laid": True}


def standing(case: Case, **more: Any) -> dict[str, Any]:
    return {"do": "standing", "plan": case.plan, **case.orders, **AS_LAID, **more}


def step_by_step(case: Case, state: State, chance: Chance) -> tuple[State, list[Event]]:
    """Drive the turn in single orders, as the driver of rolling.py decides."""
    told: list[Event] = []
    while not told or told[-1]["kind"] not in ("end of turn", "round", "over"):
        state, events = RULES.play(state, case.car["name"], next_order(case, state, case.car["name"]), chance)
        told += events
    return state, told


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES.keys() - ONLY_ODDS))
def test_the_turn_is_the_one_that_single_orders_would_make(name: str) -> None:
    case = CASES[name]
    begun = case.state()
    before = json.dumps(begun)
    for number in range(40):
        single, at_once = (SeededChance(sha256(f"{name} {number}".encode()).digest()) for _each in range(2))
        state, told = step_by_step(case, begun, single)
        assert RULES.play(begun, case.car["name"], standing(case), at_once) == (state, tuple(told))
        assert at_once.drawn == single.drawn
    assert json.dumps(begun) == before


SMALL = (
    "flying start", "flying start saved", "flying start flat out", "jump at one above", "jump at one above flat out",
    "jump at one above saved", "limit broken", "limit broken flat out", "brakes", "secured and saved",
    "lost, saved", "lost flat out, saved", "lost flat out", "half made, secured", "the wheel",
)  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_each_end_has_the_chance_that_odds_give_it(name: str) -> None:
    case = CASES[name]
    begun, driver = case.state(), case.car["name"]
    chance, ends = EveryWay(), defaultdict[tuple[str, bool], Fraction](Fraction)
    while True:
        _state, told = RULES.play(begun, driver, standing(case), chance)
        space = next((event["space"] for event in reversed(told) if event["kind"] == "move"), None)
        ends[space or begun["drivers"][driver]["space"], any(e["kind"] == "loss" for e in told)] += chance.chance
        if not chance.on():
            break
    promised = defaultdict[tuple[str, bool], float](float)
    for end in odds(begun, driver, case.plan, orders=case.orders).ends:
        promised[end.space, end.lost] += end.chance
    assert {end: float(share) for end, share in ends.items()} == pytest.approx(
        {end: share for end, share in promised.items() if share}
    )


def refusal_text(refusal: RuleError) -> tuple[str, int | None, str]:
    """Return the rule, the move at fault, and the text, which is the key of its translation."""
    return refusal.rule, refusal.move, refusal.template


# Where the driver decides ------------------------------------------------------------------------


def test_a_loss_flat_out_is_the_drivers_to_lay_unless_the_orders_say() -> None:
    """R6."""
    scene = Scene(STRAIGHT, car("ana"), sisu="none")
    dice = Given(dice="!.!.!.")
    lay = {"do": "standing", "plan": SIX, **FLAT}
    state, told = RULES.play(scene.state, "ana", lay, dice)
    assert [event["kind"] for event in told] == ["turn", "roll all", "phase"]
    assert orders_ahead.next_order(state, "ana", lay) is None
    with pytest.raises(RuleError) as refusal:
        RULES.play(state, "ana", lay, Given())
    words = "these standing orders do not say where control is to be lost: lay the dice again"
    assert refusal_text(refusal.value) == ("R6", None, words)
    _state, told = RULES.play(state, "ana", {**lay, **AS_LAID}, Given(cards=["spin"]))
    assert [event["space"] for event in told if event["kind"] == "move"][-1] == "2.3.l"


def test_SISU_saves_a_turn_from_the_gear_in_which_it_is_lost() -> None:
    """R7: three warnings on the move into gear 3."""
    state, _told = RULES.play(
        Scene(STRAIGHT, "ana").state, "ana", {"do": "lay", "plan": SIX, **FLAT}, Given(dice="!!!...")
    )
    assert orders_ahead.next_order(state, "ana", {"plan": SIX, **FLAT, "sisu_from": 3}) == {"do": "sisu"}
    assert orders_ahead.next_order(state, "ana", {"plan": SIX, **FLAT, "sisu_from": 4}) is None


def test_the_rest_of_a_turn_may_be_left_to_orders() -> None:
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", plan=SIX).order("ana", "roll", "!").order("ana", "roll", ".")
    state, told = RULES.play(scene.state, "ana", {"do": "standing", "stop_at": 2}, Given(dice=".!"))
    assert [event["kind"] for event in told] == ["roll", "move", "roll", "move", "card", "end of turn", "round"]
    assert state["drivers"]["ana"]["space"] == "2.2.l"


def test_a_blocked_car_makes_no_move() -> None:
    """M9."""
    scene = Scene(STRAIGHT, car("bo", "2.1.l", 2), car("ana", "1.3.l", 1), car("cy", "2.1.r", 1), leader_dice=False)
    scene.state["queue"] = ["ana"]
    scene.state["drivers"]["ana"]["kept"] = [["gear", "gear/ok"]] * 4
    assert legal_moves.choices(scene.state, "ana", "").forced
    assert orders_ahead.next_order(scene.state, "ana", {"plan": ""}) == {
        "do": "lay", "plan": "", "roll": "one by one", "sisu": False,
    }  # fmt: skip


# Hostile orders -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("orders", "rule"),
    [
        ({"plan": SIX, "roll": "both"}, "R1"),
        ({"plan": SIX, "roll": 7}, "R1"),
        ({"plan": SIX, "stop_at": "two"}, "R1"),
        ({"plan": SIX, "stop_at": -1}, "R1"),
        ({"plan": SIX, "stop_at": True}, "R1"),
        ({"plan": SIX, "sisu": "on"}, "R1"),
        ({"plan": SIX, "burn": 1}, "R1"),
        ({"plan": SIX, "secure_at": 1, "roll": "flat out"}, "R3"),
        ({"plan": SIX, "stop_at": 2, "roll": "flat out"}, "R4"),
        ({"plan": SIX, "secure": [6]}, "R3"),
        ({"plan": SIX, "secure": [7]}, "R3"),
        ({"plan": SIX, "stop_after": 0}, "D9"),
        ({"plan": 7}, "D3"),
        ({"plan": "nonsense"}, "D3"),
        ({"plan": ""}, "D9"),
        ({"plan": "1:1.2.l 3:1.3.l"}, "D4"),
    ],
)
def test_what_cannot_be_ordered_is_refused_before_a_die_falls(orders: dict[str, Any], rule: str) -> None:
    """A refusal after the first die would reveal the dice: `Given` has no dice here."""
    scene = Scene(STRAIGHT, "ana")
    before = json.dumps(scene.state)
    with pytest.raises(RuleError) as refusal:
        RULES.play(scene.state, "ana", {"do": "standing", **orders}, Given())
    assert refusal.value.rule == rule
    assert json.dumps(scene.state) == before


def test_no_token_no_sisu_and_nobody_elses_turn() -> None:
    scene = Scene(STRAIGHT, "ana", "bo", sisu="none")
    with pytest.raises(RuleError, match="R7"):
        RULES.play(scene.state, "ana", {"do": "standing", "plan": SIX, "sisu": True}, Given())
    for ask in (orders_ahead.next_order, lambda *asked: RULES.play(*asked, Given())):
        with pytest.raises(RuleError) as refusal:
            ask(scene.state, "bo", {"do": "standing", "plan": SIX})
        assert refusal_text(refusal.value) == ("O1", None, "it is another driver's turn")


def test_orders_that_cannot_be_read_are_named() -> None:
    scene = Scene(STRAIGHT, "ana")
    for driver, orders, rule, words in (
        ("nobody", {"plan": SIX}, "O1", "it is another driver's turn"),
        ("ana", {}, "D9", "a driver who can move moves at least one space"),
        ("ana", {"plan": 7}, "D3", "a plan is written in words"),
    ):
        with pytest.raises(RuleError) as refusal:
            RULES.play(scene.state, driver, {"do": "standing", **orders}, Given())
        assert refusal_text(refusal.value) == (rule, None, words)
    with pytest.raises(RuleError, match="burn"):
        RULES.play(scene.state, "ana", {"do": "standing", "plan": SIX, "burn": 1}, Given())


# Laid ahead ---------------------------------------------------------------------------------------


def convoy() -> Scene:
    """Bo opens the round, Ana is behind him."""
    return Scene(STRAIGHT, car("bo", "2.2.l", 2), car("ana", "1.2.l", 2))


def looked(scene: Scene, driver: str, plan: str, **orders: Any) -> dict[str, Any]:
    state = scene.state if scene.next == driver else RULES.ahead(scene.state, driver)
    return RULES.outlook(state, driver, {"plan": plan, **orders})


PLAN = "3:1.3.l 4:2.1.l"


def test_a_plan_may_be_laid_before_the_turn_and_meets_the_same_when_it_opens() -> None:
    scene = convoy()
    before = json.dumps(scene.state)
    kept = looked(scene, "ana", PLAN)
    assert json.dumps(scene.state) == before
    assert [(move["to"], move["gear"], move["dice"]) for move in kept["moves"]] == [
        ("1.3.l", 3, ["3"]), ("2.1.l", 4, ["4"]),
    ]  # fmt: skip
    assert json.loads(json.dumps(kept)) == kept
    scene.turn("bo", "3:2.3.l", ".")
    assert looked(scene, "ana", PLAN) == kept
    assert RULES.changed(kept, looked(scene, "ana", PLAN)) is None


def test_no_plan_ahead_for_a_driver_who_has_the_turn_or_is_out() -> None:
    scene = convoy()
    scene.state["drivers"]["ana"]["retired"] = True
    playing, out = "it is this driver's turn already", "this car drives no more on this stage"
    for driver, words in (("bo", playing), ("nobody", out), ("ana", out)):
        with pytest.raises(RuleError) as refusal:
            RULES.ahead(scene.state, driver)
        assert refusal_text(refusal.value) == ("O1", None, words)


def test_a_plan_is_laid_ahead_in_the_middle_of_anothers_turn() -> None:
    scene = convoy()
    kept = looked(scene, "ana", PLAN)
    scene.order("bo", "lay", plan="3:2.3.l c:2.4.l").order("bo", "roll", "!")
    state = RULES.ahead(scene.state, "ana")
    assert (state["turn"], state["queue"]) == (None, ["ana", "bo"])
    assert RULES.outlook(state, "ana", {"plan": PLAN}) == kept


@pytest.mark.parametrize(
    ("leader_dice", "queue", "leader"),
    [(True, ["bo", "ana"], "bo"), (True, ["bo"], "ana"), (False, ["bo"], None)],
    ids=["in this round", "in the next", "without leader dice"],
)
def test_the_leader_is_computed_again_only_for_the_next_round(
    leader_dice: bool, queue: list[str], leader: str | None
) -> None:
    """D6: Ana has come past Bo, who opened this round."""
    scene = Scene(STRAIGHT, car("bo", "2.2.l", 2), car("ana", "1.2.l", 2), leader_dice=leader_dice)
    before = scene.state["leader"]
    scene.state["drivers"]["ana"]["space"] = "2.4.l"
    scene.state["queue"] = queue
    assert RULES.ahead(scene.state, "ana")["leader"] == (leader if leader_dice else before)


def test_a_blocked_car_sends_nothing_ahead() -> None:
    """M9."""
    scene = Scene(STRAIGHT, car("bo", "2.1.l", 2), car("ana", "1.3.l", 1), car("cy", "2.1.r", 1), leader_dice=False)
    scene.state["drivers"]["ana"]["kept"] = [["gear", "gear/ok"]] * 4
    with pytest.raises(RuleError) as refusal:
        looked(scene, "ana", "1:2.2.l")
    assert refusal.value.rule == "M9"


def test_a_car_that_came_into_the_way_makes_the_plan_illegal() -> None:
    """M6."""
    scene = convoy()
    scene.state["drivers"]["bo"]["space"] = "2.1.l"
    with pytest.raises(RuleError, match="M6"):
        looked(scene, "ana", PLAN)


def test_a_car_now_alongside_the_path_is_reported() -> None:
    """M7; when that car has moved away, the plan is legal."""
    scene = convoy()
    alone = looked(scene, "ana", PLAN)
    scene.state["drivers"]["bo"]["space"] = "2.1.r"
    beside = looked(scene, "ana", PLAN)
    assert beside["moves"][1]["beside"] == ["bo"]
    found = RULES.changed(alone, beside)
    assert found is not None
    assert refusal_text(found) == ("M7", 2, "car %(car)s stands beside that space now")
    assert found.values == {"car": "bo"}
    assert RULES.changed(beside, alone) is None


def test_mud_that_lowers_the_limit_of_a_bend_is_reported() -> None:
    """M1, M2."""
    scene = Scene(HAIRPIN, car("bo", "3.1.l", 2), car("ana", "1.3.l", 2))
    plan = "c:2.1.l c:2.2.o1"
    kept = looked(scene, "ana", plan)
    assert kept["moves"][1]["loses"] is None
    scene.state["mud"] = {"2": {"bo": 1}}
    found = RULES.changed(kept, looked(scene, "ana", plan))
    assert found is not None
    assert refusal_text(found) == ("M1", 2, "control would be lost there for certain now")
    assert RULES.changed(looked(scene, "ana", plan), kept) is None


def test_becoming_the_leader_after_all_is_reported() -> None:
    """D6: Ana has played; behind Bo she coasts on coast dice, ahead of him on leader dice."""
    scene = convoy()
    scene.turn("bo", "2:2.3.l", ".")
    state = RULES.ahead(scene.state | {"queue": []}, "ana")
    coasting = RULES.outlook(state, "ana", {"plan": "c:1.3.l"})
    assert coasting["moves"][0]["dice"] == ["coast"]
    scene.state["drivers"]["bo"]["space"] = "1.2.r"
    scene.state["drivers"]["bo"]["gear"] = 1
    leading = RULES.outlook(RULES.ahead(scene.state | {"queue": []}, "ana"), "ana", {"plan": "c:1.3.l"})
    assert leading["moves"][0]["dice"] == ["leader"]
    found = RULES.changed(coasting, leading)
    assert found is not None
    assert refusal_text(found) == ("D6", 1, "the car opens the road now: leader dice in place of coast dice")


def test_a_car_that_another_driver_has_moved_is_reported() -> None:
    scene = convoy()
    kept = looked(scene, "ana", PLAN)
    scene.state["drivers"]["ana"]["tokens"] = 3
    found = RULES.changed(kept, looked(scene, "ana", PLAN))
    assert found is not None
    assert refusal_text(found) == ("O1", None, "the car is not as it was when the plan was laid")


def test_orders_sent_ahead_leave_nothing_to_decide() -> None:
    scene = convoy()
    with pytest.raises(RuleError) as refusal:
        looked(scene, "ana", PLAN, **FLAT)
    words = "say beforehand that after a loss flat out the dice stay as they are laid"
    assert refusal_text(refusal.value) == ("R6", None, words)
    assert looked(scene, "ana", PLAN, **FLAT, **AS_LAID)["moves"]
    with pytest.raises(RuleError) as refusal:
        looked(scene, "ana", "")
    assert refusal_text(refusal.value) == ("D9", None, "there is no plan to send ahead")
    with pytest.raises(RuleError, match="R3"):
        looked(scene, "ana", PLAN, secure=[1])


def test_before_the_first_turn_everybody_may_lay_from_the_grid() -> None:
    scene = Scene(RED, "ana", "bo", "cy")
    for driver in ("bo", "cy"):
        assert looked(scene, driver, "1:1.2.l 2:1.3.l")["car"]["space"] == "grid"
