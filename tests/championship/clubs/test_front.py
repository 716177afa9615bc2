"""The first page of a club shows what happens in it, to members and, where the club is public, to guests."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.clubs.models import Club
from championship.clubs.services import public_profile
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.seasons import services as seasons
from championship.seasons.front import SeasonFront
from championship.seasons.selectors import table
from tests.championship.rallies.factories import drive, enter, make_rally, organiser_of, started
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

PLAIN = {"checkpoints": False}


def words_on(address: str, client: Client) -> str:
    page = client.get(address)
    assert page.status_code == 200, address
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode().split("<main")[1].split("</main>")[0]).split())


def public(club: Club) -> Club:
    Club.objects.filter(pk=club.pk).update(visibility="public")
    return Club.objects.get(pk=club.pk)


def test_it_tells_who_leads_what_is_next_and_who_won_last():
    rally, (ana, bo) = started("Ana", "Bo", stages=["1/3"], options=PLAIN, name="First rally")
    olga, club = organiser_of(rally), public(rally.club)
    season = seasons.create_championship(by=olga, club=club, name="Season", points=[10, 6])
    seasons.add_round(by=olga, championship=season, rally=rally)
    drive(rally, 1, {ana: 200, bo: 210})
    second = make_rally(by=olga, club=club, name="Second rally", stages=["1/1", "1/2"], options=PLAIN)
    (cem, dag) = enter(second, "Cem", "Dag")
    rallies.start_rally(by=olga, rally=second)
    third = make_rally(by=olga, club=club, name="Third rally", stages=["1/3"])
    seasons.add_round(by=olga, championship=season, rally=third, planned_for=date(2027, 1, 9))
    drive(second, 1, {cem: 220, dag: 200})
    for reader in (Client(), signed_in(olga)):
        home = words_on(f"/clubs/{club.slug}/", reader)
        for said in (
            "Dag leads by 0:20.",
            "Season Ana leads by 4 points.",
            "Next: Third rally 9 January 2027",
            "Last podium First rally",
            "Latest moments",
        ):
            assert said in home, said
    page = words_on(season.get_absolute_url(), Client())
    assert "Ana leads by 4 points." in page and "Next round: Third rally" in page and "Won by Ana" in page


def test_a_first_page_takes_as_many_queries_for_many_rallies_as_for_two():
    olga = make_user("Olga")
    club, counted = public(make_club(owner=olga)), []
    for more in (2, 2):
        for number in range(more):
            rally = make_rally(by=olga, club=club, name=f"Rally {club.rallies.count()}", stages=["1/3", "1/1"])
            enter(rally, *[f"Driver {rally.pk} {n}" for n in range(2 + number)])
            rallies.start_rally(by=olga, rally=rally)
        Client().get(f"/clubs/{club.slug}/")
        with CaptureQueriesContext(connection) as asked:
            Client().get(f"/clubs/{club.slug}/")
        counted.append(len(asked))
    assert counted[0] == counted[1] <= 30


def test_six_tabs_greet_an_organiser_and_rare_acts_are_on_one_page():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    home = signed_in(olga).get(f"/clubs/{club.slug}/").content.decode()
    tabs = home.split('<nav class="tabs"')[1].split("</nav>")[0]
    assert tabs.count("<li") == 6
    manage = words_on(f"/clubs/{club.slug}/manage/", signed_in(olga))
    for said in ("Invitations", "Requests to join", "Webhooks", "Archive of the club", "Close the club", "Log"):
        assert said in manage and said not in words_on(f"/clubs/{club.slug}/", signed_in(olga)), said
    driver = words_on(f"/clubs/{club.slug}/manage/", signed_in(make_member(club)))
    assert "Leave the club" in driver and "Log" in driver and "Close the club" not in driver
    assert Client().get(f"/clubs/{club.slug}/manage/").status_code == 302
    assert signed_in(make_user()).get(f"/clubs/{club.slug}/manage/").status_code == 404


def test_links_of_a_club_lead_to_the_web_only():
    olga = make_user("Olga")
    club = public(make_club(owner=olga))
    said = {"name": "Wiking", "visibility": "public", "about": "See https://example.org/rally, <b>us</b>.", "links": ""}
    form = {**said, "links": "https://example.org/wiking/\n", "colour": "1"}
    assert signed_in(olga).post(f"/clubs/{club.slug}/face/", form).status_code == 302
    page = Client().get(f"/clubs/{club.slug}/").content.decode()
    assert '<a href="https://example.org/wiking/" rel="nofollow noopener">example.org/wiking</a>' in page
    assert '<a href="https://example.org/rally" rel="nofollow noopener">https://example.org/rally</a>,' in page
    assert "<b>us</b>" not in page and 'data-colour="1"' in page
    for wrong in ("javascript:alert(1)", "https://", "no address", "\n".join(["https://example.org"] * 5)):
        with pytest.raises(Refused):
            public_profile.checked_links(wrong)
        assert signed_in(olga).post(f"/clubs/{club.slug}/face/", {**said, "links": wrong}).status_code == 422
    Club.objects.filter(pk=club.pk).update(links="javascript:alert(1)")
    assert "javascript" not in Client().get(f"/clubs/{club.slug}/").content.decode()


def test_the_club_is_a_link_for_guests_where_it_is_public():
    rally, _entries = started("Ana", "Bo", options=PLAIN)
    address = f'href="/clubs/{rally.club.slug}/"'
    assert address not in Client().get(rally.get_absolute_url()).content.decode()
    public(rally.club)
    assert address in Client().get(rally.get_absolute_url()).content.decode()


def test_a_round_shows_the_day_on_which_it_was_driven():
    rally, (ana, bo) = started("Ana", "Bo", stages=["1/3"], options=PLAIN)
    olga = organiser_of(rally)
    season = seasons.create_championship(by=olga, club=rally.club, name="Season", points=[10, 6])
    seasons.add_round(by=olga, championship=season, rally=rally, planned_for=date(2020, 1, 1))
    drive(rally, 1, {ana: 200, bo: 210})
    (shown,) = SeasonFront(table(season)).rounds
    rally.refresh_from_db()
    assert rally.finished_at is not None
    assert (shown.day, shown.winners) == (rally.finished_at.date(), "Ana")
