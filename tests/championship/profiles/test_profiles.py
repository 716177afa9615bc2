"""A driver's public profile across clubs: only if the driver wants it, and only with what anybody may find."""

from __future__ import annotations

import pytest
from django.test import Client

from championship.accounts.services import closing
from championship.archive.own_data import own_data
from championship.clubs.models import Club
from championship.openstage import services as open_stages
from championship.openstage.models import Week
from championship.platform import clock
from championship.profiles import services
from championship.profiles.models import PublicProfile
from championship.rallies.models import Rally
from championship.seasons.models import Championship, Round
from tests.championship.openstage.factories import close_due, opened, retire
from tests.championship.seasons.scenes import finished_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    """Ana has driven in three clubs: a public one, one by link, one for members."""
    ana = make_user("Ana Unmistakable")
    clubs = {}
    for visibility in ("public", "link", "members"):
        olga = make_user()
        club = make_club(name=f"The {visibility} club", owner=olga)
        Club.objects.filter(pk=club.pk).update(visibility=visibility)
        clubs[visibility] = club
        make_member(club, user=ana)
        finished_rally(club, olga, {ana: (100,), make_member(club): (120,)}, name=f"Rally of {visibility}")
    return ana, clubs


def test_the_page_exists_only_while_the_driver_wants_it(scene):
    ana, clubs = scene
    browser = signed_in(ana)
    assert "Show my public profile" in browser.get("/me/public/").content.decode()
    assert "/me/public/" in browser.get("/me/").content.decode()
    assert not PublicProfile.objects.exists()
    assert Client().get("/me/public/").status_code == 302

    browser.post("/me/public/", {"do": "show"})
    profile = PublicProfile.objects.get(person=ana)
    address = profile.get_absolute_url()
    browser.post("/me/public/", {"do": "show"})
    assert PublicProfile.objects.get(person=ana).key == profile.key, "twice is once"
    answer = Client().get(address)
    assert answer.status_code == 200 and answer["X-Robots-Tag"] == "noindex, nofollow"
    assert address in browser.get("/me/public/").content.decode()
    record = f"/clubs/{clubs['members'].slug}/drivers/{ana.pk}/"
    assert address in browser.get(record).content.decode()

    browser.post("/me/public/", {"do": "show", "found": "yes"})
    assert "X-Robots-Tag" not in Client().get(address)
    browser.post("/me/public/", {"do": "nonsense"})
    assert Client().get(address).status_code == 200

    browser.post("/me/public/", {"do": "hide"})
    browser.post("/me/public/", {"do": "hide"})
    assert Client().get(address).status_code == 404 == Client().get("/drivers/nobody/").status_code
    assert "Public profile" not in browser.get(record).content.decode()
    assert services.show(by=ana).get_absolute_url() != address, "the old address stays dead"


def test_it_shows_what_anybody_may_find_and_no_more(at, scene, django_assert_max_num_queries):
    ana, clubs = scene
    cup = Championship.objects.create(club=clubs["public"], name="Open cup", points=[3, 2, 1])
    Round.objects.create(championship=cup, rally=Rally.objects.get(name="Rally of public"), number=1)
    inner = Championship.objects.create(club=clubs["link"], name="Inner cup", points=[3, 2, 1])
    Round.objects.create(championship=inner, rally=Rally.objects.get(name="Rally of link"), number=1)
    week = opened()
    retire(open_stages.drive(by=ana), ana)
    address = services.show(by=ana).get_absolute_url()

    with django_assert_max_num_queries(21):
        page = Client().get(address).content.decode()
    assert "Rally of public" in page and "The public club" in page and "Open cup" in page
    for secret in ("Rally of link", "The link club", "Inner cup", "Rally of members", "The members club", str(week)):
        assert secret not in page, secret
    assert ana.email not in page

    week.rally.stages.update(closes_at=clock.now())
    close_due()
    assert str(Week.objects.get()) in Client().get(address).content.decode()
    Club.objects.filter(pk=clubs["public"].pk).update(visibility="members")
    assert "Rally of public" not in Client().get(address).content.decode()
    Club.objects.filter(pk=clubs["link"].pk).update(visibility="public")
    with django_assert_max_num_queries(21):
        assert "Rally of link" in Client().get(address).content.decode()


def test_the_page_is_deleted_with_the_account(scene):
    ana, _clubs = scene
    profile = services.show(by=ana)
    address = profile.get_absolute_url()
    assert own_data(ana)["profiles.publicprofile, person"][0]["found"] is False
    ana.is_active = False
    ana.save()
    assert Client().get(address).status_code == 404, "an account that is blocked shows nothing"
    ana.is_active = True
    ana.save()
    closed = closing.close(person=ana)
    assert Client().get(address).status_code == 404
    ana.refresh_from_db()
    closing.open_again(person=ana)
    assert Client().get(address).status_code == 200, "who comes back within the time finds it again"
    ana.refresh_from_db()
    closed = closing.close(person=ana)
    closing.finish_due(before=closed.asked_at.replace(year=closed.asked_at.year + 1))
    assert not PublicProfile.objects.exists()
