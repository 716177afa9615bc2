"""Whole stages driven at random: events fold into the state, play ends, an illegal order changes nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.chance import Seeded
from engine.dirt.fold import KINDS
from engine.ruleset import Event, RuleError, State
from tests.engine.scenes import HAIRPIN, RULES, Scene, car

LIBRARY = sorted(RULES.library())
MOST_ORDERS = 4000
"""More than any stage takes; who comes here does not end."""
NONSENSE: tuple[dict[str, Any], ...] = (
    {"do": "turn", "plan": "6:1.2.l"},
    {"do": "turn", "plan": "1:grid"},
    {"do": "lay", "plan": "1:99.1.l"},
    {"do": "relay", "plan": "1:1.2.l"},
    {"do": "spin"},
    {},
)


class Dice:
    """A driver who does anything legal, drawn from a seed; hasty ones plan long and roll flat out."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.haste = self.draw.choice((0.3, 0.6, 0.9))

    def orders(self, state: State, driver: str) -> dict[str, Any]:
        choices = RULES.choices(state, driver, "")
        if choices.phase == "plan":
            if choices.forced:
                return {"do": "turn", "plan": ""}
            roll = "flat out" if self.draw.random() < self.haste else "one by one"
            return {"do": "lay", "plan": self._plan(state, driver), "roll": roll}
        if choices.phase == "relay":
            return self._again(state, driver)
        do = self.draw.choice(choices.orders)
        if do == "sisu" and self.draw.random() < 0.8:
            do = choices.orders[0]
        if do == "secure" and (choices.facts["next_price"] or 99) > choices.facts["tokens"]:
            do = "roll"
        return {"do": do, "take": self.draw.random() < 0.5}

    def _again(self, state: State, driver: str) -> dict[str, Any]:
        """Any legal re-lay, found by trying; the codriver knows one in any case."""
        for _ in range(20):
            laid: list[str] = []
            while moves := RULES.choices(state, driver, " ".join(laid)).moves:
                choice = self.draw.choice(moves)
                laid.append(choice.text)
                if choice.loses:
                    return {"do": "relay", "plan": " ".join(laid)}
        return RULES.autopilot(state, driver)

    def _plan(self, state: State, driver: str) -> str:
        laid: list[str] = []
        while moves := RULES.choices(state, driver, " ".join(laid)).moves:
            laid.append(self.draw.choice(moves).text)
            if self.draw.random() > self.haste:
                break
        return " ".join(laid)


def driven(state: State, seed: int) -> Iterator[tuple[State, dict[str, Any], State, tuple[Event, ...]]]:
    """A stage to its end: before, orders, after, events of each order."""
    pilot = Dice(seed)
    chance = Seeded(seed.to_bytes(32, "big"))
    for _ in range(MOST_ORDERS):
        playing = RULES.to_play(state)
        if not playing:
            return
        orders = pilot.orders(state, playing[0])
        after, events = RULES.play(state, playing[0], orders, chance)
        yield state, orders, after, events
        state = after
    raise AssertionError("the stage does not end")


@given(
    road=st.sampled_from(LIBRARY),
    cars=st.integers(1, 6),
    seed=st.integers(0, 2**32),
    last=st.booleans(),
    flying_start=st.booleans(),
    redline=st.booleans(),
    sisu=st.sampled_from(["stage", "none"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_play_folds_and_ends(road: str, cars: int, seed: int, last: bool, **options: Any) -> None:
    """R, E, F: every state is the fold of its events, is plain JSON, and every driver finishes or retires."""
    scene = Scene(road, *(f"driver {number}" for number in range(cars)), last=last, **options)
    folded = scene.state
    for before, _, after, events in driven(scene.state, seed):
        kept = json.dumps(before, sort_keys=True)
        for event in events:
            assert event["kind"] in KINDS
            folded = RULES.apply(folded, json.loads(json.dumps(event)))
        assert json.loads(json.dumps(after)) == after == folded
        assert json.dumps(before, sort_keys=True) == kept
        scene.state = after
    for name, finish in scene.finishes.items():
        mine = scene.car(name)
        assert mine["finished"] != mine["retired"]
        assert mine["stage_time"] >= 0
        assert finish.retired == mine["retired"]
        assert finish.cards_seconds == sum(mine["cards"])


@given(road=st.sampled_from(LIBRARY), cars=st.integers(1, 4), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_an_illegal_order_changes_nothing(road: str, cars: int, seed: int) -> None:
    """Whatever is asked for, by whomever, at whichever moment of a stage: refused with a rule."""
    scene = Scene(road, *(f"driver {number}" for number in range(cars)))
    for number, (before, _, after, _) in enumerate(driven(scene.state, seed)):
        if number % 5 == 0:
            snapshot = deepcopy(before)
            for driver in [*before["drivers"], "nobody"]:
                for orders in NONSENSE:
                    with pytest.raises(RuleError) as refusal:
                        RULES.play(before, driver, orders, Seeded(bytes(32)))
                    assert refusal.value.rule
            assert before == snapshot
        scene.state = after
    assert RULES.to_play(scene.state) == ()


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_choices_are_what_may_be_laid(seed: int) -> None:
    """Every move that is offered may be laid; a die that is not offered on a next space may not."""
    draw = random.Random(seed)
    scene = Scene(draw.choice(LIBRARY), "ana", "bo", "cy")
    for before, _, _, _ in driven(scene.state, seed):
        if before["turn"] is None and draw.random() < 0.3:
            driver = RULES.to_play(before)[0]
            choices = RULES.choices(before, driver, "")
            offered = {choice.text for choice in choices.moves}
            assert bool(offered) != bool(choices.forced)
            if choices.forced:
                continue
            for text in offered:
                RULES.choices(before, driver, text)
            where = draw.choice(sorted(offered)).partition(":")[2]
            for other in ("1", "2", "3", "4", "5", "6", "c", "x", "1b", "4b"):
                if f"{other}:{where}" not in offered:
                    with pytest.raises(RuleError):
                        RULES.choices(before, driver, f"{other}:{where}")


def test_two_fast_cars_in_a_slide_with_a_shortcut_get_away() -> None:
    """M7 (own): each would else be held by the other for ever. Nobody waits for a car at its back."""
    scene = Scene(HAIRPIN, car("ana", "2.1.s2", 6), car("bo", "2.1.s1", 6), leader_dice=False)
    assert scene.forced("ana") is None
    for _, _, after, _ in driven(scene.state, 5):
        scene.state = after
    assert scene.next is None


def test_what_others_see_hides_decks_and_bag() -> None:
    scene = Scene("1/1", "ana", "bo")
    seen = RULES.view(scene.state, "bo")
    assert not {"decks", "bag"} & set(seen)
    assert seen["mine"] == "bo"
    assert RULES.view(scene.state, "nobody")["mine"] is None
