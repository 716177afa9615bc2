"""Changing a championship: scheme, classes, teams, calendar, inherited settings. Stale posts, and posts sent twice."""

from datetime import date

import pytest

from championship.audit.models import Record
from championship.platform.refusals import Refused, Stale
from championship.rallies.services import cancel_rally
from championship.seasons import services
from championship.seasons.models import Championship
from championship.seasons.selectors import table
from championship.seasons.services import registering
from tests.championship.rallies.factories import designs, make_rally
from tests.championship.seasons.scenes import finished_rally, people, season, typed
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    designs("1/1")
    return make_club(owner=olga)


@pytest.fixture
def cup(olga, club) -> Championship:
    return services.create_championship(by=olga, club=club, name="Cup", classes=["R5", "R2"], tie_breaks=["wins"])


def sent(client, cup, page, **changed):
    address = f"/championships/{cup.key}/edit/{page}"
    return client.post(address, {**typed(client.get(address).content.decode()), **changed})


def test_the_scheme_is_changed_in_its_table(olga, cup):
    client = signed_in(olga)
    assert sent(client, cup, "", action="add:last round").status_code == 302
    assert sent(client, cup, "", name="Forest Cup", points_1="30", power_1="3", drop="2").url == cup.get_absolute_url()
    cup.refresh_from_db()
    assert (cup.name, cup.points[0], cup.power, cup.drop) == ("Forest Cup", 30, [3], 2)
    assert cup.tie_breaks == ["wins", "last round"]
    assert cup.classes == ["R5", "R2"], "what the page does not ask stays"
    refused = sent(client, cup, "", points_1="1")
    assert refused.status_code == 422 and "the one before" in refused.content.decode()


def test_a_class_that_was_driven_in_stays(olga, club, cup):
    ana, bo = people(club, 2)
    rally = finished_rally(club, olga, {ana: (200,), bo: (210,)}, classes={ana: "R5", bo: "R5"})
    services.add_round(by=olga, championship=cup, rally=rally)
    client = signed_in(olga)
    refused = sent(client, cup, "classes/", classes="R2\nR1")
    assert refused.status_code == 422 and "class R5 already" in refused.content.decode()
    assert sent(client, cup, "classes/", classes="R1\nR5").status_code == 302
    cup.refresh_from_db()
    assert cup.classes == ["R1", "R5"]
    assert "count for them too" in client.get(f"/championships/{cup.key}/edit/").content.decode()


def test_rounds_are_ordered_by_their_days_and_finished_ones_do_not_change(olga, club, cup):
    ana, bo = people(club, 2)
    over = services.add_round(by=olga, championship=cup, rally=finished_rally(club, olga, {ana: (1,), bo: (2,)}))
    late, early = (
        services.add_round(by=olga, championship=cup, rally=make_rally(by=olga, club=club, name=name))
        for name in ("Late", "Early")
    )
    days = {f"day_{late.pk}": "2027-06-01", f"day_{early.pk}": "2027-05-01", f"power_{early.pk}": "2"}
    tampered = {f"day_{over.pk}": "2030-01-01"}
    assert sent(signed_in(olga), cup, "calendar/", **days, **tampered).status_code == 302

    found = [
        (each.number, each.rally.name, each.planned_for, each.power_stage) for each in cup.rounds.order_by("number")
    ]
    assert found == [
        (1, "Rajd Wisły", None, 0),
        (2, "Early", date(2027, 5, 1), 2),
        (3, "Late", date(2027, 6, 1), None),
    ]
    refused = sent(signed_in(olga), cup, "calendar/", **{f"power_{early.pk}": "4"})
    assert refused.status_code == 422 and "stages 1 to 3" in refused.content.decode()
    with pytest.raises(Refused) as refusal:
        services.change_calendar(by=olga, championship=cup, version=None, planned={over.pk: (None, 1)})
    assert refusal.value.field == f"power_{over.pk}"


