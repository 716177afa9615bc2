"""When a turn is due, by the rally's pace and the driver's nights, weekends and holidays, and after changes of these.

Every test begins on Thursday 19 November 2026, 12:00 UTC. Warsaw is an hour ahead.
"""

from datetime import UTC, date, datetime, time, timedelta

import pytest

from championship.accounts.services import update_profile
from championship.clubs.services.holidays import end_holiday, take_holiday
from championship.deadlines.services.sweeping import remind
from championship.notices.models import Notice
from championship.notices.services.notice_choices import set_times
from championship.platform import clock
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run, Turn
from championship.runs.play import act_on_deadlines
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import careful_turn, desk_of, on_the_road, open_turn, play

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
NIGHT = {"quiet_from": time(22), "quiet_to": time(7)}


def moment(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
def afterwards(django_capture_on_commit_callbacks):
    """On-commit callbacks run at the end of a `with afterwards():`."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def alone(**how):
    """A run in which Ana drives alone, and her entry."""
    run, (ana,) = on_the_road("Ana", **how)
    return run, ana


def live_in(entry, zone):
    driver = entry.driver
    update_profile(user=driver, name=driver.name, language=driver.language, time_zone=zone)


def holiday(entry, first, last):
    return take_holiday(
        by=entry.driver,
        club=entry.rally.club,
        first_day=date.fromisoformat(first),
        last_day=date.fromisoformat(last),
    )


def change(rally, **settings):
    hours = {"turn_hours": settings.pop("turn_hours", rally.turn_hours), "reminder_hours": rally.reminder_hours}
    return rally_services.change_timekeeping(by=organiser_of(rally), rally=rally, settings=settings, **hours)


# Hours that count -------------------------------------------------------------------------------------


def test_the_night_of_the_drivers_zone_does_not_count_and_the_page_says_so(at, afterwards):
    run, ana = alone(turn_hours=24, timekeeping=NIGHT)
    assert open_turn(run).deadline == moment("2026-11-20T21:00"), "24 of the hours from 7:00 to 22:00 in UTC"
    with afterwards():
        live_in(ana, "Asia/Tokyo")
    play(run, ana, **careful_turn(run))
    turn = open_turn(run)
    assert turn.deadline == moment("2026-11-21T06:00"), "one hour is left of the day in Tokyo, then 15, then 8"
    assert turn.reasons == ["quiet"]
    page = desk_of(ana).get(run.get_absolute_url()).content.decode()
    assert "Not counted: quiet hours." in page
    assert "Not counted: quiet hours." in desk_of(ana).get("/turns/").content.decode()


def test_the_weekend_does_not_count_where_the_rally_says_so(at):
    at("2026-11-20T12:00")
    run, _ana = alone(turn_hours=24, timekeeping={"weekends_count": False})
    assert open_turn(run).deadline == moment("2026-11-23T12:00")
    assert open_turn(run).reasons == ["weekend"]


def test_the_night_keeps_its_hours_when_the_clocks_go_back(at, afterwards):
    """Saturday 24 October, 20:00 in Warsaw: two hours are left of the day, then the night is an hour longer."""
    at("2026-10-24T18:00")
    run, ana = alone(turn_hours=4, timekeeping=NIGHT)
    with afterwards():
        live_in(ana, "Europe/Warsaw")
    play(run, ana, **careful_turn(run))
    assert open_turn(run).deadline == moment("2026-10-25T08:00"), "9:00 in Warsaw, an hour ahead by then"


def test_changes_of_zone_do_not_postpone_a_deadline(at, afterwards):
    """Every nine hours the driver names a zone in which it is 22:00 then."""
    run, ana = alone(turn_hours=24, timekeeping=NIGHT)
    deadline = open_turn(run).deadline
    for hours, zone in enumerate(("Asia/Dhaka", "America/Sao_Paulo", "Pacific/Fiji", "Europe/Moscow")):
        at(moment("2026-11-19T16:00") + 9 * hours * HOUR)
        with afterwards():
            live_in(ana, zone)
        assert open_turn(run).deadline == deadline
    assert act_on_deadlines(now=deadline) == 1
    assert run.turns.filter(missed=True).count() == 1


def test_a_turn_keeps_its_zone_when_the_rules_change(at, afterwards):
    run, ana = alone(turn_hours=24, timekeeping=NIGHT)
    with afterwards():
        live_in(ana, "Asia/Tokyo")
        change(ana.rally, turn_hours=20)
    assert open_turn(run).deadline == moment("2026-11-20T17:00"), "ten hours, the night of UTC, ten more"


def test_a_reminder_comes_by_day_where_its_driver_lives_now(at, afterwards):
    """Four hours before 21:00 in UTC it is two at night in Tokyo."""
    run, ana = alone(turn_hours=24, timekeeping=NIGHT)
    assert open_turn(run).remind_at == moment("2026-11-20T17:00")
    with afterwards():
        live_in(ana, "Asia/Tokyo")
    assert open_turn(run).remind_at == moment("2026-11-20T12:59:59")


# Pace -------------------------------------------------------------------------------------------------


def test_a_bank_keeps_what_a_turn_does_not_use(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"pace": "bank", "bank_hours": 48, "increment_hours": 6})
    assert open_turn(run).deadline == clock.now() + 54 * HOUR
    at(clock.now() + 10 * HOUR)
    play(run, ana, **careful_turn(run))
    assert Entry.objects.get(pk=ana.pk).bank_seconds == 44 * 3600
    while run.state["queue"][0] != str(ana.start_number):
        entry = next(place.entry for place in run.seats.all() if place.name == run.state["queue"][0])
        play(run, entry, **careful_turn(run))
    assert open_turn(run).deadline == clock.now() + 50 * HOUR


def test_a_driver_with_an_empty_bank_still_has_the_increment(at):
    run, ana = alone(timekeeping={"pace": "bank", "bank_hours": 2, "increment_hours": 6})
    at(open_turn(run).deadline)
    assert act_on_deadlines(now=clock.now()) == 1
    assert Entry.objects.get(pk=ana.pk).bank_seconds == 0
    assert open_turn(run).deadline == clock.now() + 6 * HOUR


def test_where_only_the_closing_time_counts_the_car_is_driven_home_then_and_it_is_one_miss(at):
    run, ana = alone(mode="open road", stages=("4/1",), timekeeping={"pace": "closing", "stage_hours": 100, **NIGHT})
    closes = moment("2026-11-23T16:00")
    assert open_turn(run).deadline == closes
    at("2026-11-22T12:00")
    play(run, ana, **careful_turn(run))
    assert open_turn(run).deadline == closes
    assert "It closes for everybody then." in desk_of(ana).get(run.get_absolute_url()).content.decode()
    at(closes)
    for _ in range(200):
        act_on_deadlines(now=clock.now())
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert run.turns.filter(missed=True).count() == 1
    assert Notice.objects.filter(kind="turn driven for you").count() == 1


# Holidays ---------------------------------------------------------------------------------------------


def test_a_run_waits_while_its_driver_is_on_holiday(at, afterwards):
    run, ana = alone(turn_hours=24)
    at("2026-11-19T18:00")
    with afterwards():
        taken = holiday(ana, "2026-11-20", "2026-11-22")
    turn = open_turn(run)
    assert (turn.deadline, turn.reasons) == (moment("2026-11-23T12:00"), ["holiday"])
    assert act_on_deadlines(now=moment("2026-11-22T12:00")) == 0
    at("2026-11-21T12:00")
    with afterwards():
        end_holiday(by=ana.driver, holiday=taken)
    assert open_turn(run).deadline == moment("2026-11-22T00:00"), "twelve hours were left on Thursday night"


def test_a_holiday_that_begins_today_stops_the_clock_at_once(at, afterwards):
    run, ana = alone(turn_hours=24)
    at("2026-11-19T20:00")
    with afterwards():
        holiday(ana, "2026-11-19", "2026-11-19")
    assert open_turn(run).deadline == moment("2026-11-20T16:00")


def test_where_the_rally_says_so_the_codriver_stands_in_and_nothing_is_missed(at, afterwards):
    run, ana = alone(turn_hours=24, timekeeping={"holidays": "codriver", "miss_penalty": 30, "retire_after": 2})
    with afterwards():
        holiday(ana, "2026-11-20", "2026-11-20")
    turn = open_turn(run)
    assert (turn.deadline, turn.reasons, turn.stands_in) == (moment("2026-11-20T00:00"), ["stand-in"], True)
    at(turn.deadline)
    for _ in range(3):
        act_on_deadlines(now=clock.now())
    assert set(run.turns.exclude(ended_at=None).values_list("missed", "done")) == {(False, "stood in")}
    assert not ana.rally.penalties.exists()
    told = Notice.objects.filter(kind="turn waits", created_at__gte=moment("2026-11-20T00:00"))
    assert not told.exists(), "nobody is called back from holiday"
    at("2026-11-21T00:00")
    run.refresh_from_db()
    play(run, ana, **careful_turn(run))
    assert open_turn(run).deadline == moment("2026-11-22T00:00"), "back from holiday, the driver has a whole turn"


def test_a_deadline_that_was_not_updated_after_a_holiday_is_updated_before_it_is_acted_on(at):
    """On-commit callbacks do not run in this test, as when the process dies right after the commit."""
    run, ana = alone(turn_hours=24)
    holiday(ana, "2026-11-19", "2026-11-20")
    turn = open_turn(run)
    assert turn.deadline == moment("2026-11-20T12:00"), "it has not followed"
    at(turn.deadline)
    assert remind(now=turn.deadline - HOUR) == 0, "and nobody is reminded of what is not due"
    assert act_on_deadlines(now=clock.now()) == 0
    assert open_turn(run).deadline == moment("2026-11-22T00:00")
    assert not Turn.objects.filter(missed=True).exists()


# A pause ----------------------------------------------------------------------------------------------


def test_a_pause_stops_deadlines_drives_and_reminders_and_is_added_afterwards(at, afterwards):
    run, (ana, _bo) = on_the_road("Ana", "Bo", turn_hours=24)
    rally = ana.rally
    at("2026-11-19T18:00")
    rally_services.pause_rally(by=organiser_of(rally), rally=rally, reason="The timing hut has burnt down")
    told = Notice.objects.filter(kind="rally paused").values_list("recipient__name", flat=True)
    assert sorted(told) == ["Ana", "Bo"]
    page = desk_of(ana).get(run.get_absolute_url()).content.decode()
    assert "Paused: no time counts." in page
    at("2026-11-21T18:00")
    assert act_on_deadlines(now=clock.now()) == 0
    assert remind(now=clock.now()) == 0
    with afterwards():
        rally_services.resume_rally(by=organiser_of(rally), rally=rally)
    turn = open_turn(run)
    assert (turn.deadline, turn.reasons) == (moment("2026-11-22T12:00"), ["pause"])
    assert turn.remind_at == turn.deadline - 4 * HOUR
    assert Notice.objects.filter(kind="rally goes on").count() == 2


def test_during_a_pause_people_may_drive_but_the_codriver_does_not(at, afterwards):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    rally = ana.rally
    rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by="codriver")
    rally_services.pause_rally(by=organiser_of(rally), rally=rally, reason="Fog")
    with afterwards():
        while run.state["queue"][0] == str(ana.start_number):
            play(run, ana, **careful_turn(run))
    assert act_on_deadlines(now=clock.now()) == 0
    run.refresh_from_db()
    assert run.state["queue"][0] == str(bo.start_number)
    with afterwards():
        rally_services.resume_rally(by=organiser_of(rally), rally=rally)
    run.refresh_from_db()
    assert run.state["queue"][0] == str(ana.start_number), "the codriver has driven"


def test_a_bank_is_not_emptied_by_a_pause(at):
    run, ana = alone(timekeeping={"pace": "bank", "bank_hours": 10, "increment_hours": 1})
    rally_services.pause_rally(by=organiser_of(ana.rally), rally=ana.rally, reason="Fog")
    at(clock.now() + 5 * HOUR)
    play(run, ana, **careful_turn(run))
    assert Entry.objects.get(pk=ana.pk).bank_seconds == 11 * 3600


# A change of rules under way --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hours", "left"), [(48, 38), (12, 12), (20, 14)], ids=["longer", "a whole new turn at most", "shorter"]
)
def test_open_deadlines_follow_a_change_and_leave_drivers_enough_time(at, afterwards, hours, left):
    run, ana = alone(turn_hours=24)
    at(clock.now() + 10 * HOUR)
    with afterwards():
        change(ana.rally, turn_hours=hours)
    assert open_turn(run).deadline == clock.now() + left * HOUR


def test_a_rally_that_gets_a_closing_time_under_way_leaves_a_day_at_least(at, afterwards):
    run, ana = alone(mode="open road")
    at(clock.now() + 20 * HOUR)
    with afterwards():
        change(ana.rally, pace="closing", stage_hours=1)
    assert open_turn(run).deadline == clock.now() + 24 * HOUR
    with afterwards():
        change(Rally.objects.get(pk=ana.rally_id), pace="turn")
    assert open_turn(run).deadline == clock.now() + 24 * HOUR


# Reminders --------------------------------------------------------------------------------------------


def test_a_reminder_does_not_come_at_night(at):
    run, _ana = alone(turn_hours=18, timekeeping=NIGHT)
    turn = open_turn(run)
    assert turn.deadline == moment("2026-11-20T15:00")
    Turn.objects.filter(pk=turn.pk).update(remind_at=None)
    run, _bo = on_the_road("Bo", turn_hours=11, timekeeping=NIGHT)
    turn = open_turn(run)
    assert turn.deadline == moment("2026-11-20T08:00")
    assert turn.remind_at == moment("2026-11-19T21:59:59"), "four hours before would be 4:00"


def reminders():
    """Reminders by mail, in order of their keys: the end of the key, which counts the deadlines, and the deadline."""
    found = Notice.objects.filter(kind="turn closes soon", channel="mail").order_by("subject_key")
    return [(notice.subject_key.partition(" turn ")[2], notice.context["deadline"]) for notice in found]


def test_a_deadline_that_a_pause_moved_brings_one_more_reminder(at, afterwards):
    run, ana = alone(turn_hours=24)
    first = open_turn(run).deadline
    at(first - 4 * HOUR)
    assert remind(now=clock.now()) == 1
    rally_services.pause_rally(by=organiser_of(ana.rally), rally=ana.rally, reason="Snow")
    at(first + 20 * 24 * HOUR)
    with afterwards():
        rally_services.resume_rally(by=organiser_of(ana.rally), rally=ana.rally)
    turn = open_turn(run)
    assert (turn.deadline, turn.remind_at) == (clock.now() + 4 * HOUR, clock.now())
    assert [remind(now=clock.now()), remind(now=clock.now() + HOUR)] == [1, 0]
    assert reminders() == [("1", first), ("1 again 2", turn.deadline)]


def test_a_holiday_that_is_cancelled_brings_no_second_reminder_of_the_same_deadline(at, afterwards):
    at("2026-11-19T07:00")
    run, ana = alone(turn_hours=40)
    first = open_turn(run).deadline
    assert first == moment("2026-11-20T23:00")
    at(first - 4 * HOUR)
    assert remind(now=clock.now()) == 1
    with afterwards():
        taken = holiday(ana, "2026-11-21", "2026-11-22")
    turn = open_turn(run)
    if turn.deadline == first:  # the holiday begins after the deadline
        assert turn.remind_at is None
    with afterwards():
        end_holiday(by=ana.driver, holiday=taken)
    assert (open_turn(run).deadline, open_turn(run).remind_at) == (first, None)
    assert remind(now=first - HOUR) == 0


def test_a_car_handed_over_and_back_brings_a_new_notice_and_a_new_reminder(at, afterwards):
    run, ana = alone(turn_hours=24)
    at(open_turn(run).deadline - HOUR)
    assert remind(now=clock.now()) == 1
    organiser = organiser_of(ana.rally)
    rally_services.pause_rally(by=organiser, rally=ana.rally, reason="So that the codriver stands still")
    with afterwards():
        rally_services.set_driven_by(by=organiser, entry=ana, driven_by="codriver")
    with afterwards():
        rally_services.set_driven_by(by=organiser, entry=ana, driven_by="person")
    with afterwards():
        rally_services.resume_rally(by=organiser, rally=ana.rally)
    turn = open_turn(run)
    assert turn.deadline == clock.now() + 24 * HOUR
    waits = Notice.objects.filter(kind="turn waits", channel="mail").order_by("pk")
    assert sorted(waits.values_list("status", flat=True)) == ["dropped", "queued"]
    assert remind(now=turn.remind_at) == 1
    assert reminders()[-1][1] == turn.deadline
    assert len(reminders()) == 2
    play(run, ana, **careful_turn(run))
    left = Notice.objects.filter(subject_key__startswith=f"run {run.pk} turn {turn.number}", status="queued")
    assert not left.exclude(kind="turn driven for you").exists(), "none after the move, of whichever deadline"


def test_a_persons_new_reminder_hours_apply_to_open_turns(at, afterwards):
    run, ana = alone(turn_hours=72)
    turn = open_turn(run)
    with afterwards():
        set_times(person=ana.driver, rhythm="at once", daily_at=time(8), reminder_hours=24)
    assert open_turn(run).remind_at == turn.deadline - 24 * HOUR
    assert remind(now=turn.deadline - 24 * HOUR) == 1
    with afterwards():
        set_times(person=ana.driver, rhythm="at once", daily_at=time(8), reminder_hours=2)
    assert open_turn(run).remind_at is None, "of this deadline they have been reminded"


def test_a_rallys_new_reminder_hours_apply_to_open_turns(at, afterwards):
    run, ana = alone(turn_hours=72)
    turn = open_turn(run)
    with afterwards():
        rally_services.change_timekeeping(
            by=organiser_of(ana.rally), rally=ana.rally, turn_hours=72, reminder_hours=12, settings={}
        )
    assert (open_turn(run).deadline, open_turn(run).remind_at) == (turn.deadline, turn.deadline - 12 * HOUR)
    with afterwards():
        rally_services.change_timekeeping(
            by=organiser_of(ana.rally), rally=ana.rally, turn_hours=72, reminder_hours=0, settings={}
        )
    assert open_turn(run).remind_at is None
