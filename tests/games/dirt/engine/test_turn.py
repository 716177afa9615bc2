"""Rolling one by one, securing, flying starts, tokens drawn on the way (D1, D6, D7, M5, R1 to R3)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.chance import SeededChance
from engine.contract import RuleError
from engine.dirt import legal_moves
from engine.dirt.facts import facts
from engine.dirt.table import Dealer
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car

SIX_MOVES = "1:1.2.l 2:1.3.l 3:2.1.l 4:2.2.l c:2.3.l 5:2.4.l"


def refused(scene: Scene, rule: str, driver: str, do: str, **more: Any) -> None:
    """Check that one order of a turn is illegal under that rule."""
    with pytest.raises(RuleError) as refusal:
        scene.order(driver, do, **more)
    assert refusal.value.rule == rule


# D1


def test_D1_warning_faces_of_each_die() -> None:
    """D1: of six faces gears 1 and 2 and the coast die have one warning, all others two."""
    assert facts().faces == 6
    assert facts().warnings == {
        "1": 1, "2": 1, "3": 2, "4": 2, "5": 2, "6": 2, "coast": 1, "leader": 2, "brake": 2,
    }  # fmt: skip


def test_D1_chance_is_asked_for_the_die_that_is_rolled() -> None:
    class Watched(Dealer):
        """Chance that records the requests."""

        def __init__(self) -> None:
            super().__init__(SeededChance(bytes(32)))
            self.asked: list[tuple[int, int]] = []

        def die(self, what: str, *, warnings: int, faces: int, shared: bool) -> bool:
            self.asked.append((warnings, faces))
            return False

        def card(self, what: str, left: Any, *, seen: bool) -> None:
            return None

        def token(self, what: str, left: Any, *, side: int) -> None:
            return None

    chance = Watched()
    scene = Scene(STRAIGHT, car("bo", "2.1.l", 2), car("ana", "1.2.l", 4))
    for driver, plan in (("bo", "c:2.2.l"), ("ana", "2b:1.3.l 3:2.1.l c:2.2.r")):
        scene.state, _ = RULES.play_recorded(scene.state, driver, {"do": "turn", "plan": plan}, chance)
    assert chance.asked == [(2, 6), (1, 6), (2, 6), (2, 6), (1, 6)]


# D6


def test_D6_the_driver_who_opens_the_round_has_leader_dice() -> None:
    scene = Scene(STRAIGHT, car("bo", "2.1.l", 2), car("ana", "1.2.l", 4))
    scene.turn("bo", "c:2.2.l", ".").turn("ana", "c:1.3.l", ".")
    assert scene.rolls() == ["leader", "coast"]


def test_D6_until_a_driver_has_finished() -> None:
    """D6 (PL): after that, the first driver on the road drives with coast dice."""
    scene = Scene(["202a", "205a", "203a"], car("bo", "3.1.l", 2), car("ana", "2.2.l", 4), car("cy", "1.2.l", 4))
    scene.turn("bo", "c:3.2.l", ".").turn("ana", "c:2.3.l", ".").turn("cy", "c:1.3.l", ".").turn("ana", "c:3.1.l", ".")
    assert scene.rolls() == ["leader", "coast", "coast", "coast"]


def test_D6_without_leader_dice_everyone_coasts() -> None:
    scene = Scene(STRAIGHT, car("bo", "2.1.l", 2), leader_dice=False).turn("bo", "c:2.2.l", ".")
    assert scene.rolls() == ["coast"]


# R1, R2


def test_R1_one_move_a_roll_whatever_shows() -> None:
    """R1: the car continues with warnings, stops when told, and pays for the gear in which it stopped (E1)."""
    scene = Scene(STRAIGHT, "ana").turn("ana", SIX_MOVES, "!.!", stop_after=3)
    assert scene.place("ana") == ("2.1.l", 3)
    assert scene.cards("ana") == [30]


def test_R1_rolls_until_the_plan_ends() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", SIX_MOVES, "!.!...")
    assert scene.place("ana") == ("2.4.l", 5)


def test_R1_step_by_step_the_driver_sees_each_roll() -> None:
    scene = Scene(STRAIGHT, "ana")
    scene.order("ana", "lay", plan=SIX_MOVES)
    assert legal_moves.choices(scene.state, "ana", "").orders == ("roll", "secure", "sisu")
    scene.order("ana", "roll", "!")
    assert scene.place("ana") == ("1.2.l", 1)
    choices = legal_moves.choices(scene.state, "ana", "")
    assert choices.orders == ("roll", "secure", "stop", "sisu")
    assert (choices.facts["made"], choices.facts["warnings"]) == (1, 1)
    scene.order("ana", "roll", ".").order("ana", "stop")
    assert scene.place("ana") == ("1.3.l", 2)
    assert scene.cards("ana") == [40]


def test_R1_a_brake_is_rolled_with_its_gear() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4)).turn("ana", "2b:1.3.l 1:2.1.l", "!!", stop_after=1)
    assert scene.place("ana") == ("1.3.l", 2)


def test_R1_only_two_ways_to_roll_and_no_order_out_of_place() -> None:
    scene = Scene(STRAIGHT, "ana")
    scene.refuse("R1", "ana", "1:1.2.l", roll="carefully")
    scene.refuse("R1", "ana", "1:1.2.l", stop_after=2)
    refused(scene, "R1", "ana", "roll")
    scene.order("ana", "lay", plan="1:1.2.l")
    refused(scene, "R1", "ana", "lay", plan="1:1.2.l")
    refused(scene, "R1", "ana", "spare", take=True)


def test_R2_the_third_warning_loses_control() -> None:
    """R2: on the space and in the gear where it appears."""
    scene = Scene(STRAIGHT, "ana").turn("ana", SIX_MOVES, "!.!!", cards=["sisu"])
    assert scene.place("ana") == ("2.2.l", 4)
    assert scene.cards("ana") == [10]


def test_R2_both_dice_of_a_brake_move_count() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4)).turn("ana", "5:1.3.l 3b:2.1.l 4:2.2.l", "!!!", cards=["spin"])
    assert scene.place("ana") == ("2.1.l", 0)


def test_R2_warnings_are_forgotten_at_the_end_of_the_turn() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", "1:1.2.l 2:1.3.l", "!!").turn("ana", "3:2.1.l 4:2.2.l", "!!")
    assert scene.place("ana") == ("2.2.l", 4)


# R3


def test_R3_the_nth_die_secured_costs_n_seconds() -> None:
    """R3: a brake move is secured whole: 1 + 2, then 3."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4, tokens=6))
    scene.turn("ana", "2b:1.3.l 3:2.1.l 4:2.2.l", "!", secure=[1, 2])
    assert scene.car("ana")["tokens"] == 0
    assert scene.place("ana") == ("2.2.l", 4)


