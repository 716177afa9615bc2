"""Drivers register for a season once, and are entered in its rounds."""

import pytest
from django.http import Http404

from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.services import withdraw_entry
from championship.seasons import services
from championship.seasons.models import Registration
from championship.seasons.services import registering
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


@pytest.fixture
def season(olga, club):
    return services.create_championship(by=olga, club=club, name="Season 2026", classes=["R5", "R2"])


def register(by, season, driver, **how):
    return registering.register(by=by, championship=season, driver=driver, **{"crew": "Crew", "car_class": "R5", **how})


def test_everyone_registered_is_entered_in_a_round_with_number_and_class(olga, club, season):
    ana, bo, cem = (make_member(club, name=name) for name in ("Ana", "Bo", "Cem"))
    register(olga, season, ana, crew="Ana / Ann", start_number=7)
    register(bo, season, bo, crew="Bo", car_class="R2")
    register(cem, season, cem, crew="Cem")
    rally = make_rally(by=olga, club=club)
    round = services.add_round(by=olga, championship=season, rally=rally)

    entries = registering.enter_registered(by=olga, round=round)

    assert {(entry.crew, entry.car_class, entry.start_number) for entry in entries} == {
        ("Ana / Ann", "R5", 7),
        ("Bo", "R2", 1),
        ("Cem", "R5", 2),
    }
    assert registering.enter_registered(by=olga, round=round) == [], "nobody is entered twice"


def test_a_driver_who_withdrew_from_a_rally_is_not_entered_again(olga, club, season):
    ana = make_member(club, name="Ana")
    register(olga, season, ana)
    round = services.add_round(by=olga, championship=season, rally=make_rally(by=olga, club=club))
    (entry,) = registering.enter_registered(by=olga, round=round)
    withdraw_entry(by=ana, entry=entry)

    assert registering.enter_registered(by=olga, round=round) == []


def test_registering_again_changes_the_registration(olga, club, season):
    ana = make_member(club, name="Ana")
    register(olga, season, ana, start_number=4)
    register(ana, season, ana, crew="New crew", car_class="R2", start_number=99)

    registration = Registration.objects.get()
    assert (registration.crew, registration.car_class) == ("New crew", "R2")
    assert registration.start_number == 4, "numbers are the organisers' to give"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"car_class": "R9"}, "car_class"), ({"start_number": 1000}, "start_number"), ({"crew": " "}, "crew")],
)
def test_nonsense_is_refused_by_field(olga, club, season, wrong, field):
    with pytest.raises(Refused) as refusal:
        register(olga, season, make_member(club), **wrong)
    assert refusal.value.field == field
    assert not Registration.objects.exists()


def test_a_start_number_is_given_once(olga, club, season):
    register(olga, season, make_member(club), start_number=5)
    with pytest.raises(Refused) as refusal:
        register(olga, season, make_member(club), start_number=5)
    assert refusal.value.field == "start_number"


def test_drivers_cannot_register_others_and_only_drivers_of_the_club_are_registered(olga, club, season):
    ana, steward = make_member(club, name="Ana"), make_member(club, name="Sten", roles=[Role.STEWARD])
    with pytest.raises(Forbidden):
        register(ana, season, make_member(club))
    with pytest.raises(Http404):
        register(make_user("Stranger"), season, ana)
    with pytest.raises(Refused) as refusal:
        register(olga, season, steward)
    assert refusal.value.field == "driver"


def test_teams_are_named_once_and_the_drivers_of_a_removed_team_stay(olga, club, season):
    ana = make_member(club, name="Ana")
    north, _south = registering.name_teams(by=olga, championship=season, names=["North", "South"])
    register(olga, season, ana, team=north)

    registering.name_teams(by=olga, championship=season, names=["South", "West"])

    assert [team.name for team in season.teams.all()] == ["South", "West"]
    assert Registration.objects.get().team is None
    with pytest.raises(Refused) as refusal:
        registering.name_teams(by=olga, championship=season, names=["A", "A"])
    assert refusal.value.field == "teams"
    with pytest.raises(Forbidden):
        registering.name_teams(by=ana, championship=season, names=[])


def test_a_driver_withdraws_and_others_may_not_do_it_for_them(olga, club, season):
    ana, bo = make_member(club, name="Ana"), make_member(club, name="Bo")
    registration = register(olga, season, ana)
    with pytest.raises(Forbidden):
        registering.withdraw_registration(by=bo, registration=registration)
    registering.withdraw_registration(by=ana, registration=registration)
    assert not Registration.objects.exists()
