"""The organiser's board of runs: what it shows, reminders, more time, calling a rally off."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from championship.audit.models import Record
from championship.notices.models import Notice
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs import play as services
from championship.runs.models import Run, Turn
from championship.runs.play.deadline_changes import follow_rally
from championship.runs.play.turn_deadlines import act_on_deadlines
from championship.runs.watch.board import board_of
from championship.runs.watch.selectors import turns_waiting_for
from tests.championship.rallies.factories import enter, make_rally, organiser_of, stage_of, started
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.championship.runs.threads import at_once
from tests.factories import make_member, make_user, signed_in
from tests.moment import told as now

pytestmark = pytest.mark.django_db


def board(rally: Rally):
    rally.refresh_from_db()
    return board_of(rally, stage_of(rally, 1), now())


def nudges(person) -> int:
    return Notice.objects.filter(kind="turn nudged", channel="mail", recipient=person).count()


def more(turn: Turn, **said):
    said = {"hours": 12, "reason": "The ferry is late", "seen": turn.deadline, **said}
    return services.extend_turn(by=organiser_of(turn.seat.entry.rally), turn=turn, **said)


def test_the_board_shows_for_every_run_who_is_to_play_since_when_how_late_and_how_far_behind(at):
    rally, (ana, bo, cem) = started("Ana", "Bo", "Cem", mode="open road")
    runs = {run.seats.get().entry_id: run for run in Run.objects.all()}
    at("2026-11-20T09:00")
    play(runs[bo.pk], bo, **careful_turn(runs[bo.pk]))
    play(runs[bo.pk], bo, **careful_turn(runs[bo.pk]))
    shown = {row.entry.crew: row for each in board(rally).on_the_road for row in each.waiting}
    assert {crew: (row.behind, row.late, row.nudges) for crew, row in shown.items()} == {
        "Ana": (2, True, True),
        "Bo": (0, False, False),
        "Cem": (2, True, True),
    }
    assert shown["Ana"].turn.since < shown["Bo"].turn.since == now()
    assert {each.run for each in board(rally).late} == {runs[ana.pk], runs[cem.pk]}


def test_a_run_is_stuck_when_no_turn_is_open_or_the_clock_did_not_act_on_a_deadline(at):
    rally, (ana, bo) = started("Ana", "Bo", mode="open road")
    assert not any(each.stuck for each in board(rally).on_the_road)
    Turn.objects.filter(seat__entry=ana).update(ended_at=now())
    assert [each.seats[0].entry for each in board(rally).on_the_road if each.stuck] == [ana]
    at("2026-11-20T12:03")
    assert {each.seats[0].entry for each in board(rally).on_the_road if each.stuck} == {ana, bo}
    rallies.pause_rally(by=organiser_of(rally), rally=rally, reason="Flood")
    assert [each.seats[0].entry for each in board(rally).on_the_road if each.stuck] == [ana]


def test_a_driver_is_reminded_once_in_six_hours_and_not_just_after_a_move(at):
    run, entries = on_the_road("Ana", "Bo")
    olga, turn = organiser_of(entries[0].rally), open_turn(run)
    driver = turn.seat.entry.driver
    for moment, works in (("12:59", False), ("13:00", True), ("18:59", False), ("19:00", True)):
        at(f"2026-11-19T{moment}")
        if works:
            services.nudge(by=olga, turn=turn)
        else:
            with pytest.raises(Refused):
                services.nudge(by=olga, turn=turn)
    assert nudges(driver) == Record.objects.filter(action="driver nudged").count() == 2
    play(run, turn.seat.entry, **careful_turn(run))
    with pytest.raises(Stale):
        services.nudge(by=olga, turn=turn)
    with pytest.raises(Forbidden):
        services.nudge(by=driver, turn=open_turn(run))


def test_a_driver_whom_nobody_waits_for_is_not_reminded(at):
    run, _entries = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    entry, olga = turn.seat.entry, organiser_of(turn.seat.entry.rally)
    at("2026-11-19T15:00")
    rallies.pause_rally(by=olga, rally=entry.rally, reason="Flood")
    with pytest.raises(Refused):
        services.nudge(by=olga, turn=turn)
    rallies.resume_rally(by=olga, rally=entry.rally)
    Entry.objects.filter(pk=entry.pk).update(driven_by="codriver")
    with pytest.raises(Refused):
        services.nudge(by=olga, turn=turn)
    assert nudges(entry.driver) == 0


def test_more_time_moves_the_deadline_is_logged_with_the_reason_and_the_driver_is_notified(at):
    run, _entries = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    before, driver = turn.deadline, turn.seat.entry.driver
    at("2026-11-19T20:00")
    assert more(turn).deadline == before + timedelta(hours=12)
    assert Record.objects.get(action="deadline extended").details["reason"] == "The ferry is late"
    assert Notice.objects.get(kind="turn extended", channel="mail").recipient == driver
    at("2026-11-20T13:00")
    assert act_on_deadlines(now=now()) == 0
    at("2026-11-21T00:00")
    assert act_on_deadlines(now=now()) == 1
    with pytest.raises(Stale):
        more(Turn.objects.get(pk=turn.pk))


def test_more_time_is_kept_when_the_pace_changes_and_is_not_saved_in_a_bank(at):
    rally, (ana, *_rest) = started("Ana", timekeeping={"pace": "bank", "bank_hours": 10, "increment_hours": 2})
    run = Run.objects.get()
    more(open_turn(run), hours=5)
    at("2026-11-19T15:00")
    play(run, ana, **careful_turn(run))
    ana.refresh_from_db()
    assert ana.bank_seconds == 9 * 3600
    turn = more(open_turn(run), hours=5)
    left = turn.deadline
    rallies.change_timekeeping(
        by=organiser_of(rally), rally=rally, turn_hours=24, reminder_hours=4, settings={"increment_hours": 3}
    )
    follow_rally(rally=rally)
    assert open_turn(run).deadline == left + timedelta(hours=1)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"hours": 0}, "hours"), ({"hours": 721}, "hours"), ({"reason": " "}, "reason"), ({"reason": "a\nb"}, "reason")],
)
def test_more_time_that_makes_no_sense_is_refused_at_its_field(at, wrong, field):
    run, _entries = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    with pytest.raises(Refused) as refusal:
        more(turn, **wrong)
    assert refusal.value.field == field
    assert open_turn(run).deadline == turn.deadline


def test_more_time_sent_twice_is_given_once(at):
    run, _entries = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    seen = turn.deadline
    more(turn)
    with pytest.raises(Stale):
        more(Turn.objects.get(pk=turn.pk), seen=seen)
    assert open_turn(run).deadline == seen + timedelta(hours=12)


def test_a_rally_called_off_under_way_waits_for_nobody_and_does_not_continue(at):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    olga, rally = organiser_of(ana.rally), ana.rally
    waiting = open_turn(run)
    for _press in range(2):
        services.call_off(by=olga, rally=rally, reason="Snow on the pass")
    run.refresh_from_db()
    rally.refresh_from_db()
    assert (run.status, rally.status, rally.cancel_reason) == ("cancelled", "cancelled", "Snow on the pass")
    assert stage_of(rally, 1).status == SpecialStage.Status.CANCELLED
    assert not turns_waiting_for(waiting.seat.entry.driver)
    at("2026-11-25T12:00")
    assert act_on_deadlines(now=now()) == 0
    assert rallies.close_overdue_time_controls(now=now()) == 0
    with pytest.raises(Stale):
        play(run, waiting.seat.entry, **careful_turn(run))
    told = Notice.objects.filter(kind="rally cancelled", channel="mail").values_list("recipient__name", flat=True)
    assert sorted(told) == sorted([ana.crew, bo.crew])
    assert not Notice.objects.filter(kind="turn waits", status="queued").exists()
    assert Record.objects.get(action="rally cancelled").details["reason"] == "Snow on the pass"
    for page in ("", "stages/1/", "desk/", "desk/runs/"):
        assert "Snow on the pass" in signed_in(olga).get(f"/rallies/{rally.key}/{page}").content.decode(), page
    shown = signed_in(olga).get(run.get_absolute_url()).content.decode()
    assert "Snow on the pass" in shown
    assert "is to play" not in shown


def test_a_rally_called_off_at_time_control_stays_closed(at):
    rally, entries = started("Ana", "Bo")
    for entry in entries:
        rallies.record_stage_time(
            special_stage=stage_of(rally, 1), entry=entry, measure=200, retired=False, detail={"cards_seconds": 200},
            car={"damage": {"gear": 0, "coast": 0, "brake": 0}, "spare": True, "sisu": True},
        )  # fmt: skip
    with pytest.raises(Forbidden):
        services.call_off(by=entries[0].driver, rally=rally, reason="I am losing")
    services.call_off(by=organiser_of(rally), rally=rally, reason="Snow")
    at("2026-12-25T12:00")
    assert rallies.close_overdue_time_controls(now=now()) == 0
    assert stage_of(rally, 2).status == SpecialStage.Status.PLANNED


@pytest.mark.django_db(transaction=True)
def test_a_turn_and_the_cancellation_at_once_leave_no_open_turn():
    run, _entries = on_the_road("Ana", "Bo")
    entry, olga = open_turn(run).seat.entry, organiser_of(open_turn(run).seat.entry.rally)
    orders = careful_turn(run)
    outcomes = at_once(
        lambda: services.play_turn(by=entry.driver, run=run, orders=orders, version=run.version, key="k"),
        lambda: services.call_off(by=olga, rally=entry.rally, reason="Snow"),
    )
    run.refresh_from_db()
    assert run.status == Run.Status.CANCELLED
    assert not run.turns.filter(ended_at=None).exists()
    assert not isinstance(outcomes[1], Refused)


# Over HTTP ---------------------------------------------------------------------------------------


def test_from_the_board_an_organiser_reminds_extends_and_replaces(at):
    run, _entries = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    entry = turn.seat.entry
    rally, eva = entry.rally, make_member(entry.rally.club, name="Eva")
    client, address = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/runs/"
    at("2026-11-19T20:00")
    assert f"{turn.pk}/nudge/" in client.get(address).content.decode()
    assert client.post(f"{address}{turn.pk}/nudge/").url == address
    assert client.post(f"{address}{turn.pk}/nudge/").url == address, "a double click is one"
    assert nudges(entry.driver) == 1
    at("2026-11-19T20:05")
    again = client.post(f"{address}{turn.pk}/nudge/")
    assert again.status_code == 422
    assert "was reminded already" in again.content.decode()
    typed = {"hours": "6", "reason": "Ferry", "seen": turn.deadline.isoformat()}
    assert client.post(f"{address}{turn.pk}/extend/", typed).url == address
    stale = client.post(f"{address}{turn.pk}/extend/", typed)
    assert stale.status_code == 409
    assert 'value="Ferry"' in stale.content.decode()
    assert open_turn(run).deadline == turn.deadline + timedelta(hours=6)
    replace = f"/rallies/{rally.key}/desk/entries/{entry.pk}/replace/"
    typed = {"driver": str(eva.pk), "crew": "", "reason": "Ill", "instead_of": str(entry.driver_id)}
    assert client.post(replace, typed).url == address
    assert open_turn(run).seat.entry.driver == eva
    assert "from stage 1 driven by Eva" in client.get(address).content.decode()
    assert client.post(replace, {**typed, "driver": "codriver", "instead_of": str(eva.pk)}).url == address
    assert Entry.objects.get(pk=entry.pk).driven_by == "codriver"


@pytest.mark.parametrize(
    ("page", "typed"),
    [
        ("runs/{turn}/extend/", {"hours": "", "reason": "Ferry"}),
        ("runs/{turn}/extend/", {"hours": "soon", "reason": "Ferry"}),
        ("runs/{turn}/extend/", {"hours": "9" * 40, "reason": "Ferry"}),
        ("runs/{turn}/extend/", {"hours": "3", "reason": "nul\x00l"}),
        ("entries/{entry}/replace/", {"driver": "", "reason": "Ill"}),
        ("entries/{entry}/replace/", {"driver": "999999", "reason": "Ill"}),
        ("entries/{entry}/replace/", {"driver": "codriver", "reason": ""}),
        ("cancel/", {"reason": ""}),
        ("cancel/", {"reason": "x" * 201}),
    ],
)
def test_nonsense_is_422_at_its_field_and_changes_nothing(page, typed):
    run, _entries = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    entry, rally = turn.seat.entry, turn.seat.entry.rally
    hidden = {"seen": turn.deadline.isoformat(), "instead_of": str(entry.driver_id)}
    address = f"/rallies/{rally.key}/desk/{page.format(turn=turn.pk, entry=entry.pk)}"
    answer = signed_in(organiser_of(rally)).post(address, {**hidden, **typed})
    assert answer.status_code == 422
    assert 'class="errors"' in answer.content.decode()
    rally.refresh_from_db()
    assert (rally.status, open_turn(run).deadline) == ("running", turn.deadline)
    assert Entry.objects.get(pk=entry.pk).driven_by == "person"


def test_the_board_is_for_organisers_and_turns_of_other_rallies_are_404():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    turn, rally, other = open_turn(run), ana.rally, make_rally()
    pages = ["runs/", f"runs/{turn.pk}/extend/", f"entries/{ana.pk}/replace/", "cancel/", "message/", "start-list/"]
    for page in pages:
        assert signed_in(ana.driver).get(f"/rallies/{rally.key}/desk/{page}").status_code == 403, page
        assert signed_in(make_user("Stranger")).get(f"/rallies/{rally.key}/desk/{page}").status_code == 404, page
    client = signed_in(organiser_of(other))
    for page in (f"runs/{turn.pk}/nudge/", f"runs/{turn.pk}/extend/", f"entries/{ana.pk}/replace/"):
        assert client.post(f"/rallies/{other.key}/desk/{page}").status_code == 404, page
    assert client.get(f"/rallies/{other.key}/desk/runs/?stage=9").status_code == 404


def queries_of(client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address)
    assert answer.status_code == 200
    return len(queries)


MOST_BYTES_A_CAR = {"": 3300, "start-list/": 900, "runs/": 1200, "runs/?show=late": 50, "message/": 300}
"""The most bytes that one car may add to a page of the desk. Measured: 3183, 672, 916 and almost 0."""


@pytest.mark.slow
def test_pages_of_the_desk_take_as_many_queries_for_sixty_cars_as_for_ten_and_stay_small():
    counted, sizes = [], []
    for cars in (10, 60):
        rally = make_rally(mode="open road")
        enter(rally, *(f"Driver {number}" for number in range(cars)))
        client, desk = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/"
        looks = {page: queries_of(client, desk + page) for page in ("", "start-list/")}
        size = {page: len(client.get(desk + page).content) for page in looks}
        rallies.start_rally(by=organiser_of(rally), rally=rally)
        under_way = {page: queries_of(client, desk + page) for page in ("runs/", "runs/?show=late", "message/")}
        counted.append(looks | under_way)
        sizes.append(size | {page: len(client.get(desk + page).content) for page in under_way})
        assert client.get(f"{desk}runs/").content.decode().count('class="boardrun') == cars
    assert counted[0] == counted[1]
    assert max(counted[0].values()) <= 20, counted
    a_car = {page: (sizes[1][page] - sizes[0][page]) // 50 for page in sizes[0]}
    assert all(a_car[page] <= most for page, most in MOST_BYTES_A_CAR.items()), (a_car, sizes)


def test_an_open_board_polls_for_news_with_one_query(at, django_assert_num_queries):
    run, _entries = on_the_road("Ana", "Bo")
    client = signed_in(organiser_of(open_turn(run).seat.entry.rally))
    address = f"/rallies/{open_turn(run).seat.entry.rally.key}/desk/runs/"
    main = client.get(address).content.decode().split("<main")[1]
    tag = main.split('data-tag="')[1].split('"')[0].replace("&quot;", '"')
    with django_assert_num_queries(1):
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
    at("2026-11-19T14:00")
    services.nudge(by=organiser_of(open_turn(run).seat.entry.rally), turn=open_turn(run))
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 200


def test_all_who_are_late_are_reminded_with_one_press_and_nobody_twice(at):
    rally, (ana, bo, cem) = started("Ana", "Bo", "Cem", mode="open road")
    runs = {run.seats.get().entry_id: run for run in Run.objects.all()}
    rallies.set_driven_by(by=cem.driver, entry=cem, driven_by="codriver")
    at("2026-11-20T09:00")
    play(runs[bo.pk], bo, **careful_turn(runs[bo.pk]))
    at("2026-11-20T09:30")
    client, path = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/runs/"
    page = client.get(path).text
    assert "Remind the 1 driver who is late" in page
    assert "Turns behind" in page
    assert signed_in(ana.driver).post(f"{path}nudge-late/", {"stage": 1}).status_code == 403
    for _press in range(2):
        assert client.post(f"{path}nudge-late/", {"stage": 1}).status_code == 302
    assert [nudges(entry.driver) for entry in (ana, bo, cem)] == [1, 0, 0]
    assert "Remind the 1 driver" not in client.get(path).text
    assert "No late driver can be reminded now." in client.post(f"{path}nudge-late/", {"stage": "1"}, follow=True).text
