"""What a race tells: each event with all that it holds, what each die is called, the words of each refusal.

Pages, programs and records read them. `told.jsonl` keeps them for the scenes whose outcome `test_driven` knows, of long
ones a digest. After a change that is meant: `python -m tests.engine.formula_d.test_told`, and read what git shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine.chance import ChanceError
from engine.contract import OptionError, RuleError
from engine.formula_d import phases, scenario
from engine.formula_d.race import next_to_play
from engine.formula_d.table import Table
from tests.engine.formula_d.drawn import GAME, Lot
from tests.engine.formula_d.test_driven import SCENES

FILE = Path(__file__).with_name("told.jsonl")
MOST_EVENTS = 30
STARTS: Mapping[str, dict[str, Any]] = {
    "the basic game": {"rules": "basic", "start_roll": False},
    "an advanced race": {"weather": True},
    "a race with qualifying": {"weather": True, "qualifying": True, "laps": 2, "nitro": True},
    "a race with a garage": {"weather": True, "tyres": True, "build": True, "technical_pit": True, "laps": 2},
}


class Heard(scenario.Listed):
    """Dice from a list that remember what they were rolled for."""

    def __init__(self, dice: list[Any]) -> None:
        super().__init__(dice)
        self.words: list[str] = []

    def black(self, what: str) -> int:
        """Take the next result as that of a d20."""
        self.words.append(what)
        return super().black(what)

    def gear(self, what: str, gear: int) -> int:
        """Take the next result as that of a gear die."""
        self.words.append(what)
        return super().gear(what, gear)


def told(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a scene rolls and tells from its first turn on, and what is said where it is refused."""
    dice, events = Heard(document["dice"]), []
    found: dict[str, Any] = {}
    try:
        race = scenario._begun(document, dice)
        for given in document["orders"]:
            if given["car"] != next_to_play(race):
                break
            table = Table(race, given["car"], dice)
            phases.whole_turn(table, given)
            race = table.race
            events += table.events
    except (OptionError, RuleError, ChanceError) as error:
        found = {"refused": error.message if isinstance(error, OptionError | RuleError) else str(error)}
    return {**found, "rolled": dice.words, "told": events}


def begun(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a race of three cars tells before its first turn."""
    _state, events = GAME.begin(GAME.setup({"track": "monaco"}, [{"id": name} for name in "123"], options), Lot(7))
    return {"told": list(events)}


def kept(found: Mapping[str, Any]) -> Any:
    """What is kept: all of it, or of a long one a digest."""
    if len(found["told"]) <= MOST_EVENTS:
        return json.loads(json.dumps(found))
    return sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


def all_kept() -> dict[str, Any]:
    """What each scene and each start tells, by its name."""
    scenes = {scene["name"]: kept(told(scene["document"])) for scene in SCENES}
    return scenes | {name: kept(begun(options)) for name, options in STARTS.items()}


KNOWN: dict[str, Any] = dict(map(json.loads, FILE.read_text("utf-8").splitlines())) if FILE.exists() else {}


@pytest.mark.parametrize("scene", SCENES, ids=[scene["name"] for scene in SCENES])
def test_a_scene_tells_what_it_told(scene: dict[str, Any]) -> None:
    assert kept(told(scene["document"])) == KNOWN[scene["name"]]


@pytest.mark.parametrize("name", STARTS)
def test_a2_a_start_tells_what_it_told(name: str) -> None:
    assert kept(begun(STARTS[name])) == KNOWN[name]


if __name__ == "__main__":
    FILE.write_text("".join(f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in all_kept().items()), "utf-8")
