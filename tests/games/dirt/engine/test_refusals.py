"""The text of every refusal in a turn and between stages: the rule, the move at fault, the possible orders.

The texts are also keys for translation, so a changed text needs changed catalogues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from engine.chance import ChanceError
from engine.contract import GameError, RuleError, StageError
from engine.dirt import legal_moves
from engine.dirt.roll_policy import Manner, manner_of
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car

ROLL_AGAIN: dict[str, Any] = {"plan": "3:1.3.l 4:2.1.l c:2.2.l", "roll": "flat out", "dice": "!!!"}
FLOWN: dict[str, Any] = {"plan": "2:1.2.l 3:1.3.l c:2.1.l", "roll": "flat out", "dice": ".!!"}
PLAN = "3:1.3.l 4:2.1.l"


def rolling() -> Scene:
    """Ana must roll her first move."""
    return Scene(STRAIGHT, car("ana", "1.2.l", 2, tokens=0)).order("ana", "lay", plan=PLAN)


def lost_flat_out(**more: Any) -> Scene:
    """Ana must lay three dice again that all show warnings."""
    return Scene(STRAIGHT, car("ana", "1.2.l", 2), **more).order("ana", "lay", **ROLL_AGAIN)


def lost_one_by_one() -> Scene:
    """Ana's third die shows a warning."""
    scene = ready().order("ana", "lay", plan="3:1.3.l 4:2.1.l c:2.2.l")
    for _move in range(3):
        scene.order("ana", "roll", "!")
    return scene


def worn() -> Scene:
    """Ana has a damaged coast die, and the spare wheel."""
    return Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1}))


def flown() -> Scene:
    """Ana lost control after a successful flying start."""
    scene = Scene(STRAIGHT, "ana", leader_dice=False)
    return scene.order("ana", "lay", **{**FLOWN, "plan": FLOWN["plan"] + " c:2.2.l", "dice": ".!!!"})


def ready(**more: Any) -> Scene:
    return Scene(STRAIGHT, car("ana", "1.2.l", 2), **more)


