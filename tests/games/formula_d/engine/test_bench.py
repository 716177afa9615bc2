"""The benchmark of Formula D: what it measures, and that the command prints it."""

from __future__ import annotations

import json

import pytest

from engine import commands
from engine.formula_d import benchmark


@pytest.mark.slow
def test_measures(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled track is small. The other numbers depend on the machine."""
    monkeypatch.setattr(benchmark, "ROUNDS", 1)
    monkeypatch.setattr(benchmark, "MOST_SCENES", 4)
    assert commands.main(["bench", "formula_d/monza"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["track"] == "monza" and max(told["track_kilobytes"].values()) < 2000
    for clock in (told, told["processor"]):
        assert clock["turns_folded_per_s"] > 0 and clock["odds_ms"]["p95"] > 0 and clock["codriver_ms"]["times"] > 50


def test_contest(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["contest", "formula_d/monza", "--races", "1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["track"], told["races"], told["bold"]["races"]) == ("monza", 1, 3)
    assert commands.main(["contest", "formula_d/monza", "--races", "0"]) == commands.UNREADABLE
