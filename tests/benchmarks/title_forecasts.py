"""Measure how reliable the forecasts of rallies and seasons are.

    python -m tests.benchmarks.title_forecasts seasons 200      # places only, by the fast model itself
    python -m tests.benchmarks.title_forecasts seasons 200 --rough   # drivers who are less regular than the model says
    python -m tests.benchmarks.title_forecasts rallies 50 [--game dirt]   # stages that codrivers really drive

A season: six rounds of four stages, 12 drivers, 25 to 1 points for ten places, the worst round dropped. Before it, each
driver has driven between none and ten stages. It is forecast after every round but the last. With `--rough` a bad day
(one round in eight) costs two spreads on each of its stages, and strengths come from a distribution with long tails.

A rally: four ready-made stages, six cars, driven by codrivers of several manners; ten stages that each of them drove
before are known. It is forecast after each stage but the last. What is printed depends on the arguments only.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from hashlib import sha256
from typing import Any

from championship.seasons.chances.places_model import SPREAD, RallySoFar, rally_chances, so_far, strengths
from championship.seasons.chances.simulating import Left, season_chances
from championship.seasons.scoring import tables
from championship.seasons.scoring.values import Drops, Result, Season, SeasonRound, SeasonScheme
from engine import registry
from engine.chance import SeededChance
from engine.prediction import key_of

DRIVERS = [str(number) for number in range(1, 13)]
ROUNDS, STAGES = 6, 4
POINTS = tuple(100 * points for points in (25, 18, 15, 12, 10, 8, 6, 4, 2, 1))
CLASSES = (0, 50, 150, 300, 500, 700, 850, 950, 1001)
"""The bounds of the classes, in thousandths."""
CARS, BEFORE = 6, 10
Found = list[tuple[str, int, float]]
"""When a forecast was made, the chance in thousandths, the share of the win."""


def order_of(forms: dict[str, float]) -> list[list[str]]:
    """Return who is on each place, the best first."""
    return [[driver] for driver in sorted(forms, key=lambda driver: -forms[driver])]


def a_season(number: int, *, rough: bool, simulations: int) -> Found:
    """Return the forecasts of one season."""
    chance = random.Random(f"season {number} {rough}")
    true = {driver: chance.gauss(0.0, SPREAD) for driver in DRIVERS}
    if rough:
        true = {driver: chance.choice((0.5, 0.5, 0.5, 2.0)) * form for driver, form in true.items()}
    stages = []
    experience = {driver: chance.randrange(BEFORE + 1) for driver in DRIVERS}
    for stage in range(BEFORE):
        here = {driver: true[driver] + chance.gauss(0.0, 1.0) for driver in DRIVERS if experience[driver] > stage}
        stages += [order_of(here)] if here else []
    rounds: list[SeasonRound] = []
    forecasts: list[tuple[int, dict[str, int]]] = []
    scheme = SeasonScheme(points=POINTS, drops=Drops(worst=1))
    plain = [SeasonRound(each, str(each), ()) for each in range(1, ROUNDS + 1)]
    for each in range(1, ROUNDS + 1):
        totals = dict.fromkeys(DRIVERS, 0.0)
        bad = {driver: rough and chance.random() < 1 / 8 for driver in DRIVERS}
        for _stage in range(STAGES):
            here = {driver: true[driver] + chance.gauss(0.0, 1.0) - 2.0 * bad[driver] for driver in DRIVERS}
            stages.append(order_of(here))
            totals = {driver: total + here[driver] for driver, total in totals.items()}
        order = sorted(DRIVERS, key=lambda driver: -totals[driver])
        results = tuple(Result(driver, int(driver), place=place) for place, driver in enumerate(order, 1))
        rounds.append(SeasonRound(each, str(each), results))
        if each < ROUNDS:
            known = strengths(stages)
            left = [
                Left(
                    later.number,
                    RallySoFar(dict.fromkeys(DRIVERS, 0.0), STAGES),
                    known,
                    {},
                    power=False,
                    who={driver: Result(driver, int(driver)) for driver in DRIVERS},
                )
                for later in plain[each:]
            ]
            season = Season(scheme, (*rounds, *plain[each:]))
            seed = f"forecast {number} {each}"
            forecasts.append((each, season_chances(season, left, seed=seed, most=simulations)[0]))
    first = [line.subject for line in tables.drivers(Season(scheme, tuple(rounds))) if line.place == 1]
    return [
        (f"after round {each}", told.get(driver, 0), (driver in first) / len(first))
        for each, told in forecasts
        for driver in DRIVERS
    ]


def a_stage(rules: Any, named: str, manners: list[str]) -> dict[str, int]:
    """Return the results of a stage that codrivers drive, where less is better."""
    picked = random.Random(named)
    course = rules.read_course(rules.library()[picked.choice(sorted(rules.library()))])
    options = rules.clean_options({} if rules.name == "dirt" else {"laps": 1})
    entrants: list[dict[str, Any]] = [{"id": str(seat)} for seat in range(1, CARS + 1)]
    if rules.name == "dirt":
        course = rules.in_rally(course, last=False)
        entrants = [{**each, "car": rules.new_luggage(options)} for each in entrants]
    picked.shuffle(entrants)
    chance = SeededChance(sha256(named.encode()).digest())
    state, _events = rules.begin(rules.setup(course, entrants, options), chance)
    while waiting := rules.to_play(state):
        manner = manners[int(waiting[0]) - 1]
        state, _events = rules.play(state, waiting[0], rules.autopilot(state, waiting[0], manner), chance)
    result = rules.result(state)
    return {one.seat: key_of(one.measure or 0, one.rank, rules.measure)[0] for one in result.seats}


def a_rally(rules: Any, number: int, simulations: int, pool: list[dict[str, int]]) -> Found:
    """Return the forecasts of one rally. `pool`: stages that were driven before, by the names of their drivers."""
    manners = (["club", "bold", "cautious"] * 2)[:CARS]
    stages = [[[seat] for seat in _by_time(each)] for each in pool]
    driven_here: list[dict[str, int]] = []
    found: list[dict[str, int]] = []
    for stage in range(STAGES):
        driven_here.append(a_stage(rules, f"rally {number} {stage}", manners))
        stages.append([[seat] for seat in _by_time(driven_here[-1])])
        if stage + 1 < STAGES:
            totals = {seat: float(sum(each[seat] for each in driven_here)) for seat in driven_here[0]}
            measured = [{seat: float(time) for seat, time in each.items()} for each in driven_here]
            here = so_far(totals, measured, STAGES - stage - 1)
            told = rally_chances(here, strengths(stages), seed=f"rally {number} {stage}", simulations=simulations)
            found.append(told)
    ended = {seat: sum(each[seat] for each in driven_here) for seat in driven_here[0]}
    first = [seat for seat, total in ended.items() if total == min(ended.values())]
    return [
        (f"after stage {stage}", chance, (seat in first) / len(first))
        for stage, told in enumerate(found, 1)
        for seat, chance in told.items()
    ]


def _by_time(stage: dict[str, Any]) -> list[str]:
    return sorted(stage, key=lambda seat: stage[seat])


def tell(found: Found, what: str, even: float) -> None:
    """Print the reliability table, and the Brier score by the moment."""
    print(f"{what}: {len(found)} chances")
    by_class: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for _moment, chance, won in found:
        by_class[max(bound for bound in CLASSES if bound <= chance)].append((chance, won))
    for bound, cases in sorted(by_class.items()):
        mean, won = (sum(values) / len(cases) for values in zip(*cases, strict=True))
        print(f"  from {bound / 10:.0f} %: {len(cases)} times, forecast {mean / 10:.1f} %, won {100 * won:.1f} %")
    for moment in dict.fromkeys(at for at, _chance, _won in found):
        here = [(chance / 1000, won) for at, chance, won in found if at == moment]
        brier = sum((chance - won) ** 2 for chance, won in here) / len(here)
        same = sum((even - won) ** 2 for _chance, won in here) / len(here)
        print(f"  {moment}: Brier {brier:.4f}, the same for all {same:.4f}", flush=True)


def main() -> None:
    """Run as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("seasons", "rallies"))
    parser.add_argument("number", type=int)
    parser.add_argument("--rough", action="store_true")
    parser.add_argument("--game", default="dirt")
    parser.add_argument("--simulations", type=int, default=500)
    asked = parser.parse_args()
    found: Found = []
    if asked.what == "seasons":
        for number in range(asked.number):
            found += a_season(number, rough=asked.rough, simulations=asked.simulations)
        tell(found, f"{asked.number} seasons{' of irregular drivers' if asked.rough else ''}", 1 / len(DRIVERS))
        return
    rules = registry.get(asked.game)
    manners = (["club", "bold", "cautious"] * 2)[:CARS]
    pool = [a_stage(rules, f"before {stage}", manners) for stage in range(BEFORE)]
    for number in range(asked.number):
        found += a_rally(rules, number, asked.simulations, pool)
        if number % 10 == 9 or number + 1 == asked.number:
            tell(found, f"{number + 1} rallies of {asked.game}", 1 / CARS)


if __name__ == "__main__":
    main()
