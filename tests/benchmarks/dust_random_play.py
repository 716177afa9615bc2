"""Random card sets, random legal play: `python -m tests.benchmarks.dust_random_play [GAMES] [FIRST SEED]`.

Each seed makes a table: our own card set or a random one, one to four drivers, any stage, any options. Drivers do
anything legal, and some resign. No step may be refused, every game must end, folding its events must give its state,
and every operation of the effect language must have been used. Prints how many there were.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.dust import card_set_reading, driving, operations, resolving
from engine.dust.step_context import Turn
from tests.engine.dust.luck import Luck
from tests.engine.dust.tables import GAME, random_start, random_step

MOST_POSTS = 8000
RESIGNS = 0.0005


@dataclass(slots=True)
class Played:
    """What was done: steps, and how often each operation was carried out."""

    steps: int = 0
    used: Counter[str] = field(default_factory=Counter)


def operations_of(state: dict[str, Any], seat: str, step: str) -> list[str]:
    """The operations of the effect that a step carries out."""
    turn = Turn(state, seat, card_set_reading.of_document(state["set"], state["digest"]), None)  # type: ignore[arg-type]
    first, *words = step.split()
    opened = turn.me["open"]
    if first == "do" and opened is not None:
        effect = driving.effects_of(turn, opened)[int(words[0]) - 1]
    elif first == "void":
        found = resolving.voids(turn, words[0])
        assert found is not None
        effect = found
    elif first == "passive":
        passive = turn.card(turn.me["board"][words[0]]["card"]).passive()
        assert passive is not None
        effect = passive
    else:
        return []
    return [type(one).__name__ for one in effect.operations]


def drive(seed: int, played: Played) -> None:
    """One game to its end. AssertionError, or any other, when something is wrong."""
    state, rng = random_start(seed)
    told, luck = state, Luck(seed)
    for _ in range(MOST_POSTS):
        seats = GAME.to_play(state)
        if not seats:
            break
        seat = rng.choice(seats)
        if rng.random() < RESIGNS:
            state, events = GAME.play(state, seat, GAME.resign(state, seat), luck)
        else:
            step = random_step(state, seat, rng)
            played.used.update(operations_of(state, seat, step))
            state, events = GAME.play(state, seat, {"do": "steps", "steps": [step]}, luck)
        played.steps += 1
        for event in events:
            told = GAME.apply(told, event)
    assert GAME.result(state) is not None, f"seed {seed} does not end"
    assert told == state, f"seed {seed}: the events give another state"


def unused(played: Played) -> list[str]:
    """The operations of the effect language that were never carried out."""
    return sorted({kind.__name__ for kind in operations.Operation.__subclasses__()} - set(played.used))


def main() -> int:
    """Play the games asked for; 1 when one of them goes wrong."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    began, played = time.process_time(), Played()
    for seed in range(first, first + games):
        try:
            drive(seed, played)
        except Exception as error:
            print(f"seed {seed}: {error!r}")
            return 1
        if (seed - first) % 100 == 99:
            print(f"{seed - first + 1} games, {played.steps} steps, {time.process_time() - began:.0f} s", flush=True)
    print(f"{games} games, {played.steps} steps in {time.process_time() - began:.0f} s: all ended, all events folded")
    print("operations: " + ", ".join(f"{name} {count}" for name, count in sorted(played.used.items())))
    if missing := unused(played):
        print("never used: " + ", ".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
