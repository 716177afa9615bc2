"""What leagues do besides the usual scheme: half points, bonuses, transfers, points by hand, drivers who leave."""

from importlib import import_module

import pytest
from django.apps import apps
from django.test import Client
from django.utils import translation

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.seasons import records, services
from championship.seasons.models import Adjustment, Championship
from championship.seasons.schemes import Scheme, checked
from championship.seasons.selectors import table
from championship.seasons.services import adjusting, nominating, registering
from championship.seasons.services.adjusting import RoundScoring
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import finished_rally, people, season, typed
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def totals(made) -> dict[str, float]:
    return {str(line.who): line.total for line in table(Championship.objects.get(pk=made.pk)).drivers}


def team_totals(made) -> dict[str, float]:
    return {str(line.who): line.total for line in table(Championship.objects.get(pk=made.pk)).teams}


def address(made, rest: str = "") -> str:
    return f"{made.get_absolute_url()}{rest}"


# Points to a hundredth, factors, bonuses --------------------------------------------------------------


def test_half_points_are_shown_in_the_readers_way_of_writing(olga, club) -> None:
    ana, bo = people(club, 2)
    made = season(club, olga, [ana, bo], rounds=1, points=[9, 6.5])
    rounds = list(made.rounds.all())
    adjusting.change_round_scoring(
        by=olga, championship=made, version=0, scoring={rounds[0].pk: RoundScoring(factor=50)}
    )
    assert totals(made) == {str(ana): 4.5, str(bo): 3.25}
    assert "<strong>4.5</strong>" in Client().get(address(made)).text
    with translation.override("de"):
        german = Client().get(address(made), headers={"accept-language": "de"}).text
    assert "<strong>4,5</strong>" in german and "9 – 6,5" in german
    assert "× 0.5" in Client().get(address(made, f"drivers/{ana.pk}/")).text
    csv = Client().get(address(made, "standings.csv")).text
    assert f"1,{ana},4.5,1,4.5" in csv


def test_a_round_may_have_points_of_its_own_and_name_who_gets_a_bonus(olga, club) -> None:
    ana, bo = people(club, 2)
    further = {"bonus": {"fastest_lap": {"points": 1, "within": 1}, "stage_win": {"points": 0.5}}}
    made = season(club, olga, [ana, bo], rounds=2, points=[10, 6], further=further)
    assert totals(made) == {str(ana): 16.5, str(bo): 16.5}, "each has won a stage"
    first, second = made.rounds.order_by("number")
    page = signed_in(olga).get(address(made, "edit/points/")).text
    sent = typed(page) | {
        f"points_{second.pk}": "20 8,5", f"fastest_lap_by_{first.pk}": ana.pk, f"fastest_lap_by_{second.pk}": ana.pk,
    }  # fmt: skip
    assert signed_in(olga).post(address(made, "edit/points/"), sent).status_code == 302
    assert totals(made) == {str(ana): 10 + 1 + 0.5 + 8.5, str(bo): 6 + 20 + 0.5}, "only the winner's fastest lap counts"
    assert Record.objects.filter(action="points of rounds changed").count() == 1
    wrong = signed_in(olga).post(address(made, "edit/points/"), sent | {f"points_{second.pk}": "20 many"})
    assert wrong.status_code == 422 and "Write numbers with blanks" in wrong.text and "20 many" in wrong.text
    stranger = make_member(club, name="Cem")
    with pytest.raises(Refused) as refusal:
        adjusting.change_round_scoring(
            by=olga, championship=made, version=None, scoring={first.pk: RoundScoring(pole_by=stranger.pk)}
        )
    assert refusal.value.field == f"pole_by_{first.pk}"


@pytest.mark.parametrize(
    ("further", "path"),
    [
        ({"drops": {"best": 0}}, "drops.best"),
        ({"bonus": {"beauty": {"points": 1}}}, "bonus.beauty"),
        ({"colour": 1}, "colour"),
        ({"teams": {"how": "luck"}}, "teams.how"),
    ],
)
def test_what_no_scheme_can_say_is_refused_with_its_path(further, path) -> None:
    with pytest.raises(Refused) as refusal:
        checked(points=[1], further=further)
    assert refusal.value.field == "further" and path in str(refusal.value.message)


