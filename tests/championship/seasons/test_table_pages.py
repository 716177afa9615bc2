"""The championship's pages: matrices with dropped rounds and power stages, the chart, few queries at any size."""

import pytest
from django.test import Client

from championship.clubs.models import Role
from championship.seasons import services
from championship.seasons.services import registering
from championship.stewards import services as stewards
from tests.championship.api.factories import program_of
from tests.championship.seasons.scenes import finished_rally, people, season
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def page(client: Client, made, rest: str = "") -> str:
    response = client.get(f"/championships/{made.key}/{rest}")
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "drivers"), [(2, 3), (4, 6)])
def test_every_table_takes_as_few_queries_at_twice_the_size(olga, club, rounds, drivers, django_assert_max_num_queries):
    crew = people(club, drivers)
    made = season(club, olga, crew, rounds=rounds, classes=["R5", "R2"])
    teams = registering.name_teams(by=olga, championship=made, names=["North", "South"])
    for number, driver in enumerate(crew):
        registering.register(
            by=olga, championship=made, driver=driver, crew="Crew", car_class="R5", team=teams[number % 2]
        )
    for rest in ("", "classes/1/", "classes/2/", "teams/", "progress/", f"progress/?driver={crew[0].pk}"):
        for client in (Client(), signed_in(crew[0])):
            with django_assert_max_num_queries(15):
                page(client, made, rest)


def test_dropped_rounds_are_struck_through_and_explained(olga, club):
    ana, bo = people(club, 2)
    made = season(club, olga, [ana, bo], rounds=3, points=[10, 6], drop=1)

    shown = page(Client(), made)

    assert shown.count('<s>6</s><span class="visually-hidden"> (dropped)</span>') == 2
    assert "the worst round of the calendar does not count" in shown


def test_a_round_with_an_exclusion_counts_on_the_page_in_the_api_and_in_the_csv(olga, club):
    ana, bo, cem = people(club, 3)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 8, 6], drop=1)
    for number in (1, 2, 3):
        rally = finished_rally(club, olga, {ana: (200,), bo: (210,), cem: (220,)}, name=f"Rally {number}")
        services.add_round(by=olga, championship=made, rally=rally)
    first = made.rounds.get(number=1).rally
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    stewards.decide(by=sten, rally=first, kind="exclusion", entry=first.entries.get(driver=ana), text="Loaded dice.")

    shown = page(Client(), made)
    assert "<b>0</b><small>excl.</small>" in shown
    assert "A round from which a driver was excluded is never dropped" in shown
    api, program = f"championships/{made.key}/standings", program_of(bo)
    drivers = program.get(api).json()["drivers"]
    assert [(line["who"]["name"], line["total"]) for line in drivers] == [(bo.name, 18), (cem.name, 14), (ana.name, 10)]
    assert [score["excluded"] for score in drivers[2]["scores"]] == [True, False, False]
    assert [score["dropped"] for score in drivers[2]["scores"]] == [False, True, False]
    assert "0 excluded,10 dropped,10" in program.get(f"{api}.csv").text


def test_points_of_the_power_stage_are_marked(olga, club):
    ana, bo = people(club, 2)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 6], power=[3, 1])
    services.add_round(by=olga, championship=made, rally=finished_rally(club, olga, {ana: (200, 90), bo: (210, 85)}))

    shown = page(Client(), made)

    assert "<b>11</b>" in shown and '<span class="power">PS 1</span>' in shown
    assert "<b>9</b>" in shown and '<span class="power">PS 3</span>' in shown


def test_a_tie_says_what_broke_it(olga, club):
    ana, bo = people(club, 2)
    made = services.create_championship(
        by=olga, club=club, name="Cup", points=[10, 6], power=[4], tie_breaks=["wins", "power points"]
    )
    services.add_round(by=olga, championship=made, rally=finished_rally(club, olga, {ana: (200, 90), bo: (210, 85)}))

    assert f"{bo.name} has as many points as the place before, which has more wins." in page(Client(), made)


