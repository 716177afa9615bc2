"""Measure how reliable forecasts are: stages that codrivers drive, with a forecast at several moments of each.

    python -m tests.benchmarks.forecasts GAME STAGES [SIMULATIONS [COURSE]]

Prints, for each class of the forecast chance, how many forecasts fell into it, the mean of the chances, and how often
the car won. Also the Brier score, beside that of giving every car the same chance.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections import defaultdict

from engine import registry
from engine.chance import SeededChance
from engine.contract import Career, Courses, Game, Luggage, offered
from engine.prediction import Stage, Tally, driven_on, key_of, predicted

CARS = 4
MOMENTS = (0.0, 0.25, 0.5, 0.75)
"""At which parts of the turns of a stage a forecast is made."""
CLASSES = (0, 50, 150, 300, 500, 700, 850, 950, 1001)
"""The bounds of the classes, in thousandths."""


def one_stage(rules: Game, number: int, simulations: int, named: str) -> list[tuple[float, int, float]]:
    """Return for each forecast and car of a stage: the moment, the chance in thousandths, the share of the win."""
    courses, career = offered(rules, Courses), offered(rules, Career)
    every = courses.library() if courses else {"": {}}
    library = [course for name, course in every.items() if named in ("", name)]
    course = library[number % len(library)]
    course = career.in_rally(course, last=True) if career else course
    options = rules.clean_options({})
    luggage: Luggage = career.new_luggage(options) if career else {}
    entrants = [{"id": str(seat), "luggage": dict(luggage)} for seat in range(1, CARS + 1)]
    chance = SeededChance(hashlib.sha256(f"stage {number}".encode()).digest())
    state, _events = rules.begin(rules.setup(course, entrants, options), chance)
    states = [state]
    while waiting := rules.to_play(state):
        state, _events = rules.play(state, waiting[0], rules.autopilot(state, waiting[0]), chance)
        states.append(state)
    tally = Tally()
    results = driven_on(rules, state, chance)
    tally.add({
        one.seat: key_of(one.measure or 0, one.rank, rules.measure) if one.status == "finished" else None
        for one in results
    })  # fmt: skip
    found = []
    for moment in MOMENTS:
        seed = hashlib.sha256(f"forecast {number} {moment}".encode()).digest()
        at = states[int(moment * (len(states) - 1))]
        stage, _rally = predicted(rules, [Stage([at])], {}, options, seed=seed, most=simulations)
        found += [(moment, chance_, tally.wins[seat]) for seat, chance_ in stage.per_mille().items()]
    return found


def main() -> None:
    """Run as the command line says."""
    rules, stages = registry.get(sys.argv[1]), int(sys.argv[2])
    simulations = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    named = sys.argv[4] if len(sys.argv) > 4 else ""
    begun, found = time.process_time(), list[tuple[float, int, float]]()
    for number in range(stages):
        found += one_stage(rules, number, simulations, named)
        if number % 5 == 4:
            _tell(found, number + 1, time.process_time() - begun)


def _tell(found: list[tuple[float, int, float]], stages: int, seconds: float) -> None:
    print(f"{stages} stages, {len(found)} chances, {seconds:.0f} s of the processor")
    by_class: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for _moment, chance, won in found:
        by_class[max(bound for bound in CLASSES if bound <= chance)].append((chance, won))
    for bound, cases in sorted(by_class.items()):
        mean, won = (sum(values) / len(cases) for values in zip(*cases, strict=True))
        print(f"  from {bound / 10:.0f} %: {len(cases)} times, forecast {mean / 10:.1f} %, won {100 * won:.1f} %")
    for moment in MOMENTS:
        here = [(chance / 1000, won) for at, chance, won in found if at == moment]
        brier = sum((chance - won) ** 2 for chance, won in here) / len(here)
        even = sum((1 / CARS - won) ** 2 for _chance, won in here) / len(here)
        print(f"  after {moment:.0%} of the turns: Brier {brier:.3f}, the same for all {even:.3f}", flush=True)


if __name__ == "__main__":
    main()
