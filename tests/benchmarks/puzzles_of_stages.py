"""How many stages give a puzzle, and who solves it: `python -m tests.benchmarks.puzzles_of_stages --stages 300`.

Codrivers drive ready-made stages, three cars each: of Rallyman: DIRT, with `--game formula_d` races of one lap, with
`--game dust` stages of ten cards. Of each stage the turn counts whose best way beats every other one by the largest
share of the expected result. Where it is a puzzle, each manner of driver then answers it:

- `random` lays a legal plan move by move, and stops at random; in Formula D it takes any legal way, in Dirt & Dust
  legal steps until it ends the turn. It answers many times.
- `short-sighted` looks no further than the turn (`puzzles.py` of the game).
- the codrivers, and the datum, whose search is narrower than the one that found the puzzle.

The first so many of the stages make a smaller sample: `--stages 100`.

What is printed depends on the seed only, but for the times.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from statistics import median
from time import process_time
from typing import Any, cast

from engine import puzzles
from engine.chance import SeededChance
from engine.contract import Question, RuleError, Scale, State
from engine.dirt import stage
from engine.dirt.codriver.decisions import plan_choice
from engine.dirt.codriver.value import DATUM, NAMES
from engine.dirt.game import game as dirt
from engine.dirt.moves import write_plan
from engine.dust.cards import card_set_reading
from engine.dust.choices import choices
from engine.dust.game import STEPS
from engine.dust.game import game as dust
from engine.dust.state import Table
from engine.dust.turn import stepping, steps
from engine.dust.turn.step_context import NoChance, Turn
from engine.formula_d.game import game as formula_d

CARS = ("1", "2", "3")
MANNERS = ("cautious", "club", "bold")
TRIES = 100
"""How many answers a random driver gives to a puzzle."""
SHARES = (5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100, 120)
GAMES: dict[str, Any] = {"dirt": dirt(), "dust": dust(), "formula_d": formula_d()}
OPTIONS: dict[str, dict[str, Any]] = {"dirt": {}, "dust": {}, "formula_d": {"laps": 1}}


def course_of(rules: Any, number: int, seed: int) -> str:
    """Return the ready-made course of a stage. Stages on one course are driven together: filling the tables of a course
    takes longer than a stage.
    """
    return random.Random(f"{seed} {number}").choice(sorted(rules.library()))


def driven(rules: Any, number: int, seed: int) -> Iterator[tuple[State, str]]:
    """Yield the beginning of every turn of a stage of DIRT, and of every step of the other games, with the driver."""
    course = rules.read_course(rules.library()[course_of(rules, number, seed)])
    entrants: list[dict[str, Any]] = [{"id": car} for car in CARS]
    options = rules.clean_options(OPTIONS[rules.name])
    if rules.name == "dirt":
        course = rules.in_rally(course, last=True)
        entrants = [{**each, "car": rules.new_luggage(options)} for each in entrants]
    state = rules.setup(course, entrants, options)
    chance = SeededChance(sha256(f"puzzles {seed} {number}".encode()).digest())
    if rules.name != "dirt":
        state, _events = rules.begin(state, chance)
    while playing := rules.to_play(state):
        seat = playing[0]
        if rules.name != "dirt" or stage.phase(state) == "plan":
            yield state, seat
        manner = MANNERS[CARS.index(seat)]
        state, _events = rules.play(state, seat, rules.autopilot(state, seat, manner), chance)


def share(question: Question, scale: Scale) -> int:
    """Return by how many thousandths of the expected result the best way beats the second and the obvious one; 0 for a
    turn that can be no puzzle.
    """
    if question.second is None or question.obvious is None or question.ways < scale.ways:
        return 0
    gap = min(
        puzzles.margin(question, scale),
        puzzles.loss(question, question.obvious.value, scale),
    )
    return 0 if gap < scale.least else gap * 1000 // max(1, abs(question.best.value))


def solves(rules: Any, question: Question, state: State, seat: str, orders: dict[str, Any]) -> bool:
    """Return whether these orders solve the puzzle."""
    try:
        answer = rules.weighed(state, seat, orders)
    except RuleError:
        return False
    return puzzles.is_solved(question, answer.value, rules.puzzle_scale)


def at_random(rules: Any, state: State, seat: str, picked: random.Random) -> dict[str, Any]:
    """Return a plan that is laid at random; in Formula D any legal way."""
    if rules.name == "formula_d":
        return dict(picked.choice(rules.choices(state, seat).ways).orders)
    if rules.name == "dust":
        return {"do": STEPS, STEPS: steps_at_random(rules, state, seat, picked)}
    plan = ""
    while True:
        try:
            found = rules.choices(state, seat, plan)
        except RuleError:
            break
        if found.forced or not found.ways or (plan and picked.random() < 0.2):
            break
        plan = picked.choice(found.ways).orders["plan"]
    return {"do": "lay", "plan": plan, "roll": picked.choice(("one by one", "flat out"))}


def steps_at_random(rules: Any, state: State, seat: str, picked: random.Random) -> list[str]:
    """Return legal steps of Dirt & Dust up to the end of the turn, or to a step that draws."""
    cards = card_set_reading.of_document(state["set"], state["digest"])
    turn, plan = Turn(cast(Table, state), seat, cards, None), list[str]()
    while found := choices(turn.table, seat, cards):
        plan.append(picked.choice(found))
        try:
            stepping.act(turn, *steps.read(plan[-1]))
        except NoChance:
            break
        turn = Turn({**turn.table, "drivers": {**turn.table["drivers"], seat: turn.me}}, seat, cards, None)
    return plan


def names_of(rules: Any) -> tuple[str, ...]:
    """Return the manners that answer."""
    return (*NAMES, DATUM) if rules.name == "dirt" else tuple(rules.manners)


def orders_of(rules: Any, state: State, seat: str, name: str) -> dict[str, Any]:
    """Return what a manner would do."""
    if rules.name != "dirt":
        return dict(rules.autopilot(state, seat, name))
    choice = plan_choice(state, seat, name)
    return {"do": "lay", "plan": write_plan([step.move for step in choice.plan]), "roll": choice.roll}


def answered(rules: Any, question: Question, state: State, seat: str, number: int) -> dict[str, float]:
    """Return the share of right answers by manner of driver, and the milliseconds of a prepared answer."""
    picked = random.Random(number)
    tries = [solves(rules, question, state, seat, at_random(rules, state, seat, picked)) for _ in range(TRIES)]
    assert question.obvious is not None
    shares: dict[str, float] = {"random": sum(tries) / TRIES}
    shares["short-sighted"] = float(solves(rules, question, state, seat, dict(question.obvious.orders)))
    for name in names_of(rules):
        shares[name] = float(solves(rules, question, state, seat, orders_of(rules, state, seat, name)))
    shares["best"] = float(solves(rules, question, state, seat, dict(question.best.orders)))
    prepared, begun = rules.prepared(state, seat), process_time()
    rules.weighed(state, seat, question.best.orders, prepared)
    return {**shares, "ms": (process_time() - begun) * 1000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stages", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", choices=sorted(GAMES), default="dirt")
    asked = parser.parse_args()
    rules = GAMES[asked.game]
    scale: Scale = rules.puzzle_scale
    found, turns, seconds = list[dict[str, Any]](), 0, list[float]()
    for number in sorted(range(asked.stages), key=lambda one: course_of(rules, one, asked.seed)):
        best: tuple[tuple[bool, int], Question | None, State, str] = ((False, 0), None, {}, "")
        for state, seat in driven(rules, number, asked.seed):
            begun = process_time()
            question = rules.question(state, seat)
            seconds.append(process_time() - begun)
            turns += 1
            if question is not None:
                worth = puzzles.is_puzzle(question, scale), share(question, scale)
                best = max(best, (worth, question, state, seat), key=lambda each: each[0])
        row: dict[str, Any] = {"share": best[0][1]}
        if best[1] is not None and best[0][0]:
            row |= {"themes": best[1].themes, **answered(rules, best[1], best[2], best[3], number)}
        found.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
    print(f"{asked.stages} stages, {turns} turns; a question: median {median(seconds) * 1000:.0f} ms,")
    print(f"  at most {max(seconds) * 1000:.0f} ms of a processor")
    for least in SHARES:
        mark = " (the share that counts)" if least == scale.share else ""
        print(f"  {least} thousandths: {sum(row['share'] >= least for row in found) / len(found):.1%} of stages{mark}")
    chosen = [row for row in found if "best" in row]
    print(f"  with a puzzle: {len(chosen) / len(found):.1%} of stages")
    for name in ("random", "short-sighted", *names_of(rules), "best"):
        print(f"  solved by {name}: {sum(row[name] for row in chosen) / max(1, len(chosen)):.1%}")
    print(f"  a prepared answer: at most {max((row['ms'] for row in found if 'ms' in row), default=0):.1f} ms")
    print("  themes:", dict(Counter(theme for row in chosen for theme in row["themes"]).most_common()))


if __name__ == "__main__":
    main()
