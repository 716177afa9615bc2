"""T1: which tiles make a stage, in which order, and the message for those that do not."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import StageError
from engine.dirt.course.layout import lay, read_stage
from engine.dirt.facts import faces, rallies
from tests.games.dirt.engine.scenes import RULES, back


def refusal_of(spec: Any) -> StageError:
    """Return the reason why a stage is refused. The rule is always T1."""
    with pytest.raises(StageError) as refusal:
        read_stage(spec)
    assert refusal.value.rule == "T1"
    assert refusal.value.message
    return refusal.value


@pytest.mark.parametrize("name", sorted(rallies()))
def test_T1_every_ready_made_stage_closes(name: str) -> None:
    """T1: from the start tile to the finish tile, edge to edge, as printed."""
    printed = rallies()[name]
    stage = read_stage(printed)
    laid = [[tile["tile"], tile["via"], *tile["at"], tile["turn"]] for tile in stage["tiles"]]
    assert laid == printed["tiles"]


def test_the_six_rallies_have_three_stages_each() -> None:
    assert sorted(RULES.library()) == [f"{rally}/{stage}" for rally in range(1, 7) for stage in range(1, 4)]
    services = {name: stage["service"] for name, stage in RULES.library().items()}
    assert [name for name, service in services.items() if not service] == [
        "1/3", "2/3", "3/3", "4/1", "4/3", "5/3", "6/3",
    ]  # fmt: skip


def test_the_core_box_has_two_faces_to_each_of_32_tiles() -> None:
    assert len(faces()) == 64
    assert len({face.number for face in faces().values()}) == 32


def test_T1_a_stage_may_be_written_as_a_list_of_names() -> None:
    """T1: positions and rotations follow from the chain."""
    stage = read_stage({"tiles": ["202a", "216a", "203a"]})
    assert stage["tiles"][1] == {"tile": "216a", "via": "DC", "at": [0, 1], "turn": 3}
    assert stage["tiles"][2]["at"] == [-1, 1]
    assert read_stage(stage) == stage


def test_T1_a_gap_is_refused() -> None:
    refusal = refusal_of({"tiles": [{"tile": "202a", "at": [0, 0], "turn": 0}, {"tile": "203a", "at": [2, 2]}]})
    assert refusal.piece == 2
    assert "0,1" in refusal.message


def test_T1_the_road_must_run_on_over_the_edge() -> None:
    refusal = refusal_of({"tiles": [{"tile": "202a", "at": [0, 0], "turn": 0}, {"tile": "203a", "turn": 1}]})
    assert refusal.piece == 2
    assert "must be turned" in refusal.message


def test_T1_a_loop_is_refused() -> None:
    """T1: no two tiles in one position. Three sharp corners to the right lead back to the beginning."""
    refusal = refusal_of({"tiles": ["202a", "210a", "216a", "213a", "203a"], "boxes": 9})
    assert refusal.piece in (4, 5)
    assert "hexagon of tile" in refusal.message


def test_T1_a_tile_is_used_once_unless_there_are_more_boxes() -> None:
    """T1: the two sides of one tile count as one number. Rally 3, stage 2 needs one twice."""
    road = ["202a", "204a", "204b", "203a"]
    assert refusal_of({"tiles": road}).piece == 3
    assert len(read_stage({"tiles": road, "boxes": 2})["tiles"]) == 4
    assert "224" in refusal_of({**rallies()["3/2"], "boxes": 1}).message


@pytest.mark.parametrize(
    ("road", "tile"),
    [
        (["203a"], None),
        (["204a", "203a"], 1),
        (["202a", "204a"], 2),
        (["202a", "202b", "203a"], 2),
        (["202a", "203a", "204a"], 2),
        (["202a", "201a", "203a"], 2),
        (["202a", "999a", "203a"], 2),
        ([back("202a"), "203a"], 1),
        (["202a", back("203a")], 2),
        (["202a", {"tile": "216a", "via": "AD"}, "203a"], 2),
    ],
)
def test_T1_start_road_finish_in_that_order(road: list[Any], tile: int | None) -> None:
    """T1: start and finish are at the ends, their road signs towards the road; each tile is driven through its
    edges.
    """
    assert refusal_of({"tiles": road, "boxes": 9}).piece == tile


@pytest.mark.parametrize(
    "spec",
    [
        None, 7, "202a", [], {}, {"tiles": []}, {"tiles": "202a"}, {"tiles": {"tile": "202a"}},
        {"tiles": [None, None]},
        {"tiles": [["202a"], ["203a"]]}, {"tiles": [{"tile": ["202a"]}, "203a"]}, {"tiles": [{"til": "202a"},
        "203a"]},
        {"tiles": [{"tile": "202a", "via": 5}, "203a"]}, {"tiles": [{"tile": "202a", "at": [0.0, 0]}, "203a"]},
        {"tiles": [{"tile": "202a", "at": [10**30, 0]}, "203a"]}, {"tiles": [{"tile": "202a", "at": "00"}, "203a"]},
        {"tiles": [{"tile": "202a", "turn": 6}, "203a"]}, {"tiles": [{"tile": "202a", "turn": True}, "203a"]},
        {"tiles": [["202a", "AD", True, 0, 0], "203a"]},
        {"tiles": ["202a", "203a"], "service": 1}, {"tiles": ["202a", "203a"], "service": "no"},
        {"tiles": ["202a", "203a"], "boxes": 0}, {"tiles": ["202a", "203a"], "boxes": True},
        {"tiles": ["202a", "203a"], "boxes": 10**9}, {"tiles": ["202a", *["204a"] * 500, "203a"], "boxes": 9},
    ],
)  # fmt: skip
def test_T1_nonsense_is_refused_in_words(spec: Any) -> None:
    refusal_of(spec)


def test_a_laid_tile_knows_how_it_is_driven() -> None:
    laid = lay([{"tile": "202a"}, back("209b"), {"tile": "203a"}])
    assert [tile.backwards for tile in laid] == [False, True, False]
    assert [tile.face.number for tile in laid] == ["202", "209", "203"]


def test_T1_a_plain_list_of_tiles_is_a_stage_without_service_out_of_one_box() -> None:
    start = {"tile": "202a", "via": "AD", "at": [0, 0], "turn": 0}
    finish = {"tile": "203a", "via": "AD", "at": [0, 1], "turn": 0}
    assert read_stage({"tiles": ["202a", "203a"]}) == {"tiles": [start, finish], "service": False, "boxes": 1}


def test_T1_tiles_are_laid_out_of_one_box_unless_it_is_said() -> None:
    twice = [{"tile": "202a"}, {"tile": "204a"}, {"tile": "204b"}, {"tile": "203a"}]
    with pytest.raises(StageError):
        lay(twice)
    assert len(lay(twice, boxes=2)) == 4
