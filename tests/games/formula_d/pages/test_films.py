"""A race as a film, and the lines of two cars on the circuit."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.championship.films.watching import make_all, played
from tests.championship.runs.factories import driven_to_the_end
from tests.games.formula_d.pages.tables import POND, on_the_grid

pytestmark = pytest.mark.django_db


def test_a_race_has_a_film_and_lines():
    run, entries = on_the_grid("Ana", "Bo", track=POND, laps=1)
    driven_to_the_end(run, *entries)
    assert Client().post(f"/runs/{run.key}/film/").status_code == 302
    make_all()
    answer = Client().get(f"/runs/{run.key}/film.mp4")
    assert played(answer.content).seconds > 10
    assert len(answer.content) <= 2_000_000
    lines = Client().get(f"/runs/{run.key}/lines/").content.decode()
    assert '<polyline class="own"' in lines and '<polyline class="other"' in lines
    assert '<polyline class="ideal"' not in lines, "the game measures no times on the way"
