"""Whole runs, recorded once for each way in which a run of a game can end, replay to the recorded result."""

from __future__ import annotations

from typing import Any

import pytest

from engine import record
from tests.games.recording import ENDINGS, LARGEST, folder_of, in_the_code, results_of, stored

EACH = pytest.mark.parametrize(
    ("name", "ending"), [(name, ending) for name in sorted(ENDINGS) for ending in sorted(stored(name))]
)


@pytest.mark.parametrize("name", sorted(ENDINGS))
def test_every_ending_in_the_code_has_a_recorded_run(name: str) -> None:
    """A new ending needs a record: `python -m tests.games.recording GAME` drives until it occurs."""
    assert set(stored(name)) == in_the_code(name)


@EACH
def test_a_recorded_run_replays_to_its_result(name: str, ending: str) -> None:
    kept: dict[str, Any] = stored(name)[ending]
    document = kept["record"]
    assert record.verify(document) is None
    assert results_of(document) == kept["result"]
    assert ending in ENDINGS[name](document)


@EACH
def test_a_recorded_run_is_small(name: str, ending: str) -> None:
    assert (folder_of(name) / f"{ending}.json.gz").stat().st_size < LARGEST
