"""How a turn ends: cards, loss of control, damage, the spare wheel, waiting, retiring (E1 to E7, M9, M10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from engine.chance import ChanceError
from engine.contract import RuleError
from engine.dirt import legal_moves, rally
from engine.dirt.facts import facts
from engine.dirt.scenario import Given
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car

FORD: list[Any] = ["202a", "208b", "203a"]
"""Tile 2: a row, a ford, a row."""
LOST: dict[str, Any] = {"plan": "3:1.3.l c:2.1.l c:2.2.l", "dice": "!!!"}
"""Three warnings out of gear 3 on `STRAIGHT`, from 1.2.l to 2.2.l."""


class Dealer(Given):
    """Records which decks a card was drawn from."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.decks: list[dict[str, int]] = []

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        self.decks.append(dict(left))
        return super().card(what, left, seen=seen)


def first(scene: Scene, *drivers: str) -> Scene:
    """Return the same scene with these drivers first in the order of turns, whatever their position."""
    scene.state["queue"] = list(drivers)
    return scene


# E1


@pytest.mark.parametrize(("gear", "seconds"), [(1, 50), (2, 40), (3, 30), (4, 20), (5, 15), (6, 10)])
def test_E1_the_time_card_of_the_gear_the_car_ends_in(gear: int, seconds: int) -> None:
    """E1: by coasting the same as before."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", gear)).turn("ana", "c:1.3.l", ".")
    assert scene.cards("ana") == [seconds]


def test_E1_the_gear_of_the_last_move_that_was_made() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", "4:1.3.l 5:2.1.l 3b:2.2.l", "..", stop_after=2)
    assert scene.cards("ana") == [15]


def test_E1_seconds_are_the_organisers_to_set() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3), time_card_3=33).turn("ana", "c:1.3.l", ".")
    assert scene.cards("ana") == [33]


# E2, E3


def test_E2_the_card_of_the_gear_in_which_it_happened() -> None:
    """E2: gear 5 loses control, the top card of its deck is turned."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4)).turn(
        "ana", "5:1.3.l c:2.1.l c:2.2.l", "!!!", cards=["crash 1/2/3"], tokens=["green"]
    )
    [turned] = [event for event in scene.events if event["kind"] == "card"]
    assert (turned["gear"], turned["side"], turned["back"]) == (5, "back", "crash 1/2/3")
    assert scene.state["decks"]["5"]["crash 1/2/3"] == 19


def test_E2_the_card_is_the_top_one_of_that_gears_deck() -> None:
    """E2: gears 5 and 6 have crashes of one kind only, gear 4 has two."""
    dealer = Dealer(dice="!!!", cards=["spin"])
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4))
    order = {"do": "turn", "plan": "5:1.3.l c:2.1.l c:2.2.l"}
    RULES.play_recorded(scene.state, "ana", order, dealer)
    assert dealer.decks == [facts().decks[5]]


def test_E2_a_deck_that_is_used_up_is_shuffled_whole() -> None:
    """E2: all cards of gear 5 are used; the next one comes from a full deck, and is missing from it."""
    dealer = Dealer(dice="!!!", cards=["spin"])
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4))
    scene.state["decks"]["5"] = dict.fromkeys(facts().decks[5], 0)
    order = {"do": "turn", "plan": "5:1.3.l c:2.1.l c:2.2.l"}
    state, _ = RULES.play_recorded(scene.state, "ana", order, dealer)
    assert dealer.decks == [facts().decks[5]]
    assert state["decks"]["5"] == {**facts().decks[5], "spin": facts().decks[5]["spin"] - 1}


def test_E3_a_spin_leaves_the_car_on_its_space() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", **LOST, cards=["spin"])
    ana = scene.car("ana")
    assert (ana["space"], ana["gear"], ana["on_track"], ana["cards"]) == ("2.2.l", 0, True, [60])


def test_E3_a_crash_throws_it_beside_the_track_and_it_comes_back() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", **LOST, cards=["crash 1/2/3"], tokens=["brake"])
    ana = scene.car("ana")
    assert (ana["space"], ana["gear"], ana["on_track"], ana["cards"]) == ("2.2.l", 0, False, [60])
    assert ana["damage"] == {"gear": 0, "coast": 0, "brake": 1}
    scene.turn("ana", "1:2.3.l", ".")
    assert scene.car("ana")["on_track"]


@pytest.mark.parametrize(
    ("middle", "tokens"), [("204a", ["gear"]), ("207a", ["gear", "coast"]), ("209a", ["gear", "coast", "brake"])]
)
def test_E3_damage_by_the_colour_of_the_tile(middle: str, tokens: list[str]) -> None:
    """E3: one number each for yellow, orange and red."""
    scene = Scene(["202a", middle, "203a"], car("ana", "1.2.l", 3))
    scene.turn("ana", "3:1.3.l c:2.1.l c:2.2.l", "!!!", cards=["crash 1/2/3"], tokens=tokens)
    assert sum(scene.car("ana")["damage"].values()) == len(tokens)


