"""Records that were driven once and kept: the same secret and the same orders must bring every event again.

Between them they hold each kind of event, by each rule that brings it: any change to what chance is asked, in which
words and order, or to what an event tells, is a change to records that people have downloaded, and shows here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import record
from engine.dirt.fold import KINDS
from tests.engine.scenes import RULES

KEPT = sorted((Path(__file__).parent / "records").glob("*.json"))
EACH = pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


@EACH
def test_a_kept_record_still_follows_from_its_secret(path: Path) -> None:
    assert record.verify(read(path)) is None


@EACH
def test_a_kept_record_folds_into_what_it_tells_at_its_end(path: Path) -> None:
    """The events alone give the times that the last of them names."""
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
    """Rules that change get a new version, and new records beside these."""
    assert {read(path)["version"] for path in KEPT} == {RULES.version}
