"""A championship: its points scheme, its rounds, its table."""

import pytest
from django.http import Http404

from championship.clubs.models import Club
from championship.platform.refusals import Forbidden, Refused
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.rallies.services import cancel_rally
from championship.seasons import schemes as schemes
from championship.seasons import services
from championship.seasons.models import Championship, Round
from championship.seasons.selectors import table
from tests.championship.rallies.factories import drive, enter, make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def finished_rally(club, by, times) -> Rally:
    """A rally of one stage that these drivers have driven. `times` are in seconds. None: retired."""
    rally = make_rally(by=by, club=club, stages=("1/3",))
    entries = {}
    for driver, seconds in times.items():
        entries[rallies.enter_rally(by=driver, rally=rally, crew=driver.name)] = seconds
    rallies.confirm_all(by=by, rally=rally)
    rallies.start_rally(by=by, rally=rally)
    drive(rally, 1, entries)
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    return rally


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga) -> Club:
    return make_club(owner=olga)


@pytest.fixture
def season(olga, club) -> Championship:
    return services.create_championship(by=olga, club=club, name="Season 2026")


def test_the_default_scheme_is_ten_places(season):
    assert season.points == [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]


@pytest.mark.parametrize("points", [[], [1, 2], [1001], [-1], [1] * 61])
def test_nonsense_is_refused_as_a_scheme(points):
    with pytest.raises(Refused) as refusal:
        schemes.checked_points(points)
    assert refusal.value.field == "points"


def test_only_organisers_make_championships_and_add_rounds(olga, club, season):
    driver = make_member(club)
    with pytest.raises(Forbidden):
        services.create_championship(by=driver, club=club, name="Mine")
    with pytest.raises(Http404):
        services.create_championship(by=make_user("Stranger"), club=club, name="Mine")
    with pytest.raises(Forbidden):
        services.add_round(by=driver, championship=season, rally=make_rally(by=olga, club=club))


def test_rounds_count_up_and_a_rally_is_a_round_once(olga, club, season):
    first, second = make_rally(by=olga, club=club), make_rally(by=olga, club=club)
    services.add_round(by=olga, championship=season, rally=first)
    assert services.add_round(by=olga, championship=season, rally=second).number == 2
    other = services.create_championship(by=olga, club=club, name="Winter cup")
    for championship in (season, other):
        with pytest.raises(Refused) as refusal:
            services.add_round(by=olga, championship=championship, rally=first)
        assert refusal.value.field == "rally"
    assert Round.objects.count() == 2


def test_rallies_of_other_clubs_and_cancelled_ones_cannot_be_rounds(olga, club, season):
    rita = make_user("Rita")
    theirs = make_rally(by=rita, club=make_club(owner=rita, name="Rivals"))
    cancelled = make_rally(by=olga, club=club)
    cancel_rally(by=olga, rally=cancelled, reason="Snow")
    for rally in (theirs, cancelled):
        with pytest.raises(Refused):
            services.add_round(by=olga, championship=season, rally=rally)


def test_the_table_adds_points_over_rounds_and_leaves_running_ones_out(olga, club, season):
    ana, bo, cem = (make_member(club, name=name) for name in ("Ana", "Bo", "Cem"))
    services.add_round(by=olga, championship=season, rally=finished_rally(club, olga, {ana: 200, bo: 210, cem: 220}))
    services.add_round(by=olga, championship=season, rally=finished_rally(club, olga, {bo: 190, cem: 195}))
    running = make_rally(by=olga, club=club)
    enter(running, "Dag")
    services.add_round(by=olga, championship=season, rally=running)

    standings = table(season).drivers
    assert [(line.place, line.who.name, line.total) for line in standings] == [
        (1, "Bo", 43),
        (2, "Cem", 33),
        (3, "Ana", 25),
    ]
    assert [score and score.points for score in standings[2].scores] == [25, None, None]


def test_f5_drivers_who_share_a_place_each_get_its_points_and_the_next_place_is_skipped(olga, club, season):
    ana, bo, cem = (make_member(club, name=name) for name in ("Ana", "Bo", "Cem"))
    services.add_round(by=olga, championship=season, rally=finished_rally(club, olga, {ana: 200, bo: 200, cem: 201}))
    assert [(line.place, line.who.name, line.total) for line in table(season).drivers] == [
        (1, "Ana", 25),
        (1, "Bo", 25),
        (3, "Cem", 15),
    ]


def test_e7_a_retired_driver_is_classified_and_marked(olga, club, season):
    ana, bo = make_member(club, name="Ana"), make_member(club, name="Bo")
    services.add_round(by=olga, championship=season, rally=finished_rally(club, olga, {ana: None, bo: 300}))
    standings = table(season).drivers
    assert [(line.who.name, line.total, line.scores[0].retired) for line in standings] == [
        ("Bo", 25, False),
        ("Ana", 18, True),
    ]


def test_a_new_scheme_counts_for_rounds_driven_before(olga, club, season):
    ana, bo = make_member(club, name="Ana"), make_member(club, name="Bo")
    services.add_round(by=olga, championship=season, rally=finished_rally(club, olga, {ana: 200, bo: 210}))
    services.change_championship(by=olga, championship=season, name="Season", points=[3])
    season.refresh_from_db()
    assert [line.total for line in table(season).drivers] == [3, 0]


def test_a_round_is_seeded_by_the_standing_before_it(olga, club, season):
    ana, bo, cem = (make_member(club, name=name) for name in ("Ana", "Bo", "Cem"))
    services.add_round(by=olga, championship=season, rally=finished_rally(club, olga, {ana: 210, bo: 200}))
    rally = make_rally(by=olga, club=club, stages=("1/3",))
    services.add_round(by=olga, championship=season, rally=rally)
    for driver in (cem, ana, bo):
        rallies.enter_rally(by=driver, rally=rally, crew=driver.name)
    rallies.confirm_all(by=olga, rally=rally)
    places = rallies.seed_by_standing(by=olga, rally=rally)
    assert [place.entry.crew for place in places] == ["Bo", "Ana", "Cem"]
    places = rallies.seed_by_standing(by=olga, rally=rally, leader_last=True)
    assert [place.entry.crew for place in places] == ["Ana", "Bo", "Cem"]
    rally.refresh_from_db()
    assert rally.seeded_by == "standing"
    client = signed_in(olga)
    assert "Season 2026" in client.get(f"/rallies/{rally.key}/desk/start-list/").content.decode()
    assert client.post(f"/rallies/{rally.key}/desk/start-list/", {"do": "standing"}).status_code == 302