def test_E3_the_sisu_card_leaves_the_car_in_gear() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", **LOST, cards=["sisu"])
    ana = scene.car("ana")
    assert (ana["space"], ana["gear"], ana["on_track"], ana["cards"]) == ("2.2.l", 3, True, [10])


@pytest.mark.parametrize(
    "words", [{"cards": ["skid"]}, {"cards": ["crash many"]}, {"cards": ["crash 1/2/3"], "tokens": ["wheel"]}]
)
def test_E3_cards_and_tokens_say_only_what_is_printed(words: dict[str, Any]) -> None:
    with pytest.raises(ChanceError):
        Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", **LOST, **words)


# E4


def worn(**more: Any) -> Scene:
    """Ana in gear 2 with a coast die damaged."""
    return Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1}, **more))


def test_E4_the_spare_wheel_takes_a_damage_away() -> None:
    """E4: its card instead of the time card, the car beside the track in gear 0; only once."""
    scene = worn().turn("ana", "1:1.3.l", ".", spare=True)
    ana = scene.car("ana")
    assert (ana["space"], ana["gear"], ana["on_track"], ana["cards"]) == ("1.3.l", 0, False, [120])
    assert (ana["damage"]["coast"], ana["spare"]) == (0, False)
    scene.turn("ana", "1:2.1.l", ".")
    assert scene.cards("ana") == [120, 50]


def test_E4_nobody_has_to_take_it() -> None:
    assert worn().turn("ana", "1:1.3.l", ".").cards("ana") == [50]
    asked = worn().order("ana", "lay", plan="1:1.3.l").order("ana", "roll", ".")
    assert legal_moves.choices(asked.state, "ana", "").phase == "spare"
    assert asked.order("ana", "spare", take=False).cards("ana") == [50]


def test_E4_on_line_the_wheel_costs_thirty_seconds_whatever_its_card_says() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1}), spare_wheel="online", spare_seconds=90)
    assert scene.turn("ana", "1:1.3.l", ".", spare=True).cards("ana") == [30]


def test_E4_only_in_first_gear_in_control_with_the_wheel_aboard() -> None:
    worn().refuse("E4", "ana", "2:1.3.l", ".", spare=True)
    worn(spare=False).refuse("E4", "ana", "1:1.3.l", ".", spare=True)
    lost: dict[str, Any] = {"plan": "2:1.3.l c:2.1.l 1:2.2.l", "dice": "!!!", "cards": ["sisu"]}
    worn().refuse("E4", "ana", **lost, spare=True)
    assert worn().turn("ana", **lost).place("ana") == ("2.2.l", 1)
    blocked = first(
        Scene(STRAIGHT, car("ana", "1.2.l", 1, damage={"coast": 1}), car("bo", "1.3.l", 4), car("cy", "1.3.r", 4)),
        "ana",
        "bo",
        "cy",
    )
    blocked.refuse("E4", "ana", "", spare=True)


def test_E4_not_at_the_finish() -> None:
    scene = Scene(["202a", "203a"], car("ana", "2.1.l", 1, damage={"coast": 1}))
    scene.refuse("E4", "ana", "1:2.2.l", ".", spare=True)
    assert scene.turn("ana", "1:2.2.l", ".").car("ana")["finished"]


def test_E4_only_for_damage_aboard_before_the_turn() -> None:
    plan: dict[str, Any] = {"plan": "1:2.k1.1 c:2.3.r", "dice": "..", "shortcuts": ["coast"]}
    Scene(HAIRPIN, car("ana", "2.1.r", 2)).refuse("E4", "ana", **plan, spare=True)
    later = Scene(HAIRPIN, car("ana", "2.1.r", 2)).turn("ana", **plan).turn("ana", "1:3.1.l", ".", spare=True)
    assert later.car("ana")["damage"]["coast"] == 0


def test_E4_repairs_gears_where_the_organiser_says_so() -> None:
    """E4 (PL): with that option a gear damage is repaired, and no other."""
    geared = Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"gear": 2}), spare_repairs="gear")
    assert geared.turn("ana", "1:1.3.l", ".", spare=True).car("ana")["damage"]["gear"] == 1
    Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1}), spare_repairs="gear").refuse(
        "E4", "ana", "1:1.3.l", ".", spare=True
    )
    Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"gear": 1})).refuse("E4", "ana", "1:1.3.l", ".", spare=True)


