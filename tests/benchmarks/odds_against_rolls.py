"""Compare the odds of every case with a million rolls: `python -m tests.benchmarks.odds_against_rolls [ROLLS]`.

Turns are driven through the engine on seeded chance. Each end, each number of warnings and each mean must be within
four standard errors. The test suite does the same with a tenth of the rolls (tests/games/dirt/engine/test_odds.py).
"""

from __future__ import annotations

import sys
import time

from tests.games.dirt.engine.rolling import CASES
from tests.games.dirt.engine.test_odds import compare

FEWEST_DICE_A_TURN = 4


def main() -> int:
    rolls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    began, drawn, far = time.perf_counter(), 0, 0
    for name in CASES:
        try:
            drawn += compare(name, rolls // (FEWEST_DICE_A_TURN * len(CASES)) + 1)
        except AssertionError as error:
            far += 1
            print(error)
    print(f"{len(CASES)} cases, {drawn} draws in {time.perf_counter() - began:.0f} s, {far} too far off")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
