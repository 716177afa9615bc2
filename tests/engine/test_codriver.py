"""The careful driver whom the computer plays: legal, in control, and home in the end."""

from __future__ import annotations

from typing import Any

import pytest

from engine.chance import Seeded
from engine.dirt.codriver import plan_choice
from engine.dirt.moves import write_plan
from tests.engine.scenes import RULES, Scene, car


def plan_of(scene: Scene) -> str:
    """What the cautious codriver lays for Ana."""
    return write_plan([step.move for step in plan_choice(scene.state, "ana").plan])


def home(scene: Scene, seed: int) -> list[dict[str, Any]]:
    """Drive to the end; all events."""
    chance = Seeded(seed.to_bytes(32, "big"))
    events: list[dict[str, Any]] = []
    while scene.next:
        driver = scene.next
        scene.state, told = RULES.play(scene.state, driver, RULES.autopilot(scene.state, driver), chance)
        events += told
    return events


@pytest.mark.parametrize("road", ["1/1", "2/2", "5/1", "6/3"])
def test_it_brings_three_cars_home(road: str) -> None:
    scene = Scene(road, "ana", "bo", "cy")
    events = home(scene, 11)
    assert all(scene.car(name)["finished"] for name in ("ana", "bo", "cy"))
    assert {event["rule"] for event in events if event["kind"] == "loss"} <= {"R2"}


def test_it_lays_no_loss_of_control_where_there_is_another_way() -> None:
    scene = Scene(["202a", "210a", "203a"], car("ana", "1.3.l", 3))
    plan = plan_of(scene)
    assert scene.turn("ana", plan, "." * (plan.count(":") + plan.count("b"))).car("ana")["gear"] > 0


def test_it_stops_at_two_warnings() -> None:
    scene = Scene("1/1", "ana").order("ana", "lay", plan="1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2")
    scene.order("ana", "roll", "!")
    assert RULES.autopilot(scene.state, "ana") == {"do": "roll"}
    scene.order("ana", "roll", "!")
    assert RULES.autopilot(scene.state, "ana") == {"do": "stop"}


def test_it_takes_the_slowest_loss_where_there_is_no_other_way() -> None:
    scene = Scene(["202a", "210a", "203a"], car("ana", "1.3.l", 6))
    assert plan_of(scene).startswith("4b:")


def test_it_stands_where_it_must() -> None:
    scene = Scene(["202a", "206a", "203a"], car("bo", "1.3.l", 1), car("cy", "1.3.r", 1), car("ana", "1.2.l", 3))
    scene.state["queue"] = ["ana", "bo", "cy"]
    assert RULES.autopilot(scene.state, "ana") == {"do": "turn", "plan": ""}


def test_it_finishes_a_turn_that_somebody_else_began() -> None:
    """Lost flat out with a SISU token: it is used; without one the dice are laid again, out of the bend."""
    lost: dict[str, Any] = {"plan": "1:1.2.l 2:1.3.l c:2.1.o1", "roll": "flat out", "dice": "!!!"}
    lucky = Scene("1/1", "ana").order("ana", "lay", **lost)
    assert RULES.autopilot(lucky.state, "ana") == {"do": "sisu"}
    plain = Scene("1/1", "ana", sisu="none").order("ana", "lay", **lost)
    assert RULES.autopilot(plain.state, "ana")["do"] == "relay"
    plain.order("ana", **RULES.autopilot(plain.state, "ana"), cards=["spin"])
    assert plain.cards("ana") == [60]


def test_it_keeps_its_spare_wheel_and_its_token_where_they_do_not_help() -> None:
    worn = (
        Scene("1/1", car("ana", "1.2.l", 2, damage={"coast": 1}))
        .order("ana", "lay", plan="1:1.3.l")
        .order("ana", "roll", ".")
    )
    assert RULES.autopilot(worn.state, "ana") == {"do": "spare", "take": False}
    fast = Scene("1/1", car("ana", "1.3.l", 3)).order("ana", "lay", plan="3:2.1.o1", roll="flat out", dice="!")
    assert RULES.autopilot(fast.state, "ana")["do"] == "relay"