Case = tuple[Callable[[], Scene], Mapping[str, Any], str, int | None, str]
TURNS: dict[str, Case] = {
    "no plan": (ready, {"do": "turn"}, "D9", None, "a driver who can move moves at least one space"),
    "an empty plan": (ready, {"do": "lay"}, "D9", None, "a driver who can move moves at least one space"),
    "stopping on the spot": (rolling, {"do": "stop"}, "D9", None, "a driver who can move moves at least one space"),
    "another way to roll": (ready, {"do": "lay", "plan": PLAN, "roll": "fast"}, "R1", None,
                            "dice are rolled one by one or flat out"),
    "securing without tokens": (rolling, {"do": "secure"}, "R3", None,
                                "securing that move costs 1 s, there are 0 second tokens"),
    "no token": (lambda: ready(sisu="none"), {"do": "lay", "plan": PLAN, "sisu": True}, "R7", None,
                 "there is no SISU token left"),
    "nothing laid again": (lost_flat_out, {"do": "relay"}, "R6", None, "lay at least one of the dice again"),
    "a flying start dropped": (flown, {"do": "relay", "plan": "c:1.2.l"}, "D6", 1,
                               "a coast die keeps the gear and needs one above 0"),
    "a flying start not made again": (flown, {"do": "relay", "plan": "1:1.2.l"}, "D7", 1,
                                      "a flying start is neither made nor dropped when the dice are laid again"),
    "a die that was not rolled": (lost_flat_out, {"do": "relay", "plan": "2:1.3.l"}, "R6", None,
                                  "you must lay the same dice again: there is no other 2 die among them"),
    "control kept to the end": (lost_flat_out, {"do": "relay", "plan": "3:1.3.l 4:2.1.l"}, "R6", None,
                                "control must be lost on the last move laid and on no earlier one"),
    "stopping before the first move": (ready, {"do": "turn", "plan": PLAN, "stop_after": 0}, "D9", None,
                                       "stop after 1 to 2 moves"),
    "stopping too late": (ready, {"do": "turn", "plan": PLAN, "stop_after": 3}, "R1", None, "stop after 1 to 2 moves"),
    "securing a move that is not there": (ready, {"do": "turn", "plan": PLAN, "secure": [3]}, "R3", None,
                                          "only moves 1 to 2 can be secured"),
    "securing flat out": (ready, {"do": "turn", "plan": PLAN, "secure": [1], "roll": "flat out"}, "R3", None,
                          "dice are secured one by one only, not flat out"),
    "stopping flat out": (ready, {"do": "turn", "plan": PLAN, "stop_after": 1, "roll": "flat out"}, "R4", None,
                          "flat out all dice are rolled at once: there is no stopping"),
    "a token for nothing": (ready, {"do": "turn", "plan": "", "sisu": True}, "R7", None,
                            "a SISU token helps against dice, and none are rolled"),
    "no re-lay given": (ready, {"do": "turn", **ROLL_AGAIN}, "R6", None, "control is lost: lay the dice again"),
    "a re-lay for nothing": (ready, {"do": "turn", "plan": "3:1.3.l", "dice": ".", "relay": "3:1.3.l"}, "R6", None,
                             "control is kept: there is nothing to lay again"),
    "a wheel for nothing": (ready, {"do": "turn", "plan": "3:1.3.l", "dice": ".", "spare": True}, "E4", None,
                            "the spare wheel is taken at the end of a move in gear 1, unused, for damage aboard "
                            "before the turn"),
    "a word of another phase": (rolling, {"do": "relay"}, "R1", None, "now the turn takes: roll, secure, sisu"),
    "a word of no phase": (ready, {}, "R1", None, "now the turn takes: lay"),
    "a gear left out": (ready, {"do": "lay", "plan": "4:1.3.l"}, "D4", 1,
                        "a gear die changes the gear by one at most; to drop further lay brake dice with it"),
    "a gear from a standstill": (lambda: Scene(STRAIGHT, "ana"), {"do": "lay", "plan": "3:1.2.l"}, "D4", 1,
                                 "from gear 0 the first gear is 1"),
    "a later move": (ready, {"do": "lay", "plan": "3:1.3.l 6:2.1.l"}, "D4", 2,
                     "a gear die changes the gear by one at most; to drop further lay brake dice with it"),
    "what nobody can read": (ready, {"do": "lay", "plan": "3:1.3.l hello"}, "D3", 2,
                             "a move is written die:space, or die:space^landing for a jump"),
    "coasting from a standstill": (lambda: Scene(STRAIGHT, "ana"), {"do": "lay", "plan": "c:1.2.l"}, "D6", 1,
                                   "a coast die keeps the gear and needs one above 0"),
    "too many brakes": (ready, {"do": "lay", "plan": "1bb:1.3.l"}, "D5", 1,
                        "a brake die drops the gear by one more: one for each gear left out"),
}  # fmt: skip


@pytest.mark.parametrize("case", TURNS.values(), ids=TURNS)
def test_a_refused_order_says_which_rule_and_why(case: Case) -> None:
    scene, orders, rule, move, words = case
    refusal = scene().refused("ana", **orders)
    assert (refusal.rule, refusal.move, refusal.message) == (rule, move, words)


@pytest.mark.parametrize(
    ("scene", "orders"),
    [
        (ready, ("lay",)),
        (rolling, ("roll", "secure", "sisu")),
        (lambda: rolling().order("ana", "roll", "."), ("roll", "secure", "stop", "sisu")),
        (lambda: ready(sisu="none").order("ana", "lay", plan=PLAN), ("roll", "secure")),
        (lost_flat_out, ("sisu", "relay")),
        (lambda: lost_flat_out(sisu="none"), ("relay",)),
        (lost_one_by_one, ("sisu", "accept")),
        (lambda: worn().order("ana", "lay", plan="1:1.3.l").order("ana", "roll", "."), ("spare",)),
    ],
)
def test_each_phase_names_its_orders(scene: Callable[[], Scene], orders: tuple[str, ...]) -> None:
    """Orders without means are not offered: a used SISU token, stopping before the first move (D9)."""
    assert legal_moves.choices(scene().state, "ana", "").orders == orders


TOO_FAST = {"plan": "3:1.2.l 4:1.3.l c:2.1.l 5:2.2.o1", "roll": "flat out"}
"""The last move breaks a limit (M1), whatever the dice show."""


