"""Measure the speed of Formula D on this machine: `python -m engine bench formula_d`.

Times are wall-clock times. The key "processor" has the same measures in processor time, which depends less on the other
load of the machine.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from statistics import median, quantiles
from typing import Any

from engine.contract import Json, State
from engine.formula_d import turn
from engine.formula_d.choices import choices
from engine.formula_d.contest import drive_race, drivers, next_orders
from engine.formula_d.facts import facts
from engine.formula_d.fold import copied, fold
from engine.formula_d.odds import odds
from engine.formula_d.track import load_track, names
from engine.stopwatch import Times

ROUNDS = 3
TRACK = "monza"
MOST_SCENES = 60


def timed(task: Callable[[], object]) -> Times:
    """Return the time that a task takes."""
    begun = Times.now()
    task()
    return Times.now().since(begun)


class Watch:
    """Codrivers that record the time of each decision, and the positions for the other measures."""

    def __init__(self) -> None:
        self.decisions: list[Times] = []
        self.gears: list[tuple[State, str]] = []

    def __call__(self, race: State, seat: str, name: str) -> dict[str, Json]:
        """Return the next orders of a car, and record how long it took to find them."""
        begun = Times.now()
        given = next_orders(race, seat, name)
        self.decisions.append(Times.now().since(begun))
        if given["do"] == turn.GEAR:
            self.gears.append((race, seat))
        return given


def run_benchmark(track: str = TRACK) -> dict[str, Any]:
    """Return all measures by name. Each name ends with its unit.

    "race_first_s" is the first race, which has to fill the cost tables. "race_s" is the median of the races after it.
    Each has one lap and ten cars. "ends" are the ends with their prices after a roll of 30, with the other cars on
    the track as in the race.
    """
    watch, races, setups = Watch(), list[Times](), []
    for number in range(1 + ROUNDS):
        begun = Times.now()
        setups.append(drive_race(track, drivers(number), f"bench {number}", options={}, step=watch))
        races.append(Times.now().since(begun))
        if not number:
            watch.decisions.clear()
    scenes = watch.gears[:: max(1, len(watch.gears) // MOST_SCENES)]
    rolled = [_rolled(race, seat) for race, seat in scenes]
    ends = [timed(partial(choices, race, seat, None)) for race, seat in rolled]
    best_first = [timed(partial(odds, race, seat)) for race, seat in rolled]
    before = [timed(partial(odds, race, seat)) for race, seat in scenes]
    turns = sum(car["turns"] for _, state, _ in setups for car in state["cars"].values())
    folding = timed(lambda: [_folded(setup, events) for setup, _, events in setups])

    def told(clock: int) -> dict[str, Any]:
        return {
            "turns_folded_per_s": round(turns / folding[clock]),
            "ends_after_30_ms": _spread(ends, clock),
            "ends_best_first_ms": _spread(best_first, clock),
            "odds_ms": _spread(before, clock),
            "codriver_ms": _spread(watch.decisions, clock),
            "race_first_s": round(races[0][clock], 2),
            "race_s": round(median(duration[clock] for duration in races[1:]), 2),
        }

    wall, processor = Times._fields.index("wall"), Times._fields.index("processor")
    sizes = {name: _kilobytes(name) for name in names()}
    return {"track": track, **told(wall), "track_kilobytes": sizes, "processor": told(processor)}


def _spread(durations: list[Times], clock: int) -> dict[str, Any]:
    taken = [duration[clock] * 1e3 for duration in durations]
    return {"median": round(median(taken), 2), "p95": round(quantiles(taken, n=20)[-1], 2), "times": len(taken)}


def _rolled(race: State, seat: str) -> tuple[State, str]:
    """Return the position after a roll of 30 in the top gear. The car's gear before it is ignored."""
    top = facts().top_gear
    new = copied(race)
    for event in (
        {"kind": "turn", "seat": seat, "bonus": 0},
        {"kind": "gear", "seat": seat, "gear": top},
        {"kind": "roll", "seat": seat, "gear": top, "spaces": max(facts().gears[top]), "strain": True},
        {"kind": "phase", "seat": seat, "phase": turn.MOVING},
    ):
        fold(new, event)
    return new, seat


def _folded(race: State, events: list[dict[str, Any]]) -> State:
    """Return the state after folding all events of a race."""
    for event in events:
        race = copied(race, event)
        fold(race, event)
    return race


def _kilobytes(name: str) -> int:
    """Return the memory of a compiled track in kilobytes."""
    tracemalloc.start()
    _track = load_track.__wrapped__(name)
    held, _most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round(held / 1000)
