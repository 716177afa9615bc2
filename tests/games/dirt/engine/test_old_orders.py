"""Orders in forms that only records hold: they are verified, named, and taken no longer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import record
from engine.chance import SeededChance, commitment
from engine.commands import main
from tests.engine.test_record import SECRET, driven_record
from tests.games.dirt.engine.scenes import RULES, Scene

RECORDS = Path(__file__).parent / "records"


def old_record(*, sent: str | None = None) -> dict[str, Any]:
    """Return a record, in format 1, in which each plan of the first driver is a whole turn."""
    scene, turns = Scene("1/1", "ana", "bo"), []
    chance = SeededChance(SECRET, ["salt", "pepper"])
    while driver := scene.next:
        orders = RULES.autopilot(scene.state, driver)
        if driver == "ana" and orders["do"] == "lay":
            orders = {"do": "turn", "plan": orders["plan"], "roll": "one by one"}
        scene.state, events = RULES.play_recorded(scene.state, driver, orders, chance)
        turns.append({"driver": driver, "orders": orders, "events": list(events), **({"sent": sent} if sent else {})})
    written = record.write(
        rules=RULES,
        stage=scene.stage,
        entrants=scene.entrants,
        options=scene.state["options"],
        turns=turns,
        chance={"commitment": commitment(SECRET), "phrases": ["salt", "pepper"], "secret": SECRET.hex()},
        form=1,
    )
    document: dict[str, Any] = json.loads(json.dumps(written))
    return document


def test_a_record_with_whole_turns_is_good_and_verify_names_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = old_record()
    checked = record.check(document)
    whole = [(number, "ana") for number, turn in enumerate(document["turns"], 1) if turn["orders"]["do"] == "turn"]
    assert checked.wrong is None and len(whole) > 2
    assert [(one.turn, one.driver) for one in checked.old_forms] == whole
    path = tmp_path / "record.json"
    path.write_text(json.dumps(document))
    assert main(["verify", str(path)]) == 0
    verdict, *remarks = capsys.readouterr().out.splitlines()
    assert verdict == "every draw of this record follows from its secret"
    assert remarks[0].startswith(f"but turn {whole[0][0]}, driver ana: these orders have a form")
    assert "could have tried them before" in remarks[0] and len(remarks) == len(whole)


def test_what_nobody_could_try_is_not_named() -> None:
    assert record.check(driven_record("ana", "bo")).old_forms == ()
    assert record.check(old_record(sent="codriver")).old_forms == ()
    waiting = json.loads((RECORDS / "same-dice-and-a-retirement.json").read_text())
    assert any(turn["orders"] == {"do": "turn", "plan": ""} for turn in waiting["turns"])
    checked = record.check(waiting)
    assert (checked.wrong, checked.old_forms) == (None, ()), "a car that waits has no dice"
