"""Pages read the state of a run by the one door only."""

import re
from pathlib import Path

import pytest

import championship

ROOT = Path(championship.__file__).parent
STATE = re.compile(r"\brun\.state\b")
ASKED = re.compile(r"\b(choices|autopilot|odds)\(page\.run\.state, |choices\(")
BEHIND = ("runs/services/", "runs/watching.py", "games/")
"""Who reads the state: what is written, the door itself, and each game's own pages."""
OWN_WAYS = {"runs/legal_orders.py", "runs/plain.py", "runs/practice.py", "archive/restoring.py"}
"""Who asks the game for the ways and odds of the viewer's own seat; and a restored run, held against its events."""


def readers() -> list[str]:
    paths = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if STATE.search(path.read_text("utf-8")))
    return sorted(path for path in paths if not path.startswith(BEHIND))


def test_the_state_of_a_run_is_read_behind_the_door() -> None:
    assert set(readers()) <= OWN_WAYS


@pytest.mark.parametrize("path", sorted(OWN_WAYS - {"archive/restoring.py"}))
def test_of_the_viewers_own_seat_only_the_ways_are_asked(path: str) -> None:
    lines = [line for line in (ROOT / path).read_text("utf-8").splitlines() if STATE.search(line)]
    assert all(ASKED.search(line) for line in lines), lines
