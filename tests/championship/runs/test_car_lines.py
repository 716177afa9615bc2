"""The lines of two cars and of the ideal drive on the map of a run that is over."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from championship.rallies.models import Entry
from championship.runs.models import Run
from championship.runs.road_views import CarSpot
from championship.runs.watch.car_lines import cars_to_compare, lines_of, section
from engine import registry
from tests.championship.runs.factories import driven, driven_to_the_end, on_the_road
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


def test_a_section_is_the_way_between_two_borders():
    line = tuple(CarSpot("1", float(x), 0.0, behind=behind) for x, behind in enumerate((0, 0, 1, 1, 3, 3)))
    assert [[int(spot.x) for spot in section(line, number)] for number in range(4)] == [
        [0, 1],
        [1, 2, 3],
        [3, 4],  # the car has passed two borders in one go
        [3, 4, 5],
    ]
    assert section((), 0) == ()


def test_the_best_car_is_the_first_to_compare_with():
    run, _entries = driven("Ana", "Bo", "Cem")
    cars = cars_to_compare(run)
    own, other = cars[2][1], cars[0][1]
    lines = lines_of(cars, own, other, AnonymousUser())
    assert lines is not None
    assert len(lines.own) > 5 and len(lines.other) > 5 and lines.own != lines.other
    assert len(lines.ideal) > 1 and all(len(piece) > 1 for piece in lines.ideal)
    result = registry.get(run.game).result(run.state)
    assert result is not None
    assert other.name == min(result.seats, key=lambda one: (one.measure, one.rank)).seat


def test_a_reader_chooses_whom_to_compare_and_which_lines():
    run, entries = driven("Ana", "Bo", "Cem")
    page = f"/runs/{run.key}/lines/"
    own = signed_in(entries[1].driver).get(page).content.decode()
    assert re.search(rf'<li data-line="own">{entries[1].crew}</li>', own), "one's own car"
    assert re.findall(r'<polyline class="(\w+)"', own).count("ideal") > 1
    numbers = [str(entry.start_number) for entry in entries]
    pair = Client().get(page, {"own": numbers[0], "against": numbers[2], "lines": "pair"}).content.decode()
    assert [*re.findall(r'<li data-line="(\w+)">', pair)] == ["own", "other"]
    assert 'class="ideal"' not in pair
    alone = Client().get(page, {"own": numbers[0], "lines": "own"}).content.decode()
    assert [*re.findall(r'<li data-line="(\w+)">([^<]*)', alone)] == [("own", entries[0].crew)]
    for wrong in ({"own": numbers[0], "against": numbers[0]}, {"own": "\x00"}, {"against": "9" * 400}):
        answer = Client().get(page, wrong)
        assert answer.status_code == 200
        assert "Choose two different cars" in answer.content.decode() and "<polyline" not in answer.content.decode()
    assert page in Client().get(f"/runs/{run.key}/replay/").content.decode()
    assert page in Client().get(f"/runs/{run.key}/gaps/").content.decode()


def test_cars_of_the_open_road_are_compared_when_the_stage_is_over_for_all():
    run, entries = on_the_road("Ana", "Bo", mode="open road")
    assert Client().get(f"/runs/{run.key}/lines/").status_code == 404
    driven_to_the_end(run, *entries)
    assert [seat.entry for _run, seat in cars_to_compare(run)] == entries, "the other one still drives"
    assert Client().get(f"/runs/{run.key}/lines/").status_code == 200
    [other] = Run.objects.filter(special_stage=run.special_stage).exclude(pk=run.pk)
    driven_to_the_end(other, Entry.objects.select_related("driver").get(seats__run=other))
    assert len(cars_to_compare(run)) == 2
    assert 'data-line="other"' in Client().get(f"/runs/{run.key}/lines/").content.decode()


def test_a_page_asks_no_more_for_more_cars(django_assert_max_num_queries):
    run, _entries = driven("Ana", "Bo", "Cem")
    Client().get(f"/runs/{run.key}/lines/")
    with django_assert_max_num_queries(12):
        Client().get(f"/runs/{run.key}/lines/")
