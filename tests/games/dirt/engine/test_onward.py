"""What a page knows of the later moves of a turn, against the legal moves."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.dirt import legal_moves
from engine.dirt.onward import LaterMove, Onward, onward
from engine.dirt.plan import alongside, start, steps
from engine.dirt.table import road_for
from tests.games.dirt.engine.scenes import Scene, car

PLANS = 40


def may_be_laid(found: Onward, laid: list[str], move: LaterMove) -> bool:
    """Whether the dice for a move are left."""
    dice = [each.partition(":")[0] for each in [*laid, move.text]]
    gears = [die[0] for die in dice if die[0].isdigit()]
    brakes = sum(die.count("b") + die.count("x") for die in dice)
    return len(set(gears)) == len(gears) <= found.gears and dice.count("c") <= found.coasts and brakes <= found.brakes


@pytest.mark.parametrize("road", ["3/1", "1/2"])
@pytest.mark.parametrize("begins", [("grid", 0), ("2.1.l", 3), ("1.3.r", 6)])
def test_moves_of_a_lonely_car_are_the_legal_ones_whose_dice_are_left(road: str, begins: tuple[str, int]) -> None:
    damage: dict[str, Any] = {"gear": 1} if begins[1] == 6 else {}
    at, gear = begins
    state = Scene(road, car("Ana", at if gear else None, gear, damage=damage)).state
    found = onward(state, "Ana")
    assert found is not None
    chance, seen = Random(road), 0
    for _plan in range(PLANS):
        laid: list[str] = []
        place = (found.space, found.gear)
        while legal := {move.text: move for move in legal_moves.choices(state, "Ana", " ".join(laid)).moves}:
            known = {move.text: move for move in found.moves.get(place, ()) if may_be_laid(found, laid, move)}
            assert {text: bool(move.loses) for text, move in legal.items()} == {
                text: move.loses for text, move in known.items()
            }
            text = chance.choice(sorted(legal))
            laid.append(text)
            place = (known[text].to, legal[text].gear)
            seen += 1
    assert seen > PLANS


@pytest.mark.parametrize(
    "others", [{}, {"Bo": ("2.1.l", 3), "Cy": ("2.2.r", 2)}, {"Bo": ("1.3.l", 1)}, {"Bo": ("3.2.i1", 4)}]
)
def test_with_other_cars_each_place_has_the_moves_of_a_car_there(others: dict[str, tuple[str, int]]) -> None:
    """M6 to M9, whether what is known of the empty road was asked for before or not."""
    rivals = [car(name, *where) for name, where in others.items()]
    state = Scene("3/1", car("Ana", "1.2.l", 3), *rivals).state
    state["queue"] = ["Ana"]
    found = onward(state, "Ana")
    assert found is not None
    road = road_for(state, "Ana")
    at = start(road, road.track.index["1.2.l"], 3, {})
    for (name, gear), moves in found.moves.items():
        space = road.track.index[name]
        legal = steps(road, at._replace(space=space, gear=gear, met=alongside(road, space)))
        assert [(each.text, each.to, each.loses) for each in moves] == [
            (str(step.move), road.track.spaces[step.after.space].name, bool(step.after.loss)) for step in legal
        ]
    assert len(found.moves) > 5


def test_nothing_is_offered_where_nothing_can_be_laid() -> None:
    scene = Scene(["202a", "206a", "205a", "203a"], "Ana", "Bo")
    assert onward(scene.state, "Bo") is None
    scene.order("Ana", "lay", plan="1:1.2.l", roll="one by one", sisu=False)
    assert onward(scene.state, "Ana") is None
