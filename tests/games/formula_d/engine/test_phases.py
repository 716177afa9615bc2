"""A turn phase by phase: what is due, what is refused, what is skipped, and retiring in the middle."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import Json, RuleError, State
from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.scene import car, spaces
from tests.games.formula_d.engine.test_game import Dice, in_the_box, under_way

PAIR = [car("ana", "S2.1.2", 4, lap=2), car("bo", "S2.1.10", 4, lap=1)]
ROUND = spaces("S2.2.10-11 S2.1.11")


def refusal(state: State, seat: str, orders: dict[str, Json]) -> tuple[str, str]:
    """Return the rule that refuses the orders, and the text. No die is rolled."""
    with pytest.raises(RuleError) as refused:
        GAME.play(state, seat, orders, Dice())
    return refused.value.rule, refused.value.message


def behind_bo(**more: Any) -> State:
    """Return Ana directly behind bo after its movement. It may follow in bo's slipstream (S1)."""
    state = under_way({**PAIR[0], **more}, PAIR[1], laps=3, tyres=bool(more))
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 4}, Dice(0))
    return GAME.play(state, "ana", {"do": "move", "path": spaces("S2.1.3-9")}, Dice())[0]


def test_o1_a_seat_out_of_turn_is_refused() -> None:
    orders = {"do": "gear", "gear": 4}
    assert refusal(under_way(*PAIR, laps=3), "bo", orders) == ("O1", "it is not this car's turn")


@pytest.mark.parametrize(
    ("orders", "due"),
    [
        ([], "first choose the gear"),
        ([{"do": "gear", "gear": 4}], "first choose the movement"),
        (
            [{"do": "gear", "gear": 4}, {"do": "move", "path": spaces("S2.1.3-9")}],
            "first follow in the slipstream, or pass",
        ),
    ],
)
def test_a1_the_refusal_of_an_order_for_another_step_names_the_one_that_is_due(
    orders: list[dict[str, Json]], due: str
) -> None:
    state = under_way(*PAIR, laps=3)
    for each in orders:
        state, _ = GAME.play(state, "ana", each, Dice(0))
    assert refusal(state, "ana", {"do": "out", "path": []}) == ("A1", due)


def test_a1_in_the_box_the_decisions_are_due_and_then_the_way_out() -> None:
    state = in_the_box()
    assert refusal(state, "ana", {"do": "gear", "gear": 1}) == ("A1", "first make the decisions in the box")
    state, _ = GAME.play(state, "ana", {"do": "pit", "tyres": "soft"}, Dice(9))
    assert refusal(state, "ana", {"do": "gear", "gear": 1}) == ("A1", "first choose the way out of the box")


def test_s2_a_slipstream_is_driven_as_it_is_ordered() -> None:
    state, events = GAME.play(behind_bo(), "ana", {"do": "slip", "path": ROUND}, Dice(19, 19))
    assert {"kind": "slip", "seat": "ana", "spaces": 3} in events
    assert state["cars"]["ana"]["space"] == "S2.1.11"
    assert refusal(behind_bo(), "ana", {"do": "slip"}) == ("S2", "a slipstream drives one space at least")


def test_s7_a_bonus_that_was_kept_goes_with_a_slipstream() -> None:
    state = behind_bo(tyres="soft", age=1)
    (more,) = {state["turn"]["bonus"]}
    path = [*ROUND, *spaces(f"S2.1.12-{11 + more}")]
    after, events = GAME.play(state, "ana", {"do": "slip", "path": path, "bonus": True}, Dice(19, 19))
    assert {"kind": "bonus", "seat": "ana", "number": more} in events
    assert after["cars"]["ana"]["space"] == f"S2.1.{11 + more}"
    assert refusal(behind_bo(), "ana", {"do": "slip", "path": ROUND, "bonus": True})[0] == "S7"


def test_p7_a_box_without_a_choice_is_passed_over_and_the_way_out_is_asked_for() -> None:
    """Neither tyres nor a technical stop: the pit die is rolled at once. The driver must confirm even a single way out,
    because the car moves.
    """
    state = under_way(car("ana", "S7.3.3", 3, box="E1", lap=1), laps=2)
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(7))
    path = ["P.0.0", "P.0.1", "P.0.2", "PITE1"]
    state, events = GAME.play(state, "ana", {"do": "move", "path": path}, Dice(9))
    assert [event["result"] for event in events if event["kind"] == "pit"] == ["fast"]
    assert (GAME.phase(state, "ana"), len(GAME.choices(state, "ana").ways)) == ("out", 1)


