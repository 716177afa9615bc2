"""The events of a race with all their data, the words of each die roll, the texts of each refusal.

Pages, programs and records read them. `told.jsonl` stores them for the scenes in `test_driven`, as a digest for long
ones. After an intended change run `python -m tests.games.formula_d.engine.test_event_texts`, and check the diff.
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
from tests.games.formula_d.engine.drawn import GAME, Lot
from tests.games.formula_d.engine.test_driven_scenes import SCENES

FILE = Path(__file__).with_name("told.jsonl")
MOST_EVENTS = 30
STARTS: Mapping[str, dict[str, Any]] = {
    "the basic game": {"rules": "basic", "start_roll": False},
    "an advanced race": {"weather": True},
    "a race with qualifying": {"weather": True, "qualifying": True, "laps": 2, "nitro": True},
    "a race with a garage": {"weather": True, "tyres": True, "build": True, "technical_pit": True, "laps": 2},
}


class RecordingDice(scenario.Listed):
    """Dice from a list that record the purpose of each roll."""

    def __init__(self, dice: list[Any]) -> None:
        super().__init__(dice)
        self.words: list[str] = []

    def black(self, what: str) -> int:
        """Return the next result as that of a d20."""
        self.words.append(what)
        return super().black(what)

    def gear(self, what: str, gear: int) -> int:
        """Return the next result as that of a gear die."""
        self.words.append(what)
        return super().gear(what, gear)


def outcome(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rolls and events of a scene from its first turn on, and the text of a refusal."""
    dice, events = RecordingDice(document["dice"]), []
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
    """Return the events of a race of three cars before its first turn."""
    _state, events = GAME.begin(GAME.setup({"track": "monaco"}, [{"id": name} for name in "123"], options), Lot(7))
    return {"told": list(events)}


def stored(found: Mapping[str, Any]) -> Any:
    """Return what is stored: everything, or a digest when it is long."""
    if len(found["told"]) <= MOST_EVENTS:
        return json.loads(json.dumps(found))
    return sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


def all_stored() -> dict[str, Any]:
    """Return the stored form of each scene and each start, by its name."""
    scenes = {scene["name"]: stored(outcome(scene["document"])) for scene in SCENES}
    return scenes | {name: stored(begun(options)) for name, options in STARTS.items()}


KNOWN: dict[str, Any] = dict(map(json.loads, FILE.read_text("utf-8").splitlines())) if FILE.exists() else {}


@pytest.mark.parametrize("scene", SCENES, ids=[scene["name"] for scene in SCENES])
def test_a_scene_gives_the_stored_events(scene: dict[str, Any]) -> None:
    assert stored(outcome(scene["document"])) == KNOWN[scene["name"]]


@pytest.mark.parametrize("name", STARTS)
def test_a2_a_start_gives_the_stored_events(name: str) -> None:
    assert stored(begun(STARTS[name])) == KNOWN[name]


if __name__ == "__main__":
    FILE.write_text("".join(f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in all_stored().items()), "utf-8")
