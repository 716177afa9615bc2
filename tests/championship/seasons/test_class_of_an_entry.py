"""A driver who is registered in a class enters rounds in it. Where an entry is in another class, everybody is told."""

import pytest

from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.seasons import services
from championship.seasons.divisions import services as divisions
from championship.seasons.services import registering
from championship.tabletop.services import opening
from championship.tabletop.services.signing_on import sign_on
from tests.championship.api.factories import program_of
from tests.championship.lists.steps import Steps
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

NOTE = "Registered for Cup in class RC2. The round counts for the class of the entry."
NO_DIVISION = (
    "Only organisers put drivers into the divisions of Cup. Ask an organiser to put you into one, or to enter you."
)


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


# Drivers without a class in the season -------------------------------------------------------------


@pytest.fixture
def divided(olga, season):
    divisions.set_rules(by=olga, championship=season, names=["RC2", "Rally4"], up=1, down=1)
    season.refresh_from_db()
    return season


def test_nobody_takes_a_place_in_a_division_by_entering_a_round(olga, club, divided, ana):
    round_of_divisions, open_round = a_round(olga, club, divided, "RC2", "Rally4"), a_round(olga, club, divided)
    bo = make_member(club, name="Bo")
    registering.register(by=bo, championship=divided, driver=bo, crew="Bo")
    for driver in (bo, make_member(club, name="Cy, who is not registered")):
        for rally, car_class in ((round_of_divisions, "RC2"), (round_of_divisions, ""), (open_round, " rc2 ")):
            with pytest.raises(Refused) as refusal:
                rallies.enter_rally(by=driver, rally=rally, crew="Crew", car_class=car_class)
            assert (refusal.value.field, str(refusal.value)) == ("car_class", NO_DIVISION)
        assert rallies.enter_rally(by=driver, rally=open_round, crew="Guest").car_class == "", "outside the divisions"
    [entry] = rallies.enter_for(
        by=olga, rally=round_of_divisions, wanted=[rallies.EntryRequest(bo, "Bo", car_class="RC2")]
    )
    assert entry.car_class == "RC2", "an organiser may"
    assert rallies.enter_rally(by=ana, rally=open_round, crew="Ana").car_class == "RC2", "her own division"


def test_the_page_and_the_api_say_who_gives_a_division(olga, club, divided):
    rally, other = a_round(olga, club, divided, "RC2", "Rally4"), a_round(olga, club, divided, "Rally4", "Guests")
    bo = make_member(club, name="Bo")
    page = signed_in(bo).get(f"/rallies/{rally.key}/enter/").text
    assert NO_DIVISION in page and 'name="car_class"' not in page and "Send in the entry" not in page
    assert signed_in(bo).post(f"/rallies/{rally.key}/enter/", {"crew": "Bo", "car_class": "RC2"}).status_code == 422
    answer = program_of(bo, "play").post(f"rallies/{rally.key}/entries/mine", {"crew": "Bo", "car_class": "RC2"})
    assert answer.status_code == 422 and NO_DIVISION in answer.text and "car_class" in answer.text
    page = signed_in(bo).get(f"/rallies/{other.key}/enter/").text
    assert 'value="Guests"' in page and 'value="Rally4"' not in page and NO_DIVISION in page
    signed_in(bo).post(f"/rallies/{other.key}/enter/", {"crew": "Bo", "car_class": "Guests"})
    assert Entry.objects.get().car_class == "Guests"


def test_a_round_without_classes_has_those_of_its_season(olga, club, season):
    rally, bo = a_round(olga, club, season), make_member(club, name="Bo")
    assert 'value="Rally4"' in signed_in(bo).get(f"/rallies/{rally.key}/enter/").text
    for typed in ("", "Kit car"):
        with pytest.raises(Refused) as refusal:
            rallies.enter_rally(by=bo, rally=rally, crew="Bo", car_class=typed)
        assert (refusal.value.field, str(refusal.value)) == ("car_class", "Choose one of the classes: RC2, Rally4.")
    assert rallies.enter_rally(by=bo, rally=rally, crew="Bo", car_class="Rally4").car_class == "Rally4"


def test_a_registered_driver_takes_no_other_class_of_the_season(olga, club, season, ana):
    rally = a_round(olga, club, season, "Rally4", "N3")
    with pytest.raises(Refused) as refusal:
        rallies.enter_rally(by=ana, rally=rally, crew="Ana", car_class="Rally4")
    assert refusal.value.field == "car_class"
    assert "You are registered for Cup in class RC2." in str(refusal.value)
    assert rallies.enter_rally(by=ana, rally=rally, crew="Ana", car_class="N3").car_class == "N3"


def test_who_signs_on_at_the_table_drives_in_the_class_of_the_season(olga, club, season, ana):
    rally = make_rally(by=olga, club=club, mode="at the table")
    services.add_round(by=olga, championship=season, rally=rally)
    evening = opening.open_evening(by=olga, rally=rally, tables=1)
    assert sign_on(evening=evening, person=ana.pk).entry.car_class == "RC2"
    assert sign_on(evening=evening, guest="Gus").entry.car_class == ""
