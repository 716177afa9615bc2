"""More than ten entries: heats of equal size, drawn at random, and one classification for all."""

from __future__ import annotations

from typing import Any

import pytest

from championship.rallies import services as rallies
from championship.rallies.entries.table_groups import deal
from championship.rallies.models import Entry, Rally
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run
from championship.runs.play import drive_codrivers
from championship.seasons import selectors as seasons
from championship.seasons import services as championships
from engine.formula_d.facts import facts
from engine.formula_d.race import NEVER
from tests.championship.rallies.factories import enter, organiser_of
from tests.games.formula_d.pages.tables import POND, make_race

pytestmark = pytest.mark.django_db


def heats(entries: int, **options: object) -> list[Run]:
    """Return the runs of a race that has just started, with so many entries."""
    rally = make_race("monza", start_roll=False, **options)
    enter(rally, *(f"Driver {number}" for number in range(1, entries + 1)))
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    return list(Run.objects.filter(special_stage__rally=rally).order_by("number"))


def seats(run: Run) -> list[int]:
    return [int(place.name) for place in run.seats.order_by("position")]


def start_list(run: Run) -> list[int | None]:
    """Return the start numbers in the order of the draw."""
    places = run.special_stage.start_places.select_related("entry").order_by("position")
    return [place.entry.start_number for place in places]


def test_r6_the_start_list_is_dealt_among_even_heats_and_teams_stay_whole() -> None:
    runs = heats(14, teams=True)
    assert [seats(run) for run in runs] == deal(start_list(runs[0]), [8, 6])


def test_r6_all_heats_are_classified_together_by_points_then_by_rounds() -> None:
    """The second heat is won in fewer rounds than the first. Its last car is out."""
    runs = heats(11)
    stage = runs[0].special_stage
    slow, fast = [seats(run) for run in runs]
    assert (len(slow), len(fast)) == (6, 5)
    for run, rounds in zip(runs, (24, 23), strict=True):
        for place, car in enumerate(run.seats.select_related("entry").order_by("position"), 1):
            out = int(car.name) == fast[-1]
            rank = (NEVER if out else rounds + place, place)
            points = 0 if out else facts().race_points[place - 1]
            rallies.record_stage_time(
                special_stage=stage, entry=car.entry, measure=points, rank=rank, retired=out, reason="wrecked", car=None
            )

    stage.rally.refresh_from_db()
    lines = results_of(stage.rally).overall
    together = [car for pair in zip(fast[:4], slow[:4], strict=True) for car in pair] + [*slow[4:], fast[-1]]
    assert [line.entry.start_number for line in lines] == together
    assert [line.place for line in lines] == list(range(1, 12))


def shape(car: dict[str, Any]) -> list[int]:
    """Return what R6 compares last, the best first: wear points, the last gear, wear points in the order of Y2."""
    areas = ("tires", "brakes", "gearbox", "body", "engine", "road")
    left = car["wp"]
    return [-sum(left.values()), -car["gear"], *(-left[area] for area in areas if area in left)]


@pytest.mark.slow
def test_r3_r6_heats_are_driven_classified_and_bring_points_of_the_championship() -> None:
    """Twelve codrivers in two heats of six. Ranked by points, then rounds, then place in the heat; retired cars are
    last. Equals of two heats are compared by the wear points that they have left, in all and area by area, and by their
    last gear. The championship gives points for places by its own scheme.
    """
    scheme = [25, 18, 15, 12, 10]
    rally = make_race(POND)
    by = organiser_of(rally)
    season = championships.create_championship(by=by, club=rally.club, name="Season", points=scheme)
    championships.add_round(by=by, championship=season, rally=rally)
    for entry in enter(rally, *(f"Driver {number:02}" for number in range(1, 13))):
        rallies.set_driven_by(by=by, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    rallies.start_rally(by=by, rally=rally)
    runs = list(Run.objects.filter(special_stage__rally=rally))
    for run in runs:
        while drive_codrivers(run_id=run.pk):
            pass
        run.refresh_from_db()
    assert [len(run.state["cars"]) for run in runs] == [6, 6]
    assert [run.status for run in runs] == [Run.Status.FINISHED] * 2

    cars = {int(seat): car for run in runs for seat, car in run.state["cars"].items()}
    home = [seat for seat, car in cars.items() if car["status"] == "finished"]
    assert sorted(cars[seat]["points"] for seat in home)[-2:] == [facts().race_points[0]] * 2, "two heats, two winners"
    keys = {
        seat: (-cars[seat]["points"], cars[seat]["rounds"], cars[seat]["rank"], *shape(cars[seat])) for seat in home
    }
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    lines = results_of(rally).overall
    places = {line.entry.start_number: line.place for line in lines[: len(home)]}
    assert places == {seat: 1 + sum(other < mine for other in keys.values()) for seat, mine in keys.items()}
    assert {line.entry.start_number for line in lines[len(home) :]} == set(cars) - set(home)

    due = {line.entry.driver.pk: scheme[line.place - 1] for line in lines if line.place and line.place <= len(scheme)}
    table = seasons.table(season).drivers
    assert {line.who.pk: line.total for line in table if line.total} == due
