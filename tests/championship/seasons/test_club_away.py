"""What is taken away of a club and of its rallies: for members, and for guests of a public club."""

import icalendar
import pytest
from django.test import Client

from championship.clubs.models import Club
from championship.rallies.models import Rally
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import people, season
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    club = make_club(owner=olga)
    Club.objects.update(visibility=Club.Visibility.PUBLIC)
    return Club.objects.get(pk=club.pk)


def entries(answer):
    return {str(event["UID"]).split("@")[0] for event in icalendar.Calendar.from_ical(answer.content).walk("VEVENT")}


def test_guests_of_a_public_club_have_its_calendar_frame_and_code(club, olga):
    season(club, olga, people(club, 3), rounds=2, name="Cup")
    alone = make_rally(by=olga, club=club, name="Alone")
    Rally.objects.filter(pk=alone.pk).update(starts_at="2027-05-01T10:00Z", entries_close_at="2027-04-28T10:00Z")
    guest = Client()
    found = entries(guest.get(f"/clubs/{club.slug}/calendar.ics"))
    assert len([uid for uid in found if uid.startswith("round")]) == 2
    assert {f"rally-{alone.key}", f"rally-{alone.key}-entries"} <= found
    frame = guest.get(f"/embed/clubs/{club.slug}/")
    assert "Alone" in frame.text
    assert "X-Frame-Options" not in frame
    page = guest.get(f"/clubs/{club.slug}/take-away/").text
    assert f"/embed/clubs/{club.slug}/" in page
    assert "standings.png?shape=banner&amp;lang=en" in page
    assert b"<svg" in guest.get(f"/clubs/{club.slug}/qr.svg").content
    face = guest.get(f"/clubs/{club.slug}/").text
    assert f'href="/clubs/{club.slug}/take-away/"' in face
    assert '<meta property="og:image" content="http://testserver/championships/' in face
    assert "application/atom+xml" in face
    link = guest.get("/oembed", {"url": f"http://testserver/clubs/{club.slug}/"}).json()
    assert f"/embed/clubs/{club.slug}/" in link["html"]


def test_a_club_without_a_season_has_a_preview_without_a_picture(club):
    face = Client().get(f"/clubs/{club.slug}/").text
    assert "og:title" in face
    assert "og:image" not in face
    assert "The club has no season yet." in Client().get(f"/clubs/{club.slug}/take-away/").text


@pytest.mark.parametrize("visibility", [Club.Visibility.LINK, Club.Visibility.MEMBERS])
def test_of_another_club_only_members_have_them(club, olga, visibility):
    Club.objects.update(visibility=visibility)
    for rest in ("take-away/", "calendar.ics", "qr.svg"):
        address = f"/clubs/{club.slug}/{rest}"
        assert [Client().get(address).status_code, signed_in(make_user()).get(address).status_code] == [404, 404]
        assert signed_in(olga).get(address).status_code == 200
    assert Client().get(f"/embed/clubs/{club.slug}/").status_code == 404
    assert "no other site can show it" in signed_in(olga).get(f"/clubs/{club.slug}/take-away/").text


def test_a_rally_has_a_frame_a_picture_a_calendar_and_a_code(club, olga):
    rally = make_rally(by=olga, club=club, name="Finale")
    Rally.objects.filter(pk=rally.pk).update(starts_at="2027-05-01T10:00Z", entries_close_at="2027-04-28T10:00Z")
    guest = Client()
    page = guest.get(f"/rallies/{rally.key}/take-away/").text
    assert f"/embed/rallies/{rally.key}/" in page
    assert f"/rallies/{rally.key}/podium.png?lang=en[/img]" in page
    assert '<meta property="og:title"' in page
    assert entries(guest.get(f"/rallies/{rally.key}/calendar.ics")) == {
        f"rally-{rally.key}",
        f"rally-{rally.key}-entries",
    }
    assert b"<svg" in guest.get(f"/rallies/{rally.key}/qr.svg").content
    for address in (f"/rallies/{rally.key}/", f"/rallies/{rally.key}/podium/"):
        assert f'href="/rallies/{rally.key}/take-away/"' in guest.get(address).text
    for rest in ("stages/1/", "stages/1/overall/"):
        assert "og:title" in guest.get(f"/rallies/{rally.key}/{rest}").text
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.CANCELLED)
    assert entries(guest.get(f"/rallies/{rally.key}/calendar.ics")) == set()
    Club.objects.update(visibility=Club.Visibility.MEMBERS)
    for rest in ("take-away/", "calendar.ics", "qr.svg"):
        address = f"/rallies/{rally.key}/{rest}"
        assert [Client().get(address).status_code, signed_in(make_user()).get(address).status_code] == [403, 404]
        assert signed_in(olga).get(address).status_code == 200
