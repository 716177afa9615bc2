"""A rally's result waits on the page of my turns until its driver has seen it, with links to what comes next."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.clubs.models import Membership, Role
from championship.platform.clock import now
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.seasons import services
from championship.seasons.finished import recent_results
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import finished_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def test_a_result_waits_until_it_is_seen_with_podium_standings_and_the_next_entry():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo, newcomer = (make_member(club, name=name) for name in ("Ana", "Bo", "Cem"))
    cup = services.create_championship(by=olga, club=club, name="Cup", points=[3, 2, 1])
    over = finished_rally(club, olga, {ana: (200,), bo: (210,)}, name="Rally of May")
    services.add_round(by=olga, championship=cup, rally=over)
    other = make_rally(by=olga, club=club, stages=["1/3"], name="Some other rally")
    following = make_rally(by=olga, club=club, stages=["1/3"], name="Rally of June")
    services.add_round(by=olga, championship=cup, rally=following)
    client, page = signed_in(bo), "/turns/"

    shown = client.get(page).text
    for said in ("Rally of May", "Place 2 of 2", "+0:10", cup.get_absolute_url(), f"/rallies/{following.key}/enter/"):
        assert said in shown, said
    assert "You are not in a rally yet" not in shown
    assert f"/rallies/{other.key}/enter/" not in shown, "the season's next round comes first"
    assert "Place 1 of 2" in signed_in(ana).get(page).text
    assert "You are not in a rally yet" in signed_in(newcomer).get(page).text

    podium = f"/rallies/{over.key}/podium/"
    assert f'class="button" href="/rallies/{following.key}/enter/"' in client.get(podium).text
    assert f'class="button" href="{cup.get_absolute_url()}"' in Client().get(podium).text
    rallies.enter_rally(by=bo, rally=following, crew="Bo")
    for shown in (client.get(page).text, client.get(podium).text):
        assert "/enter/" not in shown, "a rally outside the championship is not what comes next"
    assert f'class="button" href="{cup.get_absolute_url()}"' in client.get(podium).text

    Membership.objects.filter(user=ana).update(roles=[Role.DRIVER, Role.ORGANISER])
    assert signed_in(ana).get("/")["Location"] == page, "one's own result comes before what organisers have to do"
    signed_in(ana).post(f"/rallies/{over.key}/seen/")
    assert signed_in(ana).get("/")["Location"] == "/organising/"
    assert signed_in(newcomer).post(f"/rallies/{over.key}/seen/").status_code == 404
    assert client.post(f"/rallies/{following.key}/seen/").status_code == 404, "it is not over"
    answer = client.post(f"/rallies/{over.key}/seen/", {"to": "podium"})
    assert (answer.status_code, answer["Location"]) == (302, f"/rallies/{over.key}/podium/")
    first = Entry.objects.get(rally=over, driver=bo).result_seen_at
    assert client.post(f"/rallies/{over.key}/seen/")["Location"] == page
    assert Entry.objects.get(rally=over, driver=bo).result_seen_at == first
    seen = client.get(page).text
    assert "Place 2 of 2" not in seen
    assert f"/rallies/{over.key}/podium/" in seen, "it stays in reach"
    with CaptureQueriesContext(connection) as asked:
        assert not recent_results(bo).unseen
    assert len(asked) == 1

    Rally.objects.filter(pk=over.pk).update(finished_at=now() - timedelta(days=61))
    Entry.objects.filter(rally=over).update(result_seen_at=None)
    assert not recent_results(bo).unseen, "what nobody looks at goes by itself"


def test_a_rally_outside_a_championship_leads_to_no_other_rally():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo = (make_member(club, name=name) for name in ("Ana", "Bo"))
    cup = services.create_championship(by=olga, club=club, name="Cup", points=[3, 2, 1])
    over = finished_rally(club, olga, {ana: (200,), bo: (210,)}, name="Single rally")
    following = make_rally(by=olga, club=club, stages=["1/3"], name="Rally of June")
    services.add_round(by=olga, championship=cup, rally=following)
    assert "Place 2 of 2" in signed_in(bo).get("/turns/").text
    for page in ("/turns/", f"/rallies/{over.key}/podium/"):
        shown = signed_in(bo).get(page).text
        assert "/enter/" not in shown and cup.get_absolute_url() not in shown, page