def test_the_form_says_everything_and_keeps_what_it_has_no_field_for(olga, club) -> None:
    ana, bo = people(club, 2)
    made = season(club, olga, [ana, bo], rounds=2, points=[10, 6], further={"games": {}, "divisions": {"names": ["A"]}})
    page = signed_in(olga).get(address(made, "edit/")).text
    sent = typed(page) | {
        "points_1": "12,5",
        "participation": "0.5",
        "parts": "1-1: 1, 2-2: 1",
        "bonus_pole": "2",
        "within_pole": "3",
        "shared_pole": "divide",
        "start": "0,25",
        "equal_divide": "on",
        "never": "2, 1,2",
        "together": "3-4, 1-2",
        "nominated": "1",
        "joker": "2,5",
        "sizes": "2: 5 2,5\n 6: 20 12;5",
        "least_starts": "3",
        "better_car": "on",
        "tie_breaks_without": "1",
        "guests_keep": "on",
        "team_how": "rerank",
    }
    sent.pop("team_power")
    assert signed_in(olga).post(address(made, "edit/"), sent).status_code == 302
    made.refresh_from_db()
    assert made.points == [12.5, 6]
    parts = [{"rounds": [number, number], "best": 1} for number in (1, 2)]
    assert made.further == {
        "version": 1,
        "divisions": {"names": ["A"]},
        "games": {},
        "bonus": {"pole": {"points": 2, "within": 3, "shared": "divide"}},
        "participation": 0.5,
        "start": 0.25,
        "equal_places": "divide",
        "drops": {"parts": parts, "never": [1, 2], "together": [[1, 2], [3, 4]]},
        "nominated": 1,
        "joker": 2.5,
        "sizes": [{"cars": 2, "points": [5, 2.5]}, {"cars": 6, "points": [20, 12, 5]}],
        "least_starts": 3,
        "two_cars": "best",
        "tie_breaks_without": [1],
        "guests": "keep the place",
        "teams": {"how": "rerank", "power": False},
    }
    again = typed(signed_in(olga).get(address(made, "edit/")).text)
    assert (again["points_1"], again["parts"], again["bonus_pole"]) == ("12.5", "1-1: 1, 2-2: 1", "2")
    assert (again["together"], again["joker"], again["sizes"]) == ("1-2, 3-4", "2.5", "2: 5; 2.5\n6: 20; 12; 5")
    assert signed_in(olga).post(address(made, "edit/"), again).status_code == 302
    assert Championship.objects.get(pk=made.pk).further == made.further
    shown = Client().get(address(made)).text
    assert "Bonus points, pole position: 2, only for the first 3 places. Several who have it divide them." in shown
    assert f"{ana}, place 1, has not started enough rounds" in shown
    assert "One round too few was started" in Client().get(address(made, f"drivers/{ana.pk}/")).text
    assert "A driver plays a joker in 1 round: it counts × 2.5, not for a team." in shown
    assert "Rounds 3 to 4 are counted and dropped as one." in shown and "With 6 cars or more: 20 – 12 – 5." in shown
    assert "These rounds are never dropped: 1, 2." in shown and "Tie-breaks do not look at these rounds: 1." in shown
    assert Scheme.read({"points": made.points, "further": made.further}).rules().guests == "keep the place"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("together", "1-1", "Write rounds like 1-2, 3-5."),
        ("together", "1-3, 3-4", "A round belongs to one meeting only."),
        ("sizes", "6 cars: 10", "Write lines like 6: 10 8 6."),
        ("sizes", "6: 8 10", "No place may give more points than the one before."),
        ("joker", "2", "Say also how many rounds drivers nominate."),
        ("joker", "11", "10"),
    ],
)
def test_a_slip_of_the_pen_stays_in_the_form_with_what_to_write(olga, club, field, value, said) -> None:
    made = services.create_championship(by=olga, club=club, name="Cup")
    client = signed_in(olga)
    sent = typed(client.get(address(made, "edit/")).text) | {field: value}
    answer = client.post(address(made, "edit/"), sent)
    assert answer.status_code == 422 and said in answer.text and value in answer.text
    made.refresh_from_db()
    assert made.further == {}


