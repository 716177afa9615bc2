"""The codrivers: legal, they finish, and each has its own temper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.chance import SeededChance
from engine.contract import GameError
from engine.dirt import legal_moves
from engine.dirt.codriver.decisions import NAMES, plan_choice
from engine.dirt.codriver.value import Outlook, value_of
from engine.dirt.moves import write_plan
from engine.dirt.road import limits_under_mud
from engine.dirt.turn import AT_ONCE
from tests.games.dirt.engine.scenes import BUMP_BEND, HAIRPIN, RULES, STRAIGHT, Scene, car, track_of

ALL = pytest.mark.parametrize("codriver", NAMES)


def plan_of(scene: Scene, codriver: str = "cautious") -> str:
    """Return a codriver's plan for Ana."""
    return write_plan([step.move for step in plan_choice(scene.state, "ana", codriver).plan])


def next_orders(scene: Scene, codriver: str = "cautious") -> dict[str, Any]:
    """Return a codriver's next orders for Ana."""
    return RULES.autopilot(scene.state, "ana", codriver)


def home(scene: Scene, seed: int, codriver: str = "cautious") -> list[dict[str, Any]]:
    """Drive to the end. Return all events."""
    chance = SeededChance(seed.to_bytes(32, "big"))
    events: list[dict[str, Any]] = []
    while scene.next:
        driver = scene.next
        scene.state, told = RULES.play(scene.state, driver, RULES.autopilot(scene.state, driver, codriver), chance)
        events += told
        assert len(events) < 2000, "the stage does not end"
    return events


# To the finish ------------------------------------------------------------------------------------


@pytest.mark.parametrize("road", ["1/1", "5/1", "6/3"])
def test_the_cautious_one_brings_three_cars_home(road: str) -> None:
    scene = Scene(road, "ana", "bo", "cy")
    home(scene, 11)
    assert all(scene.car(name)["finished"] for name in ("ana", "bo", "cy"))


@pytest.mark.slow
@ALL
def test_four_cars_reach_the_end_through_damage_and_mud(codriver: str) -> None:
    """All orders are legal and accepted by the engine, whatever shortcuts, crashes and the other cars do."""
    scene = Scene(
        "5/3",
        car("ana", damage={"gear": 3, "coast": 2}),
        car("bo", damage={"brake": 1}, sisu=False, spare=False),
        car("cy", damage={"gear": 4}),
        "dee",
        last=False,
        mud={3: {"eve": 1}, 6: {"eve": 2}},
    )
    home(scene, 5, codriver)
    assert set(scene.finishes) == {"ana", "bo", "cy", "dee"}


@pytest.mark.parametrize(("codriver", "wheel"), [("cautious", "gear"), ("bold", "coast")])
def test_it_drives_without_options_too(codriver: str, wheel: str) -> None:
    plain = {"flying_start": False, "redline": False, "leader_dice": False, "sisu": "none"}
    scene = Scene("2/3", car("ana", damage={"coast": 1, "gear": 1}), "bo", spare_repairs=wheel, **plain)
    home(scene, 3, codriver)
    assert scene.finishes["bo"].measure is not None


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("seconds", [8, 3600])
def test_it_drives_with_the_cheapest_and_the_dearest_cards(codriver: str, seconds: int) -> None:
    cards = {f"time_card_{gear}": seconds for gear in range(1, 7)}
    scene = Scene("4/1", "ana", loss_seconds=seconds, sisu_seconds=seconds, spare_seconds=seconds, **cards)
    home(scene, 3, codriver)
    assert 0 < scene.car("ana")["turns"] < (30 if codriver == "novice" else 12)


def test_the_same_state_brings_the_same_orders() -> None:
    first, second = Scene("1/3", "ana", "bo"), Scene("1/3", "ana", "bo")
    assert home(first, 8, "bold") == home(second, 8, "bold")


def test_nobody_is_called_like_that() -> None:
    with pytest.raises(GameError, match="bold"):
        next_orders(Scene("1/1", "ana"), "fearless")


# Plans --------------------------------------------------------------------------------------------


@ALL
def test_it_lays_no_loss_of_control_where_there_is_another_way(codriver: str) -> None:
    scene = Scene(["202a", "210a", "203a"], car("ana", "1.3.l", 3))
    plan = plan_of(scene, codriver)
    assert scene.turn("ana", plan, "." * (plan.count(":") + plan.count("b"))).car("ana")["gear"] > 0


@ALL
def test_where_there_is_no_other_way_it_lays_a_legal_loss(codriver: str) -> None:
    scene = Scene(["202a", "210a", "203a"], car("ana", "1.3.l", 6))
    assert plan_of(scene, codriver) in scene.legal("ana")


