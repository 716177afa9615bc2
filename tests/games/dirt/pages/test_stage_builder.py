"""This game's stage editor without a page: its acts, the map with its open end, pace notes in words."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from championship.games.dirt.drawing import map_background
from championship.stages import builders, stage_pages
from engine import registry
from engine.contract import StageError
from engine.dirt.course.random_stages import build
from tests.random_examples import examples

STAGE_BUILDER = builders.get("dirt")
RULES = registry.get("dirt")
SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 40_000  # bytes of the map in the editor: every act sends it again


def draft(*tiles: Any, **more: Any) -> dict[str, Any]:
    found = RULES.survey({"tiles": list(tiles), "service": False, "boxes": 1, **more})
    assert found.course is not None, found.wrong
    stage: dict[str, Any] = found.course
    return stage


def links(svg: str) -> dict[str, str]:
    """Return the links of a map: address and title."""
    return {str(link.get("href")): str(link.get("aria-label")) for link in ElementTree.fromstring(svg).iter(f"{SVG}a")}


def test_the_map_leads_wherever_the_road_can_go() -> None:
    shown = STAGE_BUILDER.show(draft("202a", "204a"), {})
    there = links(shown.map)
    assert {href for href in there if "go" in href} == {f"?go={way}" for way in "12345"}
    assert there["?go=4"].startswith("right: ")
    assert there["?tile=2"] == "Tile 2, 204a"
    assert shown.context["direction"].name == "straight on"
    assert "ghost" in shown.map


def test_the_road_does_not_lead_onto_another_tile() -> None:
    shown = STAGE_BUILDER.show(draft("202a", "210a", "205a", "216a"), {})
    assert "?go=5" not in links(shown.map)
    assert "5" not in {way.key for way in shown.context["directions"]}


def test_a_tile_that_is_looked_at_offers_others_in_its_place() -> None:
    shown = STAGE_BUILDER.show(draft("202a", "204a", "203a"), {"tile": "2", "go": "nonsense"})
    assert "?tile=2" not in links(shown.map), "a second press leads back"
    assert shown.context["direction"].name == "straight on"
    assert {offer.tile for offer in shown.context["offers"]} >= {"205a", "204b"}
    assert 'class="chosen"' in shown.map


@pytest.mark.parametrize("tiles", [3, 14, 31])
@pytest.mark.parametrize("whole", [True, False])
def test_the_map_is_one_small_clean_drawing(tiles: int, whole: bool) -> None:
    stage = build(tiles=tiles, seed=5, service=True)
    spec = stage if whole else {**stage, "tiles": stage["tiles"][:-1]}
    svg = STAGE_BUILDER.show(spec, {}).map
    assert len(svg.encode()) < LARGEST
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) not in ("style", "script")
        assert "style" not in element.attrib
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    (address,) = re.findall(r'class="land" href="[^"]*/([^/"]+)\.svg"', svg)
    assert map_background.spec_of(address)["tiles"] == spec["tiles"]
    assert map_background.spec_of(address)["service"] is whole, "the park lies behind a finish"


def test_an_empty_builder_has_a_map_too() -> None:
    shown = STAGE_BUILDER.show(STAGE_BUILDER.empty(), {})
    assert set(links(shown.map)) == {f"?go={way}" for way in range(6)}
    assert shown.length.startswith("0 tiles")


def test_a_tile_alone_has_a_picture_without_a_place_in_a_stage() -> None:
    text = stage_pages.get("dirt").land("217a.DB.0.0.3").text
    assert "217a" in text
    assert '<tspan class="place"></tspan>' in text
    ElementTree.fromstring(text)


def test_a_start_tile_turns_round_with_the_whole_road() -> None:
    spec = draft({"tile": "202a", "turn": 0, "at": [0, 0]}, "208a", "203a")
    seen = {0}
    for _press in range(6):
        spec = STAGE_BUILDER.act(spec, {"do": "turn", "place": "1"})
        assert [tile["tile"] for tile in spec["tiles"]] == ["202a", "208a", "203a"]
        seen.add(spec["tiles"][0]["turn"])
    assert seen == set(range(6))


def test_what_cannot_be_is_refused_in_words() -> None:
    for act, said in (
        ({"do": "drop", "place": "1"}, "begins with a start tile"),
        ({"do": "lay", "tile": "213a.DC.0"}, "does not fit"),
        ({"do": "turn", "place": "9"}, "no such tile"),
    ):
        with pytest.raises(StageError, match=said):
            STAGE_BUILDER.act(draft("202a", "205a", "210a"), act)


def test_a_tile_is_only_taken_out_where_the_rest_of_the_road_has_room() -> None:
    """Four hard right bends around a point, one straight between them: without it the last bend would overlap the
    first.
    """
    road = draft("202a", "210a", "204a", "216a", "205a", "206a", "211a", "203a", boxes=2)
    with pytest.raises(StageError, match="hexagon of tile"):
        STAGE_BUILDER.act(road, {"do": "drop", "place": "5"})


def road_of(text: str) -> dict[str, Any]:
    """Return a road: its tiles, and the lanes that it takes over them."""
    return draft(*({"tile": tile, "via": via} for tile, via in (word.split(".") for word in text.split())))


def test_where_a_road_runs_into_itself_a_tile_is_turned_until_it_does_not() -> None:
    road = road_of("202a.AD 205b.DA 204a.DA 215b.AD 228b.BD 208b.BD 219a.DC 207a.AD 210b.DC 230b.DB")
    before = road["tiles"][8]
    assert before not in RULES.placements(road, 9)
    assert STAGE_BUILDER.show(road, {"tile": "9"}).context["turns"], "the page offers it"
    turned = STAGE_BUILDER.act(road, {"do": "turn", "place": "9"})["tiles"][8]
    assert (turned["via"], turned["turn"]) == ("CD", before["turn"] + 1)


def test_where_no_turn_helps_a_road_that_runs_into_itself_that_is_said() -> None:
    road = road_of("202a.AD 227b.BD 232b.DB 229a.DB 219b.CD 210b.CD")
    assert not RULES.placements(road, 1)
    assert not STAGE_BUILDER.show(road, {"tile": "1"}).context["turns"]
    with pytest.raises(StageError, match="any other way"):
        STAGE_BUILDER.act(road, {"do": "turn", "place": "1"})


@pytest.mark.parametrize(
    ("tiles", "said"),
    [
        (["202a", "207b", "203a"], "jump 4, water"),
        (["202a", "217a", "225a", "203a"], "right 2 long opens 3"),
        (["202a", {"tile": "225a", "via": "BD"}, {"tile": "210a", "via": "CD"}, "203a"], "left 3 long tightens 1"),
        (["202a", "211b", "203a"], "hairpin right 1 cut 2"),
        (["202a", "217b", "210a", "203a"], "right 2 cut 3 tightens 1"),
        (["202a", "231a", "203a"], "narrows 5"),
        (["202a", "217a", {"tile": "204b", "via": "AD"}, "203a"], "into jump 3"),
    ],
)
def test_pace_notes_speak_rally(tiles: list[Any], said: str) -> None:
    assert said in [note.text for note in STAGE_BUILDER.pace_notes(draft(*tiles)).notes]


def test_red_signs_are_read_out_louder_and_lines_are_not() -> None:
    notes = STAGE_BUILDER.pace_notes(draft("202b", "222a", "208a", "217a", "203b")).notes
    assert [(note.text.split()[0], note.danger) for note in notes] == [
        ("start", 0), ("right", 2), ("right", 0), ("finish", 0),
    ]  # fmt: skip


def test_notes_are_said_in_the_readers_language() -> None:
    spec = draft("202a", "207b", "203a")
    english = [note.text for note in STAGE_BUILDER.pace_notes(spec).notes]
    with translation.override("de"):
        assert [note.text for note in STAGE_BUILDER.pace_notes(spec).notes] != english


PIECES = [
    *("202a", "203b", "217a DB", "AD", "0,0", "turn", "tiles", "=", "[", "]", "{", "}", '"', "'", "\n", " ", "#", ","),
    *(
        "%s",
        "%(x)d",
        "boxes",
        "service",
        "true",
        "99",
        "-1",
        "1e9",
        "[[tiles]]",
        "tile",
        "at",
        "\x00",
        "é",
        "𝟚",
        "\\u0000",
    ),
]


@examples(150)
@given(
    text=st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)),
    toml=st.booleans(),
)
def test_no_text_breaks_the_reading(text: str, toml: bool) -> None:
    found = STAGE_BUILDER.read(text, {"service": True, "boxes": 1}, toml=toml)
    assert (found.draft is None) == bool(found.wrong)
    assert all(found.wrong)
    if found.draft is not None:
        assert RULES.survey(found.draft).course == found.draft
        assert STAGE_BUILDER.show(found.draft, {}).map


@examples(40)
@given(seed=st.integers(0, 10**6), tiles=st.integers(3, 20), data=st.data())
def test_whatever_is_done_the_draft_stays_sound(seed: int, tiles: int, data: st.DataObject) -> None:
    spec: Any = build(tiles=tiles, seed=seed)
    for _act in range(4):
        place = data.draw(st.integers(1, len(spec["tiles"]) or 1))
        act = {"do": data.draw(st.sampled_from(["turn", "cut", "drop", "lay"])), "place": str(place)}
        if act["do"] == "lay":
            shown = STAGE_BUILDER.show(spec, {"tile": str(place)})
            act["tile"] = data.draw(st.sampled_from([offer.value for offer in shown.context["offers"]] or [""]))
        try:
            spec = STAGE_BUILDER.act(spec, act)
        except StageError as error:
            assert act["do"] in ("turn", "drop") or not spec["tiles"] or act.get("tile") == "", error
        assert RULES.survey(spec).course == spec
