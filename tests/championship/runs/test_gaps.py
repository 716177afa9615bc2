"""Splits and gaps on pages: of one run, of all runs of a stage, while it is driven and afterwards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.rallies.models import Rally
from championship.rallies.results.measures import PLACES, POINTS, Measure
from championship.rallies.templatetags.times import gap, stage_time
from championship.runs.models import Run
from championship.runs.pages import gap_chart
from championship.runs.watch import gaps
from engine import registry
from engine.contract import SeatSplits, Splits, required
from tests.championship.rallies.factories import make_rally, started
from tests.championship.runs.factories import (
    careful_turn,
    driven,
    driven_to_the_end,
    on_the_road,
    open_turn,
    play,
    starters,
)
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Every test computes its own splits."""
    cache.clear()


def page_of(run: Run, client: Client | None = None) -> str:
    answer = (client or Client()).get(f"{run.get_absolute_url()}gaps/")
    assert answer.status_code == 200
    return answer.content.decode()


def page_of_stage(rally: Rally, client: Client | None = None) -> str:
    answer = (client or Client()).get(f"/rallies/{rally.key}/stages/1/gaps/")
    assert answer.status_code == 200
    return answer.content.decode()


def table_on(page: str) -> dict[str, list[str]]:
    """The cells of each row in words, by start number, in the order of the page."""
    rows = {}
    for row in page.split("<tbody>")[1].split("</tbody>")[0].split("<tr")[1:]:
        cells = [" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in re.split(r"</t[hd]>", row)]
        rows[cells[0].partition("number ")[2].split()[0]] = cells[1:-1]
    return rows


def splits_in(run: Run) -> Mapping[str, SeatSplits]:
    """The splits that the engine computes from the run's own events."""
    rules = registry.get(run.game)
    setup = rules.setup(run.stage, run.entrants, run.options)
    return required(rules, Splits).splits(setup, [event.data for event in run.events.order_by("number")]).seats


def open_road(*names: str) -> tuple[Rally, list[Run]]:
    """A rally with a finished stage on which each car has driven its own run, and the runs."""
    rally, _entries = started(*names, stages=("4/1",), mode="open road")
    runs = list(Run.objects.filter(special_stage__rally=rally).order_by("number"))
    for run in runs:
        driven_to_the_end(run, *starters(run))
    return rally, runs


# The table --------------------------------------------------------------------------------------------


def test_the_table_has_each_split_with_its_gap_to_the_fastest() -> None:
    run, _entries = driven("Ana", "Bo", "Cem", stages=("4/1",))
    told, rows = splits_in(run), table_on(page_of(run))
    assert set(rows) == set(told)
    for border in range(len(run.stage["tiles"]) - 1):
        best = min(car.at[border] for car in told.values() if car.at[border] is not None)
        for driver, car in told.items():
            seconds = car.at[border]
            expected = (
                "–"
                if seconds is None
                else f"{stage_time(seconds)} {'fastest' if seconds == best else gap(seconds - best)}"
            )
            assert rows[driver][border] == expected
    for driver, car in told.items():
        assert rows[driver][-1].split()[0] == ("retired" if car.status == "retired" else stage_time(car.measure))
    times = [told[driver].measure for driver in rows if told[driver].status == "finished"]
    assert times == sorted(times), "the fastest first"


def test_a_car_on_the_road_has_the_splits_it_has_driven() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    assert "No car has left the first tile yet." in page_of(run)
    assert "<svg" not in page_of(run).split("<main")[1]
    while splits_in(run)[str(ana.start_number)].at[0] is None:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    rows = table_on(page_of(run))
    assert list(rows) == [str(ana.start_number), str(bo.start_number)], "who is farther stands first"
    assert rows[str(ana.start_number)][0] == f"{stage_time(splits_in(run)[str(ana.start_number)].at[0])} fastest"
    assert rows[str(ana.start_number)][-1] == "–"
    assert set(rows[str(bo.start_number)]) == {"–"}


def test_a_car_that_gave_up_is_retired_and_comes_last() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    while splits_in(run)[str(ana.start_number)].at[0] is None:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    while open_turn(run).seat.entry != ana:
        play(run, bo, **careful_turn(run))
    before = table_on(page_of(run))[str(ana.start_number)]
    play(run, ana, do="retire")
    rows = table_on(page_of(run))
    assert list(rows) == [str(bo.start_number), str(ana.start_number)]
    assert rows[str(ana.start_number)][:-1] == before[:-1], "the splits there were stay"
    assert rows[str(ana.start_number)][-1] == "retired"


def test_cached_splits_of_a_run_are_not_used_after_it_moves_on() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    assert set(table_on(page_of(run))[str(ana.start_number)]) == {"–"}
    while splits_in(run)[str(ana.start_number)].at[0] is None:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
        page_of(run)
    assert "fastest" in page_of(run)


def test_only_the_run_that_has_moved_on_is_computed_again() -> None:
    rally, _entries = started("Ana", "Bo", stages=("4/1",), mode="open road")
    still, moved = Run.objects.filter(special_stage__rally=rally).order_by("number")
    for run in (still, moved):
        play(run, starters(run)[0], **careful_turn(run))
    page_of_stage(rally)
    play(moved, starters(moved)[0], **careful_turn(moved))
    with CaptureQueriesContext(connection) as asked:
        page_of_stage(rally)
    [events] = [query["sql"] for query in asked if 'FROM "runs_event"' in query["sql"]]
    assert re.findall(r"unnest\('\{(.*?)\}'", events) == [str(moved.pk)] * 2, "of its events and its set-up"


# All runs of a stage ----------------------------------------------------------------------------------


def test_on_the_open_road_all_runs_of_the_stage_are_in_one_table() -> None:
    rally, runs = open_road("Ana", "Bo", "Cem")
    rows = table_on(page_of_stage(rally))
    told = {driver: car for run in runs for driver, car in splits_in(run).items()}
    assert set(rows) == set(told) and len(told) == 3
    for driver, cells in rows.items():
        best = min(car.at[0] for car in told.values())
        seconds = told[driver].at[0]
        assert cells[0] == f"{stage_time(seconds)} {'fastest' if seconds == best else gap(seconds - best)}"
    page = page_of_stage(rally)
    for run in runs:
        assert f'href="{run.get_absolute_url()}replay/"' in page
        assert len(table_on(page_of(run))) == 1
        assert f"/rallies/{rally.key}/stages/1/gaps/" in page_of(run)


def test_the_viewers_own_car_stands_out() -> None:
    run, entries = driven("Ana", "Bo", stages=("4/1",))
    mine = page_of(run, signed_in(entries[1].driver))
    assert len(re.findall(r'<tr class="me', mine)) == 1
    assert '<tr class="me' not in page_of(run, signed_in(make_user()))


def test_a_stage_that_is_not_open_has_no_gaps() -> None:
    rally = make_rally()
    assert "It is not open yet." in page_of_stage(rally)
    assert Client().get(f"/rallies/{rally.key}/stages/9/gaps/").status_code == 404
    assert Client().get("/rallies/nobody/stages/1/gaps/").status_code == 404
    assert Client().get("/runs/nobody/gaps/").status_code == 404


# The chart --------------------------------------------------------------------------------------------


def lines_of(svg: str) -> dict[str, list[tuple[float, float]]]:
    """The points of the lines by the car's colour."""
    found = {}
    for colour, d in re.findall(r'class="gapline[^"]*" data-colour="(\d)".*?class="stroke" d="M([^"]+)"', svg):
        found[colour] = [(float(x), float(y)) for x, y in (point.split() for point in d.split("L"))]
    return found


def test_the_chart_draws_each_car_as_far_below_the_edge_as_it_is_behind() -> None:
    run, _entries = driven("Ana", "Bo", "Cem", stages=("4/1",))
    table = gaps.of_run(run, list(run.seats.select_related("entry__driver")), make_user())
    svg = gap_chart.gap_chart(table, width=1000, height=400, ident="g", foot="after tile")
    lines = lines_of(svg)
    assert len(lines) == 3
    by_column: dict[float, list[tuple[int, float]]] = {}
    for car in table.cars:
        points = lines[str(car.seat.entry.colour)]
        behind = [0, *(time.gap for time in car.passed), *([car.finish.gap] if car.finish else [])]
        assert len(points) == len(behind)
        for (x, y), seconds in zip(points, behind, strict=True):
            by_column.setdefault(x, []).append((seconds, y))
        assert points == sorted(points, key=lambda point: point[0]), "along the road"
        assert f">{car.seat.name}</text>" in svg
    edge = min(y for _x, y in lines[str(table.cars[0].seat.entry.colour)])
    for column in by_column.values():
        column.sort()
        assert column[0] == (0, edge), "the fastest drives along the upper edge"
        for (less, higher), (more, lower) in pairwise(column):
            assert higher < lower or (less == more and higher <= lower), "the more behind, the lower"
    assert "style=" not in svg
    assert "<title" in svg


@pytest.mark.parametrize(("measure", "worse"), [(POINTS, "−"), (PLACES, "+")])
def test_a_chart_of_points_or_places_counts_in_them_and_the_best_leads(measure: Measure, worse: str) -> None:
    run, _entries = on_the_road("Ana", "Bo")
    ana, bo = run.seats.select_related("entry__driver").order_by("position")
    high, low = (SeatSplits((9,), 9, "finished", 9), SeatSplits((2,), 2, "finished", 2))
    table = gaps.table_of([(run, ana, high), (run, bo, low)], 1, measure, make_user())
    best = ana if measure.better == "most" else bo
    assert [(car.seat, car.finish.gap) for car in table.cars if car.finish] == [
        (best, 0),
        ({ana: bo, bo: ana}[best], 7),
    ]
    svg = gap_chart.gap_chart(table, width=1000, height=400, ident="g", foot="")
    assert re.findall(r'class="tick"[^>]*>([^<]+)<', svg) == ["0", *(f"{worse}{number}" for number in (2, 4, 6, 8))]


def test_numbers_at_the_ends_of_equal_lines_do_not_cover_each_other() -> None:
    """With the same dice for all, drivers with the same plans have the same time."""
    rally, _entries = started(
        "Ana", "Bo", "Cem", "Dag", stages=("4/1",), mode="open road", options={"dice": "duplicate"}
    )
    for run in Run.objects.filter(special_stage__rally=rally):
        driven_to_the_end(run, *starters(run))
    table = gaps.of_stage(rally.stages.get(number=1), make_user())
    svg = gap_chart.gap_chart(table, width=360, height=400, ident="g", foot="after tile")
    spots = [(x, float(y)) for x, y in re.findall(r'class="gapnumber"[^>]*translate\(([\d.]+) ([\d.]+)\)', svg)]
    assert len(spots) == 4
    for place, (x, y) in enumerate(spots):
        for other_x, other_y in spots[place + 1 :]:
            assert x != other_x or abs(y - other_y) >= gap_chart.LABEL - 0.11


def test_a_stage_with_many_cars_keeps_a_readable_chart() -> None:
    """When there are very many cars, only the fastest and the viewer's own are drawn."""
    rally, _entries = started(*(f"Driver {number}" for number in range(14)), stages=("4/1",), mode="open road")
    runs = list(Run.objects.filter(special_stage__rally=rally).order_by("number"))
    for run in runs:
        while not any(car.at[0] for car in splits_in(run).values()):
            play(run, starters(run)[0], **careful_turn(run))
    last = list(table_on(page_of_stage(rally)))[-1]
    driver = next(run.seats.get().entry.driver for run in runs if run.seats.get().name == last)
    stage = rally.stages.get(number=1)
    assert len(gap_chart.charted(gaps.of_stage(stage, make_user()))) == gap_chart.MOST_LINES
    own = gap_chart.charted(gaps.of_stage(stage, driver))
    assert len(own) == gap_chart.MOST_LINES + 1
    assert own[-1].mine
    assert "The chart shows 12 cars; the table has all that drive." in page_of_stage(rally)
    assert len(table_on(page_of_stage(rally))) == 14


# Queries ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_gaps_take_as_many_queries_for_many_cars_as_for_one(django_assert_max_num_queries: Any) -> None:
    counts = []
    for names in (("Ana",), ("Ana", "Bo", "Cem", "Dag", "Eva", "Fin")):
        run, _entries = driven(*names, stages=("4/1",))
        with django_assert_max_num_queries(10) as counted:
            page_of(run)
        counts.append(len(counted))
    assert counts[0] == counts[1]


@pytest.mark.slow
def test_gaps_of_a_stage_take_as_many_queries_for_many_runs_as_for_two(django_assert_max_num_queries: Any) -> None:
    counts, again = [], []
    for names in (("Ana", "Bo"), tuple(f"Driver {number}" for number in range(8))):
        rally, _runs = open_road(*names)
        for kept in (counts, again):
            with django_assert_max_num_queries(10) as counted:
                page_of_stage(rally)
            kept.append(len(counted))
    assert counts[0] == counts[1]
    assert again[0] == again[1] == counts[0] - 1, "the second reader's page does not tell the events anew"