def test_two_dice_are_always_rolled_flat_out_and_many_only_by_the_daring() -> None:
    """Two warnings lose nothing, and the seconds are free (R4)."""
    near = Scene("1/1", car("ana", "10.1.l", 3), sisu="none")
    assert all(plan_choice(near.state, "ana", codriver).roll == "flat out" for codriver in NAMES)
    far = Scene("1/1", "ana", sisu="none")
    assert plan_choice(far.state, "ana", "cautious").roll == "one by one"
    assert plan_choice(far.state, "ana", "bold").roll == "flat out"


def test_with_a_sisu_token_the_club_codriver_goes_flat_out_where_it_else_does_not() -> None:
    lucky, plain = Scene("3/2", "ana"), Scene("3/2", "ana", sisu="none")
    assert plan_choice(lucky.state, "ana", "club").roll == "flat out"
    assert len(plan_choice(lucky.state, "ana", "club").plan) >= len(plan_choice(plain.state, "ana", "club").plan)


def test_it_passes_no_car_in_a_bend() -> None:
    scene = Scene(HAIRPIN, car("bo", "2.2.o2", 1), car("ana", "2.1.l", 1))
    scene.state["queue"] = ["ana", "bo"]
    for codriver in NAMES:
        plan = plan_of(scene, codriver).split()
        assert plan[0] in scene.legal("ana")
        assert not any(":2.2.i" in move for move in plan)


@pytest.mark.parametrize(
    ("cars", "rule"),
    [
        ((car("bo", "1.3.l", 1), car("cy", "1.3.r", 1), car("ana", "1.2.l", 3)), "M9"),
        ((car("bo", "1.3.l", 1), car("ana", "1.2.l", 0, beside=True)), None),
    ],
    ids=["blocked", "free"],
)
def test_the_codriver_sends_an_empty_plan_only_when_forced(cars: tuple[Any, ...], rule: str | None) -> None:
    scene = Scene(STRAIGHT, *cars)
    scene.state["queue"] = ["ana", "bo"]
    assert scene.forced("ana") == rule
    assert (next_orders(scene) == {"do": "lay", "plan": ""}) == (rule is not None)


def test_it_waits_for_the_space_its_car_is_put_back_on() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 0, beside=True), "bo")
    scene.state["drivers"]["bo"].update(space="1.2.l", gear=1, started=True)
    scene.state["queue"] = ["ana", "bo"]
    assert next_orders(scene) == {"do": "lay", "plan": ""}
    assert scene.order("ana", **next_orders(scene)).cards("ana") == [60]


# Turns that a person began ------------------------------------------------------------------------


def test_it_stops_at_two_warnings() -> None:
    scene = Scene("1/1", "ana", sisu="none").order("ana", "lay", plan="1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2")
    scene.order("ana", "roll", "!")
    assert next_orders(scene) == {"do": "roll"}
    scene.order("ana", "roll", "!")
    assert next_orders(scene) == {"do": "stop"}


def test_it_secures_rather_than_rolls_at_two_warnings_when_it_has_tokens() -> None:
    """Two warnings in gear 2: for one second the car continues."""
    scene = Scene("1/1", car("ana", "grid", tokens=8), sisu="none")
    scene.order("ana", "lay", plan="1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2")
    scene.order("ana", "roll", "!").order("ana", "roll", "!")
    assert next_orders(scene, "club") == {"do": "secure"}


def test_with_the_token_in_use_it_drives_the_plan_to_its_end() -> None:
    scene = Scene("1/1", "ana").order("ana", "lay", plan="1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2", sisu=AT_ONCE)
    for _move in range(4):
        assert next_orders(scene) == {"do": "roll"}
        scene.order("ana", "roll", "!")
    assert scene.place("ana") == ("2.1.o2", 2)


def test_it_finishes_a_turn_lost_flat_out() -> None:
    """With a SISU token it is used; without one the dice are laid again."""
    lost: dict[str, Any] = {"plan": "1:1.2.l 2:1.3.l c:2.1.o1", "roll": "flat out", "dice": "!!!"}
    lucky = Scene("1/1", "ana").order("ana", "lay", **lost)
    assert next_orders(lucky) == {"do": "sisu"}
    plain = Scene("1/1", "ana", sisu="none").order("ana", "lay", **lost)
    again = next_orders(plain)
    assert again["do"] == "relay"
    plain.order("ana", **again, cards=["spin"])
    assert plain.cards("ana") == [60]


@ALL
@pytest.mark.parametrize("dice", ["!!!!!!", "..!!.!", "!.!..!"])
def test_a_relay_is_legal_whatever_the_dice_show(codriver: str, dice: str) -> None:
    plan = "1:1.2.l 2:1.3.l 3:2.1.s1 c:2.1.s2 c:3.1.l 4:3.2.l"
    scene = Scene(["202a", "217a", "205a", "203a"], "ana", sisu="none")
    legal = " ".join(_legal_line(scene, plan.split()))
    scene.order("ana", "lay", plan=legal, roll="flat out", dice=dice[: len(legal.split())])
    if scene.state["turn"] is None:
        return
    again = next_orders(scene, codriver)
    assert again["do"] == "relay"
    scene.order("ana", **again, cards=["spin"])
    assert scene.car("ana")["gear"] == 0


