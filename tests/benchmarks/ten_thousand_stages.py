"""Build random stages and check each of them: `python -m tests.benchmarks.ten_thousand_stages [SEEDS]`.

All lengths and hazards, with service and without. Every stage must be unchanged after it is read again, have no dead
end, be drivable from the grid to the finish, and be built in under a second.
"""

from __future__ import annotations

import statistics
import sys
import time

from engine.dirt.course.random_stages import HAZARDS, LEAST_TILES, build, most_tiles
from tests.games.dirt.engine.test_builder import assert_sound

SECONDS = 1.0


def main() -> int:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    lengths = range(LEAST_TILES, most_tiles() + 1)
    taken = []
    for seed in range(seeds):
        tiles, hazard, service = lengths[seed % len(lengths)], HAZARDS[seed % len(HAZARDS)], bool(seed & 1)
        began = time.process_time()
        stage = build(tiles=tiles, seed=seed, hazard=hazard, service=service)
        taken.append(time.process_time() - began)
        assert_sound(stage, tiles, service=service)
    slow = sum(seconds > SECONDS for seconds in taken)
    print(
        f"{seeds} stages: median {1e3 * statistics.median(taken):.0f} ms, slowest {1e3 * max(taken):.0f} ms,"
        f" {slow} over {SECONDS:.0f} s"
    )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
