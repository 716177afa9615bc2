"""Turns of the last round as questions: values are those of the rules, and no plan without draws is better."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any, cast

import pytest

from engine.chance import SeededChance
from engine.contract import RuleError, State
from engine.dust import choices, puzzles
from engine.dust.game import game
from engine.dust.last_round.endings import played_out
from engine.dust.last_round.search import PlanSearch
from engine.dust.state import Table
from engine.dust.turn import stepping, steps
from engine.dust.turn.step_context import NoChance, Turn
from engine.puzzles import is_solved, loss

ORDERS = {"do": "steps"}


def table(me: dict[str, Any], *, stage: str = "oldtown", other: dict[str, Any] | None = None) -> State:
    """The last round of a stage for two drivers. The dice of the first one lie, and the second has not begun."""
    rules = game()
    course = rules.read_course(rules.library()[stage])
    state = rules.setup(course, [{"id": "1", "character": "harry"}, {"id": "2", "character": "aiko"}], {})
    drivers = {
        "1": {**state["drivers"]["1"], "phase": "drive", "deck": [], **me},
        "2": {**state["drivers"]["2"], **(other or {})},
    }
    return {**state, "round": state["cards"], "drivers": drivers, "opened": drivers}


def worth(state: State, *plan: str) -> int:
    """What a plan is worth, in points."""
    return puzzles.weighed(state, "1", {**ORDERS, "steps": list(plan)}).value // 100


def by_hand() -> State:
    """Card 10 costs 5, moves the car right by one, and gives 2 speed points on grey. The die 4 can use `ready`."""
    return table(
        {
            "dice": ["p4"],
            "hand": [],
            "board": {"4": {"card": "ready", "covered": False, "used": False}},
            "traction": 4,
            "keys": 1,
            "space": "A2",
        }
    )


def test_a_last_round_whose_best_plan_can_be_argued() -> None:
    """The card gives the traction that the marker needs (N1), whose order ends on the grey centre (M2): 2 points at
    once and 4 in the assessment (V2). Nobody has popularity (F3). Two keys buy Service Park, an end point (B1, F2).
    """
    state = by_hand()
    question = puzzles.question(state, "1")
    assert question is not None
    assert question.best.value == 700
    assert worth(state, "use 4 p", "do 1", "do 2", "done", "place 10", "do 1", "buy service-park", "end") == 7
    assert worth(state, "use 4 p", "do 1", "do 2", "done", "place 10", "do 1") == 6, (
        "the turn ends where the plan ends (P10)"
    )
    assert worth(state, "use 4 p", "do 1", "do 2", "done", "place 10") == 4, "an open card is closed (P6)"
    assert worth(state, "end") == 0, "no marker, nothing (V3)"
    assert is_solved(question, question.best.value, puzzles.SCALE)


def test_the_others_count_as_they_stood_when_the_round_opened() -> None:
    state = table({"dice": [], "hand": [], "board": {}, "popularity": 4}, other={"popularity": 3, "space": "A1"})
    assert worth(state, "end") == 3, "the most popularity (F3)"
    marked = {"popularity": 3, "space": "A1", "markers": {"10": 1}}
    state = table({"dice": [], "hand": [], "board": {}, "popularity": 4}, other=marked)
    assert worth(state, "end") == 1, "their marker gives 5 popularity before (V2)"
    now = {**state, "drivers": {**state["drivers"], "2": {**state["drivers"]["2"], "popularity": 15}}}
    assert worth(now, "end") == 1, "what they have done since is sealed (S3)"


@pytest.mark.parametrize(
    ("orders", "rule"),
    [
        ({"do": "resign"}, "F1"),
        ({"do": "steps", "steps": []}, "S8"),
        ({"do": "steps", "steps": [7]}, "S8"),
        ({"do": "steps", "steps": ["use 3 p"]}, "P3"),
        ({"do": "steps", "steps": ["place 9"]}, "N1"),
        ({"do": "steps", "steps": ["end", "end"]}, "S2"),
        ({"do": "steps", "steps": ["risk", "end"]}, "S9"),
    ],
)
def test_what_is_illegal_or_draws_is_refused(orders: dict[str, Any], rule: str) -> None:
    with pytest.raises(RuleError) as refused:
        puzzles.weighed(by_hand(), "1", orders)
    assert refused.value.rule == rule


def test_only_a_turn_of_the_last_round_that_begins_is_asked() -> None:
    state = by_hand()
    assert puzzles.question({**state, "round": 9}, "1") is None
    assert puzzles.question(state, "2") is None, "it has not rolled"
    begun = stepping.carry_out(cast(Table, state), "1", "use 4 p", puzzles._turn(cast(Table, state), "1").cards, None)
    assert puzzles.question(cast(State, begun.table), "1") is None
    assert game().puzzle_version == puzzles.VERSION and game().prepared(state, "1") is None


# Counted in another way --------------------------------------------------------------------------


def brute(turn: Turn, seen: dict[str, int]) -> int:
    """The points of the best plan that draws nothing, by every legal step in every position."""
    key = json.dumps([turn.me, turn.ghost], sort_keys=True)
    if key not in seen:
        seen[key] = -1
        here = {**turn.table, "drivers": {**turn.table["drivers"], turn.name: turn.me}, "ghost": turn.ghost}
        for step in choices.choices(cast(Table, here), turn.name, turn.cards):
            tried = turn.fork()
            try:
                stepping.act(tried, *steps.read(step))
            except NoChance:
                continue
            found = played_out(tried) if step == steps.END else brute(tried, seen)
            seen[key] = max(seen[key], found)
    return seen[key]


def small_turn(number: int) -> State:
    """A small turn of a last round, at random."""
    pick = random.Random(f"small turn {number}")
    names = sorted(
        name for name, card in puzzles._turn(cast(Table, by_hand()), "1").cards.cards.items() if card.effects
    )
    cards = pick.sample(names, 3)
    laid = {slot: {"card": card, "covered": False, "used": False} for slot, card in zip("43", cards[1:], strict=True)}
    return table(
        {
            "dice": sorted(pick.choice(("p3", "p4", "b4", "f2")) for _ in range(1 + (number % 4 == 0))),
            "hand": cards[:1],
            "board": laid,
            "traction": pick.choice((0, 1, 4, 6)),
            "keys": pick.choice((0, 1, 2)),
            "popularity": pick.choice((0, 3, 4)),
            "risk": pick.choice((0, 1, 2)),
            "space": pick.choice(("A2", "A3", "A5", "B2", "B5")),
            "removed": pick.choice(([], ["bolts"], ["sofia-limit"])),
            "flipped": pick.choice((0, 2, 3, 6)),
            "markers": pick.choice(({}, {"10": 1})),
        },
        stage=pick.choice(("oldtown", "saltwind", "harrow", "fernwood", "nightowl")),
        other={"popularity": 4},
    )


SMALL = [number for number in range(20) if number not in (7, 8, 14)]
"""Turns whose legal steps are all tried within a second."""


@pytest.mark.parametrize("number", SMALL)
def test_the_best_plan_is_that_of_all_legal_steps(number: int) -> None:
    state = small_turn(number)
    turn = puzzles._turn(cast(Table, state), "1")
    search = PlanSearch(turn, most=100_000)
    assert search.points() == brute(turn, {})
    assert worth(state, *search.plan()) == search.points(), "and the rules give that"


@cache
def last_rounds() -> list[tuple[State, str]]:
    """The turns of the last round of a short stage that codrivers drive."""
    rules, found = game(), list[tuple[State, str]]()
    for number, stage in enumerate(("nightowl", "fernwood")):
        entrants = [{"id": "1"}, {"id": "2"}]
        state = rules.setup(rules.read_course(rules.library()[stage]), entrants, {"cards": "5"})
        chance = SeededChance(bytes([number] * 32))
        while playing := rules.to_play(state):
            if state["round"] == state["cards"] and state["drivers"][playing[0]]["phase"] == "drive":
                found.append((state, playing[0]))
            state, _events = rules.play(state, playing[0], rules.autopilot(state, playing[0], "learner"), chance)
    return found


def test_no_plan_that_draws_nothing_beats_the_best_one() -> None:
    asked = 0
    for state, seat in last_rounds():
        question = puzzles.question(state, seat)
        if question is None:
            continue
        asked += 1
        for way in (question.best, question.second, question.obvious):
            assert way is None or puzzles.weighed(state, seat, way.orders) == way
        assert set(question.themes) <= set(puzzles.THEMES)
        pick = random.Random(f"{seat} {asked}")
        for _ in range(25):
            plan = at_random(state, seat, pick)
            answer = puzzles.weighed(state, seat, {**ORDERS, "steps": plan})
            assert answer.value <= question.best.value
            assert loss(question, answer.value, puzzles.SCALE) == question.best.value - answer.value
    assert asked


def at_random(state: State, seat: str, pick: random.Random) -> list[str]:
    """A plan of legal steps that draw nothing, up to `end`."""
    turn, plan = puzzles._turn(cast(Table, state), seat), list[str]()
    while turn.me["phase"] == "drive":
        here = cast(Table, {**turn.table, "drivers": {**turn.table["drivers"], seat: turn.me}})
        step = pick.choice(choices.choices(here, seat, turn.cards))
        tried = turn.fork()
        try:
            stepping.act(tried, *steps.read(step))
        except NoChance:
            continue
        turn = tried
        plan.append(step)
    return plan
