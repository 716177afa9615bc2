"""The garage and the box: tyres, a car that is built, repairs. Refused forms keep their numbers."""

from __future__ import annotations

import re

import pytest

from championship.rallies.models import Entry
from championship.runs.models import Run
from engine.formula_d.facts import AREAS
from engine.formula_d.game import game
from tests.games.formula_d.pages.tables import (
    DRY_POND,
    WET_POND,
    on_the_grid,
    page_of,
    playing,
    send,
)

pytestmark = pytest.mark.django_db

CAR = {"tires": 7, "brakes": 3, "gearbox": 3, "body": 3, "engine": 2, "road": 2}


def built(**numbers: int) -> dict[str, str]:
    return {f"build_{area}": str(number) for area, number in {**CAR, **numbers}.items()}


def test_drivers_build_their_cars_and_choose_tyres_in_any_order() -> None:
    run, (ana, bo) = on_the_grid("Ana", "Bo", build=True, tyres=True, weather=True)
    for entry in (bo, ana):
        page = page_of(entry, run)
        assert "20 points in all, at least 1 in each area." in page
        assert send(entry, run, do="garage", tyres="soft", **built()).status_code == 302
    run.refresh_from_db()

    assert run.state["stage"] == "race"
    assert run.state["cars"]["2"]["wp"] == CAR
    assert run.state["cars"]["1"]["tyres"] == "soft"


@pytest.mark.parametrize(
    ("fields", "rule"),
    [(built(tires=9), "Y5"), (built(road=0, tires=9), "Y5"), ({**built(), "tyres": "wooden"}, "")],
)
def test_a_car_that_cannot_be_built_so_is_refused_and_the_form_kept(fields, rule) -> None:
    run, (ana, _bo) = on_the_grid("Ana", "Bo", build=True, tyres=True)
    answer = send(ana, run, **{"do": "garage", "tyres": "wet", **fields})
    text = answer.content.decode()

    assert answer.status_code == 422
    assert rule == "" or f"<strong>{rule}</strong>" in text
    assert re.search(rf'name="build_tires" value="{fields["build_tires"]}"', text)
    if fields.get("tyres", "wet") == "wet":
        assert re.search(r'value="wet" checked', text)


@pytest.mark.parametrize(
    ("track", "kind", "why"),
    [
        (WET_POND, "wet", "The track is wet: on wet tyres a car slides 1 space farther in a corner, on the others 3."),
        (DRY_POND, "hard", "The track is dry: on their first lap, soft tyres can drive one more space a turn"),
    ],
)
def test_w7_t3_the_tyres_that_fit_the_track_are_marked_and_why(track: str, kind: str, why: str) -> None:
    run, (ana, _bo) = on_the_grid("Ana", "Bo", track=track, tyres=True, weather=True)
    page = page_of(ana, run)

    assert re.findall(r'value="(hard|soft|wet)" checked', page) == [kind]
    assert why in page


def in_the_box(run: Run) -> Entry:
    """Put the car that has the turn into its box, with the decisions there due. Return its entry."""
    entry = playing(run)
    seat, state = str(entry.start_number), run.state
    car = state["cars"][seat]
    box = f"PIT{car['box']}"
    car.update(space=box, gear=3, lap=1, started=True)
    car["wp"] |= {"tires": 2, "brakes": 1, "body": 1}
    for event in (
        {"kind": "turn", "seat": seat, "bonus": 0},
        {"kind": "step", "seat": seat, "space": box},
        {"kind": "box", "seat": seat},
        {"kind": "phase", "seat": seat, "phase": "pit"},
    ):
        state = game().apply(state, event)
    Run.objects.filter(pk=run.pk).update(state=state)
    run.refresh_from_db()
    return entry


def test_a_technical_stop_gives_back_what_was_chosen() -> None:
    run, _entries = on_the_grid("Ana", "Bo", laps=2, technical_pit=True, start_roll=False)
    entry = in_the_box(run)
    page = page_of(entry, run)
    assert "50 % for a fast stop" in page
    assert "repair up to 2 points" in page
    assert 'name="repair_tires"' not in page
    answer = send(entry, run, do="pit", stop="technical", repair_brakes="2", repair_body="1")
    assert answer.status_code == 422
    assert "<strong>P10</strong>" in answer.content.decode()
    assert re.search(r'name="repair_brakes" value="2"', answer.content.decode())
    assert send(entry, run, do="pit", stop="technical", repair_brakes="1", repair_body="1").status_code == 302

    run.refresh_from_db()
    wp = run.state["cars"][str(entry.start_number)]["wp"]
    assert (wp["tires"], wp["brakes"], wp["body"]) == (6, 2, 2)
    assert set(wp) == set(AREAS)


def test_the_pit_die_is_rolled() -> None:
    run, _entries = on_the_grid("Ana", "Bo", laps=2, start_roll=False)
    entry = in_the_box(run)
    assert send(entry, run, do="pit", stop="die").status_code == 302

    run.refresh_from_db()
    assert run.state["cars"][str(entry.start_number)]["wp"]["tires"] == 6
    assert "Pit die" in page_of(None, run)