def test_a_joker_and_the_number_of_cars_stand_beside_the_points_that_they_made(olga, club) -> None:
    ana, bo, cem = people(club, 3)
    further = {"nominated": 2, "joker": 2, "sizes": [{"cars": 3, "points": [12, 7, 3]}]}
    made = season(club, olga, [ana, bo, cem], rounds=1, points=[10, 6], further=further)
    two = finished_rally(club, olga, {ana: (200,), bo: (210,)})
    services.add_round(by=olga, championship=made, rally=two)
    mine = registering.register(by=olga, championship=made, driver=ana, crew="Ana")
    nominating.nominate(by=olga, registration=mine, rounds=[each.pk for each in made.rounds.all()])
    assert totals(made) == {str(ana): 2 * (12 + 10), str(bo): 7 + 6, str(cem): 3}
    fewer = further | {"nominated": 1}
    services.change_championship(by=olga, championship=made, name="Season", points=[10, 6], further=fewer)
    assert totals(made) == {str(ana): 2 * 12 + 10, str(bo): 7 + 6, str(cem): 3}
    page = Client().get(address(made, f"drivers/{ana.pk}/")).text
    assert page.count("points for 3 cars or more") == 1 and page.count(">joker<") == 1 and page.count("× 2<") == 1
    assert "not nominated" not in page
    other = Client().get(address(made, f"drivers/{bo.pk}/")).text
    assert "points for 3 cars or more" in other and ">joker<" not in other and "× 2<" not in other


# Teams ------------------------------------------------------------------------------------------------


def entered(club, olga, made, drivers):
    rally = finished_rally(club, olga, {driver: (200 + 10 * at,) for at, driver in enumerate(drivers)})
    return services.add_round(by=olga, championship=made, rally=rally)


def test_a_transfer_counts_from_the_next_round_on(olga, club) -> None:
    ana, bo = people(club, 2)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 6], team_counts=1)
    red, blue = registering.name_teams(by=olga, championship=made, names=["Red", "Blue"])[::-1]
    assert (red.name, blue.name) == ("Red", "Blue")
    for driver, team in ((ana, red), (bo, blue)):
        registering.register(by=olga, championship=made, driver=driver, crew="Crew", team=team)
    entered(club, olga, made, [ana, bo])
    assert team_totals(made) == {"Red": 10, "Blue": 6}
    registering.register(by=olga, championship=made, driver=ana, crew="Crew", team=blue)
    assert team_totals(made) == {"Red": 10, "Blue": 6}
    entered(club, olga, made, [ana, bo])
    assert team_totals(made) == {"Red": 10, "Blue": 16}
    registering.change_teams(by=olga, championship=made, names={red.pk: "Blue", blue.pk: "Red"})
    assert team_totals(made) == {"Blue": 10, "Red": 16}, "names are exchanged, points are not"
    page = Client().get(address(made, f"teams/{blue.pk}/")).text
    assert f"{ana}, place 1: 10" in page and f"{bo}, place 2: 6 (does not count)" in page


def test_an_entry_gets_the_team_of_the_registration_and_follows_it_until_the_start(olga, club) -> None:
    (ana,) = people(club, 1)
    made = services.create_championship(by=olga, club=club, name="Cup")
    red, blue = registering.name_teams(by=olga, championship=made, names=["Red", "Blue"])[::-1]
    registering.register(by=olga, championship=made, driver=ana, crew="Crew", team=red)
    round = services.add_round(by=olga, championship=made, rally=make_rally(by=olga, club=club, stages=["1/3"]))
    entry = rallies.enter_rally(by=ana, rally=round.rally, crew="Ana")
    assert entry.team == "Red"
    registering.register(by=olga, championship=made, driver=ana, crew="Crew", team=blue)
    entry.refresh_from_db()
    assert entry.team == "Blue"


def test_seasons_under_way_keep_their_teams_when_they_are_migrated(olga, club) -> None:
    ana, bo, cem = people(club, 3)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 6, 4], team_counts=1)
    (red,) = registering.name_teams(by=olga, championship=made, names=["Red"])
    for driver, team in ((ana, red), (bo, None)):
        registering.register(by=olga, championship=made, driver=driver, crew="Crew", team=team)
    over = entered(club, olga, made, [ana, bo, cem])
    to_come = make_rally(by=olga, club=club, stages=["1/3"])
    services.add_round(by=olga, championship=made, rally=to_come)
    rallies.enter_for(by=olga, rally=to_come, wanted=[rallies.EntryRequest(ana, "Ana")])
    Entry.objects.update(team=None)  # as the release before wrote them
    import_module("championship.seasons.migrations.0004_teams_of_entries").keep_teams(apps, None)
    kept = dict(Entry.objects.filter(rally=over.rally).values_list("driver", "team"))
    assert kept == {ana.pk: "Red", bo.pk: "", cem.pk: None}
    assert Entry.objects.get(rally=to_come).team is None
    assert team_totals(made) == {"Red": 10}


# Points by hand ---------------------------------------------------------------------------------------


