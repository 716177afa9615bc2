"""Stored records: the same secret and the same orders must give every event again.

Together they contain each kind of event, by each rule that causes it. A change in the draws (which, in which words and
order) or in the content of an event would break records that people have downloaded, and fails here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import record
from engine.dirt.fold import KINDS
from tests.games.dirt.engine.scenes import RULES

KEPT = sorted((Path(__file__).parent / "records").glob("*.json"))
EACH = pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


@EACH
def test_a_kept_record_still_follows_from_its_secret(path: Path) -> None:
    assert record.verify(read(path)) is None


@EACH
def test_a_stored_record_folds_into_its_last_event(path: Path) -> None:
    """Folding the events alone gives the times in the last event."""
    document = read(path)
    rules, state = record.fold(document)
    told = [event for turn in document["turns"] for event in turn["events"]]
    finished = {event["driver"]: event["seconds"] for event in told if event["kind"] == "finish"}
    result = rules.result(state)
    assert result is not None
    assert {one.seat: one.measure for one in result.seats if one.status != "retired"} == finished
    assert {one.seat for one in result.seats if one.status == "retired"} == set(told[-1]["retired"])


def test_they_hold_every_kind_of_event() -> None:
    told = {event["kind"] for path in KEPT for turn in read(path)["turns"] for event in turn["events"]}
    assert told == set(KINDS)


def test_they_are_of_this_version() -> None:
    """Changed rules get a new version, and new records beside these."""
    assert {read(path)["version"] for path in KEPT} == {RULES.version}
