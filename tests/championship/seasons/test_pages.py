"""Championship pages: the table for everyone with the link, forms for organisers."""

import pytest
from django.test import Client

from championship.rallies.models import Rally
from championship.seasons import services
from championship.seasons.front import TOP
from championship.seasons.models import Championship
from tests.championship.rallies.factories import designs, drive, enter, make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def season_of(olga, club, rounds: int, drivers: int) -> Championship:
    """A championship of `rounds` finished rounds of one stage, each with `drivers` new drivers."""
    from championship.rallies.services import start_rally

    season = services.create_championship(by=olga, club=club, name="Season")
    for number in range(rounds):
        rally = make_rally(by=olga, club=club, stages=("1/3",), name=f"Rally {number}")
        entries = enter(rally, *[f"Driver {number}.{n}" for n in range(drivers)])
        start_rally(by=olga, rally=rally)
        drive(rally, 1, {entry: 200 + place for place, entry in enumerate(entries)})
        services.add_round(by=olga, championship=season, rally=rally)
    return season


@pytest.mark.parametrize(("rounds", "drivers"), [(1, 2), (3, 6)])
def test_the_table_takes_few_queries_whatever_its_size(olga, club, rounds, drivers, django_assert_max_num_queries):
    season = season_of(olga, club, rounds, drivers)
    for client in (Client(), signed_in(olga)):
        with django_assert_max_num_queries(14):
            response = client.get(f"/championships/{season.key}/")
        assert response.status_code == 200
        assert response.content.decode().count("<tr") == min(TOP, rounds * drivers) + 1
        assert client.get(f"/championships/{season.key}/?all").content.decode().count("<tr") == rounds * drivers + 1


def test_an_organiser_adds_a_new_rally_as_a_round(olga, club):
    designs("1/1")
    season = services.create_championship(by=olga, club=club, name="Season")
    client = signed_in(olga)
    assert client.get(f"/championships/{season.key}/rounds/new/").status_code == 200
    typed = {
        "name": "Rajd Wisły",
        "route": "1",
        "mode": "convoy",
        "turn_hours": "24",
        "reminder_hours": "4",
        **{f"option_time_card_{gear}": "10" for gear in range(1, 7)},
        "option_sisu": "stage",
        "option_spare_repairs": "coast",
        "option_spare_wheel": "card",
        "option_dice": "random",
        "option_loss_seconds": "60",
        "option_sisu_seconds": "10",
        "option_spare_seconds": "120",
        "option_sisu_for": "all",
        "option_newcomer_stages": "3",
    }
    response = client.post(f"/championships/{season.key}/rounds/new/", typed)
    rally = Rally.objects.get()
    assert response.url == f"/rallies/{rally.key}/desk/"
    assert season.rounds.get().rally == rally
    assert rally.stages.count() == 3

    refused = client.post(f"/championships/{season.key}/rounds/new/", {**typed, "name": ""})
    assert refused.status_code == 422
    assert Rally.objects.count() == 1


def test_an_organiser_adds_a_rally_that_exists_already(olga, club):
    season = services.create_championship(by=olga, club=club, name="Season")
    rally = make_rally(by=olga, club=club)
    client = signed_in(olga)
    page = f"/championships/{season.key}/rounds/add/"
    assert "Rajd Wisły" in client.get(page).content.decode()
    assert client.post(page, {"rally": rally.pk}).status_code == 302
    assert client.post(page, {"rally": rally.pk}).status_code == 422
    assert client.post(page, {"rally": "nonsense"}).status_code == 422
    assert season.rounds.count() == 1


def test_strangers_get_404_and_drivers_403_but_everyone_reads_the_table(olga, club):
    season = services.create_championship(by=olga, club=club, name="Season")
    driver, stranger = signed_in(make_member(club)), signed_in(make_user("Stranger"))
    for page in ("edit/", "rounds/new/", "rounds/add/"):
        assert stranger.get(f"/championships/{season.key}/{page}").status_code == 404
        assert driver.get(f"/championships/{season.key}/{page}").status_code == 403
        assert driver.post(f"/championships/{season.key}/{page}", {}).status_code == 403
    assert stranger.get(f"/clubs/{club.slug}/championships/new/").status_code == 404
    assert driver.get(f"/clubs/{club.slug}/championships/new/").status_code == 403
    assert Client().get(f"/championships/{season.key}/").status_code == 200
    assert Client().get("/championships/no-such-key/").status_code == 404


def test_the_clubs_page_lists_its_championships_and_rallies(olga, club):
    services.create_championship(by=olga, club=club, name="Season 2026")
    make_rally(by=olga, club=club)
    page = signed_in(olga).get(f"/clubs/{club.slug}/").content.decode()
    assert "Season 2026" in page
    assert "Rajd Wisły" in page
    assert f"/clubs/{club.slug}/rallies/new/" in page
    drivers = signed_in(make_member(club)).get(f"/clubs/{club.slug}/").content.decode()
    assert f"/clubs/{club.slug}/rallies/new/" not in drivers