@pytest.mark.parametrize("dice", ["....", "!...", "!!!!"])
def test_R7_a_token_that_keeps_no_control_is_not_offered_but_may_be_used(dice: str) -> None:
    """The limit is broken with and without warnings, and a token helps only against warnings."""
    scene = Scene(HAIRPIN, car("ana", "1.1.l", 3)).order("ana", "lay", **TOO_FAST, dice=dice)
    assert legal_moves.choices(scene.state, "ana", "").orders == ("relay",)
    assert "sisu" not in [way.text for way in RULES.choices(scene.state, "ana").ways]
    assert RULES.autopilot(scene.state, "ana")["do"] == "relay"
    scene.order("ana", "sisu")
    assert not scene.car("ana")["sisu"], "R7 does not forbid it"


def test_R7_a_token_is_not_offered_for_a_flying_start_that_a_limit_ends() -> None:
    """D7 ends the turn in control after one space. With the token the car would drive on, into the limit."""
    plan = "2:1.2.l 3:1.3.l 4:2.1.l 5:2.2.o1"
    failed = Scene(HAIRPIN, "ana", flying_start=True).order("ana", "lay", plan=plan, roll="flat out", dice="!...")
    assert legal_moves.choices(failed.state, "ana", "").orders == ("accept",)


def test_O1_says_whose_turn_it_is() -> None:
    scene = Scene(STRAIGHT, "ana", "bo")
    assert scene.refused("bo", do="turn").message == "it is ana's turn"
    over = Scene(["202a", "203a"], car("ana", "2.1.l", 2)).turn("ana", "2:2.2.l", ".")
    assert over.refused("ana", do="turn").message == "the stage is over"
    with pytest.raises(RuleError) as refusal:
        legal_moves.choices(scene.state, "bo", "")
    assert (refusal.value.rule, refusal.value.message) == ("O1", "it is another driver's turn")


# Between stages ------------------------------------------------------------------------------------


WORN = {"damage": {"gear": 0, "coast": 1, "brake": 0}, "spare": True, "sisu": True}


@pytest.mark.parametrize(
    ("decision", "checkpoints", "rule", "words"),
    [
        ({"spare": 1}, False, "F3",
         "the spare wheel is used without service, while it is aboard, for damage of its kind"),
        ({"penalties": 1}, False, "F4", "at a time control a driver takes a whole number of penalties, none or more"),
        ({"penalties": -1}, True, "F4", "at a time control a driver takes a whole number of penalties, none or more"),
        ({"penalties": 61}, True, "F4", "at most 60 penalties can be taken"),
    ],
)  # fmt: skip
def test_a_refused_decision_says_which_rule_and_why(
    decision: dict[str, Any], checkpoints: bool, rule: str, words: str
) -> None:
    options = RULES.clean_options({"checkpoints": checkpoints})
    with pytest.raises(RuleError) as refusal:
        RULES.decide(WORN, decision, service=False, options=options, last_stage=False)
    assert (refusal.value.rule, refusal.value.message) == (rule, words)


# Standing orders -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manner", "rule", "words"),
    [
        (Manner(roll="fast"), "R1", "dice are rolled one by one or flat out"),
        (Manner(stop_after=0), "D9", "stop after 1 to 2 moves"),
        (Manner(stop_after=3), "R1", "stop after 1 to 2 moves"),
        (Manner(secure=frozenset((3,))), "R3", "only moves 1 to 2 can be secured"),
        (Manner(secure=frozenset((0,))), "R3", "only moves 1 to 2 can be secured"),
        (Manner(roll="flat out", secure=frozenset((1,))), "R3", "dice are secured one by one only, not flat out"),
        (Manner(roll="flat out", secure_at=1), "R3", "dice are secured one by one only, not flat out"),
        (Manner(roll="flat out", stop_at=1), "R4", "flat out all dice are rolled at once: there is no stopping"),
        (Manner(roll="flat out", stop_after=1), "R4", "flat out all dice are rolled at once: there is no stopping"),
    ],
)
def test_a_manner_that_fits_no_plan_says_why(manner: Manner, rule: str, words: str) -> None:
    with pytest.raises(RuleError) as refusal:
        manner.check(2)
    assert (refusal.value.rule, refusal.value.message) == (rule, words)


@pytest.mark.parametrize(
    "manner", [Manner(stop_after=1), Manner(stop_after=2), Manner(secure=frozenset((1, 2))), Manner(roll="flat out")]
)
def test_a_manner_fits_a_plan_of_as_many_moves(manner: Manner) -> None:
    manner.check(2)


