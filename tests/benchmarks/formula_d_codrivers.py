"""Compare the codrivers of Formula D: `python -m tests.benchmarks.formula_d_codrivers [RACES] [FIRST] [TRACK ...]`.

RACES of ten cars on each track, three of each manner and one that always takes the highest gear that cannot overshoot.
FIRST is the number of the first race: results of runs with other numbers may be added. Requirements, on each track:
cautious retires in at most 10 % of its races beyond those that collisions end, club in at most 15 %; club's mean place
is better than that of cautious and of the tenth; bold wins more often and retires more often than club. Prints each
track, then the requirements that are not met. Exits with 1 when there are any.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from engine.formula_d.contest import FLAT_OUT, contest
from engine.formula_d.track import names

RACES = 200
CAUTIOUS_OUT, CLUB_OUT = 0.10, 0.15


def missed(told: dict[str, Any]) -> list[str]:
    """Return the requirements that are not met on a track."""
    cautious, club, bold, flat_out = (told[name] for name in ("cautious", "club", "bold", FLAT_OUT))
    asked = {
        "cautious out": cautious["out_beyond_collisions"] <= CAUTIOUS_OUT,
        "club out": club["out"] <= CLUB_OUT,
        "club's place against cautious": club["mean_place"] < cautious["mean_place"],
        "club's place against the tenth": club["mean_place"] < flat_out["mean_place"],
        "bold wins more": bold["won"] > club["won"],
        "bold goes out more": bold["out"] > club["out"],
    }
    return [what for what, holds in asked.items() if not holds]


def line(name: str, told: dict[str, Any]) -> str:
    """Return the results of a manner in a line."""
    return (
        f"  {name:9} place {told['mean_place']:5.2f}  won {told['won']:6.1%}  out {told['out']:6.1%}, "
        f"by collisions alone {told['collisions']:6.1%}  {told['why']}"
    )


def main() -> int:
    """Compare them. Returns the exit code: 1 when a requirement is not met."""
    races = int(sys.argv[1]) if len(sys.argv) > 1 else RACES
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found: list[str] = []
    for track in sys.argv[3:] or names():
        began = time.process_time()
        told = contest(track, races, first=first)
        print(f"{track}: {races} races from {first}, {time.process_time() - began:.0f} s of processor time")
        for name in ("cautious", "club", "bold", FLAT_OUT):
            print(line(name, told[name]), flush=True)
        found += [f"{track}: {what}" for what in missed(told)]
    print("all holds" if not found else "does not hold: " + "; ".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
