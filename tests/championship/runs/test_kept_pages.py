"""What the service worker is told: which pages it keeps, until when, and whose they are."""

from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.test import Client

from championship.platform.web.kept_pages import NOBODY, reader_tag
from championship.runs.models import Turn
from championship.runs.play import hand_over_wheel
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def test_the_page_of_an_open_turn_is_kept_until_its_deadline_and_only_for_its_driver():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    page = run.get_absolute_url()
    answer = signed_in(ana.driver).get(page)
    assert answer.headers["Keep-Until"] == str(int(open_turn(run).deadline.timestamp()))
    assert answer.headers["Reader"] == reader_tag(ana.driver.pk)
    waits = signed_in(bo.driver).get(page)
    assert "Keep-Until" not in waits.headers
    assert waits.headers["Reader"] == reader_tag(bo.driver.pk) != reader_tag(ana.driver.pk)
    stranger = Client().get(page)
    assert "Keep-Until" not in stranger.headers
    assert stranger.headers["Reader"] == NOBODY


def test_no_answer_to_a_post_is_kept():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    refused = signed_in(ana.driver).post(f"{run.get_absolute_url()}turn/", {"version": 0})
    assert refused.status_code == 422
    assert "Keep-Until" not in refused.headers


def test_my_turns_name_the_pages_of_open_turns_and_say_when_they_were_seen():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    mine = signed_in(ana.driver).get("/turns/")
    assert mine.headers["Open-Pages"] == run.get_absolute_url()
    assert '<p id="seen" class="seen" role="status" hidden>Seen at ' in mine.text
    while open_turn(run).seat.entry == ana:
        play(run, ana, **careful_turn(run))
    assert signed_in(ana.driver).get("/turns/").headers["Open-Pages"] == ""
    assert signed_in(bo.driver).get("/turns/").headers["Open-Pages"] == run.get_absolute_url()
    assert Turn.objects.filter(run=run, ended_at=None).exists()


def test_a_car_that_the_codriver_drives_is_not_kept():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    hand_over_wheel(by=ana.driver, run=run, how_long="stage", turns_made=0, manner="")
    assert "Keep-Until" not in signed_in(ana.driver).get(run.get_absolute_url()).headers


@pytest.mark.parametrize(
    ("language", "turns"), [("en", "My turns"), ("de", "Meine Züge"), ("pl", "Moje tury"), ("xx", "My turns")]
)
def test_the_manifest_is_complete_and_in_the_language_of_the_reader(client, language, turns):
    answer = client.get(f"/app.webmanifest?lang={language}", headers={"Accept-Language": "fr"})
    assert answer.headers["Content-Type"] == "application/manifest+json"
    said = json.loads(answer.content)
    assert (said["start_url"], said["scope"], said["display"]) == ("/turns/", "/", "standalone")
    assert said["shortcuts"][0]["name"] == turns
    assert [each["url"] for each in said["shortcuts"]] == ["/turns/", "/practice/"]
    assert {icon.get("purpose", "any") for icon in said["icons"]} == {"any", "maskable"}
    for icon in said["icons"]:
        assert (settings.BASE_DIR / icon["src"].lstrip("/")).is_file(), icon


def test_pages_link_the_manifest_in_their_language_and_the_worker_knows_the_release():
    ana = make_user("Ana")
    page = signed_in(ana).get("/turns/").text
    assert '<link rel="manifest" href="/app.webmanifest?lang=en">' in page
    assert f'data-worker="/push-worker.js" data-reader="{reader_tag(ana.pk)}"' in page
    worker = Client().get("/push-worker.js").text
    assert worker.startswith('var RELEASE = "')
    assert "showNotification" in worker
    assert "Keep-Until" in worker


def test_the_page_without_connection_needs_nobody(client):
    answer = client.get("/offline/")
    assert answer.status_code == 200
    assert 'href="/turns/"' in answer.text
