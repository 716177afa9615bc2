"""The circuit around a car and its place in the race, for cards and mails."""

from __future__ import annotations

import re

import pytest

from championship.runs.road_views import ASPECT, window_around
from championship.runs.watch.at_a_glance import facts_of
from tests.games.formula_d.pages.tables import best_of, on_the_grid, playing, send

pytestmark = pytest.mark.django_db


def test_a_driver_gets_to_know_the_place_and_the_distance_to_the_next_car():
    run, entries = on_the_grid("Ana", "Bo", "Cem")
    for _step in range(24):
        run.refresh_from_db()
        send(playing(run), run, **best_of(run))
    places = {}
    for entry in entries:
        seat = run.seats.get(entry=entry)
        [facts] = facts_of([seat.pk], entry.driver)
        said = re.fullmatch(r"Place (\d) of 3, (?:\d+ spaces? (?:behind|ahead of)|level with) (\w+)\.", facts.standing)
        assert said, facts.standing
        places[int(said[1])] = entry.crew, said[2]
        box = window_around(facts.road, seat.name)
        own = next(car for car in facts.road.cars if car.seat == seat.name)
        assert box[0] <= own.x <= box[0] + box[2] and box[1] <= own.y <= box[1] + box[3]
        assert box[2] == pytest.approx(ASPECT * box[3])
        assert facts.road.shapes(box), "a mail shows the spaces there"
    assert [places[place][1] for place in (1, 2, 3)] == [places[2][0], places[1][0], places[2][0]]
