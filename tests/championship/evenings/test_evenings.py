"""An evening: all agree before a rally moves to minutes, most agree to a pause, and its pages tell what is known."""

import re
from datetime import timedelta

import pytest
from django.test import Client, TestCase

from championship.clubs.models import Club
from championship.evenings.models import Agreement, Question
from championship.evenings.selectors import evening_page, secret_name, stream_versions
from championship.evenings.services import agree, ask, refuse_pace, take_back
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry, Rally
from championship.rallies.services import pause_rally, resume_rally, set_driven_by
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import give_more
from championship.runs.watch.live import SPECTATOR
from tests.championship.rallies.factories import make_rally, organiser_of, started
from tests.championship.runs.evening import in_an_evening
from tests.championship.runs.factories import on_the_road, open_turn
from tests.championship.runs.test_live_streams import ParkingClient
from tests.factories import make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]


def fresh(rally):
    return Rally.objects.select_related("club").get(pk=rally.pk)


def test_a_rally_moves_to_minutes_when_the_last_driver_agrees():
    rally, (ana, bo, cem, dag) = started()
    assert ask(by=organiser_of(rally), rally=rally, subject="minutes") is False
    for entry in (ana, bo, cem):
        assert agree(by=entry.driver, rally=rally, subject="minutes") is False
        assert agree(by=entry.driver, rally=rally, subject="minutes") is False, "twice is once"
    assert not fresh(rally).keeps_seconds
    assert agree(by=dag.driver, rally=rally, subject="minutes") is True
    assert fresh(rally).keeps_seconds
    assert not Question.objects.exists()
    assert not Agreement.objects.exists()
    with pytest.raises(Stale):
        agree(by=dag.driver, rally=rally, subject="minutes")


def test_a_driver_who_has_handed_the_car_over_is_not_asked():
    rally, (ana, *others) = started()
    set_driven_by(by=ana.driver, entry=ana, driven_by=Entry.DrivenBy.CODRIVER)
    ask(by=organiser_of(rally), rally=rally, subject="minutes")
    with pytest.raises(Forbidden):
        agree(by=ana.driver, rally=rally, subject="minutes")
    assert [agree(by=entry.driver, rally=rally, subject="minutes") for entry in others] == [False, False, True]


def test_one_no_keeps_the_rally_as_it_is():
    rally, (ana, bo, *_others) = started()
    ask(by=organiser_of(rally), rally=rally, subject="minutes")
    agree(by=ana.driver, rally=rally, subject="minutes")
    refuse_pace(by=bo.driver, rally=rally)
    assert not Agreement.objects.exists()
    with pytest.raises(Stale):
        refuse_pace(by=bo.driver, rally=rally)
    assert not fresh(rally).keeps_seconds


def test_only_organisers_ask_and_before_the_start_the_rally_moves_at_once():
    rally = make_rally()
    with pytest.raises(Forbidden):
        ask(by=make_member(rally.club), rally=rally, subject="minutes")
    assert ask(by=organiser_of(rally), rally=rally, subject="minutes") is True
    assert fresh(rally).keeps_seconds
    with pytest.raises(Stale):
        ask(by=organiser_of(rally), rally=rally, subject="minutes")
    assert ask(by=organiser_of(rally), rally=rally, subject="hours") is True


def test_most_of_those_present_pause_and_go_on_and_end_the_evening(at):
    run, entries = in_an_evening("Ana", "Bo", "Cem")
    rally = run.special_stage.rally
    Seat.objects.filter(run=run).update(seen_open_at=clock.now())
    ana, bo, _cem = entries
    assert agree(by=ana.driver, rally=rally, subject="pause") is False
    take_back(by=ana.driver, rally=rally, subject="pause")
    assert agree(by=bo.driver, rally=rally, subject="pause") is False
    assert agree(by=ana.driver, rally=rally, subject="pause") is True
    assert fresh(rally).paused_at == clock.now()
    with pytest.raises(Stale):
        agree(by=ana.driver, rally=rally, subject="pause")
    agree(by=ana.driver, rally=rally, subject="resume")
    assert agree(by=bo.driver, rally=rally, subject="resume") is True
    ask(by=organiser_of(rally), rally=rally, subject="hours")
    Seat.objects.filter(run=run).exclude(entry=ana).update(seen_open_at=None)
    assert agree(by=ana.driver, rally=rally, subject="hours") is True, "only Ana is left"
    assert not fresh(rally).keeps_seconds


def test_in_hours_nobody_asks_for_a_pause():
    rally, (ana, *_others) = started()
    for subject in ("pause", "resume", "ready", "nonsense"):
        with pytest.raises(Stale):
            agree(by=ana.driver, rally=rally, subject=subject)


