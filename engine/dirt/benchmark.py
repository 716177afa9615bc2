"""Measure how fast the engine is on this machine: `python -m engine bench`.

Each number is the median of several runs in wall-clock time. The same numbers in processor time, which a busy machine
distorts less, are under "processor".
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from statistics import median, quantiles
from typing import Any

from engine import record
from engine.chance import SealChance, commitment, digest, secret_of_run
from engine.contract import State
from engine.dirt.codriver.decisions import plan_choice, time_control
from engine.dirt.course.compiled_stage import GRID, built, compiled
from engine.dirt.game import Dirt, game
from engine.dirt.moves import write_plan
from engine.dirt.odds import odds
from engine.dirt.plan import CarInPlan, Step, count, start, steps
from engine.dirt.road import Road
from engine.dirt.table import road_for
from engine.stopwatch import Times
from engine.verification import chance_of

ROUNDS = 5
RALLY = ("1/1", "1/2", "1/3")
CREWS = {"ana": "cautious", "bo": "club", "cy": "bold", "dee": "club"}
LONG_STAGE, PERFT_DEPTH = "3/2", 8
ODDS_DICE = 9


def run_benchmark() -> dict[str, Any]:
    """Return all measurements by name. Each name ends with its unit.

    "codriver_ms" is the time to choose a plan among three other cars when the worth tables (value.py) are filled.
    "rally_first_s" is the first rally, which has to fill them; "rally_s" is the median of the later rallies.
    "stage_built_ms" and "stage_kilobytes" are the time and memory to compile a long stage again.
    """
    rules = game()
    rallies = [_drive_rally(rules, seed) for seed in range(1 + ROUNDS)]
    decisions = [duration for _rally, chosen, _records in rallies[1:] for duration in chosen]
    started = _started(rules, LONG_STAGE)
    draft = " ".join(write_plan([step.move for step in plan_choice(started, "ana", "bold").plan]).split()[:5])
    nine, plan = _long_plan(rules)
    turns, replay = _replay(rallies[0][2])
    plans, counting = _counting(started)
    at_start = _timed(lambda: rules.choices(started, "ana", ""), 200)
    after_five = _timed(lambda: rules.choices(started, "ana", draft), 200)
    one_by_one = _timed(lambda: odds(nine, "ana", plan, orders={"roll": "one by one"}), 20)
    flat_out = _timed(lambda: odds(nine, "ana", plan, orders={"roll": "flat out"}), 20)
    building, kilobytes = _built(started["stage"])

    def data(clock: int) -> dict[str, Any]:
        chosen = [duration[clock] * 1e3 for duration in decisions]
        driven = [rally[clock] for rally, _chosen, _records in rallies]
        return {
            "turns_replayed_per_s": round(turns / replay[clock]),
            "plans_counted_per_s": round(plans / counting[clock]),
            "choices_start_us": round(at_start[clock] * 1e6, 1),
            "choices_after_five_us": round(after_five[clock] * 1e6, 1),
            "odds_one_by_one_ms": round(one_by_one[clock] * 1e3, 3),
            "odds_flat_out_ms": round(flat_out[clock] * 1e3, 3),
            "codriver_ms": {
                "median": round(median(chosen), 2),
                "p95": round(quantiles(chosen, n=20)[-1], 2),
                "decisions": len(chosen),
            },
            "rally_first_s": round(driven[0], 2),
            "rally_s": round(median(driven[1:]), 2),
            "stage_built_ms": round(building[clock] * 1e3, 2),
        }

    wall, processor = Times._fields.index("wall"), Times._fields.index("processor")
    return {**data(wall), "stage_kilobytes": kilobytes, "processor": data(processor)}


def _timed(task: Callable[[], object], times: int) -> Times:
    """Return the time of one call: the median over ROUNDS rounds of `times` calls each."""
    rounds = []
    for _ in range(ROUNDS):
        begun = Times.now()
        for _ in range(times):
            task()
        rounds.append(Times.now().since(begun))
    return Times(*(median(seconds) / times for seconds in zip(*rounds, strict=True)))


def _started(rules: Dirt, name: str) -> State:
    options = rules.clean_options({})
    stage = rules.read_course(rules.library()[name])
    return rules.setup(stage, [{"id": "ana", "car": rules.new_luggage(options)}], options)


def _replay(records: list[dict[str, Any]]) -> tuple[int, Times]:
    """Return the number of whole turns in these records, and the time to fold the records."""
    turns = sum(event["kind"] == "end of turn" for one in records for turn in one["turns"] for event in turn["events"])
    return turns, _timed(lambda: [record.fold(one) for one in records], 1)


def _counting(state: State) -> tuple[int, Times]:
    """Return the number of plans from the start, and the time to count them move by move."""
    road = road_for(state, "ana")
    at = start(road, GRID, 0, {})
    return count(road, at, PERFT_DEPTH), _timed(lambda: count(road, at, PERFT_DEPTH), 1)


def _built(stage: Mapping[str, Any]) -> tuple[Times, int]:
    """Return the time to compile a stage, and the kilobytes of the result."""
    tiles = tuple((tile["tile"], tile["via"]) for tile in stage["tiles"])
    tracemalloc.start()
    _track = built(tiles)
    held, _most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return _timed(lambda: built(tiles), 10), round(held / 1000)


def _long_plan(rules: Dirt) -> tuple[State, str]:
    """Return the start of a stage, and a plan of ODDS_DICE dice from there."""
    for name in rules.library():
        state = _started(rules, name)
        road = Road(compiled(state["stage"]), road_for(state, "ana").limits, {})
        plan = next(_plans(road, start(road, GRID, 0, {}), ()), None)
        if plan is not None:
            return state, write_plan([step.move for step in plan])
    raise AssertionError("no ready-made stage has room for that plan")


def _plans(road: Road, at: CarInPlan, laid: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    dice = sum(1 + step.move.die.brakes for step in laid)
    if dice == ODDS_DICE:
        yield laid
        return
    for step in steps(road, at):
        if step.after.loss is None:
            yield from _plans(road, step.after, (*laid, step))


# A rally of codrivers -----------------------------------------------------------------------------


def _drive_rally(rules: Dirt, seed: int) -> tuple[Times, list[Times], list[dict[str, Any]]]:
    """Drive three stages with four cars. Return the time it took, the time of each choice of a plan, the records."""
    options = rules.clean_options({})
    cars = {name: rules.new_luggage(options) for name in CREWS}
    chosen: list[Times] = []
    records = []
    begun = Times.now()
    for number, name in enumerate(RALLY, 1):
        last = number == len(RALLY)
        stage = rules.in_rally(rules.read_course(rules.library()[name]), last=last)
        entrants = [{"id": driver, "car": car} for driver, car in cars.items()]
        state, turns, chance = _drive_stage(rules, stage, entrants, f"bench {seed} {number}", chosen)
        records.append(
            record.write(rules=rules, stage=stage, entrants=entrants, options=options, turns=turns, chance=chance)
        )
        result = rules.result(state)
        assert result is not None
        for finish in result.seats:
            serviced = rules.after_stage(
                finish.luggage, service=stage["service"], retired=finish.status == "retired", options=options
            )
            asked = rules.decisions(serviced, service=stage["service"], options=options, last_stage=last)
            cars[finish.seat], _penalty = rules.decide(
                serviced, time_control(asked), service=stage["service"], options=options, last_stage=last
            )
    return Times.now().since(begun), chosen, records


def _drive_stage(
    rules: Dirt, stage: dict[str, Any], entrants: list[dict[str, Any]], words: str, chosen: list[Times]
) -> tuple[State, list[dict[str, Any]], dict[str, Any]]:
    """Drive one stage to its end. Return its last state, and its turns and its chance in the form of a record."""
    seal = sha256(words.encode()).digest()
    secret, phrases = secret_of_run(seal, 1), digest([])
    state, drawn = rules.setup(stage, entrants, rules.clean_options({})), 0
    turns = []
    while playing := rules.to_play(state):
        begun = Times.now()
        orders = rules.autopilot(state, playing[0], CREWS[playing[0]])
        if orders["do"] == "lay":
            chosen.append(Times.now().since(begun))
        chance = SealChance(secret, phrases=phrases, drawn=drawn)
        state, events = rules.play(state, playing[0], orders, chance)
        drawn = chance.drawn
        turns.append(
            {"driver": playing[0], "orders": orders, "salt": "", "draws": chance.draws, "events": list(events)}
        )
    promise = commitment(seal)
    data = chance_of(seal=seal, promise=promise, run=1, secret=secret, common=None, phrases=[], published=phrases)
    return state, turns, data
