"""Only a few modules read the state of a run. Pages get it from watching.py."""

import re
from pathlib import Path

import pytest

import championship

ROOT = Path(championship.__file__).parent
STATE = re.compile(r"\brun\.state\b")
GAME_QUERY = re.compile(r"\b(choices|autopilot|odds|ahead|arrived)\((?:page\.)?run\.state\b|choices\(")
ALLOWED_PATHS = ("runs/play/", "runs/watch/watching.py", "games/", "demo/services/")
"""Paths that may read the state: the services, which write it, watching.py itself, each game's own pages, and the demo,
which drives all cars.
"""
ALLOWED_MODULES = {
    "runs/watch/finish_card.py",
    "runs/watch/legal_orders.py",
    "runs/pages/plain.py",
    "runs/watch/practice.py",
    "archive/row_checks.py",
}
"""Modules that query the game for the ways and odds of the viewer's own seat; `finish_card`, which asks which cars are
in, but never in a run that hides something; and `row_checks`, which compares the
state of a restored run with its events.
"""


def readers() -> list[str]:
    paths = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if STATE.search(path.read_text("utf-8")))
    return sorted(path for path in paths if not path.startswith(ALLOWED_PATHS))


def test_only_allowed_modules_read_the_state_of_a_run() -> None:
    assert set(readers()) <= ALLOWED_MODULES


@pytest.mark.parametrize("path", sorted(ALLOWED_MODULES - {"archive/row_checks.py"}))
def test_these_modules_read_the_state_only_to_query_the_game(path: str) -> None:
    lines = [line for line in (ROOT / path).read_text("utf-8").splitlines() if STATE.search(line)]
    assert all(GAME_QUERY.search(line) for line in lines), lines