# Pages ------------------------------------------------------------------------------------------------


def test_the_whole_way_by_the_buttons_of_the_page():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    desk, page = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/evening/"
    form = {"way": "turn", "turn": 45, "bank": 600, "added": 20, "cap": 0, "periods": 3, "grace": 20}
    wrong = desk.post(f"{page}pace/", {**form, "turn": 5})
    assert wrong.status_code == 422
    assert 'value="5"' in wrong.content.decode()
    assert desk.post(f"{page}pace/", form).status_code == 302
    assert "0:45 minutes a turn" in desk.get(page).content.decode()
    assert desk.post(f"{page}do/ask-minutes/").status_code == 302
    assert "0 of 2 agree" in Client().get(page).content.decode()
    assert Client().post(f"{page}do/agree-minutes/").status_code == 302
    assert desk.post(f"{page}do/agree-minutes/").status_code == 403
    with TestCase.captureOnCommitCallbacks(execute=True):
        for entry in (ana, bo):
            assert signed_in(entry.driver).post(f"{page}do/agree-minutes/").status_code == 302
    assert fresh(rally).keeps_seconds
    text = signed_in(bo.driver).get(page).content.decode()
    assert f'data-live="{page}live/"' in text
    before = open_turn(run)
    own, other = (ana, bo) if before.seat.entry_id == ana.pk else (bo, ana)
    offered = ["Give a minute more" in signed_in(each.driver).get(page).content.decode() for each in (own, other)]
    assert offered == [False, True], "nobody gives their own car more time"
    Turn.objects.filter(pk=before.pk).update(time_up_at=clock.now())
    assert "Time is over. Give more, or the codriver drives." in desk.get(page).content.decode()
    Turn.objects.filter(pk=before.pk).update(time_up_at=None)
    seen = {"seen": before.deadline.isoformat()}
    assert signed_in(other.driver).post(f"/runs/{run.key}/more/", seen).status_code == 302
    assert signed_in(other.driver).post(f"/runs/{run.key}/more/", seen).status_code == 409
    assert signed_in(other.driver).post(f"/runs/{run.key}/more/", {"seen": "x" * 500}).status_code in (302, 422)
    assert signed_in(ana.driver).post(f"{page}do/ready/").status_code == 302
    assert "Not ready after all" in signed_in(ana.driver).get(page).content.decode()
    assert desk.post(f"{page}do/pause-now/").status_code == 302
    assert desk.post(f"{page}do/pause-now/").status_code == 409
    assert desk.post(f"{page}do/resume-now/").status_code == 302
    assert desk.post(f"{page}do/nonsense/").status_code == 404


def test_the_board_needs_no_account_and_for_members_only_a_secret_address():
    run, _entries = in_an_evening("Ana", "Bo")
    rally = run.special_stage.rally
    drives = open_turn(run).seat.entry.crew  # the order is drawn at random
    open_board, secret = f"/rallies/{rally.key}/evening/board/", f"/evenings/{secret_name(rally)}/"
    assert drives in Client().get(open_board).content.decode()
    assert "data-until" in Client().get(open_board).content.decode()
    Club.objects.filter(pk=rally.club_id).update(visibility=Club.Visibility.MEMBERS)
    assert Client().get(open_board).status_code in (302, 403, 404)
    assert signed_in(make_user()).get(open_board).status_code == 404
    assert drives in Client().get(secret).content.decode()
    assert Client().get("/evenings/x:y/").status_code == 404
    assert secret in signed_in(organiser_of(rally)).get(f"/rallies/{rally.key}/evening/").content.decode()


def test_the_page_names_who_is_missing_and_the_table_that_waits_longest(at):
    run, (here, missing) = in_an_evening("Ana", "Bo")
    rally = fresh(run.special_stage.rally)
    Seat.objects.filter(entry=here).update(seen_open_at=clock.now())
    shown = evening_page(rally, SPECTATOR)
    assert [person.entry.crew for person in shown.missing] == [missing.crew]
    assert shown.slowest is None, "one table is not slow"
    assert shown.tables[0].until == open_turn(run).deadline


def test_the_stream_of_an_evening_moves_with_what_is_agreed(at):
    run, (ana, _bo) = in_an_evening("Ana", "Bo")
    topic = f"rally {run.special_stage.rally.key}"
    before = stream_versions([topic])
    assert stream_versions([topic]) == before
    agree(by=ana.driver, rally=run.special_stage.rally, subject="ready")
    assert stream_versions([topic]) != before
    assert stream_versions(["run x"]) == {}


