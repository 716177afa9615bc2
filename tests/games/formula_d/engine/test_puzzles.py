"""Turns as questions: the values are the ledger's, an answer needs no tables, and what is illegal is refused."""

from __future__ import annotations

import json
from time import process_time

import pytest

from engine.chance import SeededChance
from engine.contract import RuleError, State
from engine.formula_d import ledger, puzzles, turn
from engine.formula_d.game import game
from engine.puzzles import is_solved, loss

CARS = [{"id": car} for car in ("1", "2", "3")]


def race(
    track: str = "monza", **options: object
) -> tuple[State, list[dict[str, object]], list[tuple[int, State, str]]]:
    """A race of one lap that codrivers drive: its set-up, its events, and the situations between two posts."""
    rules = game()
    setup = rules.setup(rules.read_course({"track": track}), CARS, rules.clean_options({"laps": 1, **options}))
    chance = SeededChance(bytes(32))
    state, begun = rules.begin(setup, chance)
    events, found = [dict(event) for event in begun], []
    while playing := rules.to_play(state):
        found.append((len(events), state, playing[0]))
        manner = ("cautious", "club", "bold")[int(playing[0]) - 1]
        state, more = rules.play(state, playing[0], rules.autopilot(state, playing[0], manner), chance)
        events += [dict(event) for event in more]
    return setup, events, found


SETUP, EVENTS, SITUATIONS = race()
ASKED = [(number, state, seat, puzzles.question(state, seat)) for number, state, seat in SITUATIONS]


def test_the_gear_gives_up_what_the_ledger_books() -> None:
    booked = {
        (seat, booking.event): booking.amount
        for seat, books in ledger.ledger(SETUP, EVENTS).seats.items()
        for booking in books.bookings
        if booking.account == "driving" and booking.kind == turn.GEAR
    }
    compared = 0
    for number, state, seat, question in ASKED:
        event = next((place for place in range(number, len(EVENTS)) if EVENTS[place]["kind"] == "gear"), None)
        if question is None or state["turn"] is not None or (seat, event) not in booked:
            continue
        assert event is not None
        answer = puzzles.weighed(state, seat, {"do": "gear", "gear": EVENTS[event]["gear"]})
        assert abs(loss(question, answer.value, puzzles.SCALE) - booked[seat, event]) <= 1
        compared += 1
    assert compared > 20


def test_every_way_has_a_value_and_none_is_better_than_the_best() -> None:
    kinds = set()
    for _number, state, seat, question in ASKED:
        if question is None:
            continue
        kinds.add(game().phase(state, seat))
        kept = json.loads(json.dumps(puzzles.prepared(state, seat)))
        ways = [dict(way.orders) for way in game().choices(state, seat).ways]
        for orders in ways[:12]:
            answer = puzzles.weighed(state, seat, orders, kept)
            assert answer == puzzles.weighed(state, seat, orders)
            assert answer.value >= question.best.value
        assert is_solved(question, puzzles.weighed(state, seat, question.best.orders, kept).value, puzzles.SCALE)
        assert set(question.themes) <= set(puzzles.THEMES)
    assert {turn.GEAR, turn.MOVING} <= kinds


def test_who_keeps_the_gear_never_beats_the_obvious_way() -> None:
    gears = [one for one in ASKED if one[3] and game().phase(one[1], one[2]) == turn.GEAR]
    best_kept = 0
    for _number, state, seat, question in gears:
        assert question is not None and question.obvious is not None
        values = {row[0]: row[1] for row in puzzles.prepared(state, seat)}
        driven = state["cars"][seat]["gear"]
        kept = min(values, key=lambda gear: (abs(gear - driven), values[gear]))
        assert question.obvious.value <= values[kept]
        if values[kept] == question.best.value:
            best_kept += 1
            assert loss(question, question.obvious.value, puzzles.SCALE) == 0, "then the best way is the obvious one"
    assert best_kept


def test_an_answer_takes_less_than_50_ms() -> None:
    for _number, state, seat, question in ASKED[:60]:
        if question is not None:
            kept, begun = puzzles.prepared(state, seat), process_time()
            puzzles.weighed(state, seat, question.best.orders, kept)
            assert process_time() - begun < 0.05


@pytest.mark.parametrize("rules", [{"rules": "basic"}, {"tyres": True, "technical_pit": True}])
def test_other_rules_have_values_too(rules: dict[str, object]) -> None:
    _setup, _events, situations = race(**rules)
    asked = [(state, seat) for _number, state, seat in situations if puzzles.question(state, seat) is not None]
    assert asked
    for state, seat in asked[::7]:
        best = puzzles.question(state, seat)
        assert best is not None
        assert puzzles.weighed(state, seat, best.best.orders, puzzles.prepared(state, seat)).value == best.best.value


def test_what_is_illegal_is_refused_with_its_rule() -> None:
    gear = next((state, seat) for _n, state, seat, asked in ASKED if asked and game().phase(state, seat) == turn.GEAR)
    move = next((state, seat) for _n, state, seat, asked in ASKED if asked and game().phase(state, seat) == turn.MOVING)
    for (state, seat), orders in (
        (gear, {}),
        (gear, {"do": "gear", "gear": 99}),
        (gear, {"do": "gear", "gear": [6]}),
        (gear, {"do": "resign"}),
        (gear, {"do": "move", "path": []}),
        (move, {"do": "gear", "gear": 1}),
        (move, {"do": "move"}),
        (move, {"do": "move", "path": ["nowhere"]}),
        (move, {"do": "move", "path": 7}),
        (move, {"do": "move", "path": [], "tires": -3}),
        (move, {"do": "move", "path": [], "nitro": True}),
    ):
        with pytest.raises(RuleError):
            puzzles.weighed(state, seat, orders, puzzles.prepared(state, seat))
    other = "2" if gear[1] == "1" else "1"
    assert puzzles.question(gear[0], other) is None
