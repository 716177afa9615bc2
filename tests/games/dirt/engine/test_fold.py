"""Whole stages driven at random: events fold into the state, play ends, an illegal order changes nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.chance import SeededChance
from engine.contract import Event, RuleError, State
from engine.dirt import legal_moves
from engine.dirt.facts import facts
from engine.dirt.fold import KINDS
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car, stage_of
from tests.random_examples import examples

LIBRARY = sorted(RULES.library())
MOST_ORDERS = 4000
"""More orders than any stage takes. A stage that reaches this number does not end."""
NONSENSE: tuple[dict[str, Any], ...] = (
    {"do": "turn", "plan": "6:1.2.l"},
    {"do": "turn", "plan": "1:grid"},
    {"do": "lay", "plan": "1:99.1.l"},
    {"do": "relay", "plan": "1:1.2.l"},
    {"do": "spin"},
    {},
)


class Dice:
    """A driver who plays any legal orders, drawn from a seed. Hasty ones make long plans and roll flat out.

    gives_up: the probability of retiring (E8) before each order.
    """

    def __init__(self, seed: int, gives_up: float = 0.0) -> None:
        self.draw = random.Random(seed)
        self.gives_up = gives_up
        self.haste = self.draw.choice((0.3, 0.6, 0.9))

    def orders(self, state: State, driver: str) -> dict[str, Any]:
        if self.gives_up and self.draw.random() < self.gives_up:
            return {"do": "retire"}
        choices = legal_moves.choices(state, driver, "")
        if choices.phase == "plan":
            if choices.forced:
                return {"do": "lay", "plan": ""}
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
        """Return any legal re-lay, found by trying. The codriver always knows one."""
        for _ in range(20):
            laid: list[str] = []
            while moves := legal_moves.choices(state, driver, " ".join(laid)).moves:
                choice = self.draw.choice(moves)
                laid.append(choice.text)
                if choice.loses:
                    return {"do": "relay", "plan": " ".join(laid)}
        return RULES.autopilot(state, driver)

    def _plan(self, state: State, driver: str) -> str:
        laid: list[str] = []
        while moves := legal_moves.choices(state, driver, " ".join(laid)).moves:
            laid.append(self.draw.choice(moves).text)
            if self.draw.random() > self.haste:
                break
        return " ".join(laid)


def driven(
    state: State, seed: int, gives_up: float = 0.0
) -> Iterator[tuple[State, dict[str, Any], State, tuple[Event, ...]]]:
    """Drive a stage to its end. Return for each order the state before, the order, the state after, and the events."""
    pilot = Dice(seed, gives_up)
    chance = SeededChance(seed.to_bytes(32, "big"))
    for _ in range(MOST_ORDERS):
        playing = RULES.to_play(state)
        if not playing:
            return
        orders = pilot.orders(state, playing[0])
        after, events = RULES.play(state, playing[0], orders, chance)
        yield state, orders, after, events
        state = after
    raise AssertionError("the stage does not end")


@pytest.mark.slow
@given(
    road=st.sampled_from(LIBRARY),
    cars=st.integers(1, 6),
    seed=st.integers(0, 2**32),
    last=st.booleans(),
    flying_start=st.booleans(),
    redline=st.booleans(),
    sisu=st.sampled_from(["stage", "none"]),
    gives_up=st.sampled_from([0.0, 0.05]),
)
@examples(60)
def test_random_play_folds_and_ends(
    road: str, cars: int, seed: int, last: bool, gives_up: float, **options: Any
) -> None:
    """R, E, F: every state is the fold of its events, is plain JSON, and every driver finishes or retires."""
    scene = Scene(road, *(f"driver {number}" for number in range(cars)), last=last, **options)
    folded = scene.state
    for before, _, after, events in driven(scene.state, seed, gives_up):
        kept, told_of = json.dumps(before, sort_keys=True), folded
        for event in events:
            assert event["kind"] in KINDS
            folded = RULES.apply(folded, json.loads(json.dumps(event)))
        assert json.loads(json.dumps(after)) == after == folded
        assert json.dumps(before, sort_keys=True) == json.dumps(told_of, sort_keys=True) == kept
        scene.state = after
    for name, finish in scene.finishes.items():
        mine = scene.car(name)
        assert mine["finished"] != mine["retired"]
        assert mine["stage_time"] >= 0
        assert (finish.status == "retired") == mine["retired"]
        assert finish.detail["cards_seconds"] == sum(mine["cards"]) + mine.get("given_up", 0)


@given(road=st.sampled_from(LIBRARY), cars=st.integers(1, 4), seed=st.integers(0, 2**32))
@examples(15)
def test_an_illegal_order_changes_nothing(road: str, cars: int, seed: int) -> None:
    """At any moment of a stage, any nonsense from any driver is refused with a rule."""
    scene = Scene(road, *(f"driver {number}" for number in range(cars)))
    for number, (before, _, after, _) in enumerate(driven(scene.state, seed)):
        if number % 5 == 0:
            snapshot = deepcopy(before)
            for driver in [*before["drivers"], "nobody"]:
                for orders in NONSENSE:
                    with pytest.raises(RuleError) as refusal:
                        RULES.play(before, driver, orders, SeededChance(bytes(32)))
                    assert refusal.value.rule
            assert before == snapshot
        scene.state = after
    assert RULES.to_play(scene.state) == ()


@given(seed=st.integers(0, 2**32))
@examples(8)
def test_the_choices_are_what_may_be_laid(seed: int) -> None:
    """Every offered move is legal. A die that is not offered for a next space is illegal."""
    draw = random.Random(seed)
    scene = Scene(draw.choice(LIBRARY), "ana", "bo", "cy")
    for before, _, _, _ in driven(scene.state, seed):
        if before["turn"] is None and draw.random() < 0.3:
            driver = RULES.to_play(before)[0]
            choices = legal_moves.choices(before, driver, "")
            offered = {choice.text for choice in choices.moves}
            assert bool(offered) != bool(choices.forced)
            if choices.forced:
                continue
            for text in offered:
                legal_moves.choices(before, driver, text)
            where = draw.choice(sorted(offered)).partition(":")[2]
            for other in ("1", "2", "3", "4", "5", "6", "c", "x", "1b", "4b"):
                if f"{other}:{where}" not in offered:
                    with pytest.raises(RuleError):
                        legal_moves.choices(before, driver, f"{other}:{where}")


def test_a_stage_before_its_first_turn() -> None:
    """The whole state is plain JSON. A stage is the last one of its rally unless the set-up says otherwise."""
    options = RULES.clean_options({})
    damaged = {"damage": {"gear": 1, "coast": 0, "brake": 0}, "spare": False, "sisu": True}
    entrants = [{"id": "ana", "car": damaged}, {"id": "bo", "car": RULES.new_luggage(options)}]
    state = RULES.setup(stage_of(STRAIGHT), entrants, options)
    full = facts()
    [token] = [token for token, left in state["bag"].items() if left < full.bag[token]]
    seat = {
        "space": "grid", "gear": 0, "on_track": True, "started": False, "turns": 0, "cards": [], "tokens": 0,
        "kept": [], "spare": True, "sisu": True, "finished": False, "retired": False, "stage_time": None,
    }  # fmt: skip
    assert token.startswith("gear/")
    assert state == {
        "game": "dirt",
        "version": RULES.version,
        "stage": {**stage_of(STRAIGHT), "last": True},
        "options": options,
        "starters": ["ana", "bo"],
        "round": 1,
        "queue": ["ana"],
        "leader": "ana",
        "drivers": {"ana": {**seat, "kept": [["gear", token]], "spare": False}, "bo": seat},
        "mud": {},
        "decks": {str(gear): dict(deck) for gear, deck in full.decks.items()},
        "bag": {**full.bag, token: full.bag[token] - 1},
        "turn": None,
        "over": False,
    }
    assert RULES.view(state, "ana") == {
        **{key: value for key, value in state.items() if key not in ("decks", "bag")},
        "phase": "plan",
        "damage": {"ana": damaged["damage"], "bo": {"gear": 0, "coast": 0, "brake": 0}},
        "mine": "ana",
    }


def after_each(before: State, events: list[Event]) -> list[State]:
    """Return the state after each of the events."""
    told = []
    for event in events:
        before = RULES.apply(before, event)
        told.append(before)
    return told


def test_the_half_made_turn_after_each_event_of_a_loss_flat_out() -> None:
    """R4, R6: after each event a viewer sees the dice first as they fell, then as they were laid again."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2))
    start = scene.state
    scene.order("ana", "lay", plan="3:1.3.l 4:2.1.l c:2.2.l", roll="flat out", dice="!!!")
    laid, thrown, lost = [state["turn"] for state in after_each(start, scene.events)]
    begun = {
        "driver": "ana", "plan": "3:1.3.l 4:2.1.l c:2.2.l", "roll": "flat out", "space": "1.2.l", "gear": 2,
        "damage": {"gear": 0, "coast": 0, "brake": 0}, "made": 0, "warnings": 0, "secured": 0, "faces": [],
        "sisu": False, "phase": "rolling", "rule": None,
    }  # fmt: skip
    assert laid == begun
    assert thrown == {**begun, "faces": [[True], [True], [True]], "warnings": 3}
    assert lost == {**thrown, "phase": "relay", "rule": "R2"}
    half, told = scene.state, len(scene.events)
    scene.order("ana", "relay", plan="c:1.3.l 3:2.1.l 4:2.2.l", cards=["spin"])
    again = after_each(half, scene.events[told:])[0]["turn"]
    assert again == {**thrown, "plan": "c:1.3.l 3:2.1.l 4:2.2.l"}


def test_the_half_made_turn_once_the_token_is_played() -> None:
    """R7: nothing is lost any more, the next dice are rolled."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2)).order("ana", "lay", plan="3:1.3.l 4:2.1.l c:2.2.l 5:2.3.l")
    for _move in range(3):
        scene.order("ana", "roll", "!")
    lost = scene.state["turn"]
    assert (lost["phase"], lost["rule"], lost["warnings"]) == ("lost", "R2", 3)
    scene.order("ana", "sisu")
    assert scene.state["turn"] == {**lost, "phase": "rolling", "rule": None, "sisu": True}


def test_two_fast_cars_in_a_slide_with_a_shortcut_get_away() -> None:
    """M7 (own): otherwise each would block the other for ever. No car waits for a car behind it."""
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
