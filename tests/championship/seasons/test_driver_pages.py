"""A driver's record in a club, and two drivers compared: for the club's members, in few queries."""

import pytest
from django.test import Client
from django.utils.translation import override

from championship.clubs.models import Role
from championship.rallies.models import Entry
from championship.rallies.services import enter_rally
from championship.runs.models import Run
from championship.seasons import records, services
from championship.stewards import services as stewards
from tests.championship.rallies.factories import make_rally
from tests.championship.runs.factories import on_the_road, play
from tests.championship.seasons.scenes import finished_rally, people, season
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def test_a_record_counts_rallies_places_stages_and_retirements(olga, club):
    ana, bo, cem, dag = people(club, 4)
    won = finished_rally(club, olga, {ana: (100, 100), bo: (120, 90), cem: (130, 130)}, name="First")
    finished_rally(club, olga, {ana: (None, 100), bo: (120, 90), cem: (130, 140), dag: (125, 99)}, name="Second")
    finished_rally(club, olga, {bo: (120,), cem: (130,)}, name="Without Ana")
    cup = services.create_championship(by=olga, club=club, name="Cup", points=[5])
    services.add_round(by=olga, championship=cup, rally=won)
    enter_rally(by=ana, rally=make_rally(by=olga, club=club, name="To come"), crew="Ana")

    record = records.record_of(club, ana)

    assert [outing.rally.name for outing in record.outings] == ["Second", "First"]
    assert (record.wins, record.podiums, record.finishes, record.stages, record.stage_wins) == (1, 1, 1, 4, 1)
    assert [(outing.rally.name, found.stage) for outing, found in record.retirements] == [("Second", 1)]
    assert [outing.rally for outing in record.best] == [won]
    (place,) = record.seasons
    assert (place.championship, place.line.place, place.line.total, place.finished) == (cup, 1, 5, True)


def test_why_a_driver_retired_is_read_from_the_results():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    for entry in (ana, bo):
        play(run, entry, do="retire")
    rally = Run.objects.get(pk=run.pk).special_stage.rally
    type(rally).objects.filter(pk=rally.pk).update(status="finished", finished_at=run.opened_at)

    retirements = records.record_of(rally.club, ana.driver).retirements

    with override("en"):
        assert [(outing.rally, found.stage, found.reason) for outing, found in retirements] == [(rally, 1, "gave up")]


def test_two_drivers_are_compared_in_the_rallies_that_both_drove(olga, club):
    ana, bo, cem = people(club, 3)
    finished_rally(club, olga, {ana: (100, 100), bo: (120, 90)}, name="First")
    finished_rally(club, olga, {ana: (100, 100), bo: (90, 90)}, name="Second")
    finished_rally(club, olga, {ana: (100, 100), bo: (100, 100)}, name="Level")
    judged = finished_rally(club, olga, {ana: (100, 100), bo: (150, 150)}, name="Judged")
    finished_rally(club, olga, {ana: (100,), cem: (90,)}, name="Without Bo")
    out = Entry.objects.get(rally=judged, driver=ana)
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    stewards.decide(by=sten, rally=judged, kind="exclusion", entry=out, text="Drove off the road book.")

    duel = records.head_to_head(club, ana, bo)

    results = {
        each.rally.name: (each.winner, each.gap, each.first_stages, each.second_stages) for each in duel.meetings
    }
    assert results == {
        "First": (1, 10, 1, 1),
        "Second": (2, -20, 0, 2),
        "Level": (0, 0, 0, 0),
        "Judged": (2, None, 2, 0),
    }
    assert (duel.first_ahead, duel.second_ahead, duel.level, duel.first_stages, duel.second_stages) == (1, 2, 1, 3, 3)
    assert records.head_to_head(club, bo, cem).meetings == []


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_a_drivers_pages_take_as_few_queries_however_long_the_career(olga, club, times, django_assert_max_num_queries):
    crew = people(club, 3 * times)
    for number in range(times):
        season(club, olga, crew, rounds=2, name=f"Season {number}")
    client, (ana, bo) = signed_in(olga), crew[:2]
    with django_assert_max_num_queries(17):
        shown = client.get(f"/clubs/{club.slug}/drivers/{ana.pk}/").content.decode()
    assert all(f"Season {number}" in shown for number in range(times))
    with django_assert_max_num_queries(17):
        assert client.get(f"/clubs/{club.slug}/drivers/{ana.pk}/against/?driver={bo.pk}").status_code == 200


def test_drivers_pages_are_for_members_and_about_the_clubs_drivers(olga, club):
    (ana,), stranger = people(club, 1), make_user("Stranger")
    elsewhere = make_club(owner=stranger, name="Elsewhere")
    page = f"/clubs/{club.slug}/drivers/"
    assert signed_in(olga).get(f"{page}{ana.pk}/").status_code == 200
    assert signed_in(stranger).get(f"{page}{ana.pk}/").status_code == 404
    assert signed_in(stranger).get(f"{page}{ana.pk}/against/").status_code == 404
    assert Client().get(f"{page}{ana.pk}/").status_code == 302
    assert signed_in(olga).get(f"{page}{stranger.pk}/").status_code == 404
    assert signed_in(olga).get(f"/clubs/{elsewhere.slug}/drivers/{ana.pk}/").status_code == 404
    for asked, status in (("", 200), ("nonsense", 200), (str(ana.pk), 200), (str(stranger.pk), 404), ("9" * 30, 200)):
        assert signed_in(olga).get(f"{page}{ana.pk}/against/?driver={asked}").status_code == status, asked


def test_a_driver_who_has_left_the_club_keeps_a_record(olga, club):
    ana, bo = people(club, 2)
    made = season(club, olga, [ana, bo], rounds=1)
    club.memberships.filter(user=ana).delete()
    page = f"/clubs/{club.slug}/drivers/{ana.pk}/"
    assert signed_in(bo).get(page).status_code == 200
    assert page in signed_in(bo).get(f"/championships/{made.key}/").content.decode()
    assert page not in Client().get(f"/championships/{made.key}/").content.decode()
