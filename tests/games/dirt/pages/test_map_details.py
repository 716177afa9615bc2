"""The details of places on a stage: spaces, tiles, points of the map, cars."""

from __future__ import annotations

import pytest
from django.test import Client

from championship.games.dirt.drawing import paths
from championship.games.dirt.drawing.layout import draw
from championship.runs.models import Run
from championship.stages import stage_pages
from engine.dirt.course.compiled_stage import compiled
from tests.championship.runs.factories import desk_of, on_the_road, put

pytestmark = pytest.mark.django_db

ASKED_IN_PLACE = {"HX-Request": "true"}


def words_of(client: Client, run: Run, place: str) -> str:
    """Return the description of a place."""
    answer = client.get(f"{run.get_absolute_url()}at/{place}/", headers=ASKED_IN_PLACE)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def a_bend(run: Run) -> tuple[str, int, int]:
    """Return the first space inside a bend: its name, its limit, its tile."""
    space = next(space for space in compiled(run.stage).spaces if space.kind == "inner" and (space.limit or 0) > 1)
    assert space.limit is not None
    return space.name, space.limit, space.tile


def throw_mud(run: Run, tile: int, thrower: str) -> None:
    """Put two markers of one driver on a tile."""
    run.refresh_from_db()
    run.state["mud"][str(tile)] = {thrower: 1}
    run.save(update_fields=["state"])


@pytest.mark.slow
def test_every_tile_and_space_is_described_and_the_grid_is_no_space() -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo", stages=("3/1",))
    ana = desk_of(first)
    for space in compiled(run.stage).spaces:
        address = f"{run.get_absolute_url()}at/{space.name}/"
        assert ana.get(address).status_code == (404 if space.name == "grid" else 200), space.name
    for tile in range(1, len(run.stage["tiles"]) + 1):
        assert f"Tile {tile}" in words_of(ana, run, str(tile))


@pytest.mark.parametrize("place", ["0", "99", "-1", "²", "1.1", "1.1.z", "9.9.l", "0001", "<b>", "1e1"])
def test_no_such_place(place: str) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    assert desk_of(first).get(f"{run.get_absolute_url()}at/{place}/").status_code == 404


def test_a_space_tells_its_limit_and_kind() -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    name, limit, _tile = a_bend(run)
    said = words_of(desk_of(first), run, name)
    assert f"Limit: gear {limit}." in said
    assert "inside of the bend" in said
    assert 'data-outline="M' in said


def test_m2_mud_lowers_the_limit_for_others_but_not_for_who_threw_it() -> None:
    run, (first, second) = on_the_road("Ana", "Bo")
    name, limit, tile = a_bend(run)
    throw_mud(run, tile, str(first.start_number))
    assert f"Limit: gear {limit}." in words_of(desk_of(first), run, name)
    said = words_of(desk_of(second), run, name)
    assert f"Limit {limit - 1} for you" in said
    assert "mud marker" in said


def test_the_cars_on_a_space_are_named() -> None:
    run, (first, second) = on_the_road("Anastazja", "Bogumiła")  # no part of a random key
    put(run, second, space="2.1.o1", gear=3, started=True)
    assert second.crew in words_of(desk_of(first), run, "2.1.o1")
    assert second.crew in words_of(desk_of(first), run, "2")
    assert second.crew not in words_of(desk_of(first), run, "3")


def test_a_tap_on_the_map_finds_the_space_there() -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    ana = desk_of(first)
    x, y = paths.at(draw(run.stage).spaces["2.1.o1"].middle)
    answer = ana.get(f"{run.get_absolute_url()}at/", {"x": f"{x:.1f}", "y": f"{y:.1f}"}, headers=ASKED_IN_PLACE)
    assert "2.1 drift 1" in answer.content.decode()
    assert stage_pages.get("dirt").place_at(run.stage, -9999, -9999) is None
    assert ana.get(f"{run.get_absolute_url()}at/", {"x": "-9999", "y": "-9999"}).status_code == 204


@pytest.mark.parametrize(
    "point", [{}, {"x": "1"}, {"x": "a", "y": "1"}, {"x": "nan", "y": "1"}, {"x": "1", "y": "1e999"}]
)
def test_a_point_that_is_none(point: dict[str, str]) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    assert desk_of(first).get(f"{run.get_absolute_url()}at/", point).status_code == 404


def test_only_people_with_the_link_may_view_the_details() -> None:
    run, _entries = on_the_road("Ana", "Bo")
    assert Client().get(f"{run.get_absolute_url()}at/2/").status_code == 200
    assert Client().get("/runs/nobody/at/2/").status_code == 404


def test_the_details_need_few_queries(django_assert_max_num_queries) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    ana = desk_of(first)
    ana.get(run.get_absolute_url())
    with django_assert_max_num_queries(4):  # session, user, run, places
        words_of(ana, run, "2")


def test_a_place_offers_what_the_rulebook_says_about_each_thing_on_it_once() -> None:
    run, (first, second) = on_the_road("Ana", "Bo")
    name, _limit, tile = a_bend(run)
    space, whole = (words_of(desk_of(first), run, place) for place in (name, str(tile)))
    for said, terms in ((space, ("limit", "cut")), (whole, ("limit", "cut", "slide"))):
        for term in terms:
            assert said.count(f'href="/rules/dirt/about/{term}/"') == 1, term
    throw_mud(run, tile, str(second.start_number))
    assert 'href="/rules/dirt/about/mud/"' in words_of(desk_of(first), run, name)


def test_the_stage_page_explains_its_dice_and_all_its_terms() -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    page = desk_of(first).get(run.get_absolute_url()).content.decode()
    for term in ("gear-die", "brake-die", "sisu", "spare-wheel", "water", "shortcut"):
        assert f'href="/rules/dirt/about/{term}/"' in page, term