def test_R3_prices_grow_over_brake_moves_in_between() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3, tokens=10)).turn("ana", "4:1.3.l 2b:2.1.l 3:2.2.l", secure=[1, 2, 3])
    assert scene.car("ana")["tokens"] == 0


def test_R3_nobody_secures_without_the_seconds() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4, tokens=2))
    scene.refuse("R3", "ana", "2b:1.3.l", secure=[1])
    scene.refuse("R3", "ana", "3:1.3.l 2:2.1.l", secure=[1, 2])
    scene.turn("ana", "3:1.3.l", secure=[1])
    assert scene.car("ana")["tokens"] == 1


def test_R3_only_one_by_one_and_only_moves_of_the_plan() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4, tokens=9))
    scene.refuse("R3", "ana", "3:1.3.l", ".", roll="flat out", secure=[1])
    scene.refuse("R3", "ana", "3:1.3.l", secure=[2])
    scene.refuse("R3", "ana", "3:1.3.l", secure=[0])


def test_R3_a_secured_die_shows_no_warning_but_limits_hold() -> None:
    """R3: it has no other effect (M1)."""
    scene = Scene(HAIRPIN, car("ana", "2.1.l", 3, tokens=1)).turn("ana", "3:2.2.o1", secure=[1], cards=["spin"])
    assert scene.place("ana") == ("2.2.o1", 0)
    jump = Scene(["202a", "206b", "203a"], car("ana", "2.1.l", 5, tokens=1)).turn("ana", "6:2.2.l^2.4.l", secure=[1])
    assert jump.place("ana") == ("2.4.l", 6)


