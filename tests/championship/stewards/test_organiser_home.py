"""An organiser's own first page, and the desk's list of entries."""

from datetime import timedelta

import pytest

from championship.clubs.models import Role
from championship.clubs.services import moderation, public_profile
from championship.rallies import services
from championship.rallies.models import Entry
from championship.rallies.results.selectors import results_of
from championship.runs.models import Seat
from championship.stewards import services as stewards
from championship.stewards.organiser_home import overview_of
from tests.championship.rallies.factories import drive, enter, make_rally, organiser_of, started
from tests.championship.rallies.followers import nobody_follows
from tests.championship.runs.factories import on_the_road
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def test_everything_that_waits_in_ones_clubs_is_on_one_page(django_assert_num_queries):
    run, entries = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    olga, club = organiser_of(rally), rally.club
    steward = make_member(club, name="Stu", roles=[Role.STEWARD])
    stewards.file_protest(by=entries[0].driver, rally=rally, against=entries[1], text="He cut the bend.")
    public_profile.request_to_join(by=make_user("Newcomer"), club=club)
    moderation.report(by=entries[0].driver, club=club, page="", text="Fool", reason="An insult")

    page = signed_in(olga).get("/organising/").text
    for said in (rally.name, "Newcomer", f"/clubs/{club.slug}/reports/"):
        assert said in page
    assert "/protests/" in signed_in(steward).get("/organising/").text
    assert rally.name not in signed_in(make_user()).get("/organising/").text
    assert "/organising/" in signed_in(olga).get("/clubs/").text
    assert signed_in(olga).get("/")["Location"] == "/organising/"
    assert signed_in(entries[0].driver).get("/")["Location"] == "/turns/"
    with django_assert_num_queries(10):
        overview_of(olga)


def test_paused_rallies_and_stages_to_be_started_wait_for_an_organiser():
    rally, (ana, bo) = started("Ana", "Bo", options={"checkpoints": False}, auto_start=False)
    olga = organiser_of(rally)
    (ahead,) = overview_of(olga).on_the_road
    assert (ahead.times_in, ahead.starters, ahead.waits) == (0, 2, False)
    assert "0 of 2 cars are in." in signed_in(olga).get("/organising/").text
    drive(rally, 1, {ana: 200, bo: 210})
    assert [each.act for each in overview_of(olga).waiting] == ["Start stage 2"]
    services.pause_rally(by=olga, rally=rally, reason="Snow")
    assert "It is paused: let it go on." in signed_in(olga).get("/organising/").text
    assert 'href="/organising/"' in signed_in(olga).get("/turns/").text
    assert 'href="/organising/"' not in signed_in(ana.driver).get("/turns/").text


def test_the_desk_searches_filters_and_exports_entries():
    rally = make_rally()
    entries = enter(rally, *(f"Crew {number}" for number in range(1, 10)), "Ana Eva")
    Entry.objects.filter(pk=entries[9].pk).update(crew="=Ana / Eva")
    services.set_driven_by(by=entries[0].driver, entry=entries[0], driven_by=Entry.DrivenBy.CODRIVER)
    client, desk = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/"
    assert all(entry.crew in client.get(desk).text for entry in entries[:9])
    found = client.get(desk, {"q": "eva"}).text
    assert "Ana / Eva" in found
    assert "Crew 2" not in found
    assert "Crew 2" not in client.get(desk, {"only": "codriver"}).text
    assert "No entry matches" in client.get(desk, {"only": "refused", "q": "\x00" * 300}).text
    table = client.get(f"{desk}entries.csv", {"q": "ana"})
    assert "'=Ana / Eva" in table.text
    assert len(table.text.splitlines()) == 2
    assert signed_in(entries[0].driver).get(f"{desk}entries.csv").status_code == 403


def test_a_car_that_the_codriver_had_from_the_start_is_marked_in_results(monkeypatch):
    rally = make_rally()
    ana, bo = enter(rally, "Ana", "Bo")
    services.set_driven_by(by=ana.driver, entry=ana, driven_by=Entry.DrivenBy.CODRIVER)
    nobody_follows(monkeypatch)
    services.start_rally(by=organiser_of(rally), rally=rally)
    drive(rally, 1, {ana: 100, bo: 110})
    rally.refresh_from_db()
    first, second = results_of(rally).stage_lines(1)
    assert [change.in_words for change in first.remarks.changes] == ["codriver"]
    assert second.remarks.changes == ()


def test_a_car_taken_over_in_the_middle_of_the_first_stage_is_shown_as_a_change():
    rally = make_rally()
    ana, bo = enter(rally, "Ana", "Bo")
    services.start_rally(by=organiser_of(rally), rally=rally)
    services.set_driven_by(by=ana.driver, entry=ana, driven_by=Entry.DrivenBy.CODRIVER)
    drive(rally, 1, {ana: 100, bo: 110})
    rally.refresh_from_db()
    first, _second = results_of(rally).stage_lines(1)
    assert [change.in_words for change in first.remarks.changes] == ["from stage 1 driven by the codriver"]


def test_a_turn_that_the_codriver_drives_is_not_late(at):
    run, _entries = on_the_road("Ana", "Bo")
    olga, turn = organiser_of(run.special_stage.rally), run.turns.get(ended_at=None)
    at(turn.deadline - timedelta(hours=1))
    assert list(overview_of(olga).late) == [turn]
    Seat.objects.filter(pk=turn.seat_id).update(codriver_since=turn.since)
    assert not overview_of(olga).late
