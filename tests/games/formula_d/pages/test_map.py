"""The map on the page: well-formed, small, no inline style or script, escaped texts, cars that face the road."""

import re
from math import degrees
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import translation

from championship.games.formula_d.drawing import (
    Car,
    Chance,
    Scene,
    Target,
    circuit,
    circuit_svg,
    outline_of,
    overlay_svg,
    small_svg,
    space_at,
)
from championship.games.formula_d.drawing.paths import SCALE
from championship.games.formula_d.drawing.road_drawing import plate_places
from championship.rallies.models import COLOURS
from championship.stages import stage_pages
from engine.formula_d.track import file_of, names

SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 60_000  # bytes of a map in a page with a full field and all spaces that can be chosen
LARGEST_LAND = 150_000  # bytes of the picture under it, loaded once
LARGEST_SMALL = 9_000  # bytes of a map in a list


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def moving(svg: str) -> ElementTree.Element:
    """Return the moving parts of a map, as they would be in the map."""
    return read(f'<svg xmlns="{SVG[1:-1]}">{svg}</svg>')


def crowded(name: str) -> Scene:
    """Return a map with ten cars, sixty spaces to choose from, and everything else that can be on a track."""
    spaces = circuit({"track": name}).track.spaces
    return Scene(
        cars=[Car(spaces[place * 9], place, str(place), mine=not place, plays=not place) for place in range(10)],
        path=spaces[:20],
        driven=spaces[30:40],
        targets=[Target(space, f"?to={space}", f"to {space}", chip="−2", dear=True) for space in spaces[100:160]],
        chances=[Chance(space, 0.1, "10 %") for space in spaces[200:230]],
        debris=spaces[60:66],
        slipstream=spaces[70:72],
        looked_at=spaces[3],
        wet=True,
    )


def clean(root: ElementTree.Element) -> None:
    """Check that ids are unique, that there is no inline style or script, and that every symbol in use is defined."""
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        assert element.tag != f"{SVG}script"
        assert not any(key == "style" or key.startswith("on") for key in element.attrib)
        href = element.get("href")
        if href and element.tag in (f"{SVG}use", f"{SVG}image") and href.startswith("#"):
            assert href[1:] in ids
        for used in re.findall(r"url\(#([^)]+)\)", " ".join(element.attrib.values())):
            assert used in ids


@pytest.mark.parametrize("name", names())
def test_a_map_is_one_small_clean_drawing(name: str) -> None:
    svg = circuit_svg({"track": name}, crowded(name), title=name)
    assert len(svg.encode()) < LARGEST
    clean(read(svg))
    small = small_svg({"track": name})
    assert len(small.encode()) < LARGEST_SMALL
    clean(read(small))


@pytest.mark.django_db
@pytest.mark.parametrize("name", names())
def test_the_land_is_a_picture_of_its_own_that_needs_nothing_else(name: str) -> None:
    image = next(read(circuit_svg({"track": name})).iter(f"{SVG}image"))
    answer = Client().get(str(image.get("href")))
    assert answer.status_code == 200
    assert "immutable" in answer["Cache-Control"]
    text = answer.content.decode()
    assert len(text.encode()) < LARGEST_LAND
    root = read(text)
    clean(root)
    styles = [element.text or "" for element in root.iter(f"{SVG}style")]
    assert len(styles) == 1 and "url(" not in styles[0]
    used = {word for element in root.iter() for word in element.get("class", "").split()}
    assert {"road", "kerb", "chequer", "grid-place", "box", "plate", "verge", "f-glow"} <= used
    assert ".circuit-land :is(.fence," in styles[0]
    told = {word for style in styles for word in re.findall(r"\.([a-z][\w-]*)", style)}
    assert {"road", "kerb", "chequer", "box"} <= told


