"""Prediction: a run is driven on from its present state many times by the codriver, to count how it ends.

The draws come from a seed of the caller. So nothing follows from the secrets of the run, and nothing about them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.chance import SeededChance
from engine.contract import Game, Json, Measure, State, offered
from engine.contract.core import SeatResult
from engine.contract.rallies import Career, Luggage, Settling

MOST_ORDERS = 20_000
"""A run that takes more orders than this is an error of its game."""
Total = tuple[int, tuple[int, ...]]
"""A result as a sort key, the best first."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage that is being driven, or one that is still to come. `tables`: the states of its runs; for a stage to come
    they are set up for each simulation, with the cars as they are then: `course`, and how many cars a table has.
    """

    tables: Sequence[State] = ()
    course: Json = None
    table_size: int = 0


Watch = Callable[[], object]
"""Called before each order. It ends a prediction that takes too long by an exception of its own."""


def _unwatched() -> None:
    """Let a prediction take as long as it takes."""


def driven_on(rules: Game, state: State, chance: SeededChance, watch: Watch = _unwatched) -> tuple[SeatResult, ...]:
    """Return the results of a run when the codriver makes every turn that is left.

    Raises: what `watch` raises.
    """
    for _order in range(MOST_ORDERS):
        watch()
        waiting = rules.to_play(state)
        if not waiting:
            result = rules.result(state)
            assert result is not None
            return result.seats
        state, _events = rules.play(state, waiting[0], rules.autopilot(state, waiting[0]), chance)
    raise AssertionError("the run does not end")


def stage_driven(
    rules: Game,
    stage: Stage,
    cars: Mapping[str, Luggage],
    options: Mapping[str, Json],
    chance: SeededChance,
    watch: Watch = _unwatched,
) -> tuple[SeatResult, ...]:
    """Return the results of all cars on a stage, settled. `cars`: the luggage by seat, for a stage to come."""
    tables = list(stage.tables)
    if not tables:
        seats = list(cars)
        groups = [seats[place : place + stage.table_size] for place in range(0, len(seats), stage.table_size)]
        for group in groups:
            entrants = [{"id": seat, "luggage": dict(cars[seat])} for seat in group]
            state, _events = rules.begin(rules.setup(stage.course, entrants, options), chance)
            tables.append(state)
    found = [result for state in tables for result in driven_on(rules, state, chance, watch)]
    settles = offered(rules, Settling)
    return tuple(found) if settles is None else settles.settle(found)


def simulated(
    rules: Game,
    stage: Stage,
    cars: Mapping[str, Luggage],
    options: Mapping[str, Json],
    *,
    seed: bytes,
    most: int,
    goes_on: Callable[[int], bool],
    watch: Watch = _unwatched,
) -> list[tuple[SeatResult, ...]]:
    """Return the results of a stage in `most` simulations, or fewer where `goes_on` says so after one."""
    found = list[tuple[SeatResult, ...]]()
    while len(found) < most and (not found or goes_on(len(found))):
        chance = SeededChance(hashlib.sha256(seed + len(found).to_bytes(4)).digest())
        found.append(stage_driven(rules, stage, cars, options, chance, watch))
    return found


def key_of(total: int, rank: tuple[int, ...], measure: Measure) -> Total:
    """Return the sort key of a result, the best first."""
    return total * (1 if measure.better == "fewest" else -1), tuple(rank)


class Tally:
    """Counts who wins. Cars that share the first place share the win."""

    def __init__(self) -> None:
        self.runs = 0
        self.wins: dict[str, float] = {}

    def add(self, results: Mapping[str, Total | None]) -> None:
        """Count one simulation."""
        self.runs += 1
        keys = [key for key in results.values() if key is not None]
        winners = [seat for seat, key in results.items() if key is not None and key == min(keys)]
        for seat in results:
            self.wins.setdefault(seat, 0.0)
        for seat in winners:
            self.wins[seat] += 1 / len(winners)

    def per_mille(self) -> dict[str, int]:
        """Return the chance of each seat to win, in thousandths."""
        return {seat: round(1000 * won / self.runs) for seat, won in self.wins.items()} if self.runs else {}


def predicted(
    rules: Game,
    stages: Sequence[Stage],
    before: Mapping[str, int],
    options: Mapping[str, Json],
    *,
    seed: bytes,
    most: int,
    goes_on: Callable[[int, int], bool] = lambda _stage, _done: True,
    watch: Watch = _unwatched,
) -> tuple[Tally, Tally]:
    """Return who wins the first of these stages, and who is first after all of them. `before`: the totals of the stages
    before, by seat.

    Each stage is simulated by itself, `most` times, or fewer where `goes_on` says so: it is called with the number of
    the stage, from 0, and how often it is simulated. A total is put together from one simulation of each. In a stage to
    come every car is as new.

    Raises: what `watch` raises.
    """
    career = offered(rules, Career)
    driven = [
        simulated(rules, stages[0], {}, options, seed=seed + b"0", most=most, goes_on=partial(goes_on, 0), watch=watch)
    ]
    luggage = {} if career is None else career.new_luggage(options)
    cars: dict[str, Luggage] = {one.seat: luggage for one in driven[0][0]}
    for number, stage in enumerate(stages[1:], 1):
        named = seed + str(number).encode()
        further = partial(goes_on, number)
        driven.append(simulated(rules, stage, cars, options, seed=named, most=most, goes_on=further, watch=watch))
    here, overall = Tally(), Tally()
    for number, first in enumerate(driven[0]):
        picks = SeededChance(hashlib.sha256(seed + b"picks" + number.to_bytes(4)).digest())
        later = [found[picks.number("stage", len(found))] for found in driven[1:]]
        here.add(_keys(first, rules.measure))
        overall.add(_totals([first, *later], before, rules.measure))
    return here, overall


def _keys(results: Iterable[SeatResult], measure: Measure) -> dict[str, Total | None]:
    """Return the results of a stage as sort keys; None for a car that cannot win it."""
    return {
        one.seat: None if one.status == "retired" or one.measure is None else key_of(one.measure, one.rank, measure)
        for one in results
    }


def _totals(
    stages: Sequence[Iterable[SeatResult]], before: Mapping[str, int], measure: Measure
) -> dict[str, Total | None]:
    """Return the totals as sort keys; None for a car without a result where the fewest win."""
    totals, ranks, out = dict[str, int](), dict[str, tuple[int, ...]](), set[str]()
    for results in stages:
        for one in results:
            totals[one.seat] = totals.get(one.seat, before.get(one.seat, 0)) + (one.measure or 0)
            ranks[one.seat] = one.rank
            out |= {one.seat} if one.measure is None and measure.better == "fewest" else set()
    return {seat: None if seat in out else key_of(total, ranks[seat], measure) for seat, total in totals.items()}
