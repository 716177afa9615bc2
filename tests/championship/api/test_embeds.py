"""Embeds for other sites: framed, the same for everybody, and without anything hidden."""

import json
import re
from html import unescape
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.test import Client

from championship.api.atom_feed import key_of
from championship.clubs.models import Club
from championship.seasons.services import add_round, create_championship
from tests.championship.rallies.factories import measured, organiser_of
from tests.championship.runs.hidden_run import built, leaks
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


def cup_of(rally):
    cup = create_championship(by=organiser_of(rally), club=rally.club, name="Cup <b>", classes=[], drop=0)
    add_round(by=organiser_of(rally), championship=cup, rally=rally)
    return cup


def test_standings_rally_and_podium_may_be_framed(django_assert_max_num_queries):
    rally = measured("points", "most", {"Ana": 20, "Bo": 10})
    cup = cup_of(rally)
    for path in (f"standings/{cup.key}", f"rallies/{rally.key}", f"podium/{rally.key}"):
        with django_assert_max_num_queries(10):
            answer = Client().get(f"/embed/{path}/?theme=dark")
        text = answer.content.decode()
        assert answer.status_code == 200 and "Ana" in text and 'class="dark"' in text
        assert "X-Frame-Options" not in answer.headers
        assert "frame-ancestors *" in answer["Content-Security-Policy"]
        assert "script" not in text and "sessionid" not in answer.cookies
        assert answer["Cache-Control"] == "public, max-age=30"


def test_all_other_pages_stay_out_of_frames():
    rally = measured("points", "most", {"Ana": 20})
    answer = Client().get(rally.get_absolute_url())
    assert answer["X-Frame-Options"] == "DENY" and "frame-ancestors 'none'" in answer["Content-Security-Policy"]


def test_a_signed_in_person_sees_the_same_embed():
    scene = built()
    for person in (scene.people["the driver"], scene.people["a driver who is in"]):
        answer = signed_in(person).get(f"/embed/rallies/{scene.rally.key}/")
        assert answer.status_code == 200 and not leaks(scene, answer)


def test_oembed_returns_the_frame():
    rally = measured("points", "most", {"Ana": 20})
    cup = cup_of(rally)
    for path, embed in ((rally.get_absolute_url(), "rallies"), (cup.get_absolute_url(), "standings")):
        [link] = re.findall(r'json\+oembed" href="([^"]*)"', Client().get(path).content.decode())
        answer = Client().get(f"{unescape(link)}&maxwidth=300")
        told = json.loads(answer.content)
        assert told["type"] == "rich" and told["width"] == 300 and f"/embed/{embed}/" in told["html"]
        assert "<b>" not in told["html"]


NOT_OURS = ("", "http://other.example/rallies/x/", "http://testserver/me/", "http://testserver/\x00", "//[")


@pytest.mark.parametrize("url", NOT_OURS)
def test_oembed_knows_no_other_address(url):
    assert Client().get("/oembed", {"url": url}).status_code == 404
    assert Client().get("/oembed", {"url": "http://testserver/rallies/nothing/"}).status_code == 404


@pytest.mark.parametrize("query", ["lines=0", "lines=x", "lines=999999", "theme=%00", "theme=%22%3E"])
def test_nonsense_behind_the_question_mark_changes_nothing(query):
    rally = measured("points", "most", {"Ana": 20})
    answer = Client().get(f"/embed/rallies/{rally.key}/?{query}")
    assert answer.status_code == 200 and 'class=""' not in answer.content.decode()


def test_the_moments_of_a_club_are_a_feed_under_its_key(django_assert_max_num_queries):
    rally = measured("points", "most", {"Ana": 20, "Bo": 10})
    club = rally.club
    address = f"/feeds/{key_of(club)}.atom"
    assert address in signed_in(organiser_of(rally)).get(f"/clubs/{club.slug}/").content.decode()
    with django_assert_max_num_queries(12):
        answer = Client().get(address)
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8" and "private" in answer["Cache-Control"]
    feed = ElementTree.fromstring(answer.content)
    atom = "{http://www.w3.org/2005/Atom}"
    assert feed.find(f"{atom}title").text == club.name
    told = {
        (entry.find(f"{atom}title").text, entry.find(f"{atom}link").get("href"))
        for entry in feed.findall(f"{atom}entry")
    }
    page = f"{settings.SITE_URL}/rallies/{rally.key}/"
    assert told == {
        (f"{rally.title} has started", page),
        (f"{rally.title}, Stage 1: results", f"{page}stages/1/"),
        (f"{rally.title} is over", page),
        (f"{rally.title}: fingerprints of the random draws", page),
        (f"{rally.title}: fingerprints of the random draws", f"{page}stages/1/"),
    }
    names = [entry.find(f"{atom}id").text for entry in feed.findall(f"{atom}entry")]
    assert len(set(names)) == len(names) >= 4 and all(name.startswith("tag:") for name in names)
    for wrong in (club.slug, club.key, f"{club.key}-{'0' * 32}"):
        assert Client().get(f"/feeds/{wrong}.atom").status_code == 404
    Club.objects.filter(pk=club.pk).update(visibility=Club.Visibility.PUBLIC)
    answer = Client().get(f"/feeds/{club.key}.atom")
    assert answer.status_code == 200 and "public" in answer["Cache-Control"], "that of a public club is open"
