"""Writes championship/games/dirt/ratings.json again: `python -m tests.games.dirt.ratings`. Takes two minutes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import championship.games.dirt
from championship.stages.services.rating import RUNS
from engine.dirt.game import game

FILE = Path(championship.games.dirt.__file__).with_name("ratings.json")


def rating_of(source: str) -> dict[str, Any]:
    """Return the rating of a ready-made stage with seed 0, as the service computes it."""
    course = game().library()[source]
    return dict(game().rating(course, game().simulate(course, runs=RUNS, seed=0, first=1)))


if __name__ == "__main__":
    found = {source: rating_of(source) for source in game().library()}
    lines = [f"  {json.dumps(source)}: {json.dumps(rating)}" for source, rating in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
