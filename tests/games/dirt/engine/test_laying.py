"""T1 while a stage is built: exactly the tiles that fit are offered, and every fault is reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import StageError
from engine.dirt.course.layout import EDGES
from engine.dirt.course.random_stages import build
from engine.dirt.facts import faces
from tests.games.dirt.engine.scenes import RULES, back
from tests.random_examples import examples

FINISHES = ("203a", "203b")
STARTS = ("202a", "202b")


def half(tiles: list[Any], **more: Any) -> dict[str, Any]:
    return {"tiles": tiles, "service": False, "boxes": 1, **more}


def is_stage(tiles: list[Any], boxes: int) -> bool:
    try:
        RULES.read_course({"tiles": tiles, "boxes": boxes})
    except StageError:
        return False
    return True


def becomes_a_stage(tiles: list[Any], boxes: int) -> bool:
    """T1, by the parser of whole stages: the tiles are a stage, or become one with a finish (from one more box)."""
    if tiles[-1]["tile"] in FINISHES:
        return is_stage(tiles, boxes)
    used = [tile["tile"][:3] for tile in tiles]
    fair = all(used.count(number) <= boxes for number in used)
    return fair and is_stage([*tiles, {"tile": "203a"}], 9)


def as_laid(tile: dict[str, Any]) -> tuple[str, str, int]:
    return tile["tile"], tile["via"], tile["turn"]


def free(tile: dict[str, Any]) -> dict[str, Any]:
    """Return a tile whose position follows from the chain."""
    return {"tile": tile["tile"], "via": tile["via"]}


def all_ways() -> list[dict[str, Any]]:
    """Return every face with a road, in each direction."""
    roads = [face for face in faces().values() if face.sections]
    return [{"tile": face.name, "via": via} for face in roads for via in (face.edges, face.edges[::-1])]


roads = st.builds(
    build,
    tiles=st.integers(3, 20),
    seed=st.integers(0, 10**6),
    hazard=st.sampled_from((1, 2, 3)),
    service=st.booleans(),
)


@examples(40)
@given(stage=roads, data=st.data())
def test_T1_a_tile_is_offered_behind_the_road_if_and_only_if_it_fits(stage: Any, data: st.DataObject) -> None:
    road = stage["tiles"][: data.draw(st.integers(1, len(stage["tiles"]) - 1))]
    boxes = data.draw(st.integers(1, 2))
    offered = {(tile["tile"], tile["via"]) for tile in RULES.placements(half(road, boxes=boxes))}
    fitting = {(tile["tile"], tile["via"]) for tile in all_ways() if becomes_a_stage([*road, tile], boxes)}
    assert offered == fitting
    assert offered


@examples(25)
@given(stage=roads, data=st.data())
def test_T1_a_tile_is_offered_in_place_of_another_if_and_only_if_the_road_still_runs(
    stage: Any, data: st.DataObject
) -> None:
    whole = data.draw(st.booleans())
    road = stage["tiles"] if whole else stage["tiles"][:-1]
    place = data.draw(st.integers(2, len(road)))
    before, rest = road[: place - 1], [free(tile) for tile in road[place:]]
    offered = {(tile["tile"], tile["via"]) for tile in RULES.placements(half(road), place)}
    fitting = {(tile["tile"], tile["via"]) for tile in all_ways() if becomes_a_stage([*before, tile, *rest], 1)}
    assert offered == fitting
    assert (road[place - 1]["tile"], road[place - 1]["via"]) in offered


@examples(60)
@given(stage=roads)
def test_every_random_stage_can_be_laid_again_from_what_is_offered(stage: Any) -> None:
    road: list[Any] = []
    for tile in stage["tiles"]:
        offered = {as_laid(offer): offer for offer in RULES.placements(half(road))}
        road.append(offered[as_laid(tile)])
    found = RULES.survey(half(road, service=stage["service"]))
    assert found.whole
    assert found.course == stage
    assert RULES.placements(half(road)) == ()


def test_T1_a_stage_begins_with_a_start_tile_turned_any_way() -> None:
    offered = RULES.placements(half([]))
    assert sorted({tile["tile"] for tile in offered}) == list(STARTS)
    assert sorted(tile["turn"] for tile in offered) == sorted([*range(len(EDGES))] * 2)
    assert all(tile["at"] == [0, 0] for tile in offered)


def test_a_start_tile_turned_takes_the_whole_road_with_it() -> None:
    stage = RULES.library()["1/1"]
    assert len(RULES.placements(half(stage["tiles"]), 1)) == 12


@pytest.mark.parametrize("place", [0, 4, 99])
def test_nothing_is_offered_where_there_is_no_tile(place: int) -> None:
    assert RULES.placements(half(["202a", "204a", "203a"]), place) == ()


def test_T1_the_62nd_tile_can_only_be_a_finish() -> None:
    road = ["202a", *["204a"] * 60]
    assert {tile["tile"] for tile in RULES.placements(half(road, boxes=9))} == set(FINISHES)
    assert {tile["tile"] for tile in RULES.placements(half(road[:9], boxes=9))} > set(FINISHES)


def test_a_draft_that_is_wrong_is_offered_nothing() -> None:
    with pytest.raises(StageError):
        RULES.placements(half(["202a", "999x"]))


@examples(80)
@given(
    tiles=st.lists(
        st.one_of(
            st.sampled_from([*STARTS, *FINISHES, "204a", "210a", "216b", "201a", "none"]),
            st.sampled_from(
                [back("208a"), back("210b"), {"tile": "205a", "turn": 9}, {"tile": "206a", "at": [3, 3]}, 7]
            ),
        ),
        max_size=9,
    ),
    boxes=st.integers(1, 9),
)
def test_nothing_is_wrong_and_nothing_missing_if_and_only_if_it_is_a_stage(tiles: list[Any], boxes: int) -> None:
    found = RULES.survey(half(tiles, boxes=boxes))
    assert found.whole == is_stage(tiles, boxes)
    if found.whole:
        assert found.course == RULES.read_course(half(tiles, boxes=boxes))
    assert all(0 < (fault.piece or 1) <= len(tiles) for fault in found.wrong)


def reported(draft: Any) -> list[tuple[int | None, str]]:
    return [(fault.piece, fault.message) for fault in RULES.survey(draft).wrong]


def test_all_faults_are_reported_each_with_its_tile() -> None:
    tiles = ["202a", "99z", {"tile": "204a", "via": "AB"}, {"tile": "205a", "turn": 9}, "203a", "202b"]
    told = reported(half(tiles))
    assert [tile for tile, _ in told] == [2, 3, 4, 5, 6, 6]
    for (_tile, message), word in zip(
        told, ("99z", "204a is driven", "0 to 5", "finish tile", "tile 202 is used 2", "start tile"), strict=True
    ):
        assert word in message


def test_a_gap_is_reported_once_if_the_other_tiles_fix_its_position() -> None:
    far = [{"tile": "204a", "at": [5, 5], "turn": 3}, {"tile": "205a", "at": [5, 6], "turn": 3}]
    assert [tile for tile, _ in reported(half(["202a", *far, "203a"]))] == [2]


def test_T1_overlaps_are_reported_tile_by_tile() -> None:
    assert [tile for tile, _ in reported(half(["202a", "210a", "216a", "213a", "203a"]))] == [4, 5]


@pytest.mark.parametrize("draft", [None, 7, [], {}, {"tiles": 5}, {"tiles": [], "boxes": 0}, {"tiles": [], "x": 1}])
def test_nonsense_is_reported_and_raises_nothing(draft: Any) -> None:
    found = RULES.survey(draft)
    assert found.course is None
    assert not found.whole
    assert len(found.wrong) == 1


def test_T1_more_tiles_than_two_boxes_hold_are_too_many() -> None:
    assert (63, "a stage has at most 62 tiles") in reported(half(["204a"] * 500, boxes=9))


def test_what_is_missing_is_said() -> None:
    def missing(tiles: list[Any]) -> list[str]:
        return [fault.message for fault in RULES.survey(half(tiles)).missing]

    assert "start tile" in missing([])[0]
    assert missing(["202a", "204a"]) == ["the stage has no finish yet"]
    assert "runs into tile 1" in missing(["202a", "210a", "216a"])[-1]
    assert missing(["202a", "203a"]) == []


def test_M10_a_bump_before_water_makes_one_doubt() -> None:
    doubts = RULES.survey(half(["202a", "204b", "208b", "203a"])).doubts
    assert [(doubt.rule, doubt.piece) for doubt in doubts] == [("M10", 2)]


def test_the_length_of_a_road_is_that_of_its_rating() -> None:
    for stage in RULES.library().values():
        rated = RULES.rating(stage, [])
        found = RULES.survey(half(stage["tiles"], boxes=stage["boxes"]))
        assert (found.sections, found.spaces) == (rated["sections"], rated["spaces"])
        assert found.doubts == ()


@pytest.mark.parametrize("name", sorted(RULES.library()))
def test_a_stage_written_as_toml_is_read_again(name: str) -> None:
    import tomllib

    stage = RULES.read_course({key: RULES.library()[name][key] for key in ("tiles", "service", "boxes")})
    assert RULES.read_course(tomllib.loads(RULES.write_course(stage))) == stage


def test_T1_a_road_that_leads_off_the_table_is_refused() -> None:
    start = {"tile": "202a", "at": [0, 99], "turn": 0}
    assert reported(half([start, "203a"]))[0][0] == 2
    assert all(abs(n) < 100 for tile in RULES.placements(half([start])) for n in tile["at"])