def test_a_rally_called_off_does_not_use_up_a_dropped_round(olga, club):
    ana, bo = people(club, 2)
    cup = season(club, olga, [ana, bo], rounds=2, points=[10, 6], drop=1)
    gone = make_rally(by=olga, club=club, name="Called off")
    services.add_round(by=olga, championship=cup, rally=gone)
    assert [line.total for line in table(cup).drivers] == [16, 16]
    cancel_rally(by=olga, rally=gone, reason="Snow")
    assert [line.total for line in table(cup).drivers] == [10, 10], "one of two rounds counts"


def test_new_rounds_inherit_settings_and_classes(olga, cup):
    client = signed_in(olga)
    assert sent(client, cup, "rallies/", turn_hours="72", weekends_off="on", quiet_from="22:00", quiet_to="06:30").url
    page = client.get(f"/championships/{cup.key}/rounds/new/").content.decode()
    assert client.post(f"/championships/{cup.key}/rounds/new/", {**typed(page), "name": "Foxwood"}).status_code == 302
    rally = cup.rounds.get().rally
    assert (rally.turn_hours, rally.weekends_count, rally.quiet) == (72, False, (22 * 60, 6 * 60 + 30))
    assert rally.class_names == ["R5", "R2"]


def test_teams_are_renamed_with_their_drivers_and_two_may_swap_names(olga, club, cup):
    (ana,) = people(club, 1)
    north, south, west = registering.name_teams(by=olga, championship=cup, names=["North", "South", "West"])
    registering.register(by=olga, championship=cup, driver=ana, crew="Ana", car_class="R5", team=north)
    client = signed_in(olga)
    names = {f"team_{north.pk}": "South", f"team_{south.pk}": "North", f"team_{west.pk}": ""}
    assert sent(client, cup, "teams/", **names, teams="East\n").status_code == 302
    assert [team.name for team in cup.teams.all()] == ["East", "North", "South"]
    assert cup.registrations.get().team.name == "South"
    for wrong in ({f"team_{north.pk}": "North"}, {"teams": "North"}, {"teams": "A\nA"}, {"teams": "x" * 61}):
        refused = sent(client, cup, "teams/", **wrong)
        assert refused.status_code == 422, wrong
    assert [team.name for team in cup.teams.all()] == ["East", "North", "South"]


def test_a_stale_post_gets_409_and_the_same_post_twice_counts_once(olga, cup):
    client, address = signed_in(olga), f"/championships/{cup.key}/edit/"
    page = typed(client.get(address).content.decode())
    for _twice in range(2):
        assert client.post(address, {**page, "name": "Once"}).status_code == 302
    assert Record.objects.filter(action="championship changed").count() == 1
    stale = client.post(address, {**page, "name": "Late"})
    assert stale.status_code == 409
    assert "Somebody has changed the championship" in stale.content.decode() and "Once" in stale.content.decode()
    cup.refresh_from_db()
    assert cup.name == "Once"
    with pytest.raises(Stale):
        services.change_championship(by=olga, championship=cup, version=0, name="Late", points=cup.points)


def test_only_organisers_change_a_championship(olga, club, cup):
    driver, stranger = signed_in(make_member(club)), signed_in(make_user("Stranger"))
    for page in ("", "classes/", "teams/", "calendar/", "rallies/"):
        address = f"/championships/{cup.key}/edit/{page}"
        assert (driver.get(address).status_code, stranger.get(address).status_code) == (403, 404)
        assert (driver.post(address, {}).status_code, stranger.post(address, {}).status_code) == (403, 404)


@pytest.mark.parametrize("rounds", [2, 6])
def test_the_pages_take_few_queries_whatever_their_size(olga, club, cup, rounds, django_assert_max_num_queries):
    registering.name_teams(by=olga, championship=cup, names=[f"Team {number}" for number in range(rounds)])
    for number in range(rounds):
        rally = make_rally(by=olga, club=club, name=f"Rally {number}")
        services.add_round(by=olga, championship=cup, rally=rally)
    client = signed_in(olga)
    for page in ("", "classes/", "teams/", "calendar/", "rallies/"):
        with django_assert_max_num_queries(12):
            assert client.get(f"/championships/{cup.key}/edit/{page}").status_code == 200
