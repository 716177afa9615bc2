"""A driver who is registered in a class enters rounds in it. Where an entry is in another class, everybody is told."""

import pytest

from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.seasons import services
from championship.seasons.services import registering
from tests.championship.api.factories import program_of
from tests.championship.lists.steps import Steps
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

NOTE = "Registered for Cup in class RC2. The round counts for the class of the entry."


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


@pytest.fixture
def season(olga, club):
    return services.create_championship(by=olga, club=club, name="Cup", classes=["RC2", "Rally4"])


@pytest.fixture
def ana(olga, club, season):
    ana = make_member(club, name="Ana")
    registering.register(by=olga, championship=season, driver=ana, crew="Ana / Ann", car_class="RC2")
    return ana


@pytest.fixture
def rally(olga, club, season):
    return a_round(olga, club, season, "RC2", "Rally4")


def a_round(olga, club, season, *classes):
    rally = make_rally(by=olga, club=club)
    rally.classes = [{"name": name, "limit": None} for name in classes]
    rally.save()
    services.add_round(by=olga, championship=season, rally=rally)
    return rally


def test_the_form_offers_crew_and_class_of_the_registration(ana, rally):
    page = signed_in(ana).get(f"/rallies/{rally.key}/enter/").text
    assert 'value="Ana / Ann"' in page
    assert "Your class in Cup. An organiser can change it." in page
    signed_in(ana).post(f"/rallies/{rally.key}/enter/", {"crew": "Ana / Ann", "car_class": "Rally4"})
    assert rally.entries.values_list("crew", "car_class").get() == ("Ana / Ann", "RC2"), "the field is fixed"


def test_a_program_cannot_enter_another_class_and_none_means_the_registered_one(ana, rally):
    program = program_of(ana, "play")
    answer = program.post(f"rallies/{rally.key}/entries/mine", {"crew": "Ana", "car_class": "Rally4"})
    assert answer.status_code == 422
    assert "You are registered for Cup in class RC2." in answer.text
    with pytest.raises(Refused) as refusal:
        rallies.enter_rally(by=ana, rally=rally, crew="Ana", car_class="Rally4")
    assert refusal.value.field == "car_class"
    assert rallies.enter_rally(by=ana, rally=rally, crew="Ana").car_class == "RC2"


def test_a_driver_who_is_not_registered_chooses(olga, club, rally):
    bo = make_member(club, name="Bo")
    assert rallies.enter_rally(by=bo, rally=rally, crew="Bo", car_class="Rally4").car_class == "Rally4"


def test_in_a_rally_without_the_class_the_driver_chooses_and_sees_the_difference(olga, club, season, ana):
    rally = a_round(olga, club, season, "N3", "N4")
    client = signed_in(ana)
    says = "You are registered for Cup in class RC2; this rally has other classes."
    assert says in client.get(f"/rallies/{rally.key}/enter/").text
    page = client.post(f"/rallies/{rally.key}/enter/", {"crew": "Ana", "car_class": "N4"}, follow=True).text
    assert "Your entry is in class N4." in page and NOTE in page
    assert NOTE in signed_in(olga).get(f"/rallies/{rally.key}/desk/").text


def test_a_list_takes_the_class_of_the_registration_where_it_has_none(olga, ana, rally):
    steps, path = Steps(signed_in(olga)), f"/lists/rallies/{rally.key}/entries/"
    [line] = steps.look(steps.bring(path, "name;number\nAna;\n")).context["plan"].lines
    assert (line.facts, line.why) == (("Ana / Ann", "RC2", ""), "")
    steps.all_of(path, "name;class\nAna;rc2\n")
    assert Entry.objects.get().car_class == "RC2"


def test_another_class_in_a_list_is_shown_to_the_organiser_and_the_driver(olga, ana, rally):
    client, text = signed_in(olga), "name;class\nAna;Rally4\n"
    steps, path = Steps(client), f"/lists/rallies/{rally.key}/entries/"
    made = steps.bring(path, text)
    assert NOTE in steps.look(made).text
    steps.take(made)
    assert Entry.objects.get().car_class == "Rally4"
    assert NOTE in client.get(f"/rallies/{rally.key}/desk/").text
    assert NOTE in signed_in(ana).get(f"/rallies/{rally.key}/").text
    assert NOTE in steps.look(steps.bring(path, text)).text, "also in a second list"


def test_a_changed_registration_names_the_entries_that_keep_their_class(olga, season, ana, rally):
    rallies.enter_rally(by=ana, rally=rally, crew="Ana")
    client = signed_in(ana)
    path = f"/championships/{season.key}/registrations/"
    says = f"The entry for {rally.name} stays in class RC2, and counts for that class."
    assert says in client.post(path, {"crew": "Ana", "car_class": "Rally4", "team": ""}, follow=True).text
    assert says not in client.post(path, {"crew": "Ana", "car_class": "RC2", "team": ""}, follow=True).text