def test_E4_the_token_goes_back_into_the_bag() -> None:
    scene = worn()
    before = sum(scene.state["bag"].values())
    assert before == 47
    scene.turn("ana", "1:1.3.l", ".", spare=True)
    assert sum(scene.state["bag"].values()) == 48


# E5


def test_E5_damage_counts_from_the_next_turn() -> None:
    """E5: a shortcut's token takes the last coast die, but the one in the plan still rolls; in the next turn there is
    none.
    """
    scene = Scene(HAIRPIN, car("ana", "2.1.r", 3, damage={"coast": 1}))
    scene.turn("ana", "3:2.k1.1 c:2.3.s1 4:2.3.s2", "...", shortcuts=["coast"])
    assert scene.car("ana")["damage"]["coast"] == 2
    assert "c:3.1.l" not in scene.legal("ana")


def test_E5_a_green_flag_does_nothing() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", **LOST, cards=["crash 1/2/3"], tokens=["green"])
    assert scene.car("ana")["damage"] == {"gear": 0, "coast": 0, "brake": 0}
    assert [shows for shows, _ in scene.car("ana")["kept"]] == ["green"]


# E6


@pytest.mark.parametrize(
    ("mine", "other"),
    [("2.1.l", "2.1.l"), ("2.1.l", "2.1.s1"), ("2.1.s2", "2.1.r"), ("2.2.i1", "2.2.o2"), ("2.2.o3", "2.2.i1")],
)
def test_E6_a_car_that_cannot_be_put_back_waits(mine: str, other: str) -> None:
    """E6: on the space itself, a lane and a slide half of one row, the two paths of one bend."""
    scene = first(Scene(HAIRPIN, car("bo", other, 1), "ana", leader_dice=False), "ana", "bo")
    scene.state["drivers"]["ana"] |= {"space": mine, "on_track": False, "started": True}
    scene.refuse("E6", "ana", "1:2.3.l")
    scene.turn("ana", "")
    ana = scene.car("ana")
    assert (ana["space"], ana["gear"], ana["on_track"], ana["cards"]) == (mine, 0, False, [60])


def test_E6_waiting_costs_the_card_of_gear_one_where_the_rally_says_so() -> None:
    options = {"leader_dice": False, "short_wait": True, "time_card_1": 44}
    scene = first(Scene(HAIRPIN, car("bo", "2.1.l", 1), "ana", **options), "ana", "bo")
    scene.state["drivers"]["ana"] |= {"space": "2.1.l", "on_track": False, "started": True}
    assert scene.turn("ana", "").cards("ana") == [44]


@pytest.mark.parametrize(
    ("mine", "other"), [("2.1.l", "2.1.r"), ("2.1.s1", "2.1.s2"), ("2.2.o1", "2.2.o2"), ("2.1.l", "2.2.i1")]
)
def test_E6_a_neighbour_is_no_hindrance(mine: str, other: str) -> None:
    scene = first(Scene(HAIRPIN, car("bo", other, 1), "ana", leader_dice=False), "ana", "bo")
    scene.state["drivers"]["ana"] |= {"space": mine, "on_track": False, "started": True}
    assert scene.forced("ana") != "E6"


def test_E6_and_is_put_back_when_the_other_has_left() -> None:
    scene = Scene(STRAIGHT, car("bo", "1.3.l", 1), car("ana", "1.3.r", 0, beside=True), leader_dice=False)
    scene.state["drivers"]["ana"]["space"] = "1.3.l"
    scene.turn("bo", "1:2.1.l", ".").turn("ana", "1:2.1.r", ".")
    assert scene.place("ana") == ("2.1.r", 1)


# E7


def test_E7_without_a_gear_die_the_driver_retires() -> None:
    """E7: at the end of the turn; the time is the slowest finisher's and a minute."""
    scene = Scene(
        ["202a", "204a", "203a"], car("ana", "2.2.l", 3), car("bo", "1.2.l", 3, damage={"gear": 5}), leader_dice=False
    )
    scene.turn("ana", "3:3.1.l 4:3.2.l", "..")
    assert scene.car("ana")["stage_time"] == 20
    scene.turn("bo", "3:1.3.l c:2.1.l c:2.2.l", "!!!", cards=["crash 1/1/2"], tokens=["gear"])
    bo = scene.car("bo")
    assert (bo["retired"], bo["finished"], bo["stage_time"]) == (True, False, 80)
    assert scene.next is None
    assert scene.finishes["bo"].measure is None
    assert rally.retirement_seconds([20], 60) == 80


