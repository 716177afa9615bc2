"""Pace notes: what is on the road, in driving order, with close features in one note."""

from __future__ import annotations

from typing import Any

import pytest

from engine.dirt.course.compiled_stage import compiled
from tests.games.dirt.engine.scenes import BUMP_FORD, RULES, back, stage_of


def notes_of(tiles: list[Any]) -> list[dict[str, Any]]:
    return RULES.notes(stage_of(tiles))


def calls(tiles: list[Any]) -> list[list[str]]:
    return [[call["call"] for call in note["calls"]] for note in notes_of(tiles)]


def test_from_the_start_line_to_the_finish_line() -> None:
    assert calls(["202a", "203a"]) == [["start"], ["finish"]]
    assert notes_of(["202a", "206a", "203a"])[-1]["after"] == 2 + 4 + 1


def test_a_bump_before_a_ford_is_one_note() -> None:
    _start, note, finish = notes_of(BUMP_FORD)
    assert note["calls"] == [
        {"call": "jump", "limit": 4},
        {"call": "water"},
    ]
    assert (note["tile"], note["after"], note["hazard"]) == (2, 3, "orange")
    assert finish["after"] == 2


def test_bends_to_one_side_tighten_or_open_in_one_call() -> None:
    (bend,) = notes_of(["202a", back("225a"), back("210a"), "203a"])[1]["calls"]
    assert (bend["side"], bend["limits"], bend["long"]) == ("left", [3, 1], True)
    left, right = notes_of(["202a", back("216a"), "210a", "203a"])[1]["calls"]
    assert (left["side"], right["side"]) == ("left", "right")


def test_driven_the_other_way_left_is_right() -> None:
    one = notes_of(["202a", "217b", "203a"])[1]["calls"][0]
    other = notes_of(["202a", back("217b"), "203a"])[1]["calls"][0]
    assert (one["side"], other["side"]) == ("right", "left")
    assert one["cuts"] == other["cuts"] == [[3]]


def test_a_bend_to_the_same_side_behind_one_row_still_belongs_to_the_one_before() -> None:
    """217a ends with a row after its bend, 225a begins with its bend; driven backwards 225a begins with a row too."""
    (bend,) = notes_of(["202a", "217a", "225a", "203a"])[1]["calls"]
    assert bend["limits"] == [2, 3]
    _start, first, second, _finish = notes_of(["202a", back("217a"), back("225a"), "203a"])
    assert [note["calls"][0]["limits"] for note in (first, second)] == [[2], [3]]


def test_behind_a_row_a_note_of_its_own_begins() -> None:
    bend, jump = notes_of(["202a", "217a", back("204b"), "203a"])[1:3]
    assert [call["call"] for call in bend["calls"]] == ["bend"]
    assert ([call["call"] for call in jump["calls"]], jump["after"]) == (["jump"], 1)
    (note,) = notes_of(["202a", "209b", "216a", "203a"])[1:-1]
    assert [call["call"] for call in note["calls"]] == ["jump", "bend"]


@pytest.mark.parametrize("name", sorted(RULES.library()))
def test_every_bend_bump_ford_and_narrow_place_of_a_stage_is_called(name: str) -> None:
    stage = RULES.library()[name]
    said = [call for note in RULES.notes(stage) for call in note["calls"]]
    spaces = [space for space in compiled(stage).spaces[1:] if not space.behind_finish]
    sections = {(space.section, space.kind): space for space in spaces}.values()
    assert sum(len(call["limits"]) for call in said if call["call"] == "bend") == sum(
        space.kind == "inner" for space in sections
    )
    for kind, there in (
        ("jump", [s for s in sections if s.jump is not None and s.kind == "lane"]),
        ("water", [s for s in sections if s.water and s.kind == "lane"]),
        ("narrow", [s for s in sections if s.kind == "single"]),
    ):
        assert sum(call["call"] == kind for call in said) == len(there)
    assert sum(len(cuts) for call in said if call["call"] == "bend" for cuts in call["cuts"]) == sum(
        space.kind == "shortcut" for space in spaces
    )


def test_a_half_made_stage_has_notes_as_far_as_it_goes() -> None:
    assert RULES.notes({"tiles": []}) == []
    draft = RULES.survey({"tiles": ["202a", "217a"]}).course
    assert [[call["call"] for call in note["calls"]] for note in RULES.notes(draft)] == [["start"], ["bend"]]
