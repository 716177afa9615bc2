"""A game that gives points: notices, penalties and imported results of its rallies are in points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from unittest.mock import patch

import pytest
from django.test import Client

from championship import catalogue
from championship.catalogue import Words
from championship.rallies import services as rallies
from championship.rallies.models import Rally, StageTime
from championship.rallies.results.measures import POINTS
from championship.rallies.results.selectors import results_of
from championship.rallies.services import ImportedDrive, record_imported_rally
from championship.runs.models import Run
from championship.seasons import services as seasons
from championship.seasons.models import Championship
from championship.seasons.selectors import table
from championship.stages.models import StageDesign
from tests.championship.rallies.factories import organiser_of
from tests.contract.tables import drive, make_rally, on_the_road, send, waited_for
from tests.factories import make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]


def cup(rally: Rally) -> Championship:
    by = organiser_of(rally)
    return seasons.create_championship(by=by, club=rally.club, name="Cup", points=[10, 6, 4])


@pytest.fixture
def other_words(toys: None) -> Iterator[None]:
    """Dash uses the words night for stage and keeper for crew."""
    words = Words(stages="Nights", stage="Night %(number)d", crew="Keeper", after="Overall after night %(number)d")
    with patch.dict(catalogue._GAMES, {"dash": replace(catalogue.get("dash"), words=words)}):
        yield


@pytest.mark.usefixtures("other_words")
def test_pages_and_papers_say_stage_and_crew_as_the_game_does() -> None:
    run, (ana, *_others) = on_the_road("dash", "Ana", "Bo")
    drive(run)
    rally = Rally.objects.select_related("club").get()
    desk = signed_in(ana.driver)
    pages = [
        desk.get(f"/rallies/{rally.key}/{page}").content.decode() for page in ("", "stages/1/", "sheet/", "podium/")
    ]
    for page in (*pages, desk.get(run.get_absolute_url()).content.decode()):
        assert "Night 1" in page and "Stage 1" not in page
    assert all("Keeper" in page and ">Crew<" not in page for page in pages)
    assert 'id="stages">Nights<' in pages[0]


def test_who_resigned_stands_behind_without_points_and_says_why() -> None:
    run, _entries = on_the_road("dash", "Ana", "Bo", "Cem")
    ana = next(waited_for(run))
    assert send(ana, run, {"do": "resign"}, asks="sure", sure="yes").status_code == 302
    drive(run)
    rally = Rally.objects.select_related("club").get()
    assert (rally.measure, rally.status) == (POINTS, Rally.Status.FINISHED)
    first, second, last = results_of(rally).overall
    assert (first.total or 0) >= (second.total or 0)
    assert (last.entry.crew, last.place, last.total) == (ana.crew, None, None)
    page = Client().get(f"/rallies/{rally.key}/stages/1/").content.decode()
    assert "retired: gave up" in page
    assert f'class="num">{first.total}<' in page and ">Points<" in page
    ranks = dict(StageTime.objects.filter(retired=False).values_list("entry__crew", "rank"))
    assert {crew: len(rank) for crew, rank in ranks.items()} == {first.entry.crew: 1, second.entry.crew: 1}
    given = rallies.give_penalty(by=organiser_of(rally), entry=first.entry, amount=3600, reason="Late")
    assert given.amount == 3600
    assert results_of(rally).overall[0].entry == second.entry


@pytest.mark.slow
def test_the_column_after_several_stages_is_the_sum_of_places() -> None:
    run, _entries = on_the_road("dash", "Ana", "Bo", stages=2)
    rally = run.special_stage.rally
    for number in (1, 2):
        drive(Run.objects.get(special_stage__rally=rally, special_stage__number=number))
    Rally.objects.update(unit="places", better="fewest")
    for path, head in (
        ("stages/1/", "Place result"),
        ("stages/1/overall/", "Place result"),
        ("stages/2/overall/", "Sum of places"),
        ("podium/", "Sum of places"),
    ):
        page = Client().get(f"/rallies/{rally.key}/{path}").content.decode()
        assert f">{head}</th>" in page, path
    assert Client().get(f"/rallies/{rally.key}/results.pdf").status_code == 200


def test_a_rally_on_paper_brings_points() -> None:
    rally = make_rally("dash")
    (course,) = StageDesign.objects.filter(club=None, game="dash")
    season, by = cup(rally), organiser_of(rally)
    drives = [
        ImportedDrive(make_user("Ana"), "Ana", (12, None), retired=frozenset({2})),
        ImportedDrive(make_user("Bo"), "Bo", (30, -4)),
        ImportedDrive(make_user("Cem"), "Cem", (8, 11)),
    ]
    paper = record_imported_rally(
        by=by, club=rally.club, name="Paper", game="dash", designs=[course, course], driven_on=date(2025, 3, 14),
        drives=drives,
    )  # fmt: skip
    seasons.add_round(by=by, championship=season, rally=paper)
    assert (paper.game, paper.measure) == ("dash", POINTS)
    told = [(line.place, line.entry.crew, line.total_in_words) for line in results_of(paper).overall]
    assert told == [(1, "Bo", "26 points"), (2, "Cem", "19 points"), (3, "Ana", "12 points")]
    assert [(line.place, str(line.who), line.total) for line in table(season).drivers] == [
        (1, "Bo", 10),
        (2, "Cem", 6),
        (3, "Ana", 4),
    ]
