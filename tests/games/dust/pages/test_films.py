"""A stage as a film, round by round: all seats play at once, so no picture and no film is one car's."""

from __future__ import annotations

import pytest
from django.test import Client

from championship.films.cuts import Cut, runs_of
from championship.films.script import script_of
from championship.rallies.models import Rally
from tests.championship.films.watching import make_all, played
from tests.championship.runs.factories import driven_to_the_end
from tests.games.dust.pages.scenes import on_the_road

pytestmark = pytest.mark.django_db


def test_a_stage_has_a_film_and_no_lines():
    run, entries = on_the_road("Ana", "Bo")
    driven_to_the_end(run, *entries)
    page = Client().get(f"/runs/{run.key}/film/").content.decode()
    assert 'name="car"' not in page and 'name="from"' in page
    assert Client().post(f"/runs/{run.key}/film/", {"car": "1"}).status_code == 422
    assert Client().post(f"/runs/{run.key}/film/").status_code == 302
    make_all()
    assert played(Client().get(f"/runs/{run.key}/film.mp4").content).seconds > 5
    assert "<polyline" not in Client().get(f"/runs/{run.key}/lines/").content.decode()
    Rally.objects.update(ledgers=False)
    assert Client().get(f"/runs/{run.key}/lines/").status_code == 404, "nothing takes the place of the lines"
    script = script_of(run.special_stage, runs_of(run.special_stage), Cut(run.special_stage_id))
    assert script.shots and {shot.car for shot in script.shots} == {None}
