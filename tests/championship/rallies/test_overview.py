"""The first page of a rally, for somebody who has just opened its link."""

import re

import pytest
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.rallies import page_versions
from championship.rallies.models import Rally
from championship.rallies.results.selectors import lead_in_words, leaders_in_words, results_of
from championship.runs.models import Run
from tests.championship.rallies.factories import drive, hand_in, measured, started
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import signed_in

pytestmark = pytest.mark.django_db

PLAIN = {"checkpoints": False}


def words_on(rally: Rally, client: Client | None = None) -> str:
    page = (client or Client()).get(rally.get_absolute_url())
    assert page.status_code == 200
    body = page.content.decode().split("<main")[1].split("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def tag_of(rally: Rally) -> str:
    page = Client().get(rally.get_absolute_url()).content.decode()
    return re.search(r'<main[^>]*data-tag="([^"]*)"', page).group(1).replace("&quot;", '"')  # type: ignore[union-attr]


def test_it_says_who_leads_by_how_much_and_who_leads_on_the_stage():
    rally, (ana, bo, cem) = started("Ana", "Bo", "Cem", stages=["1/3", "1/1"], options=PLAIN)
    assert "Nobody is in yet." in words_on(rally) and "0:00" not in words_on(rally)
    drive(rally, 1, {ana: 232})
    assert "Stage 1: Results so far Ana leads." in words_on(rally)
    drive(rally, 1, {bo: 220, cem: 250})
    assert "Overall after stage 1 Bo leads by 0:12." in words_on(rally)
    drive(rally, 2, {ana: 200, bo: 220, cem: 240})
    assert "Final classification Ana wins by 0:08." in words_on(rally)


def test_leaders_who_share_the_first_place_are_told_by_their_points():
    rally = measured("points", "most", {"Munster": 20, "Cork": 20, "Sligo": 12})
    results = results_of(rally)
    assert leaders_in_words(results) == "1. Munster 20 points · 1. Cork 20 points · 3. Sligo −8 points"
    assert lead_in_words(results.overall) == "Munster, Cork share the lead."
    assert lead_in_words(results.overall, final=True) == "Munster, Cork share the win."


def test_it_says_who_drives_and_what_happened_last_as_soon_as_a_turn_is_made():
    run, (first, _second) = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    before, tag = words_on(rally), tag_of(rally)
    assert f"Just now {first.crew}" not in before
    again = Client().get(rally.get_absolute_url(), headers={"If-None-Match": tag})
    assert again.status_code == 304
    versions = [page_versions.without_road(HttpRequest(), rally.key)]
    play(run, first, **careful_turn(run))
    assert Client().get(rally.get_absolute_url(), headers={"If-None-Match": tag}).status_code == 200
    versions.append(page_versions.without_road(HttpRequest(), rally.key))
    assert versions[0] == versions[1], "lists and classifications of sixty cars are not rendered again for each turn"
    drive(rally, 1, {first: 300})
    assert page_versions.without_road(HttpRequest(), rally.key) != versions[0]
    page = Client().get(rally.get_absolute_url()).content.decode()
    assert f"<strong>{open_turn(run).seat.entry.crew}</strong>" in page.split('id="tables-now"')[1], (
        "the driver at the wheel is in bold"
    )


def test_readers_share_its_parts_and_each_sees_the_own_row_marked():
    rally, entries = started("Ana", "Bo", "Cem", options=PLAIN)
    drive(rally, 1, {entry: 200 + n for n, entry in enumerate(entries[:2])})
    for path in ("", "stages/1/"):
        marked = []
        for client in (signed_in(entries[0].driver), Client(), signed_in(entries[1].driver)):
            page = client.get(f"{rally.get_absolute_url()}{path}").content.decode()
            marked.append(set(re.findall(r'<(?:tr|li) class="[^"]*\bme".*?(Ana|Bo|Cem)', page, re.DOTALL)))
        assert marked == [{"Ana"}, set(), {"Bo"}], path


def test_after_a_turn_its_results_are_not_read_again():
    run, (first, _second) = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    words_on(rally)
    play(run, first, **careful_turn(run))
    with CaptureQueriesContext(connection) as asked:
        words_on(rally)
    sql = " ".join(query["sql"] for query in asked)
    assert len(asked) <= 5 and "runs_turn" in sql and 'FROM "rallies_stagetime" WHERE' not in sql


@pytest.mark.slow
def test_it_is_rendered_once_for_each_version_whatever_the_cars():
    counted = []
    for cars in (6, 24):
        rally, entries = started(*[f"Driver {n}" for n in range(cars)], options=PLAIN)
        drive(rally, 1, {entry: 200 + n for n, entry in enumerate(entries)})
        hand_in(rally, 1)
        first_run = Run.objects.filter(special_stage__rally=rally, special_stage__number=2).order_by("number").first()
        assert first_run is not None
        readers = (Client(), signed_in(entries[0].driver))
        found = []
        for client in readers:
            for _twice in range(2):
                with CaptureQueriesContext(connection) as asked:
                    words_on(rally, client)
                found.append(len(asked))
        counted.append(found)
    (cold, warm, cold_driver, warm_driver), larger = counted
    assert larger[1] == warm <= 2 and larger[3] == warm_driver <= 5
    assert max(cold, cold_driver, larger[0], larger[2]) <= 26