def test_the_stream_says_nothing_of_runs_that_share_their_draws(at):
    run, (ana, bo) = in_an_evening("Ana", "Bo")
    Run.objects.filter(pk=run.pk).update(common=b"x" * 32)
    topic = f"rally {run.special_stage.rally.key}"
    before = stream_versions([topic])
    turn = open_turn(run)
    give_more(by=(bo if turn.seat.entry_id == ana.pk else ana).driver, run=run)
    assert open_turn(run).deadline != turn.deadline
    assert stream_versions([topic]) == before


def test_a_stream_is_for_a_rally_that_is_driven_in_minutes(at):
    run, _entries = in_an_evening("Ana", "Bo")
    rally, client = run.special_stage.rally, ParkingClient()
    assert client.get(f"/rallies/{rally.key}/evening/live/").status_code == 200
    boards = (f"/rallies/{rally.key}/evening/board/", f"/evenings/{secret_name(rally)}/")
    streams = [re.search(r'data-live="([^"]+)"', Client().get(board).text) for board in boards]
    assert [client.get(stream[1]).status_code for stream in streams if stream] == [200, 200]
    assert client.get("/evenings/nobody:knows/live/").status_code == 404
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.CANCELLED)
    assert client.get(f"/rallies/{rally.key}/evening/live/").status_code == 204
    other, _entries = on_the_road("Cem", "Dag")
    assert client.get(f"/rallies/{other.special_stage.rally.key}/evening/live/").status_code == 204


def test_the_secret_address_ends_a_day_after_the_rally(at):
    run, _entries = in_an_evening("Ana", "Bo")
    rally = run.special_stage.rally
    secret = f"/evenings/{secret_name(rally)}/"
    Club.objects.filter(pk=rally.club_id).update(visibility=Club.Visibility.MEMBERS)
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.FINISHED, finished_at=clock.now())
    assert Client().get(secret).status_code == 200
    at(clock.now() + timedelta(days=1, seconds=1))
    assert Client().get(secret).status_code == 404
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.CANCELLED, finished_at=None)
    assert Client().get(secret).status_code == 404


def test_who_wanted_an_earlier_pause_does_not_want_the_next_one(at):
    run, (ana, bo, _cem) = in_an_evening("Ana", "Bo", "Cem")
    rally = run.special_stage.rally
    Seat.objects.filter(run=run).update(seen_open_at=clock.now())
    agree(by=ana.driver, rally=rally, subject="pause")
    at(clock.now() + timedelta(seconds=1))
    pause_rally(by=organiser_of(rally), rally=rally, reason="Pizza")
    at(clock.now() + timedelta(seconds=1))
    resume_rally(by=organiser_of(rally), rally=rally)
    at(clock.now() + timedelta(seconds=1))
    assert evening_page(fresh(rally), SPECTATOR).want_change == 0
    assert agree(by=bo.driver, rally=rally, subject="pause") is False
    assert fresh(rally).paused_at is None


def test_drivers_do_not_end_a_pause_that_organisers_began(at):
    run, (ana, bo) = in_an_evening("Ana", "Bo")
    rally = run.special_stage.rally
    Seat.objects.filter(run=run).update(seen_open_at=clock.now())
    pause_rally(by=organiser_of(rally), rally=rally, reason="Scrutineering")
    page = f"/rallies/{rally.key}/evening/"
    for entry in (ana, bo):
        shown = signed_in(entry.driver).get(page).text
        assert "The organisers end this pause." in shown
        assert "I want to go on" not in shown
        assert "Give a minute more" not in shown, "no time counts"
    for entry in (ana, bo):
        with pytest.raises(Refused, match="Organisers"):
            agree(by=entry.driver, rally=rally, subject="resume")
    assert fresh(rally).paused_at is not None


@pytest.mark.parametrize("cars", [2, 4])
def test_the_page_takes_as_many_queries_for_many_cars_as_for_few(cars, django_assert_max_num_queries, at):
    run, _entries = in_an_evening(*("Ana", "Bo", "Cem", "Dag")[:cars])
    rally = fresh(run.special_stage.rally)
    with django_assert_max_num_queries(20):
        evening_page(rally, SPECTATOR)


def test_the_page_says_whose_turn_it_is_to_that_driver_only():
    run, entries = in_an_evening("Ana", "Bo")
    first = open_turn(run).seat.entry
    for entry in entries:
        page = signed_in(entry.driver).get(f"/rallies/{run.special_stage.rally.key}/evening/").text
        assert ("<title>Your turn" in page.replace("(1) ", "")) == (entry == first)
        assert ("It is your turn." in page) == (entry == first)
