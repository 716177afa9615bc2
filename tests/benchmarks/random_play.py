"""Random stages, random legal play: `python -m tests.benchmarks.random_play [STAGES] [FIRST SEED] [GIVES UP]`.

Each seed builds a stage, puts one to four cars on it, some of them damaged, and lets drivers do anything legal. GIVES
UP is the probability that they retire before an order (E8), by default 0.01. No order may be refused, every stage must
end, and folding its events must give its state. Prints how many there were.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Any

from engine.chance import SeededChance
from engine.contract import Event, State
from engine.dirt.course.random_stages import HAZARDS, build
from tests.games.dirt.engine.scenes import RULES
from tests.games.dirt.engine.test_fold import MOST_ORDERS, Dice

CARS = 4
GIVES_UP = 0.01
TILES = (4, 14)
SEEDS_APART = 10_000_000


def options_of(draw: random.Random) -> dict[str, Any]:
    """Return random rules from those that an organiser may choose."""
    chosen = {
        option.name: draw.choice(option.choices or (True, False)) for option in RULES.options if option.type != "int"
    }
    return RULES.clean_options(chosen)


def worn_car(draw: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    """Return a car that may have damage and may have used its spare wheel."""
    damage = {"gear": draw.choice((0, 0, 0, 1, 4)), "coast": draw.choice((0, 0, 1, 2)), "brake": draw.choice((0, 0, 1))}
    return {**RULES.new_luggage(options), "damage": damage, "spare": draw.random() < 0.7}


def driven(seed: int, gives_up: float, *, tiles: tuple[int, int] = TILES) -> tuple[State, list[Event]]:
    """Drive one stage to its end and return its set-up and its events. `tiles`: the fewest and the most of the stage.

    Raises: AssertionError, or another error, when something is wrong.
    """
    draw = random.Random(seed)
    stage = build(tiles=draw.randint(*tiles), seed=SEEDS_APART + seed, hazard=draw.choice(HAZARDS))
    options = options_of(draw)
    entrants = [{"id": str(number), "car": worn_car(draw, options)} for number in range(1, draw.randint(1, CARS) + 1)]
    setup = state = told = RULES.setup({**stage, "last": draw.random() < 0.5}, entrants, options)
    dice, chance, story = Dice(seed, gives_up), SeededChance(draw.randbytes(32)), list[Event]()
    for _ in range(MOST_ORDERS):
        playing = RULES.to_play(state)
        if not playing:
            break
        state, events = RULES.play(state, playing[0], dice.orders(state, playing[0]), chance)
        story += events
        for event in events:
            told = RULES.apply(told, event)
    assert RULES.result(state) is not None, f"seed {seed} does not end"
    assert told == state, f"seed {seed}: the events give another state"
    return setup, story


def drive(seed: int, gives_up: float) -> int:
    """Drive one stage to its end and return the number of turns.

    Raises: AssertionError, or another error, when something is wrong.
    """
    setup, events = driven(seed, gives_up)
    end = setup
    for event in events:
        end = RULES.apply(end, event)
    return sum(RULES.turns_made(end, seat) for seat in end["starters"])


def main() -> int:
    """Drive the requested stages. Returns the exit code: 1 when one of them fails."""
    stages = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    gives_up = float(sys.argv[3]) if len(sys.argv) > 3 else GIVES_UP
    began, turns = time.monotonic(), 0
    for seed in range(first, first + stages):
        try:
            turns += drive(seed, gives_up)
        except Exception as error:
            print(f"seed {seed}: {error!r}")
            return 1
        if (seed - first) % 1000 == 999:
            print(f"{seed - first + 1} stages, {turns} turns, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{stages} stages, {turns} turns in {time.monotonic() - began:.0f} s: all ended, all events folded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
