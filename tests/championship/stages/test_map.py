"""The map on the page: well-formed, small, without inline style or script, and its texts escaped."""

import re
from xml.etree import ElementTree

import pytest
from django.utils import translation

from championship.stages import games
from championship.stages.games import Car, Step, Target
from engine import ruleset as rulesets
from engine.dirt.track import compiled

MAPS = games.get("dirt")
RULES = rulesets.get("dirt")
LIBRARY = {name: RULES.read_stage(printed) for name, printed in RULES.library().items()}
SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 150_000  # bytes


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize("name", LIBRARY)
def test_a_map_is_one_small_clean_drawing(name: str) -> None:
    svg = MAPS.map_svg(LIBRARY[name], title=name)
    assert len(svg.encode()) < LARGEST
    root = read(svg)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        assert element.tag.removeprefix(SVG) not in ("style", "script")
        assert not any(key == "style" or key.startswith("on") for key in element.attrib)
        if href := element.get("href"):
            assert href[1:] in ids  # every symbol that is used is there


def test_the_longest_stage_is_small_too() -> None:
    tiles = ["202a", *(f"{number}a" for number in range(204, 210)), "203a"]
    spec = RULES.read_stage({"tiles": [{"tile": tile} for tile in tiles]})
    assert len(MAPS.map_svg(spec).encode()) < LARGEST


@pytest.mark.parametrize("name", LIBRARY)
def test_every_limit_and_two_signs_a_tile_are_on_the_map(name: str) -> None:
    root = read(MAPS.map_svg(LIBRARY[name]))
    texts = [
        text.text
        for group in root.iter(f"{SVG}g")
        if group.get("class") == "limits"
        for text in group.iter(f"{SVG}text")
    ]
    printed = [str(space.limit) for space in compiled(LIBRARY[name]).spaces if space.limit is not None]
    assert sorted(texts) == sorted(printed)
    signs = next(group for group in root.iter(f"{SVG}g") if group.get("class") == "signs")
    assert len(signs) == 2 * len(LIBRARY[name]["tiles"])


def test_a_car_stands_on_its_space_in_its_colour_with_its_number() -> None:
    car = Car("1.2.l", 3, "42", "Ana, number 42")
    root = read(MAPS.map_svg(LIBRARY["1/1"], cars=[car]))
    drawn = next(group for group in root.iter(f"{SVG}g") if group.get("class") == "car")
    assert drawn.get("data-colour") == "3"
    assert drawn.get("aria-label") == "Ana, number 42"
    assert drawn.find(f"{SVG}text").text == "42"


def test_six_cars_wait_beside_each_other_behind_the_start_line() -> None:
    cars = [Car("grid", number, str(number)) for number in range(6)]
    root = read(MAPS.map_svg(LIBRARY["3/2"], cars=cars))
    places = {group.get("transform") for group in root.iter(f"{SVG}g") if group.get("class") == "car"}
    assert len(places) == 6


def test_a_crashed_car_stands_beside_the_road() -> None:
    on, off = (
        re.search(r'class="car[^>]*transform="translate\(([^)]*)', MAPS.overlay_svg(LIBRARY["1/1"], cars=[car]))[1]
        for car in (Car("1.2.l", 0, "1"), Car("1.2.l", 0, "1", on_track=False))
    )
    assert on != off


def test_a_target_is_a_link_with_a_name() -> None:
    target = Target("1.2.l", "?plan=1:1.2.l&x=1", "Gear 2 to 1.2.l", "2", attributes={"hx-get": "/x"})
    root = read(MAPS.map_svg(LIBRARY["1/1"], targets=[target]))
    link = next(root.iter(f"{SVG}a"))
    assert link.get("href") == "?plan=1:1.2.l&x=1"
    assert link.get("aria-label") == "Gear 2 to 1.2.l"
    assert link.get("hx-get") == "/x"


def test_several_choices_on_one_space_are_all_there() -> None:
    targets = [Target("1.2.l", f"?{die}", die, die) for die in ("1", "2", "c")]
    root = read(
        MAPS.overlay_svg(LIBRARY["1/1"], targets=targets).replace(
            "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1
        )
    )
    links = list(root.iter(f"{SVG}a"))
    assert [link.get("href") for link in links] == ["?1", "?2", "?c"]
    chips = {next(group for group in link.iter(f"{SVG}g")).get("transform") for link in links}
    assert len(chips) == 3


def test_texts_cannot_break_out_of_the_drawing() -> None:
    evil = '"><script>alert(1)</script>'
    svg = MAPS.map_svg(
        LIBRARY["1/1"],
        title=evil,
        ident=evil,
        cars=[Car("1.2.l", 0, evil, evil)],
        path=[Step("1.2.l", evil)],
        targets=[Target("1.2.r", evil, evil, evil, attributes={"hx-get": evil})],
    )
    assert "<script" not in svg
    read(svg)


def test_spaces_and_tiles_that_are_not_there_are_left_out() -> None:
    svg = MAPS.overlay_svg(
        LIBRARY["1/1"],
        cars=[Car("99.9.l", 0, "1"), Car("", 0, "2")],
        path=[Step("x", "1")],
        targets=[Target("y", "?", "z")],
        mud={0: 1, 99: 2},
        highlight=77,
    )
    assert svg.count("<") == 2


def test_the_overlay_alone_replaces_the_one_in_the_map() -> None:
    cars = [Car("grid", 0, "7")]
    svg = MAPS.map_svg(LIBRARY["1/1"], cars=cars, ident="run")
    alone = MAPS.overlay_svg(LIBRARY["1/1"], cars=cars, ident="run")
    assert alone in svg
    assert 'hx-swap-oob="true"' in MAPS.overlay_svg(LIBRARY["1/1"], ident="run", swap=True)


def test_m2_mud_is_marked_with_what_it_takes() -> None:
    assert "−2" in MAPS.overlay_svg(LIBRARY["6/2"], mud={2: 2})


def test_the_map_speaks_the_readers_language_without_mixing() -> None:
    english = MAPS.map_svg(LIBRARY["1/1"])
    with translation.override("de"):
        german = MAPS.map_svg(LIBRARY["1/1"])
    assert "START" in english
    assert MAPS.map_svg(LIBRARY["1/1"]) == english
    assert read(german) is not None


def test_small_maps_are_small() -> None:
    svg = MAPS.small_svg(LIBRARY["3/2"], title="Rally 3", ident="m1")
    assert len(svg) < 4_000
    assert read(svg).get("role") == "img"


def test_there_is_no_other_game() -> None:
    with pytest.raises(KeyError):
        games.get("chess")