def test_a_manner_secures_what_it_names_or_says_what_is_missing() -> None:
    manner = Manner(secure=frozenset((2,)))
    assert manner.before(2, 0, 3, 3, sisu_in_use=False) == "secure"
    with pytest.raises(RuleError) as refusal:
        manner.before(2, 0, 3, 2, sisu_in_use=False)
    words = "securing that move costs 3 s, there are 2 second tokens"
    assert (refusal.value.rule, refusal.value.message) == ("R3", words)


@pytest.mark.parametrize(
    ("orders", "words"),
    [
        ({"rolls": 1}, "rolls = 1 is no way to roll a plan"),
        ({"roll": 1}, "roll = 1 is no way to roll a plan"),
        ({"stop_at": -1}, "stop_at = -1 is no way to roll a plan"),
        ({"sisu": 1}, "sisu = 1 is no way to roll a plan"),
        ({"secure": "12"}, "secure = '12' is no way to roll a plan"),
        ({"secure": [True]}, "secure = [True] is no way to roll a plan"),
    ],
)
def test_a_manner_that_cannot_be_read_says_which_word(orders: dict[str, Any], words: str) -> None:
    with pytest.raises(GameError) as refusal:
        manner_of(orders)
    assert refusal.value.message == words


# Cars on the road, cards and tokens ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("entrants", "words"),
    [
        ([car("ana"), car("ana")], "each driver has a name, and drives once: 'ana'"),
        ([car("ana", damage={"gear": 49})], "ana: damage counts gear, coast, brake markers, each from 0 to 48"),
        ([car("ana", gear=7)], "ana: a gear is a whole number from 0 to 6"),
        ([car("ana", tokens=1001)], "ana: second tokens are counted from 0 to 1000"),
        ([car("ana", "9.9.l")], "ana: there is no space '9.9.l' on this stage"),
        ([car("ana", "3.2.l")], "ana: 3.2.l lies behind the finish line"),
        ([car("ana", "2.2.i1"), car("bo", "2.2.o2")], "bo: another car stands on 2.2.o2 or across it"),
    ],
)
def test_a_car_in_an_impossible_position_is_refused(entrants: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(GameError) as refusal:
        Scene(HAIRPIN, *entrants)
    assert refusal.value.message == words


def test_as_many_as_there_are_may_be_aboard() -> None:
    """Values at the limits are no errors."""
    scene = Scene(HAIRPIN, car("ana", "3.1.l", 6, tokens=1000, damage={"brake": 48}), car("bo"), car("cy"))
    assert (scene.place("ana"), scene.car("ana")["tokens"]) == (("3.1.l", 6), 1000)


def test_damage_beyond_the_printed_tokens_leaves_the_bag_empty_of_its_kind() -> None:
    """Eleven tokens show a broken coast die; there is no token for a twelfth marker."""
    scene = Scene(HAIRPIN, car("ana", damage={"coast": 12}))
    kept = scene.state["drivers"]["ana"]["kept"]
    assert all(kind == "coast" for kind, _ in kept)
    assert (kept[11], kept[10][1] in scene.state["bag"]) == (["coast", "coast/?"], True)
    assert sum(left for token, left in scene.state["bag"].items() if token.startswith("coast/")) == 0
    assert sum(scene.state["bag"].values()) == 48 - 11


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ({"cards": ["skid"]}, "'skid' is no back of a card: spin, sisu, or crash with three numbers of tokens"),
        (
            {"cards": ["s" * 21]},
            f"'{'s' * 20}' is no back of a card: spin, sisu, or crash with three numbers of tokens",
        ),
        (
            {"cards": ["crash 1/2/3"], "tokens": ["t" * 21]},
            f"'{'t' * 20}' is on no token: brake, coast, gear, green are",
        ),
        ({"cards": ["crash 1/2/3"], "tokens": ["wheel"]}, "'wheel' is on no token: brake, coast, gear, green are"),
    ],
)
def test_what_is_on_no_card_or_token_is_refused(drawn: dict[str, Any], words: str) -> None:
    with pytest.raises(ChanceError) as refusal:
        Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", "3:1.3.l c:2.1.l c:2.2.l", "!!!", **drawn)
    assert str(refusal.value) == words


