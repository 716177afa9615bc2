"""Measure the speed of Dirt & Dust on this machine: `python -m engine bench dust`.

Times are processor times. For `choices` there are wall-clock times too, which depend more on other load of the machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from statistics import quantiles
from time import perf_counter, process_time
from typing import Any

from engine.contract import Event, State
from engine.dust import scenario
from engine.dust.cards import card_set_reading
from engine.dust.game import game
from engine.dust.state import Table
from engine.dust.turn import stepping

DRIVERS = {"ana": "club", "bo": "cautious", "cy": "bold", "dee": "club"}
STAGES = ("saltwind", "harrow")
ROUNDS = 5
CALLS = 200
FULL: dict[str, Any] = {
    "keys": 10,
    "traction": 10,
    "popularity": 15,
    "space": "B5",
    "star": True,
    "hand": ["aiko-focus", "aiko-lighten", "ready", "turbo", "under-way"],
    "board": {"6": "title-sponsor", "4": "racing-line", "2": "aiko-memory"},
    "removed": ["bolts", "ready", "under-way"],
    "deck": [],
    "discard": ["engine-tuning"],
}
"""A driver with more ways to go on than in any real game: all dice, three passive effects, three empty slots."""


class HashChance:
    """A deterministic chance: each result follows from the name of the draw."""

    def number(self, what: str, ends: int, *, by: str = "run") -> int:
        return int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], "big") % ends


class Recorded:
    """A stage driven by codrivers: the first state, the events, the posts, and the seconds that codrivers took for each
    driver's round.
    """

    def __init__(self, stage: str) -> None:
        rules = game()
        entrants = [{"id": name} for name in DRIVERS]
        self.first = rules.setup(rules.library()[stage], entrants, {"pool": "advanced"})
        self.events: list[Event] = []
        self.posts: list[tuple[str, list[str]]] = []
        self.rounds: list[float] = []
        state, spent = self.first, dict.fromkeys(DRIVERS, 0.0)
        while seats := rules.to_play(state):
            seat = seats[0]
            begun, turns = process_time(), rules.turns_made(state, seat)
            orders = rules.autopilot(state, seat, DRIVERS[seat])
            spent[seat] += process_time() - begun
            state, events = rules.play(state, seat, orders, HashChance())
            self.events += events
            self.posts += [(seat, [event["step"] for event in events if "step" in event])]
            if rules.turns_made(state, seat) > turns:
                self.rounds.append(spent[seat])
                spent[seat] = 0.0


def run_benchmark() -> dict[str, Any]:
    """Return all measures by name. Each name ends with its unit.

    "steps_replayed" folds the events of recorded stages. "steps_carried_out" carries out the same steps by the rules.
    "choices" is measured in the positions of `fullest`. "codriver_round" is the time of a codriver for a whole round of
    one driver.
    """
    stages = [Recorded(stage) for stage in STAGES]
    steps = sum(len(done) for one in stages for _, done in one.posts)
    folded = min(_seconds(lambda: _fold(stages)) for _ in range(ROUNDS))
    driven = min(_seconds(lambda: _drive(stages)) for _ in range(ROUNDS))
    rounds = sorted(seconds for one in stages for seconds in one.rounds)
    return {
        "steps": steps,
        "steps_replayed_per_s": round(steps / folded),
        "steps_carried_out_per_s": round(steps / driven),
        "choices": {name: _choices(table) for name, table in fullest().items()},
        "codriver_round_s": {
            "rounds": len(rounds),
            "mean": round(sum(rounds) / len(rounds), 3),
            "p95": round(quantiles(rounds, n=20)[-1], 3),
            "most": round(rounds[-1], 3),
        },
    }


def _seconds(task: Callable[[], object]) -> float:
    begun = process_time()
    task()
    return process_time() - begun


def _fold(stages: list[Recorded]) -> None:
    rules = game()
    for one in stages:
        state = one.first
        for event in one.events:
            state = rules.apply(state, event)


def _drive(stages: list[Recorded]) -> None:
    rules = game()
    for one in stages:
        state, chance = one.first, HashChance()
        for seat, done in one.posts:
            state, _ = rules.play(state, seat, {"do": "steps", "steps": done}, chance)


def fullest() -> dict[str, State]:
    """Return positions with very many ways to go on: one before the next action, one with an open card."""
    cards = card_set_reading.own()
    document = {
        "game": "dust",
        "stage": "nightowl",
        "options": {"pool": "advanced"},
        "round": 5,
        "drivers": [{"id": "ana", "driver": "aiko", "start": FULL}, {"id": "bo", "driver": "harry"}],
        "chance": {"ana": {"dice": "135", "popularity": "2"}},
        "turns": [{"driver": "ana", "steps": ["prepare"]}],
    }
    found: dict[str, State] = {}
    table, _ = scenario.ended(document, cards)
    full: Table = {**table, "set": card_set_reading.own_document()}
    me = full["drivers"]["ana"]
    dice = sorted([f"{kind}{value}" for kind in "bp" for value in range(1, 7)] + ["f2"])
    full["drivers"] = {**full["drivers"], "ana": {**me, "dice": dice, "hand": FULL["hand"]}}
    found["quiet"] = dict(full)
    board = {str(slot): {"card": "quick-swap", "covered": False, "used": False} for slot in range(1, 7)}
    swapping: Table = {**full, "drivers": {**full["drivers"], "ana": {**full["drivers"]["ana"], "board": board}}}  # type: ignore[typeddict-item]
    found["open"] = dict(stepping.carry_out(swapping, "ana", "use 3 p", cards, None).table)
    return found


def _choices(state: State) -> dict[str, Any]:
    """Return the time of `choices` in one position, in milliseconds, and the number of ways."""
    rules = game()
    walls, works = [], []
    for _ in range(CALLS):
        wall, work = perf_counter(), process_time()
        ways = rules.choices(state, "ana").ways
        works.append(1e3 * (process_time() - work))
        walls.append(1e3 * (perf_counter() - wall))
    return {
        "ways": len(ways),
        "p95_ms": round(quantiles(works, n=20)[-1], 3),
        "p95_wall_ms": round(quantiles(walls, n=20)[-1], 3),
    }
