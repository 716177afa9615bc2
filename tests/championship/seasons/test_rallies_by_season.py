"""A club's page: rallies by season, the current one first. And the desk of a round that nobody has entered yet."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from championship.seasons import services
from championship.seasons.selectors import rallies_by_season
from championship.seasons.services import registering
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import finished_rally, season
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def test_rallies_of_a_club_are_listed_by_season_with_the_current_one_first():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo = make_member(club, name="Ana"), make_member(club, name="Bo")
    old = season(club, olga, [ana, bo], rounds=2, name="Season of last year")
    new = services.create_championship(by=olga, club=club, name="New season", points=[3, 2, 1])
    coming = make_rally(by=olga, club=club, stages=["1/3"], name="To come")
    services.add_round(by=olga, championship=new, rally=coming)
    alone = finished_rally(club, olga, {ana: (200,)}, name="A rally of its own")
    present, past = rallies_by_season(club)
    assert [rally.name for rally in present] == ["To come"]
    assert [(name, [each.name for each in found]) for name, found in past] == [
        ("", [alone.name]),
        (old.name, ["Rally 1", "Rally 2"]),
    ]
    page = signed_in(olga).get(f"/clubs/{club.slug}/").text
    places = [page.rindex(said) for said in ("To come", "Outside a season", "A rally of its own", "Rally 1", "Rally 2")]
    assert places == sorted(places)
    assert "2 rallies that are over" in page


def test_a_round_that_nobody_has_entered_offers_all_who_are_registered():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    cup = services.create_championship(by=olga, club=club, name="Cup", points=[3, 2, 1])
    rally = make_rally(by=olga, club=club, stages=["1/3"])
    services.add_round(by=olga, championship=cup, rally=rally)
    client, desk = signed_in(olga), f"/rallies/{rally.key}/desk/"
    assert "registered for Cup" not in client.get(desk).text
    for name in ("Ana", "Bo"):
        registering.register(by=olga, championship=cup, driver=make_member(club, name=name), crew=name)
    with CaptureQueriesContext(connection) as queries:
        assert "2 drivers are registered for Cup and have not entered this rally." in client.get(desk).text
    rows = [each["sql"] for each in queries if each["sql"].startswith('SELECT "seasons_round"."id"')]
    assert len(rows) == 2, "once for the head and the button, once for the estimate of the length"
    client.post(f"/championships/{cup.key}/rounds/1/enter/")
    assert "registered for Cup" not in client.get(desk).text
    assert rally.entries.count() == 2
