"""Stages driven at random and told turn by turn: where everything must stand in the end.

`driven.jsonl` has a scenario and what it shows on each line. Both were written by a second program that knows the
rules but shares no line with the engine, so that a slip in either would part them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.dirt.scenario import play as play_scenario

LINES = [json.loads(line) for line in (Path(__file__).parent / "driven.jsonl").read_text("utf-8").splitlines()]


def told(line: dict[str, Any]) -> str:
    """A short name: the stage, how many cars and turns."""
    scenario = line["scenario"]
    return f"{scenario['stage']} {len(scenario['drivers'])} cars {len(scenario['turns'])} turns"


@pytest.mark.parametrize("line", LINES, ids=told)
def test_a_stage_as_it_was_driven(line: dict[str, Any]) -> None:
    shown, legal = play_scenario(line["scenario"])
    assert legal, shown
    assert shown == line["shows"]


def test_all_stages_and_all_numbers_of_cars_are_there() -> None:
    assert len({line["scenario"]["stage"] for line in LINES}) == 18
    assert {len(line["scenario"]["drivers"]) for line in LINES} == {1, 2, 3, 4}
