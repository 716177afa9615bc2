"""F1, F2: the line, the last card, the stage time."""

from __future__ import annotations

from typing import Any

from tests.games.dirt.engine.scenes import BUMP_LAST, RULES, Scene, car

SPRINT: list[Any] = ["202a", "205a", "203a"]
"""Tile 3: a row, the finish line, two rows."""
LOST_AT_THE_LINE: dict[str, Any] = {"plan": "3:2.3.l c:3.1.l c:3.2.l", "dice": "!!!"}


def test_F1_the_first_space_behind_the_line_ends_the_stage() -> None:
    """F1: with the card of the gear that took the car there."""
    scene = Scene(SPRINT, car("ana", "2.3.l", 3)).turn("ana", "4:3.1.l 5:3.2.l", "..")
    ana = scene.car("ana")
    assert (ana["space"], ana["finished"], ana["cards"]) == ("3.2.l", True, [15])
    assert scene.next is None


def test_F1_nothing_is_laid_beyond_it() -> None:
    scene = Scene(SPRINT, car("ana", "2.3.l", 3))
    assert scene.refuse("F1", "ana", "4:3.1.l 5:3.2.l c:3.3.l").move == 3
    assert scene.legal("ana", "4:3.1.l 5:3.2.l") == set()


def test_F1_before_the_line_is_not_home() -> None:
    scene = Scene(SPRINT, car("ana", "2.3.l", 3)).turn("ana", "4:3.1.l 5:3.2.l", ".", stop_after=1)
    assert not scene.car("ana")["finished"]
    assert scene.next == "ana"


def test_F1_a_loss_behind_the_line_costs_the_front_of_the_card() -> None:
    """F1: on the last stage the back of the card does not count."""
    scene = Scene(SPRINT, car("ana", "2.2.l", 3)).turn("ana", **LOST_AT_THE_LINE)
    ana = scene.car("ana")
    assert (ana["finished"], ana["cards"], ana["gear"], ana["on_track"]) == (True, [30], 3, True)


def test_F1_its_damage_counts_when_another_stage_follows() -> None:
    """F1: by the back of that card and the colour of the tile (yellow here)."""
    crashed = Scene(SPRINT, car("ana", "2.2.l", 3), last=False)
    crashed.turn("ana", **LOST_AT_THE_LINE, cards=["crash 1/2/3"], tokens=["brake"])
    assert crashed.cards("ana") == [30]
    assert crashed.finishes["ana"].luggage["damage"]["brake"] == 1
    for back in ("spin", "sisu"):
        scene = Scene(SPRINT, car("ana", "2.2.l", 3), last=False).turn("ana", **LOST_AT_THE_LINE, cards=[back])
        assert scene.cards("ana") == [30]
        assert sum(scene.finishes["ana"].luggage["damage"].values()) == 0


def test_F1_a_loss_before_the_line_is_no_finish() -> None:
    """F1 (DE): although the plan crossed it."""
    scene = Scene(SPRINT, car("ana", "2.1.l", 3))
    scene.turn("ana", "3:2.2.l c:2.3.l c:3.1.l 4:3.2.l", "!!!", cards=["spin"])
    assert (scene.car("ana")["finished"], scene.place("ana")) == (False, ("3.1.l", 0))


def test_F1_flat_out_the_dice_are_laid_again_over_the_line() -> None:
    """F1, R6: the place of the loss decides; here it is over the line again."""
    plan: dict[str, Any] = {**LOST_AT_THE_LINE, "roll": "flat out"}
    home = Scene(SPRINT, car("ana", "2.2.l", 3)).turn("ana", **plan, relay="3:2.3.r c:3.1.r c:3.2.r")
    assert home.car("ana")["stage_time"] == 30 - 3


def test_F1_jumps_end_behind_the_line() -> None:
    """F1, M3: two spaces on, with a warning, is over the line and counts as a finish."""
    scene = Scene(BUMP_LAST, car("ana", "2.2.l", 4)).turn("ana", "4:2.3.l^3.2.r", "!")
    assert (scene.car("ana")["finished"], scene.cards("ana")) == (True, [20])
    short = Scene(BUMP_LAST, car("ana", "2.2.l", 4)).turn("ana", "3:2.3.l^3.1.r 4:3.2.r", "..")
    assert short.cards("ana") == [20]


def test_F1_a_flying_start_over_the_line() -> None:
    """F1, D7: its warning costs nothing."""
    scene = Scene(SPRINT, car("ana", "3.1.l")).turn("ana", "2:3.2.l", "!")
    assert (scene.car("ana")["finished"], scene.cards("ana")) == (True, [40])


def test_F2_time_cards_less_the_second_tokens_left() -> None:
    scene = Scene(SPRINT, car("ana", "2.1.l", 3, tokens=5))
    scene.turn("ana", "4:2.2.l c:2.3.l", ".", secure=[1]).turn("ana", "5:3.1.l 6:3.2.l", "..", roll="flat out")
    ana = scene.car("ana")
    assert (ana["cards"], ana["tokens"], ana["stage_time"]) == ([20, 10], 6, 24)


def test_F2_tokens_do_not_carry_over() -> None:
    scene = Scene(SPRINT, car("ana", "3.1.l", 3, tokens=5)).turn("ana", "4:3.2.l", ".")
    assert scene.finishes["ana"].measure == 15
    assert set(scene.finishes["ana"].luggage) == {"damage", "spare", "sisu"}


def test_F2_no_stage_time_falls_below_zero() -> None:
    """F2 (own): no card may cost less than a turn can earn with six gears and two coasts."""
    costs = [option for option in RULES.options if option.name.startswith("time_card") or "_seconds" in option.name]
    assert [option.least for option in costs] == [8] * 9


def test_the_stage_is_over_when_all_are_in() -> None:
    scene = Scene(SPRINT, car("ana", "3.1.l", 3), car("bo", "2.3.l", 3), leader_dice=False).turn("ana", "4:3.2.l", ".")
    assert scene.next == "bo"
    scene.turn("bo", "4:3.1.l 5:3.2.l", "..")
    assert {name: finish.measure for name, finish in scene.finishes.items()} == {"ana": 20, "bo": 15}