def test_R3_step_by_step_the_next_price_is_shown() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4, tokens=9))
    scene.order("ana", "lay", plan="3:1.3.l 1b:2.1.l").order("ana", "secure")
    assert legal_moves.choices(scene.state, "ana", "").facts["next_price"] == 5
    scene.order("ana", "secure")
    assert scene.car("ana")["tokens"] == 3


# D7


def test_D7_a_warning_on_the_flying_die_ends_the_turn() -> None:
    """D7: one space on, in gear 2, in control."""
    scene = Scene(STRAIGHT, "ana").turn("ana", "2:1.2.l 3:1.3.l 4:2.1.l", "!")
    assert scene.place("ana") == ("1.2.l", 2)
    assert scene.cards("ana") == [40]


def test_D7_flat_out_three_warnings_are_ignored_with_it() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", "2:1.2.l 3:1.3.l 4:2.1.l", "!!!", roll="flat out")
    assert scene.place("ana") == ("1.2.l", 2)
    assert scene.cards("ana") == [40]
    assert scene.car("ana")["tokens"] == 3


def test_D7_without_a_warning_it_is_a_move_like_others() -> None:
    scene = Scene(STRAIGHT, "ana").turn("ana", "2:1.2.l 3:1.3.l 4:2.1.l c:2.2.l", ".!!!", cards=["spin"])
    assert scene.place("ana") == ("2.2.l", 0)


def test_D7_only_from_a_standstill() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 1)).turn("ana", "2:1.3.l 3:2.1.l", "!.")
    assert scene.place("ana") == ("2.1.l", 3)


def test_D7_the_limit_still_holds() -> None:
    """D7, M1 (own): a flying start into the inside of a hairpin loses control; rolled flat out it is laid again."""
    scene = Scene(HAIRPIN, car("ana", "2.1.l")).turn("ana", "2:2.2.i1", "!", cards=["spin"])
    assert scene.place("ana") == ("2.2.i1", 0)
    assert scene.cards("ana") == [60]
    flat: dict[str, Any] = {"plan": "2:2.2.i1", "dice": "!", "roll": "flat out"}
    lost = Scene(HAIRPIN, car("ana", "2.1.l")).turn("ana", **flat, relay="2:2.2.i1", cards=["spin"])
    assert lost.cards("ana") == [60]


def test_D7_is_neither_made_nor_dropped_in_a_re_lay() -> None:
    flying: dict[str, Any] = {"plan": "2:1.2.l 1:1.3.l c:2.1.l c:2.2.l", "dice": ".!!!", "roll": "flat out"}
    Scene(STRAIGHT, "ana").refuse("D7", "ana", **flying, relay="1:1.2.l 2:1.3.l c:2.1.l c:2.2.l")
    tame: dict[str, Any] = {"plan": "1:1.2.l 2:1.3.l c:2.1.l c:2.2.l", "dice": "!.!!", "roll": "flat out"}
    Scene(STRAIGHT, "ana").refuse("D7", "ana", **tame, relay="2:1.2.l 1:1.3.l c:2.1.l c:2.2.l")
    Scene(STRAIGHT, "ana").turn("ana", **flying, relay="2:1.2.r 1:1.3.r c:2.1.r c:2.2.r", cards=["spin"])


