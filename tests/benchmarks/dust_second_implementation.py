"""Compare the engine with the second implementation of its rules.

Usage: `python -m tests.benchmarks.dust_second_implementation [GAMES] [FIRST SEED] [SECONDS]`.

Each seed makes a random scenario with our own card set or a random one, and plays 60 random steps with both
(`tests/games/dust/engine/second`). In some positions hundreds of legal, illegal and unreadable steps are tried: both
must accept the same ones, and name the same rule when they refuse. Prints what was played. Exits with 1 at the first
difference.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.games.dust.engine.second.compare import compare


def main() -> int:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else float("inf")
    began, met, done = time.monotonic(), Counter[str](), 0
    for seed in range(first, first + games):
        if time.monotonic() - began > seconds:
            break
        try:
            met += compare(seed)
        except AssertionError as error:
            print(error)
            return 1
        done += 1
    print(f"{done} games from seed {first}, {met.pop('steps', 0)} steps compared: no difference")
    print(", ".join(f"{what} {count}" for what, count in met.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