# Stages --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "tile", "words"),
    [
        (5, None, "a stage is a document with a list of tiles"),
        ({}, None, "a stage needs a list of tiles"),
        ({"tiles": []}, None, "a stage needs a list of tiles"),
        ({"tiles": "202a"}, None, "a stage needs a list of tiles"),
        ({"tiles": ["202a", "203a"], "service": 1}, None, "service is true or false"),
        ({"tiles": ["202a", "203a"], "boxes": 0}, None, "boxes is a whole number from 1 to 9"),
        ({"tiles": ["202a", "203a"], "boxes": 10}, None, "boxes is a whole number from 1 to 9"),
        ({"tiles": ["202a", "203a"], "boxes": True}, None, "boxes is a whole number from 1 to 9"),
        ({"tiles": ["202a", "203a"], "colour": 1}, None,
         "'colour' is not known here; the words are tiles, service, boxes, last, name, designer"),
        ({"tiles": ["202a", {"tile": "203a", "speed": 1}]}, 2,
         "'speed' is not known here; the words are tile, via, at, turn"),
        ({"tiles": ["202a", 5]}, 2, "a tile is written with its face, edges, hexagon and turn"),
        ({"tiles": ["202a", "999x"]}, 2, "there is no tile face '999x' in the core box"),
        ({"tiles": [["x" * 60]]}, 1, "a tile is written with its face, edges, hexagon and turn"),
        ({"tiles": ["202a", {"tile": "210b", "via": "ZZ"}]}, 2, "210b is driven DC or CD, not 'ZZ'"),
        ({"tiles": [{"tile": "202a", "via": "DA"}]}, 1, "202a lies backwards: its road signs say AD"),
        ({"tiles": ["202a", {"tile": "203a", "at": [1]}]}, 2, "a hexagon is given by two whole numbers, q and r"),
        ({"tiles": ["202a", {"tile": "203a", "at": [0, 100]}]}, 2, "a hexagon is given by two whole numbers, q and r"),
        ({"tiles": ["202a", {"tile": "203a", "at": "01"}]}, 2, "a hexagon is given by two whole numbers, q and r"),
        ({"tiles": ["202a", {"tile": "203a", "turn": 6}]}, 2, "a tile is turned 0 to 5 sixths"),
        ({"tiles": ["202a", {"tile": "203a", "turn": -1}]}, 2, "a tile is turned 0 to 5 sixths"),
        ({"tiles": ["202a", {"tile": "203a", "turn": True}]}, 2, "a tile is turned 0 to 5 sixths"),
        ({"tiles": ["202a", "201a", "203a"]}, 2, "201a has no road; the service park is not part of the chain"),
        ({"tiles": ["202a"] * 62}, 2, "a start tile lies only at the beginning: 202a"),
        ({"tiles": ["202a"] * 63}, 63, "a stage has at most 62 tiles"),
        ({"tiles": ["202a", "210a", "216a", "213a", "203a"]}, 4, "213a lies on the hexagon of tile 1"),
        ({"tiles": ["202a", {"tile": "203a", "at": [4, 5]}]}, 2,
         "203a lies on 4,5, but the road before it leads to 0,1"),
        ({"tiles": ["202a", {"tile": "203a", "turn": 5}]}, 2,
         "the road does not run on: 203a must be turned 0, not 5"),
        ({"tiles": ["202a"]}, None, "a stage needs a start tile, a finish tile and a road between them"),
        ({"tiles": ["210b", "203a"]}, 1, "a stage begins with a start tile, not 210b"),
        ({"tiles": ["202a", "202b", "203a"]}, 2, "a start tile lies only at the beginning: 202b"),
        ({"tiles": ["202a", "210b"]}, 2, "a stage ends with a finish tile, not 210b"),
        ({"tiles": ["202a", "203a", "203b"]}, 2, "a finish tile lies only at the end: 203a"),
        ({"tiles": ["202a", "204a", "204b", "203a"]}, 3,
         "tile 204 is used 2 times: choose another one or allow more boxes"),
    ],
)  # fmt: skip
def test_T1_a_stage_that_does_not_hold_together_says_where_and_why(spec: Any, tile: int | None, words: str) -> None:
    with pytest.raises(StageError) as refusal:
        RULES.read_course(spec)
    assert (refusal.value.rule, refusal.value.piece, refusal.value.message) == ("T1", tile, words)
