"""The map on the page: well-formed, small, without inline style or script, and with escaped texts."""

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import translation

from championship.catalogue import UnknownGame
from championship.games.dirt.drawing import paths
from championship.games.dirt.drawing.layout import draw
from championship.games.dirt.marks import Car, Step, Target
from championship.rallies.models import COLOURS
from championship.stages import stage_pages
from engine import registry
from engine.dirt.course.compiled_stage import compiled

MAPS = stage_pages.get("dirt")
RULES = registry.get("dirt")
LIBRARY = {name: RULES.read_course(printed) for name, printed in RULES.library().items()}
SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 20_000  # bytes of a map in a page: every step sends it again
LARGEST_LAND = 150_000  # bytes of the picture under it, loaded once


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def land_of(svg: str) -> str:
    """Return the address of the picture under a map."""
    address = next(read(svg).iter(f"{SVG}image")).get("href")
    assert address is not None
    return address


def picture(svg: str) -> str:
    """Return the picture under a map, as the site serves it."""
    answer = Client().get(land_of(svg))
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


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
        if (href := element.get("href")) and not element.tag.endswith("image"):
            assert href[1:] in ids  # every symbol in use is defined


@pytest.mark.django_db
@pytest.mark.parametrize("name", LIBRARY)
def test_the_land_is_a_picture_of_its_own_that_needs_nothing_else(name: str) -> None:
    svg = picture(MAPS.map_svg(LIBRARY[name]))
    assert len(svg.encode()) < LARGEST_LAND
    root = read(svg)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    styles = [element.text for element in root.iter(f"{SVG}style")]
    assert len(styles) == 1
    assert "url(" not in styles[0]
    used = {word for element in root.iter() for word in element.get("class", "").split()}
    assert {"verge", "bed", "m-disc", "banner"} <= used
    for element in root.iter():
        assert element.tag != f"{SVG}script"
        assert not any(key == "style" or key.startswith("on") for key in element.attrib)
        if href := element.get("href"):
            assert href[1:] in ids


@pytest.mark.django_db
def test_a_land_is_kept_for_ever_and_may_do_nothing_but_show_itself() -> None:
    address = land_of(MAPS.map_svg(LIBRARY["1/1"]))
    answer = Client().get(address)
    assert answer["Content-Type"] == "image/svg+xml"
    assert "immutable" in answer["Cache-Control"]
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "style-src 'sha256-" in policy
    edition = address.split("/")[3]
    assert Client().get(address.replace(edition, "older"))["Cache-Control"] == "no-cache"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changed",
    [
        ("/dirt/", "/chess/"),
        ("/en/", "/xx/"),
        ("~", "~~"),
        (".svg", "~<script>.svg"),
        (".DA.", ".DX."),
        ("202a", "999a"),
        (".0.0.", ".200.0."),
    ],
)
def test_no_picture_of_a_road_that_is_none(changed: tuple[str, str]) -> None:
    address = land_of(MAPS.map_svg(LIBRARY["1/1"]))
    assert changed[0] in address
    assert Client().get(address.replace(*changed, 1)).status_code == 404


def test_a_point_of_the_map_is_known_by_its_tile_and_space() -> None:
    for name, spec in LIBRARY.items():
        for tile in draw(spec).tiles:
            for space in tile.spaces:
                x, y = paths.at(space.middle)
                found = MAPS.place_at(spec, x, y)
                assert found is not None, (name, tile.number, space.slot)
                if space.kind != "slide":  # a slide overlaps its lanes
                    assert found[1] == f"{tile.number}.{space.slot}", name
    assert MAPS.place_at(LIBRARY["1/1"], -9999, 0) is None


def test_a_place_has_an_outline() -> None:
    assert MAPS.outline_of(LIBRARY["1/1"], "1").startswith("M")
    assert MAPS.outline_of(LIBRARY["1/1"], "1.2.l").startswith("M")
    assert MAPS.outline_of(LIBRARY["1/1"], "0") == ""
    assert MAPS.outline_of(LIBRARY["1/1"], "²") == ""
    assert MAPS.outline_of(LIBRARY["1/1"], "1.2.z") == ""


@pytest.mark.django_db
def test_the_longest_stage_is_small_too() -> None:
    tiles = ["202a", *(f"{number}a" for number in range(204, 210)), "203a"]
    spec = RULES.read_course({"tiles": [{"tile": tile} for tile in tiles]})
    svg = MAPS.map_svg(spec)
    assert len(svg.encode()) < LARGEST
    assert len(picture(svg).encode()) < LARGEST_LAND


@pytest.mark.django_db
@pytest.mark.parametrize("name", LIBRARY)
def test_every_limit_and_two_signs_a_tile_are_on_the_map(name: str) -> None:
    root = read(picture(MAPS.map_svg(LIBRARY[name])))
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


