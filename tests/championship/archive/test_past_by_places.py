"""A past season by places or points only, on courses that this site does not know: where it appears, and what
it adds.
"""

from datetime import date

import pytest

from championship.archive.csv_reading import BadList
from championship.archive.models import Archive
from championship.archive.services.result_import import import_results
from championship.rallies.models import Rally
from championship.rallies.results.selectors import results_of
from championship.seasons import services as seasons
from championship.seasons.selectors import table
from championship.stages.services import load_library
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

PLACES = """\
rally;date;name;place
Monte Carlo;2025-01-20;Ana;1
Monte Carlo;;Bo;2
Monte Carlo;;Cem;ret
"""
POINTS = """\
rally;date;stages;name;points
Ypres;2025-06-20;Kemmelberg|Rodeberg;Ana;30
Ypres;;;Bo;38
"""


@pytest.fixture
def olga():
    load_library()
    return make_user("Olga")


@pytest.fixture
def club(olga):
    club = make_club(name="Wiking", owner=olga)
    for name in ("Ana", "Bo", "Cem"):
        make_member(club, name=name)
    return club


@pytest.fixture
def season(olga, club):
    return seasons.create_championship(by=olga, club=club, name="2025", points=[10, 6, 4], power=[3, 2])


def standing(season):
    return [(line.place, str(line.who), line.total) for line in table(season).drivers]


def test_places_alone_are_enough_and_come_before_future_rounds(olga, club, season):
    coming = make_rally(by=olga, club=club, name="To come")
    seasons.add_round(by=olga, championship=season, rally=coming, planned_for=date(2027, 1, 1))
    with pytest.raises(BadList):
        import_results(by=olga, championship=season, text=PLACES, names_only=False)
    import_results(by=olga, championship=season, text=PLACES, names_only=False, unit="places", other_courses=True)
    monte = Rally.objects.get(name="Monte Carlo")
    assert (monte.unit, monte.stages.get().name, monte.stages.get().design) == ("places", "Monte Carlo", None)
    assert [(line.place, line.entry.crew) for line in results_of(monte).overall][:2] == [(1, "Ana"), (2, "Bo")]
    rounds = season.rounds.order_by("number").values_list("number", "rally__name", "planned_for", "power_stage")
    assert list(rounds) == [
        (1, "Monte Carlo", date(2025, 1, 20), 0),
        (2, "To come", date(2027, 1, 1), None),
    ]
    assert [(place, name, total) for place, name, total in standing(season) if total] == [(1, "Ana", 10), (2, "Bo", 6)]
    member = signed_in(olga)
    for page in ("", "stages/1/", "podium/", "sheet/", "standings/"):
        answer = member.get(f"/rallies/{monte.key}/{page}")
        assert answer.status_code in (200, 404), (page, answer.status_code)
    assert member.get(monte.get_absolute_url()).status_code == 200
    assert member.get(monte.stages.get().get_absolute_url()).status_code == 200


def test_points_on_other_courses_and_a_power_stage_where_it_is_asked_for(olga, season):
    text = POINTS.replace("points", "points 1;points 2").replace(";30", ";30;8").replace(";38", ";38;3")
    how = {"names_only": False, "unit": "points", "other_courses": True}
    import_results(by=olga, championship=season, text=text, power_stage=True, **how)
    ypres = Rally.objects.get()
    assert [stage.name for stage in ypres.stages.order_by("number")] == ["Kemmelberg", "Rodeberg"]
    assert [(line.entry.crew, line.total) for line in results_of(ypres).overall] == [("Bo", 41), ("Ana", 38)]
    assert standing(season) == [(1, "Bo", 12), (2, "Ana", 9)], "Ana won the power stage"


def test_the_page_takes_it_and_shows_what_was_chosen(olga, season):
    owner, path = signed_in(olga), f"/championships/{season.key}/past/"
    sent = {"text": PLACES, "unit": "places", "other_courses": "on"}
    look = owner.post(path, {**sent, "do": "look"}).content.decode()
    assert "This is what it would do" in look
    assert not Rally.objects.exists()
    assert owner.post(path, {**sent, "do": "take"}).status_code == 302
    assert Rally.objects.get().name == "Monte Carlo"
    assert not Archive.objects.exists()