@pytest.mark.django_db
def test_the_address_of_land_that_is_not_there_is_not_found() -> None:
    address = next(read(circuit_svg({"track": "monza"})).iter(f"{SVG}image")).get("href", "")
    assert Client().get(address.replace("monza", "nowhere")).status_code == 404
    old = Client().get(re.sub(r"/[0-9a-f]{10}/", "/0123456789/", address))
    assert old.status_code == 200 and old["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("name", names())
def test_each_corner_has_a_plate_with_its_stops_within_the_picture(name: str) -> None:
    drawing = circuit({"track": name})
    root = read(Client().get(str(next(read(circuit_svg(name)).iter(f"{SVG}image")).get("href"))).content.decode())
    left, top, right, bottom = (value * SCALE for value in drawing.bounds)
    plates = [group for group in root.iter(f"{SVG}g") if group.get("class", "").startswith("plate ")]
    told = {}
    for plate in plates:
        x, y = map(float, re.findall(r"-?[\d.]+", plate.get("transform", ""))[:2])
        assert left + 12 < x < right - 12 and top + 12 < y < bottom - 28
        stops, number = (text.text for text in plate.iter(f"{SVG}text"))
        told[str(number)] = int(str(stops))
    assert told == {f"C{bend.number}": bend.stops for bend in drawing.bends}


@pytest.mark.parametrize("name", names())
def test_a_car_on_any_space_stands_there_and_faces_the_road(name: str) -> None:
    drawing = circuit({"track": name})
    svg = overlay_svg(name, Scene(cars=[Car(space, 3, "7") for space in drawing.track.spaces]))
    cars = [group for group in moving(svg).iter(f"{SVG}g") if group.get("class") == "car"]
    assert len(cars) == len(drawing.spots)
    for car, spot in zip(cars, drawing.spots, strict=True):
        x, y = map(float, re.findall(r"-?[\d.]+", car.get("transform", "")))
        assert (x, y) == (pytest.approx(spot.x * SCALE, abs=0.1), pytest.approx(spot.y * SCALE, abs=0.1))
        body = next(part for part in car if part.tag == f"{SVG}g")
        turn = float(body.get("transform", "")[len("rotate(") : -1])
        assert (turn - degrees(spot.heading)) % 360 == pytest.approx(0, abs=0.06) or (
            turn - degrees(spot.heading)
        ) % 360 == pytest.approx(360, abs=0.06)


def test_cars_carry_their_number_their_colour_and_its_pattern() -> None:
    spaces = circuit("monza").track.spaces
    svg = circuit_svg(
        "monza", Scene(cars=[Car(spaces[n], n, str(n + 1), label=f"No. {n + 1}") for n in range(COLOURS)])
    )
    cars = [group for group in read(svg).iter(f"{SVG}g") if group.get("class") == "car"]
    assert [car.get("data-colour") for car in cars] == [str(n) for n in range(COLOURS)]
    assert [car.get("aria-label") for car in cars] == [f"No. {n + 1}" for n in range(COLOURS)]
    patterns = [[use.get("href") for use in car.iter(f"{SVG}use")][1:-1] for car in cars]
    assert patterns == [[], *([f"#map-livery{n}"] for n in range(1, COLOURS))]


def test_what_may_be_chosen_is_a_link_with_its_price_in_words() -> None:
    label = 'S1.1.3: 2 tires & <1 brake> "dear"'
    target = Target("S1.1.3", "?to=S1.1.3&x=1", label, chip="−3", attributes={"hx-get": "?a=1&b=2"})
    root = moving(overlay_svg("monza", Scene(targets=[target, Target("S1.1.3", "?n=1", "with nitro", chip="N")])))
    links = list(root.iter(f"{SVG}a"))
    assert [link.get("aria-label") for link in links] == [label, "with nitro"]
    assert links[0].get("href") == "?to=S1.1.3&x=1"
    assert links[0].get("hx-get") == "?a=1&b=2"
    assert links[0].get("data-space") == "S1.1.3"
    chips = [next(link.iter(f"{SVG}text")).text for link in links]
    assert chips == ["−3", "N"]
    places = [chip.get("transform") for chip in root.iter(f"{SVG}g") if chip.get("class") == "chip"]
    assert len(set(places)) == 2, "two choices on one space do not hide each other"


def test_texts_of_people_are_escaped() -> None:
    svg = circuit_svg("monza", Scene(cars=[Car("S1.1.0", 0, "<1>", label="<b>Ana</b>")]), title="<i>Grand Prix</i>")
    assert "<b>" not in svg and "<i>" not in svg
    assert read(svg).get("aria-label") == "<i>Grand Prix</i>"


def test_spaces_that_the_track_does_not_have_are_left_out() -> None:
    nowhere = ("S99.1.0", "", "P.9")
    scene = Scene(
        cars=[Car(space, 1, "1") for space in nowhere],
        path=nowhere,
        driven=nowhere,
        targets=[Target(space, "?", "x") for space in nowhere],
        chances=[Chance(space, 1.0, "x") for space in nowhere],
        debris=nowhere,
        slipstream=nowhere,
        looked_at="nowhere",
    )
    assert overlay_svg("monza", scene) == overlay_svg("monza", Scene())


def test_slipstreams_debris_and_rain_are_drawn() -> None:
    scene = Scene(debris=["S1.1.2"], slipstream=["S1.1.5"], wet=True)
    wet, dry = overlay_svg("suzuka", scene), overlay_svg("suzuka", Scene())
    for sign in ('class="slip"', "#map-debris", 'class="rain"', 'class="overlay wet"'):
        assert sign in wet and sign not in dry


def test_the_likelier_an_end_the_brighter_it_is() -> None:
    chances = [Chance("S1.1.1", 0.02), Chance("S1.1.2", 0.5, "50 %"), Chance("S1.1.3", 0.25, dear=True)]
    root = moving(overlay_svg("monza", Scene(chances=chances)))
    shown = {path.get("class"): path.get("d") for path in root.iter(f"{SVG}path")}
    assert shown["likely l5"] == outline_of("monza", "S1.1.2")
    assert shown["likely l1"] == outline_of("monza", "S1.1.1")
    assert shown["likely l3 dear"] == outline_of("monza", "S1.1.3")
    assert [text.text for text in root.iter(f"{SVG}text")] == ["50 %"]


@pytest.mark.parametrize("name", names())
def test_the_middle_of_a_space_is_found_by_a_tap(name: str) -> None:
    drawing = circuit(name)
    for spot in drawing.spots:
        assert space_at(name, spot.x * SCALE, spot.y * SCALE) == spot.name
    left, top, _right, _bottom = drawing.bounds
    assert space_at(name, left * SCALE, top * SCALE) == ""
    for bend, (x, y) in plate_places(drawing):
        assert drawing.track.index[space_at(name, x * SCALE, y * SCALE)] in bend.lanes[1], "its plate is a corner's own"
    assert outline_of(name, "nowhere") == ""


def test_a_tap_between_two_spaces_means_the_nearer_one() -> None:
    assert space_at("monza", 76.9, 304.4) == "S3.3.1"


def test_where_roads_cross_the_one_above_is_drawn_again() -> None:
    with_bridge = {name for name in names() if 'class="bridge"' in stage_pages.get("formula_d").land(name).text}
    assert with_bridge == {"suzuka"}


def test_an_overlay_can_be_swapped_alone() -> None:
    (alone,) = moving(overlay_svg("monza", Scene(), ident="other", swap=True).replace("hx-swap-oob", "oob"))
    assert (alone.get("id"), alone.get("oob")) == ("other-overlay", "true")
    inner = next(part for part in read(circuit_svg("monza", ident="other")) if part.tag == f"{SVG}svg")
    assert (inner.get("id"), inner.get("viewBox")) == ("other-overlay", alone.get("viewBox"))


def test_the_land_of_a_brought_track_lies_on_the_page_itself() -> None:
    course = stage_pages.get("formula_d").read_text("# title: Round & round\n" + file_of("monza"))
    svg = circuit_svg(course)
    assert "<image" not in svg
    assert 'class="circuit-land"' in svg and "ROUND &amp; ROUND" in svg
    assert len(svg.encode()) < 75_000, "the page carries it: there is little on it"
    clean(read(svg))


def test_maps_say_in_words_what_they_show() -> None:
    maps = stage_pages.get("formula_d")
    assert maps.summary({"track": "monza"}) == "6 corners, 375 spaces"
    table = maps.table({"track": "monza"})
    assert table is not None
    assert table.rows[0][0] == "S1" and table.rows[1][0] == "C1"
    assert {row[1] for row in table.rows} == {"–", "1", "2"}
    with translation.override("de"):
        assert read(circuit_svg("monza")).find(f"{SVG}desc") is not None


@pytest.mark.parametrize("name", names())
def test_a_track_file_is_written_and_read_again(name: str) -> None:
    """A copy of a ready-made track can be driven, and has its title and its weather."""
    maps = stage_pages.get("formula_d")
    copy = circuit(maps.read_text(maps.write_text({"track": name})))
    assert copy.track.title == circuit(name).track.title
    assert copy.track.weather == circuit(name).track.weather
    assert copy.track.nexts == circuit(name).track.nexts