@pytest.mark.parametrize("name", LIBRARY)
def test_chips_of_neighbouring_spaces_do_not_cover_each_other(name: str) -> None:
    track = compiled(LIBRARY[name])
    for space in track.spaces:
        ahead = [track.spaces[index].name for index in track.ahead[space.index]]
        svg = MAPS.map_svg(LIBRARY[name], targets=[Target(to, "?", to, "2–5 →") for to in ahead])
        places = re.findall(r'class="chip"[^>]*translate\(([-\d.]+) ([-\d.]+)\)"><rect x="-([\d.]+)"', svg)
        assert len(places) == len(ahead)
        for (ax, ay, a), (bx, by, b) in combinations([tuple(map(float, place)) for place in places], 2):
            assert abs(ax - bx) >= a + b - 4 or abs(ay - by) >= 11, (name, space.name, ahead)


@pytest.mark.parametrize("name", LIBRARY)
def test_chips_do_not_cover_a_limit(name: str) -> None:
    drawing = draw(LIBRARY[name])
    track = compiled(LIBRARY[name])
    limits = [(100 * s.middle.x, 100 * s.middle.y) for s in drawing.spaces.values() if s.limit is not None]
    for space in track.spaces:
        ahead = [track.spaces[index].name for index in track.ahead[space.index]]
        svg = MAPS.map_svg(LIBRARY[name], targets=[Target(to, "?", to, "1b", "2–4 →") for to in ahead])
        for x, y, half in re.findall(r'class="chip"[^>]*translate\(([-\d.]+) ([-\d.]+)\)"><rect x="-([\d.]+)"', svg):
            for limit_x, limit_y in limits:
                across, along = abs(float(x) - limit_x), abs(float(y) - limit_y)
                assert across >= float(half) + 6 or along >= 13, (name, space.name, ahead)


def test_a_chip_tells_which_of_its_dice_lose_control() -> None:
    svg = MAPS.map_svg(LIBRARY["1/1"], targets=[Target("1.2.l", "?", "words", "1", "4 →")])
    (chip,) = re.findall(r'<g class="chip".*?</g></g>|<g class="chip".*?</text></g>', svg)
    assert re.findall(r"<text[^>]*>([^<]*)</text>", chip) == ["1", "4 →"]
    assert re.findall(r'<text class="lost"[^>]*>([^<]*)</text>', svg) == ["4 →"]
    assert svg.count('class="hatched"') == 0


def test_the_limit_of_a_space_that_may_be_chosen_lies_over_its_colour() -> None:
    drawing = draw(LIBRARY["1/1"])
    space = next(name for name, each in drawing.spaces.items() if each.limit is not None)
    svg = MAPS.map_svg(LIBRARY["1/1"], targets=[Target(space, "?", "words", "2", loses_control=True)])
    limit = re.search(r'class="m-limit".*?<text[^>]*>(\d)</text>', svg)
    assert limit is not None
    assert int(limit[1]) == drawing.spaces[space].limit
    assert limit.start() > svg.index('class="hatched"')


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


@pytest.mark.django_db
def test_the_map_speaks_the_readers_language_without_mixing() -> None:
    english = MAPS.map_svg(LIBRARY["1/1"])
    with translation.override("de"):
        german = MAPS.map_svg(LIBRARY["1/1"])
    assert MAPS.map_svg(LIBRARY["1/1"]) == english
    assert "FINISH" in picture(english)
    assert "ZIEL" in picture(german)


def test_a_car_that_is_a_link_leads_to_its_card() -> None:
    svg = MAPS.map_svg(LIBRARY["1/1"], cars=[Car("1.2.l", 3, "42", "Ana", href="#car-42")])
    link = next(read(svg).iter(f"{SVG}a"))
    assert (link.get("href"), link.get("aria-label")) == ("#car-42", "Ana")


def test_each_colour_but_the_first_has_a_pattern_too() -> None:
    cars = [Car("1.2.l", colour, str(colour)) for colour in range(COLOURS)]
    svg = MAPS.map_svg(LIBRARY["1/1"], cars=cars)
    assert sorted(re.findall(r'<use href="#map-livery(\d)"', svg)) == list("123456789")
    drawn = set(re.findall(r'<g id="map-(livery\d)"', svg))
    assert drawn == {f"livery{colour}" for colour in range(1, COLOURS)}


def test_a_loss_of_control_is_told_by_hatching_and_a_sign() -> None:
    targets = [Target("1.2.l", "?1", "safe", "1"), Target("1.2.r", "?2", "lost", "2", loses_control=True)]
    svg = MAPS.map_svg(LIBRARY["1/1"], targets=targets)
    assert svg.count('class="hatched"') == 1
    assert svg.count('class="danger"') == 1


def test_small_maps_are_small() -> None:
    svg = MAPS.small_svg(LIBRARY["3/2"], title="Rally 3", ident="m1")
    assert len(svg) < 4_000
    assert read(svg).get("role") == "img"


def test_there_is_no_other_game() -> None:
    with pytest.raises(UnknownGame):
        stage_pages.get("chess")
