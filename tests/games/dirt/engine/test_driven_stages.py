"""Stages driven at random, written down turn by turn, with the state at the end.

Each line of `driven.jsonl` has a scenario and its end. A second program, which knows the rules but shares no code with
the engine, wrote both, so that an error in one of the two would make them differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.dirt.scenario import play as play_scenario

LINES = [json.loads(line) for line in (Path(__file__).parent / "driven.jsonl").read_text("utf-8").splitlines()]


def short_name(line: dict[str, Any]) -> str:
    """Return a short name: the stage, number of cars and turns."""
    scenario = line["scenario"]
    return f"{scenario['stage']} {len(scenario['drivers'])} cars {len(scenario['turns'])} turns"


@pytest.mark.parametrize("line", LINES, ids=short_name)
def test_a_stage_as_it_was_driven(line: dict[str, Any]) -> None:
    shown, legal = play_scenario(line["scenario"])
    assert legal, shown
    assert shown == line["shows"]


def test_all_stages_and_all_numbers_of_cars_are_there() -> None:
    assert len({line["scenario"]["stage"] for line in LINES}) == 18
    assert {len(line["scenario"]["drivers"]) for line in LINES} == {1, 2, 3, 4}