def test_p5_p7_a_car_held_up_in_the_box_chooses_no_way_out() -> None:
    wishes: dict[str, Any] = {"laps": 2, "tyres": True}
    cars = [car("ana", "S7.3.3", 3, box="E1", lap=1), car("bo", "S5.1.0", 3, box="A1", lap=1)]
    state, _ = GAME.play(under_way(*cars, **wishes), "ana", {"do": "gear", "gear": 3}, Dice(7))
    path = ["P.0.0", "P.0.1", "P.0.2", "PITE1"]
    state, _ = GAME.play(state, "ana", {"do": "move", "path": path}, Dice())
    state["cars"]["bo"]["space"] = "P.0.2"
    state, events = GAME.play(state, "ana", {"do": "pit", "tyres": "soft"}, Dice(9))
    assert [event["result"] for event in events if event["kind"] == "pit"] == ["fast"]
    assert (state["cars"]["ana"]["space"], GAME.turns_made(state, "ana")) == ("PITE1", 1)
    assert GAME.to_play(state) == ("bo",)


def test_o1_a_driver_decides_once_in_the_garage() -> None:
    state = GAME.setup("monza", [{"id": "ana"}, {"id": "bo"}], {"tyres": True})
    state, _ = GAME.begin(state, Dice(19, 19))
    state, _ = GAME.play(state, "ana", {"do": "garage", "tyres": "soft"}, Dice())
    orders = {"do": "garage", "tyres": "hard"}
    assert refusal(state, "ana", orders) == ("O1", "there is nothing to decide in the garage")


def test_r2_e1_after_a_straining_gear_die_the_others_roll_even_if_the_driver_resigns() -> None:
    """The engine dice that the gear die has caused are rolled (A4), the collision dice are not."""
    cars = [car("ana", "S2.1.1", 5, lap=1), car("bo", "S5.1.0", 5, lap=0)]
    state = under_way(*cars)
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 5}, Dice(19))
    assert state["turn"]["strain"]
    chance = Dice(19)
    state, events = GAME.play(state, "ana", GAME.resign(state, "ana"), chance)
    assert chance.asked == [("bo 1 engine", 20)]
    out, engine, done = events[:3]
    assert (out["rule"], out["why"], out["stays"]) == ("R2", "resigned", False)
    assert engine == {"kind": "engine", "seat": "bo", "die": 20}
    assert done == {"kind": "done", "seat": "ana", "points": 0}
    assert state["cars"]["ana"]["space"] is None and GAME.to_play(state) == ("bo",)


def test_r2_resigning_in_the_own_turn_ends_it_and_affects_nobody_else() -> None:
    state = under_way(*PAIR, laps=3)
    state, events = GAME.play(state, "ana", GAME.resign(state, "ana"), Dice())
    out, done = events[:2]
    assert (out["rule"], out["why"], out["stays"]) == ("R2", "resigned", False)
    assert done == {"kind": "done", "seat": "ana", "points": 0}
    assert refusal(state, "ana", GAME.resign(state, "ana")) == ("R2", "the car races no more")


def test_r2_resigning_out_of_turn_is_not_a_turn_even_if_another_car_strains() -> None:
    cars = [car("ana", "S2.1.1", 5, lap=1), car("bo", "S5.1.0", 5, lap=0)]
    state, _ = GAME.play(under_way(*cars), "ana", {"do": "gear", "gear": 5}, Dice(19))
    state, events = GAME.play(state, "bo", GAME.resign(state, "bo"), Dice())
    assert [event["kind"] for event in events] == ["out"]
    assert (GAME.turns_made(state, "bo"), GAME.phase(state, "ana")) == (0, "move")


@pytest.mark.parametrize("slips", [[3], ["S2.2.10"], 3, {"path": []}, [None]])
def test_s2_a_slipstream_that_is_none_is_refused_in_a_whole_turn(slips: Json) -> None:
    orders = {"gear": 4, "path": spaces("S2.1.3-9"), "slip": slips}
    with pytest.raises(RuleError) as refused:
        GAME.play_recorded(under_way(*PAIR, laps=3), "ana", orders, Dice(0))
    assert refused.value.rule == "S2"
