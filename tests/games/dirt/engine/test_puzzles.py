"""Turns as questions: the best way is the search's, its value the ledger's, and an answer is judged by its value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import record
from engine.contract import Question, RuleError, State, Weighed
from engine.dirt import ledger, puzzles
from engine.dirt.fold import copied, fold
from engine.dirt.game import game
from engine.puzzles import is_puzzle, is_solved, loss, margin

RECORD = sorted((Path(__file__).parent / "records").glob("*.json"))[0]
SCALE = game().puzzle_scale


def decisions(kinds: tuple[str, ...]) -> list[tuple[State, str, dict[str, object], int]]:
    """Return the decisions of a kept record: the state before, the driver, the orders, what the ledger booked."""
    _rules, setup, events = record.opened(json.loads(RECORD.read_text("utf-8")))
    booked = {
        (seat, booking.event): booking
        for seat, books in ledger.ledger(setup, events).seats.items()
        for booking in books.bookings
        if booking.account == "driving" and booking.kind in kinds
    }
    found, state = [], setup
    for number, event in enumerate(events):
        booking = booked.get((event.get("driver"), number))
        if booking is not None:
            orders = {"do": "lay", "plan": event["plan"], "roll": event["roll"]} if booking.kind == "plan" else {}
            found.append((state, event["driver"], orders or {"do": booking.kind}, booking.amount))
        state = copied(state, event.get("driver"))
        fold(state, event)
    return found


@pytest.mark.parametrize("kinds", [("plan",), ("roll", "secure", "stop")])
def test_a_decision_gives_up_what_the_ledger_books(kinds: tuple[str, ...]) -> None:
    made = [each for each in decisions(kinds) if puzzles.question(each[0], each[1]) is not None]
    assert made
    for state, driver, orders, amount in made:
        question = puzzles.question(state, driver)
        assert question is not None
        given_up = loss(question, puzzles.weighed(state, driver, orders).value, SCALE)
        assert given_up >= amount - 1 if kinds == ("plan",) else abs(given_up - amount) <= 1


def test_a_plan_that_breaks_a_rule_is_refused_with_the_rule() -> None:
    state, driver, _orders, _amount = decisions(("plan",))[0]
    for orders, rule in (
        ({"do": "lay", "plan": "9:1.1.l", "roll": "flat out"}, "T2"),
        ({"do": "lay", "plan": "", "roll": "flat out"}, "D9"),
        ({"do": "lay", "plan": 7, "roll": "flat out"}, "D3"),
        ({"do": "lay", "plan": "1:1.2.l", "roll": ["flat out"]}, "R1"),
        ({"do": "roll"}, "R1"),
        ({}, "R1"),
    ):
        with pytest.raises(RuleError) as refused:
            puzzles.weighed(state, driver, orders)
        assert refused.value.rule in (rule, "D2", "D3", "D4", "T3")


def test_nothing_is_asked_of_a_driver_who_is_not_to_play() -> None:
    state, driver, _orders, _amount = decisions(("plan",))[0]
    others = [name for name in state["drivers"] if name != driver]
    assert all(puzzles.question(state, name) is None for name in others)


def asked(second: int, obvious: int, ways: int = SCALE.ways) -> Question:
    way = {"best": 10_000, "second": 10_000 + second, "obvious": 10_000 + obvious}
    best, other, simple = (Weighed({"do": name}, value) for name, value in way.items())
    return Question(best, other, simple, ways)


def test_a_puzzle_beats_the_second_and_the_obvious_way_by_a_share() -> None:
    enough = max(SCALE.least, 10_000 * SCALE.share // 1000)
    assert is_puzzle(asked(enough, enough), SCALE)
    assert not is_puzzle(asked(enough - 1, enough), SCALE)
    assert not is_puzzle(asked(enough, enough - 1), SCALE)
    assert not is_puzzle(asked(enough, enough, SCALE.ways - 1), SCALE)


def test_an_answer_is_right_by_its_value() -> None:
    question = asked(1000, 2000)
    assert margin(question, SCALE) == 1000
    assert is_solved(question, 9_000, SCALE), "better than the best way that was found"
    assert is_solved(question, 10_000 + SCALE.equal, SCALE) and is_solved(question, 10_499, SCALE)
    assert not is_solved(question, 10_500, SCALE)
