"""How fast the engine is on this machine: `python -m engine bench`. Each number is the median of several runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from statistics import median, quantiles
from timeit import default_timer
from typing import Any

from engine import record, ruleset
from engine.chance import Seeded, commitment
from engine.dirt.codriver import plan_choice, time_control
from engine.dirt.moves import write_plan
from engine.dirt.odds import odds
from engine.dirt.plan import At, Step, count, start, steps
from engine.dirt.road import Road
from engine.dirt.table import road_for
from engine.dirt.track import GRID, compiled
from engine.ruleset import Ruleset, State

ROUNDS = 5
RALLY = ("1/1", "1/2", "1/3")
CREWS = {"ana": "cautious", "bo": "club", "cy": "bold", "dee": "club"}
LONG_STAGE, PERFT_DEPTH = "3/2", 8
ODDS_DICE = 9


def measured() -> dict[str, Any]:
    """All measures by name; each name tells its unit.

    "codriver_ms" is the time to choose a plan among three other cars, tables of worth being filled; "rally_first_s" is
    a rally that still has to fill them, "rally_s" the median of those that follow.
    """
    rules = ruleset.get("dirt")
    rallies = [_drive_rally(rules, seed) for seed in range(1 + ROUNDS)]
    times = [seconds for seconds, _decisions, _records in rallies]
    decisions = [seconds for _seconds, chosen, _records in rallies[1:] for seconds in chosen]
    started = _started(rules, LONG_STAGE)
    draft = " ".join(write_plan([step.move for step in plan_choice(started, "ana", "bold").plan]).split()[:5])
    nine, plan = _long_plan(rules)
    return {
        "turns_replayed_per_s": round(_replayed_per_second(rallies[0][2])),
        "plans_counted_per_s": round(_counted_per_second(started)),
        "choices_start_us": round(_timed(lambda: rules.choices(started, "ana", ""), 200) * 1e6, 1),
        "choices_after_five_us": round(_timed(lambda: rules.choices(started, "ana", draft), 200) * 1e6, 1),
        "odds_one_by_one_ms": round(
            _timed(lambda: odds(nine, "ana", plan, orders={"roll": "one by one"}), 20) * 1e3, 3
        ),
        "odds_flat_out_ms": round(_timed(lambda: odds(nine, "ana", plan, orders={"roll": "flat out"}), 20) * 1e3, 3),
        "codriver_ms": {
            "median": round(median(decisions) * 1e3, 2),
            "p95": round(quantiles(decisions, n=20)[-1] * 1e3, 2),
            "decisions": len(decisions),
        },
        "rally_first_s": round(times[0], 2),
        "rally_s": round(median(times[1:]), 2),
    }


def _timed(task: Callable[[], object], times: int) -> float:
    """Seconds a call takes: the median over rounds of so many calls."""
    rounds = []
    for _ in range(ROUNDS):
        begun = default_timer()
        for _ in range(times):
            task()
        rounds.append((default_timer() - begun) / times)
    return median(rounds)


def _started(rules: Ruleset, name: str) -> State:
    options = rules.clean_options({})
    stage = rules.read_stage(rules.library()[name])
    return rules.setup(stage, [{"id": "ana", "car": rules.new_car(options)}], options)


def _replayed_per_second(records: list[dict[str, Any]]) -> float:
    """Whole turns of all drivers, folded from the events of records."""
    turns = sum(event["kind"] == "end of turn" for one in records for turn in one["turns"] for event in turn["events"])
    seconds = _timed(lambda: [record.fold(one) for one in records], 1)
    return float(turns / seconds)


def _counted_per_second(state: State) -> float:
    """Plans from the start, counted one move after the other."""
    road = road_for(state, "ana")
    at = start(road, GRID, 0, {})
    return count(road, at, PERFT_DEPTH) / _timed(lambda: count(road, at, PERFT_DEPTH), 1)


def _long_plan(rules: Ruleset) -> tuple[State, str]:
    """A stage and a plan on it, from the start, of as many dice as are measured."""
    for name in rules.library():
        state = _started(rules, name)
        road = Road(compiled(state["stage"]), road_for(state, "ana").limits, {})
        plan = next(_plans(road, start(road, GRID, 0, {}), ()), None)
        if plan is not None:
            return state, write_plan([step.move for step in plan])
    raise AssertionError("no ready-made stage has room for that plan")


def _plans(road: Road, at: At, laid: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    dice = sum(1 + step.move.die.brakes for step in laid)
    if dice == ODDS_DICE:
        yield laid
        return
    for step in steps(road, at):
        if step.after.loss is None:
            yield from _plans(road, step.after, (*laid, step))


# A rally of codrivers -----------------------------------------------------------------------------


def _drive_rally(rules: Ruleset, seed: int) -> tuple[float, list[float], list[dict[str, Any]]]:
    """Three stages, four cars. The seconds it took, those of each choice of a plan, and the stages' records."""
    options = rules.clean_options({})
    cars = {name: rules.new_car(options) for name in CREWS}
    chosen: list[float] = []
    records = []
    begun = default_timer()
    for number, name in enumerate(RALLY, 1):
        last = number == len(RALLY)
        stage = {**rules.read_stage(rules.library()[name]), "last": last}
        entrants = [{"id": driver, "car": car} for driver, car in cars.items()]
        state, turns, chance = _drive_stage(rules, stage, entrants, f"bench {seed} {number}", chosen)
        records.append(
            record.write(rules=rules, stage=stage, entrants=entrants, options=options, turns=turns, chance=chance)
        )
        result = rules.result(state)
        assert result is not None
        for finish in result.finishes:
            serviced = rules.car_after_stage(
                finish.car, service=stage["service"], retired=finish.retired, options=options
            )
            asked = rules.decisions(serviced, service=stage["service"], options=options, last_stage=last)
            cars[finish.driver], _penalty = rules.decide(
                serviced, time_control(asked), service=stage["service"], options=options, last_stage=last
            )
    return default_timer() - begun, chosen, records


def _drive_stage(
    rules: Ruleset, stage: dict[str, Any], entrants: list[dict[str, Any]], words: str, chosen: list[float]
) -> tuple[State, list[dict[str, Any]], dict[str, Any]]:
    """One stage to its end: its last state, what a record keeps of its turns and chance."""
    secret = sha256(words.encode()).digest()
    chance = Seeded(secret)
    state = rules.setup(stage, entrants, rules.clean_options({}))
    turns = []
    while playing := rules.to_play(state):
        begun = default_timer()
        orders = rules.autopilot(state, playing[0], CREWS[playing[0]])
        if orders["do"] == "lay":
            chosen.append(default_timer() - begun)
        state, events = rules.play(state, playing[0], orders, chance)
        turns.append({"driver": playing[0], "orders": orders, "events": list(events)})
    return state, turns, {"commitment": commitment(secret), "phrases": [], "secret": secret.hex()}
