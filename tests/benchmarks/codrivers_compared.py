"""Compare the codrivers: `python -m tests.benchmarks.codrivers_compared [RUNS] [SEED] [STAGE ...]`.

Each drives every ready-made stage alone, on the same chance. Requirements: club has a lower mean than cautious on every
stage and is the faster one of most pairs; the best quarter of bold's runs is faster than that of club, and the worst
quarter slower. Quarters are compared by the mean of their runs. A retired run is slower than all finished ones, by E7's
minute; of two equal times each counts as half a win. Prints a line for each stage. Exits with 1 when a requirement is
not met.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from statistics import fmean

from engine import registry
from engine.dirt.codriver.decisions import NAMES
from engine.dirt.drive import drive
from engine.dirt.rally import retirement_seconds

RULES = registry.get("dirt")
RUNS, SEED = 1000, 20261120
PAIRS_WON = 0.7


def times(stage: str, codriver: str, *, runs: int, seed: int) -> list[int]:
    """Return the seconds of each run, in the order driven."""
    driven = drive(RULES.read_course(RULES.library()[stage]), codriver=codriver, runs=runs, seed=seed)
    finished = [run["seconds"] for run in driven if run["seconds"] is not None]
    out = retirement_seconds(finished, 0)
    return [out if run["seconds"] is None else run["seconds"] for run in driven]


def quarters(seconds: Sequence[int]) -> tuple[float, float]:
    """Return the means of the fastest and of the slowest quarter."""
    count, ordered = len(seconds) // 4, sorted(seconds)
    return fmean(ordered[:count]), fmean(ordered[-count:])


def pairs_won(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the share of runs in which the first is faster."""
    return fmean((one < other) + (one == other) / 2 for one, other in zip(first, second, strict=True))


def main() -> int:
    """Compare them on all stages, or on those named. Returns the exit code: 1 when a requirement is not met."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else SEED
    stages = sys.argv[3:] or list(RULES.library())
    began, won, missed = time.monotonic(), [], []
    print(f"{runs} runs a stage and codriver, seed {seed}; seconds: mean, best quarter, worst quarter")
    print("stage  " + "  ".join(f"{name:^22}" for name in NAMES) + "  club beats cautious")
    for stage in stages:
        seconds = {name: times(stage, name, runs=runs, seed=seed) for name in NAMES}
        mean = {name: fmean(of) for name, of in seconds.items()}
        best, worst = ({name: quarters(of)[end] for name, of in seconds.items()} for end in (0, 1))
        won.append(pairs_won(seconds["club"], seconds["cautious"]))
        asked = {
            "mean of club": mean["club"] < mean["cautious"],
            "best quarter of bold": best["bold"] < best["club"],
            "worst quarter of bold": worst["bold"] > worst["club"],
        }
        missed += [f"{stage}: {what}" for what, holds in asked.items() if not holds]
        columns = "  ".join(f"{mean[name]:6.1f} {best[name]:7.1f} {worst[name]:7.1f}" for name in NAMES)
        print(f"{stage:5}  {columns}  {won[-1]:.1%}", flush=True)
    share = fmean(won)
    if share < PAIRS_WON:
        missed.append(f"pairs won by club: {share:.1%}")
    print(f"club wins {share:.1%} of all pairs; {time.monotonic() - began:.0f} s; ", end="")
    print("all holds" if not missed else "does not hold: " + "; ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
