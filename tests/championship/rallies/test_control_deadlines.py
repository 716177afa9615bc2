"""When a time control closes, with holidays of its drivers and outages, and who is reminded when.

Every test begins on Thursday 19 November 2026, 12:00 UTC.
"""

from datetime import UTC, date, datetime, time, timedelta

import pytest

from championship.accounts.services import update_profile
from championship.clubs.services.holidays import take_holiday
from championship.deadlines.models import Sweep
from championship.deadlines.services.sweeping import DEADLINES, remind
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.notices.services.notice_choices import set_times
from championship.platform import clock
from championship.rallies import services
from tests.championship.rallies.factories import drive, hand_in, organiser_of, stage_of, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens", "at")]

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
NIGHT = {"quiet_from": time(22), "quiet_to": time(7)}


def waiting(*names, **how):
    """A rally whose first time control waits for these drivers, its deadline, and their entries."""
    rally, entries = started(*names, **how)
    drive(rally, 1, {entry: 200 + place for place, entry in enumerate(entries)})
    return rally, stage_of(rally, 1).control_deadline, entries


def swept_until(moment, at):
    """Sweep at `moment`, as if a sweep had run every minute until then. No sweep runs afterwards."""
    Sweep.objects.update_or_create(name=DEADLINES, defaults={"at": moment - MINUTE})
    at(moment)
    sweep.delay()


def reminded():
    """The recipients of the reminders by mail, with the deadlines, in order."""
    found = Notice.objects.filter(kind="time control closes soon", channel="mail").order_by("created_at")
    return [(notice.recipient.name, notice.context["deadline"]) for notice in found.select_related("recipient")]


# Holidays and zones -----------------------------------------------------------------------------------


def test_a_time_control_waits_for_drivers_who_go_on_holiday_meanwhile(django_capture_on_commit_callbacks):
    rally, deadline, (ana, bo) = waiting("Ana", "Bo", turn_hours=48)
    days = {"first_day": date(2026, 11, 20), "last_day": date(2026, 11, 22)}
    with django_capture_on_commit_callbacks(execute=True):
        take_holiday(by=ana.driver, club=rally.club, **days)
    assert stage_of(rally, 1).control_deadline == deadline + timedelta(days=3)
    hand_in(rally, 1, bo)
    with django_capture_on_commit_callbacks(execute=True):
        take_holiday(by=bo.driver, club=rally.club, first_day=date(2026, 11, 20), last_day=date(2026, 11, 29))
    assert stage_of(rally, 1).control_deadline == deadline + timedelta(days=3), "Bo's card is in"


def test_a_time_control_does_not_wait_where_the_codriver_drives_in_holidays(django_capture_on_commit_callbacks):
    rally, deadline, (ana,) = waiting("Ana", turn_hours=48, timekeeping={"holidays": "codriver"})
    with django_capture_on_commit_callbacks(execute=True):
        take_holiday(by=ana.driver, club=rally.club, first_day=date(2026, 11, 20), last_day=date(2026, 11, 22))
    assert stage_of(rally, 1).control_deadline == deadline


def test_a_time_control_keeps_the_zones_in_which_it_began(django_capture_on_commit_callbacks):
    rally, deadline, (ana,) = waiting("Ana", turn_hours=24, timekeeping=NIGHT)
    found = []
    for zone in ("Asia/Tokyo", "UTC"):
        driver = ana.driver
        with django_capture_on_commit_callbacks(execute=True):
            update_profile(user=driver, name=driver.name, language=driver.language, time_zone=zone)
        found.append(stage_of(rally, 1).control_deadline)
    assert deadline == datetime(2026, 11, 20, 21, tzinfo=UTC)
    assert found == [deadline] * 2


# Outages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minutes", [170, 9, 0, -3, -59])
def test_a_time_control_is_not_closed_right_after_an_outage(at, minutes):
    """No sweep runs for three hours. The deadline is `minutes` before the first sweep afterwards."""
    rally, deadline, _entries = waiting("Ana")
    back = deadline + minutes * MINUTE
    swept_until(back - 3 * HOUR, at)
    at(back)
    sweep.delay()
    stage = stage_of(rally, 1)
    assert stage.status == "time control"
    assert stage.control_deadline == back + max(HOUR, 3 * HOUR - minutes * MINUTE)
    swept_until(stage.control_deadline, at)
    assert stage_of(rally, 1).status == "done", "excused once, and only once"


def test_a_late_sweep_closes_a_time_control(at):
    rally, deadline, _entries = waiting("Ana")
    swept_until(deadline - MINUTE, at)
    at(deadline + 9 * MINUTE)
    sweep.delay()
    assert stage_of(rally, 1).status == "done"


# Reminders --------------------------------------------------------------------------------------------


def test_each_driver_is_reminded_as_early_as_they_want_it(django_capture_on_commit_callbacks):
    rally, deadline, (ana, _bo) = waiting("Ana", "Bo", turn_hours=48)
    with django_capture_on_commit_callbacks(execute=True):
        set_times(person=ana.driver, rhythm="at once", daily_at=time(8), reminder_hours=24)
    assert remind(now=deadline - 24 * HOUR - MINUTE) == 0
    assert remind(now=deadline - 24 * HOUR) == 1
    assert reminded() == [("Ana", deadline)]
    assert remind(now=deadline - rally.reminder_hours * HOUR) == 1
    assert remind(now=deadline - MINUTE) == 0
    assert sorted(name for name, _deadline in reminded()) == ["Ana", "Bo"]


def test_drivers_who_have_been_reminded_cost_later_sweeps_few_queries(at, django_assert_max_num_queries):
    _rally, deadline, _entries = waiting("Ana", "Bo", "Cem", "Dag", turn_hours=48)
    assert remind(now=deadline - HOUR) == 4
    with django_assert_max_num_queries(8):
        assert remind(now=deadline - HOUR + MINUTE) == 0


def test_nobody_is_reminded_of_a_time_control_at_night(at):
    rally, deadline, _entries = waiting("Ana", turn_hours=11, timekeeping=NIGHT)
    assert deadline == datetime(2026, 11, 20, 8, tzinfo=UTC)
    assert rally.reminder_hours == 4
    evening = datetime(2026, 11, 19, 21, 59, tzinfo=UTC)
    assert [remind(now=evening + minutes * MINUTE) for minutes in (0, 1)] == [0, 1]


def test_a_time_control_that_a_pause_moved_brings_one_more_reminder(at):
    rally, deadline, _entries = waiting("Ana", turn_hours=48)
    at(deadline - 2 * HOUR)
    assert remind(now=clock.now()) == 1
    services.pause_rally(by=organiser_of(rally), rally=rally, reason="Snow")
    at(deadline + 96 * HOUR)
    services.resume_rally(by=organiser_of(rally), rally=rally)
    moved = stage_of(rally, 1).control_deadline
    assert moved == clock.now() + 2 * HOUR
    assert [remind(now=clock.now() + minutes * MINUTE) for minutes in (0, 1)] == [1, 0]
    assert sorted(reminded()) == [("Ana", deadline), ("Ana", moved)]