def test_points_by_hand_are_signed_shown_and_withdrawable(olga, club) -> None:
    ana, bo = people(club, 2)
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    made = season(club, olga, [ana, bo], rounds=1, points=[10, 6])
    page = signed_in(sten).get(address(made, "by-hand/")).text
    sent = typed(page) | {"who": f"driver {ana.pk}", "points": "-4,5", "reason": "Blocked the road."}
    assert signed_in(sten).post(address(made, "by-hand/"), sent).status_code == 302
    assert signed_in(sten).post(address(made, "by-hand/"), sent).status_code == 422, "not twice from one page"
    assert totals(made) == {str(bo): 6, str(ana): 5.5}
    shown = Client().get(address(made, f"drivers/{ana.pk}/")).text
    assert "10 from the rounds, the rest by hand." in shown and "−4.5" in shown and "Blocked the road." in shown
    assert "Sten" in Client().get(address(made, "by-hand/")).text
    (place,) = records.record_of(club, ana).seasons
    assert (place.line.total, place.line.place) == (5.5, 2), "the driver's own page has the same table"
    given = Adjustment.objects.get()
    for who, status in ((ana, 403), (sten, 302), (sten, 302)):
        assert signed_in(who).post(address(made, f"by-hand/{given.pk}/withdraw/")).status_code == status
    assert totals(made) == {str(ana): 10, str(bo): 6}
    acts = Record.objects.filter(action__contains="by hand").order_by("pk")
    assert [each.action for each in acts] == ["points given by hand", "points by hand withdrawn"]
    assert acts[0].details["given_points"] == "-4.5"


def test_points_by_hand_need_an_official_a_reason_and_somebody_of_the_season(olga, club) -> None:
    ana, bo = people(club, 2)
    made = season(club, olga, [ana], rounds=1)
    for wrong, field in (
        ({"points": 0}, "points"),
        ({"reason": " "}, "reason"),
        ({"driver": bo}, "who"),
        ({"driver": None}, "who"),
    ):
        with pytest.raises(Refused) as refusal:
            adjusting.give_points(
                by=olga, championship=made, **{"driver": ana, "points": 100, "reason": "Fair"} | wrong
            )
        assert refusal.value.field == field
    with pytest.raises(Forbidden):
        adjusting.give_points(by=ana, championship=made, driver=ana, points=100, reason="Fair")
    with pytest.raises(Stale):
        adjusting.give_points(by=olga, championship=made, driver=ana, points=100, reason="Fair", version=7)
    assert not Adjustment.objects.exists()


# Leaving ----------------------------------------------------------------------------------------------


def test_who_leaves_the_season_leaves_from_now_on(olga, club, at) -> None:
    at("2026-05-05T12:00")
    ana, bo = people(club, 2)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 6], registered_only=True)
    for driver in (ana, bo):
        registering.register(by=olga, championship=made, driver=driver, crew="Crew", start_number=driver.pk % 900 + 1)
    entered(club, olga, made, [ana, bo])
    at("2026-06-05T12:00")
    mine = made.registrations.get(driver=ana)
    registering.withdraw_registration(by=ana, registration=mine)
    assert totals(made) == {str(ana): 10, str(bo): 6}, "the past stays"
    at("2026-07-05T12:00")
    entered(club, olga, made, [ana, bo])
    assert totals(made) == {str(ana): 10, str(bo): 16}, "Ana scores no more, and Bo moves up"
    shown = signed_in(ana).get(address(made, "registrations/")).text
    assert "1 driver<" in shown and ">Register</button>" in shown
    registering.register(by=ana, championship=made, driver=ana, crew="Crew")
    assert totals(made) == {str(ana): 20, str(bo): 12}, "and is back as if never gone"


# Trying -----------------------------------------------------------------------------------------------


def test_another_scheme_is_tried_on_the_results_and_nothing_is_written(olga, club) -> None:
    ana, bo, cem = people(club, 3)
    made = services.create_championship(by=olga, club=club, name="Cup", points=[10, 9, 8])
    for order in ((ana, bo, cem), (bo, cem, ana), (bo, cem, ana), (ana, bo, cem)):
        entered(club, olga, made, order)
    before = Championship.objects.values().get(pk=made.pk)
    page = Client().get(address(made, "try/?as=small+club"))
    assert page.status_code == 200 and "▲" not in page.text
    places = {f"points_{place}": "" for place in range(3, 11)}
    own = Client().post(
        address(made, "try/"), typed(page.text) | places | {"points_1": "100", "points_2": "1", "drop": "3"}
    )
    assert own.status_code == 200, own.text[:500]
    assert "<strong>100</strong>" in own.text
    assert Championship.objects.values().get(pk=made.pk) == before