@ALL
def test_a_relay_does_not_end_with_a_jump_that_went_well(codriver: str) -> None:
    """R6, M3: the gear 4 die shows no warning, so over a bump of 3 it loses nothing; coasting in gear 5 does."""
    scene = Scene(["202a", "220b", "205a", "203a"], car("ana", "2.3.i2", 5, sisu=False), last=False)
    plan = "4:2.4.r^3.1.l c:3.2.r 3:3.3.r 1b:4.1.r"
    scene.order("ana", "lay", plan=plan, roll="flat out", dice=".!!.!")
    again = next_orders(scene, codriver)
    assert again["plan"] != "4:2.4.l^3.1.l"
    assert scene.order("ana", **again, cards=["spin"]).cards("ana") == [60]


@pytest.mark.parametrize(
    ("plan", "dice"),
    [
        ("1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2", "!!!!"),
        ("1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2", "!.!!"),
        ("1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2", ".!!!"),
        ("2:1.2.l 1:1.3.l c:2.1.o1 c:2.1.o2", ".!!!"),
        ("2:1.2.l 3:1.3.l 4:2.1.i1", "..."),
        ("2:1.2.l 3:1.3.l 4:2.1.o1", "..!"),
    ],
    ids=["all warn", "the second is clear", "the first is clear", "flying start", "a limit", "a limit and a warning"],
)
def test_the_relay_is_the_one_that_costs_least(plan: str, dice: str) -> None:
    """No other re-lay ends at a space from where the rest of the stage is expected to take less time."""
    scene = Scene("1/1", "ana", sisu="none")
    scene.order("ana", "lay", plan=plan, roll="flat out", dice=dice)
    value = value_of(*_undamaged(scene), "club")
    worth = {plan: value.loss(end, gear, has_sisu=False) for plan, end, gear in _relays(scene)}
    assert len(worth) > 1
    assert worth[next_orders(scene, "club")["plan"]] == min(worth.values())


def _undamaged(scene: Scene) -> tuple[Any, Any, Outlook]:
    track = track_of("1/1")
    outlook = Outlook((60, 50, 40, 30, 20, 15, 10), 10, 6, 2, 1, 2, False, False, True, True)
    return track, limits_under_mud(track, {}), outlook


def _relays(scene: Scene, laid: str = "") -> Iterator[tuple[str, int, int]]:
    """Return every legal re-lay with the space and the gear in which it ends."""
    for choice in legal_moves.choices(scene.state, "ana", laid).moves:
        plan = f"{laid} {choice.text}".strip()
        if choice.loses:
            yield plan, track_of("1/1").index[choice.to], choice.gear
        yield from _relays(scene, plan)


def _legal_line(scene: Scene, wanted: list[str]) -> list[str]:
    """Return moves with the given dice, each the first legal one."""
    laid: list[str] = []
    for move in wanted:
        die = move.split(":")[0]
        ways = sorted(way for way in scene.legal("ana", " ".join(laid)) if way.startswith(f"{die}:"))
        if not ways:
            break
        laid.append(ways[0])
    return laid


def test_it_keeps_its_spare_wheel_and_its_token_where_they_do_not_help() -> None:
    worn = (
        Scene("1/1", car("ana", "1.2.l", 2, damage={"coast": 1}))
        .order("ana", "lay", plan="1:1.3.l")
        .order("ana", "roll", ".")
    )
    assert next_orders(worn) == {"do": "spare", "take": False}
    fast = Scene("1/1", car("ana", "1.3.l", 3)).order("ana", "lay", plan="3:2.1.o1", roll="flat out", dice="!")
    assert next_orders(fast)["do"] == "relay"


def test_it_takes_the_spare_wheel_where_it_costs_next_to_nothing() -> None:
    scene = Scene(BUMP_BEND, car("ana", "1.2.l", 2, damage={"coast": 1}), spare_seconds=8, time_card_1=300)
    scene.order("ana", "lay", plan="1:1.3.l").order("ana", "roll", ".")
    assert next_orders(scene) == {"do": "spare", "take": True}


@pytest.mark.parametrize("wheel", ["card", "online"])
def test_it_slows_down_to_gear_one_for_a_spare_wheel_that_pays(wheel: str) -> None:
    scene = Scene("1/1", car("ana", "1.1.l", 3, damage={"coast": 1}), spare_wheel=wheel)
    last = plan_choice(scene.state, "ana", "club").plan[-1]
    assert (last.after.gear == 1) == (wheel == "online")


def test_a_lost_turn_is_saved_one_by_one() -> None:
    """Three warnings in a bend: the token is used, and the turn continues."""
    scene = Scene("1/1", "ana").order("ana", "lay", plan="1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2")
    for _move in range(3):
        scene.order("ana", "roll", "!")
    assert next_orders(scene) == {"do": "sisu"}
    assert next_orders(scene.order("ana", "sisu")) == {"do": "roll"}
