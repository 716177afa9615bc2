"""Scenes with their complete results. Some were worked out by hand from the rules. The others were drawn at random and
worked out by a second implementation of the rules that shares no code with the engine. Some of those contain an illegal
order, and name the rule.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.formula_d import scenario

FILES = ("driven.jsonl", "second_reading.jsonl")
SCENES = [json.loads(line) for name in FILES for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("scene", SCENES, ids=[scene["name"] for scene in SCENES])
def test_scene(scene: dict[str, Any]) -> None:
    shown, legal = scenario.play(scene["document"])
    shown.get("error", {}).pop("message", None)
    assert json.loads(json.dumps(shown)) == scene["expect"], scene["document"].get("about", scene["name"])
    assert legal is ("error" not in shown)