def test_E7_its_time_is_open_while_others_drive() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.3.l", 3), car("bo", "1.2.r", 3, damage={"gear": 5}), leader_dice=False)
    scene.turn("ana", "3:2.1.l", ".").turn(
        "bo", "3:1.3.r c:2.1.r c:2.2.r", "!!!", cards=["crash 1/2/3"], tokens=["gear"]
    )
    assert scene.car("bo")["retired"]
    assert scene.car("bo")["stage_time"] is None
    assert scene.round == ["ana"]


def test_E7_nobody_finished_counts_the_cards_and_a_minute() -> None:
    """E7 (own)."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3, damage={"gear": 5}, tokens=4))
    scene.turn("ana", "c:1.3.l", ".").turn(
        "ana", "3:2.1.l c:2.2.l c:2.3.l", "!!!", cards=["crash 1/1/2"], tokens=["gear"]
    )
    assert scene.car("ana")["stage_time"] == 30 + 60 + 60
    assert rally.retirement_seconds([], 90) == 150


def test_E7_over_the_line_nobody_retires() -> None:
    """E7, F1: the sixth gear damage at the finish has no effect."""
    hurt = Scene(["202a", "204b", "203a"], car("ana", "2.1.l", 4, damage={"gear": 5}), last=False)
    hurt.turn("ana", "5:2.2.l^3.2.l", ".", cards=["crash 1/2/3"], tokens=["gear"])
    assert (hurt.car("ana")["finished"], hurt.car("ana")["retired"]) == (True, False)


def test_E7_a_driver_who_would_start_without_a_gear_die_retires_at_once() -> None:
    """E7 (own): the other drivers move up in the start."""
    scene = Scene(STRAIGHT, car("ana", damage={"gear": 6}), "bo")
    assert scene.car("ana")["retired"]
    assert scene.next == "bo"
    alone = Scene(STRAIGHT, car("ana", damage={"gear": 7}))
    assert alone.next is None
    assert alone.car("ana")["stage_time"] == 60
    assert alone.finishes["ana"].status == "retired"
    assert (alone.state["over"], alone.state["leader"], RULES.view(alone.state, None)["phase"]) == (True, None, "over")


# M9, M10


def test_M9_the_card_of_the_gear_it_was_blocked_in() -> None:
    scene = first(
        Scene(STRAIGHT, car("ana", "1.2.l", 4), car("bo", "1.3.l", 1), car("cy", "1.3.r", 1)), "ana", "bo", "cy"
    )
    assert scene.turn("ana", "").cards("ana") == [20]
    assert scene.place("ana") == ("1.2.l", 4)


def test_M9_a_blocked_car_is_put_back_on_the_track() -> None:
    scene = first(
        Scene(STRAIGHT, car("ana", "1.2.l", beside=True), car("bo", "1.3.l", 1), car("cy", "1.3.r", 1)),
        "ana",
        "bo",
        "cy",
    )
    scene.turn("ana", "")
    assert scene.car("ana")["on_track"]
    assert scene.cards("ana") == [60]


def test_M10_no_way_on_ends_in_gear_0() -> None:
    """M10: a ford ahead, gear 3, no coast die; in the next turn it is possible in gear 1."""
    scene = Scene(FORD, car("ana", "2.1.l", 3, damage={"coast": 2}))
    assert legal_moves.choices(scene.state, "ana", "").forced == "M10"
    scene.refuse("M4", "ana", "3:2.2.l")
    scene.turn("ana", "")
    assert scene.place("ana") == ("2.1.l", 0)
    assert scene.cards("ana") == [60]
    assert scene.turn("ana", "1:2.2.l", ".").place("ana") == ("2.2.l", 1)


def test_M10_a_car_that_began_in_gear_0_retires() -> None:
    """M10, E7: both ways through the bend are covered by mud and there is no shortcut."""
    scene = Scene(["202a", "214a", "203a"], car("ana", "2.1.l"), "bo", mud={2: {"bo": 2}})
    scene.turn("ana", "")
    ana = scene.car("ana")
    assert (ana["retired"], ana["cards"], ana["gear"]) == (True, [60], 0)
    assert scene.next == "bo"


def test_M10_a_car_in_gear_is_stopped_first() -> None:
    scene = Scene(["202a", "214a", "203a"], car("ana", "2.1.l", 2), "bo", mud={2: {"bo": 2}})
    scene.turn("ana", "")
    assert (scene.car("ana")["retired"], scene.place("ana")) == (False, ("2.1.l", 0))


def test_nothing_of_the_given_state_changes_on_an_error() -> None:
    """An order refused in the middle of a turn: the rolls before it are undone too."""
    worn().refuse("E4", "ana", "2:1.3.l", ".", spare=True)
    with pytest.raises(RuleError):
        Scene(STRAIGHT, "ana").turn("bo", "1:1.2.l")