def test_D7_with_a_sisu_token_in_hand_the_driver_is_asked() -> None:
    scene = Scene(STRAIGHT, "ana").order("ana", "lay", plan="2:1.2.l 3:1.3.l", roll="flat out", dice="!.")
    assert legal_moves.choices(scene.state, "ana", "").phase == "lost"
    scene.order("ana", "accept")
    assert scene.place("ana") == ("1.2.l", 2)
    asked = Scene(STRAIGHT, "ana").order("ana", "lay", plan="2:1.2.l 3:1.3.l").order("ana", "roll", "!")
    assert asked.order("ana", "sisu").order("ana", "roll", "!").place("ana") == ("1.3.l", 3)


# M5


@pytest.mark.parametrize(("token", "coasts"), [("ok", 0), ("coast", 1), ("mud", 0)])
def test_M5_each_shortcut_space_draws_a_token(token: str, coasts: int) -> None:
    """M5: OK and coast damage are kept, mud stays on the tile."""
    scene = Scene(HAIRPIN, car("ana", "2.1.r", 4)).turn("ana", "c:2.k1.1 c:2.3.r", "..", shortcuts=[token])
    assert scene.car("ana")["damage"]["coast"] == coasts
    assert scene.mud == ({"2": {"ana": 1}} if token == "mud" else {})
    assert len(scene.car("ana")["kept"]) == (token != "mud")


def test_M5_two_spaces_draw_two() -> None:
    road = ["202a", "224b", "203a"]
    scene = Scene(road, car("ana", "2.1.r", 4)).turn("ana", "c:2.k1.1 c:2.k1.2", "..", shortcuts=["mud", "mud"])
    assert scene.mud == {"2": {"ana": 2}}


def test_M5_also_when_control_is_lost_there() -> None:
    """M5: the token is drawn when the car arrives there."""
    scene = Scene(["202a", "211b", "203a"], car("ana", "2.1.r", 3))
    scene.turn("ana", "3:2.k1.1", ".", shortcuts=["coast"], cards=["crash 0/1/1"], tokens=["gear"])
    assert scene.car("ana")["damage"] == {"gear": 1, "coast": 1, "brake": 0}


def test_M5_only_where_the_car_gets_to() -> None:
    """M5: a car that stops before the shortcut draws nothing; flat out only the driven plan counts."""
    stopped = Scene(HAIRPIN, car("ana", "1.3.r", 3)).turn("ana", "3:2.1.r 4:2.k1.1", ".", stop_after=1)
    assert stopped.place("ana") == ("2.1.r", 3)
    rolled: dict[str, Any] = {"plan": "3:2.1.r 4:2.k1.1 c:2.3.r", "dice": "!!!", "roll": "flat out"}
    relaid = Scene(HAIRPIN, car("ana", "1.3.r", 3)).turn("ana", **rolled, relay="3:2.1.l 4:2.2.o1", cards=["spin"])
    assert relaid.mud == {}


def test_M5_coast_damage_counts_from_the_next_turn() -> None:
    scene = Scene(HAIRPIN, car("ana", "2.1.r", 4, damage={"coast": 1}))
    scene.turn("ana", "3:2.k1.1 c:2.3.r", "..", shortcuts=["coast"])
    scene.refuse("D2", "ana", "c:3.1.l")


def test_M5_mud_spares_its_thrower_within_the_turn() -> None:
    """M5, M2: thrown on a tile with two bends, it affects the next driver in the second one."""
    road = ["202a", "215b", "203a"]
    scene = Scene(road, car("ana", "2.1.r", 2), car("bo", "1.3.l", 2), leader_dice=False)
    scene.turn("ana", "2:2.k1.1 c:2.3.m c:2.4.o1", "...", shortcuts=["mud"])
    assert scene.place("ana") == ("2.4.o1", 2)
    scene.turn("bo", "2:2.1.l 1:2.2.o1", "..")
    scene.refuse("M1", "ana", "3:2.4.o2 2:2.4.o3")
