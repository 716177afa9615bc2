"""Drivers register for a season on its page; organisers register others and enter all of them in a round."""

import pytest
from django.test import Client

from championship.clubs.models import Role
from championship.platform.refusals import Refused
from championship.rallies.services import start_rally
from championship.seasons import services
from championship.seasons.models import Championship, Registration
from championship.seasons.services import registering
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import finished_rally, people
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


@pytest.fixture
def cup(olga, club) -> Championship:
    made = services.create_championship(by=olga, club=club, name="Cup", classes=["R5", "R2"])
    registering.name_teams(by=olga, championship=made, names=["North", "South"])
    return made


def at(cup: Championship, rest: str = "") -> str:
    return f"/championships/{cup.key}/registrations/{rest}"


def test_a_driver_registers_changes_it_and_withdraws(club, cup):
    (ana,) = people(club, 1)
    client, south = signed_in(ana), cup.teams.get(name="South")
    assert "Register for the season" in client.get(cup.get_absolute_url()).content.decode()
    said = {"crew": "Ana / Ann", "car_class": "R2", "team": south.pk}
    for _twice in range(2):
        assert client.post(at(cup), said).url == at(cup)
    mine = Registration.objects.get()
    assert (mine.driver, mine.crew, mine.car_class, mine.team) == (ana, "Ana / Ann", "R2", south)
    client.post(at(cup), {**said, "car_class": "R5", "team": ""})
    mine.refresh_from_db()
    assert (mine.car_class, mine.team) == ("R5", None)
    for _twice in range(2):
        assert client.post(at(cup, f"{mine.pk}/withdraw/")).url == at(cup)
    assert not Registration.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"crew": ""}, "required"),
        ({"crew": "x" * 81}, "at most 80"),
        ({"car_class": "R9"}, "R9 is not one of"),
        ({"car_class": ""}, "required"),
        ({"team": "99999"}, "valid choice"),
    ],
)
def test_nonsense_is_422_and_kept(club, cup, wrong, says):
    (ana,) = people(club, 1)
    response = signed_in(ana).post(at(cup), {"crew": "Ana / Ann", "car_class": "R2", **wrong})
    assert response.status_code == 422
    assert says in response.content.decode()
    assert "crew" in wrong or "Ana / Ann" in response.content.decode()
    assert not Registration.objects.exists()


def test_once_the_season_has_begun_organisers_give_teams(olga, club, cup):
    ana, bo = people(club, 2)
    north, south = cup.teams.all()
    registering.register(by=ana, championship=cup, driver=ana, crew="Ana", car_class="R5", team=north)
    services.add_round(by=olga, championship=cup, rally=finished_rally(club, olga, {ana: (1,), bo: (2,)}))

    with pytest.raises(Refused) as refusal:
        registering.register(by=ana, championship=cup, driver=ana, crew="Ana", car_class="R5", team=south)
    assert refusal.value.field == "team"
    signed_in(ana).post(at(cup), {"crew": "Ana", "car_class": "R2", "team": south.pk})
    mine = Registration.objects.get()
    assert (mine.car_class, mine.team) == ("R2", north)
    signed_in(olga).post(at(cup, f"{mine.pk}/"), {"crew": "Ana", "car_class": "R2", "team": south.pk})
    mine.refresh_from_db()
    assert mine.team == south


def test_an_organiser_registers_a_driver_with_a_number_and_enters_all(olga, club, cup):
    ana, bo = people(club, 2)
    client = signed_in(olga)
    said = {"driver": ana.pk, "crew": "Ana / Ann", "car_class": "R5", "start_number": "7"}
    assert client.post(at(cup, "new/"), said).url == at(cup)
    taken = client.post(at(cup, "new/"), {**said, "driver": bo.pk})
    assert taken.status_code == 422 and "Start number 7 is taken" in taken.content.decode()
    registering.register(by=bo, championship=cup, driver=bo, crew="Bo", car_class="R2")
    round = services.add_round(by=olga, championship=cup, rally=make_rally(by=olga, club=club))

    enter = f"/championships/{cup.key}/rounds/1/enter/"
    assert "Enter all registered" in client.get(cup.get_absolute_url()).content.decode()
    for _twice in range(2):
        assert client.post(enter).url == f"/rallies/{round.rally.key}/desk/"
    assert {(each.crew, each.start_number) for each in round.rally.entries.all()} == {("Ana / Ann", 7), ("Bo", 1)}
    start_rally(by=olga, rally=round.rally)
    assert client.post(enter).status_code == 409
    assert client.post(f"/championships/{cup.key}/rounds/2/enter/").status_code == 404


def test_who_may_see_and_do_what(olga, club, cup):
    ana, bo = people(club, 2)
    guest, stranger = make_member(club, roles=[Role.GUEST]), make_user("Stranger")
    theirs = registering.register(by=ana, championship=cup, driver=ana, crew="Ana", car_class="R5")
    assert Client().get(at(cup)).status_code == 302
    assert signed_in(stranger).get(at(cup)).status_code == 404
    assert signed_in(guest).get(at(cup)).status_code == 200
    assert signed_in(guest).post(at(cup), {"crew": "Guest", "car_class": "R5"}).status_code == 422
    for person, status in ((bo, 403), (guest, 403), (stranger, 404)):
        client = signed_in(person)
        for page in (at(cup, "new/"), at(cup, f"{theirs.pk}/"), at(cup, f"{theirs.pk}/withdraw/")):
            assert client.post(page, {"crew": "Mine"}).status_code == status, page
        assert client.post(f"/championships/{cup.key}/rounds/1/enter/").status_code == status
    theirs.refresh_from_db()
    assert theirs.crew == "Ana"


@pytest.mark.parametrize("drivers", [3, 9])
def test_the_page_takes_few_queries_whatever_its_size(olga, club, cup, drivers, django_assert_max_num_queries):
    for driver in people(club, drivers):
        registering.register(
            by=olga, championship=cup, driver=driver, crew="Crew", car_class="R5", team=cup.teams.first()
        )
    for client in (signed_in(olga), signed_in(driver)):
        with django_assert_max_num_queries(12):
            assert client.get(at(cup)).status_code == 200