def test_a_class_and_the_teams_have_tables_of_their_own(olga, club):
    ana, bo, cem = people(club, 3)
    made = services.create_championship(
        by=olga, club=club, name="Cup", points=[10, 6, 3], class_points=[7, 4], team_counts=1, classes=["R5", "R2"]
    )
    (north,) = registering.name_teams(by=olga, championship=made, names=["North"])
    registering.register(by=olga, championship=made, driver=bo, crew="Bo", car_class="R2", team=north)
    times = {ana: (200,), bo: (210,), cem: (220,)}
    rally = finished_rally(club, olga, times, classes={ana: "R5", bo: "R2", cem: "R2"})
    services.add_round(by=olga, championship=made, rally=rally)

    light = page(Client(), made, "classes/2/")
    assert [name in light for name in (ana.name, bo.name, cem.name)] == [False, True, True]
    assert "<b>7</b>" in light and "<b>4</b>" in light
    assert "<b>6</b>" in page(Client(), made, "teams/")
    assert Client().get(f"/championships/{made.key}/classes/3/").status_code == 404


def test_the_chart_draws_the_leaders_and_the_viewer_or_the_requested_drivers(olga, club):
    crew = people(club, 9)
    made = season(club, olga, crew, rounds=1)

    def drawn(shown: str) -> list[str]:
        return [driver.name for driver in crew if f'<text class="name" x="38" dy="4.6">{driver.name}</text>' in shown]

    assert drawn(page(Client(), made, "progress/")) == [driver.name for driver in crew[:6]]
    assert drawn(page(signed_in(crew[8]), made, "progress/")) == [driver.name for driver in (*crew[:6], crew[8])]
    asked = f"progress/?driver={crew[7].pk}&driver=nonsense&driver=99999999999999999999"
    shown = page(Client(), made, asked)
    assert drawn(shown) == [crew[7].name]
    assert "Points after each round" in shown and '<td class="num">4</td>' in shown, "the numbers are in a table too"


def test_a_championship_without_a_round_has_pages_too(olga, club):
    made = services.create_championship(by=olga, club=club, name="Cup", classes=["R5"])
    for rest in ("", "classes/1/", "teams/", "progress/"):
        assert "begins when the first round is over" in page(Client(), made, rest)


def test_the_table_shows_what_the_last_round_changed(olga, club):
    ana, bo, cem = people(club, 3)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 6, 1])
    first = finished_rally(club, olga, {ana: (200,), bo: (210,), cem: (220,)}, name="Rally of May")
    services.add_round(by=olga, championship=made, rally=first)
    shown = page(Client(), made)
    assert f"{ana.name} leads, 4 points ahead." in shown and "places won" not in shown and "takes the lead" not in shown
    second = finished_rally(club, olga, {ana: (220,), bo: (210,), cem: (200,)}, name="Rally of June")
    services.add_round(by=olga, championship=made, rally=second)
    shown = page(Client(), made)
    told = shown.split('class="last-round"')[1].split("</p>")[0]
    assert "Rally of June" in told and f"{bo.name} takes the lead, 1 point ahead." in told, "12, 11 and 11 points"
    assert f"{bo.name} won 1 place." in told
    rows = {
        name: row
        for name in (ana.name, bo.name, cem.name)
        for row in shown.split("<tr")[2:5]
        if name in row.split("</tr>")[0]
    }
    assert "▲1" in rows[bo.name] and ", 1 place won" in rows[bo.name] and "<small>+6</small>" in rows[bo.name]
    assert "▼1" in rows[ana.name] or "▼2" in rows[ana.name]
    assert "<small>+10</small>" in rows[cem.name]
    for row in rows.values():
        assert row.count("latest") == 1


def test_two_drivers_with_as_many_points_share_the_lead_in_words(olga, club):
    ana, bo = people(club, 2)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 6], tie_breaks=[])
    for number, seconds in enumerate(((200, 210), (210, 200)), 1):
        rally = finished_rally(club, olga, {ana: (seconds[0],), bo: (seconds[1],)}, name=f"Rally {number}")
        services.add_round(by=olga, championship=made, rally=rally)
    told = page(Client(), made).split('class="last-round"')[1].split("</p>")[0]
    assert "share the lead." in told and ana.name in told and bo.name in told
