"""How a rally keeps time: what organisers may set, what is refused and why, pauses, time control, over HTTP too."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.http import Http404
from django.test import Client

from championship.audit.models import Record
from championship.clubs.services.holidays import take_holiday
from championship.deadlines.services.sweeping import remind
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services
from championship.rallies.models import Entry, Pause, Penalty, Rally
from tests.championship.rallies.factories import damaged, drive, enter, make_rally, organiser_of, stage_of, started
from tests.championship.rallies.test_desk_pages import settings_typed
from tests.championship.runs.threads import at_once
from tests.factories import make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at", "nobody_listens")]

HOUR = timedelta(hours=1)


def moment(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def change(rally, by=None, **settings):
    return services.change_timekeeping(
        by=by or organiser_of(rally), rally=rally, turn_hours=24, reminder_hours=4, settings=settings
    )


# What may be set --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"pace": "slow"}, "pace"),
        ({"bank_hours": 0}, "bank_hours"),
        ({"increment_hours": 0}, "increment_hours"),
        ({"stage_hours": 5000}, "stage_hours"),
        ({"miss_penalty": 4000}, "miss_penalty"),
        ({"retire_after": 1}, "retire_after"),
        ({"retire_after": 51}, "retire_after"),
        ({"hand_back_hours": 0}, "hand_back_hours"),
        ({"quiet_from": time(22)}, "quiet_to"),
        ({"quiet_to": time(7)}, "quiet_from"),
        ({"quiet_from": time(22), "quiet_to": time(22)}, "quiet_to"),
        ({"quiet_from": time(6), "quiet_to": time(23)}, "quiet_to"),
        ({"holidays": "never"}, "holidays"),
        ({"after_miss": "rally"}, "after_miss"),
        ({"bank_per": "turn"}, "bank_per"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_settings_that_make_no_sense_are_refused_at_their_field_and_change_nothing(said, field):
    rally, _entries = started("Ana")
    before = Rally.objects.filter(pk=rally.pk).values().get()
    with pytest.raises(Refused) as refusal:
        change(rally, **said)
    assert refusal.value.field == field
    with pytest.raises(Refused):
        make_rally(timekeeping=said)
    assert Rally.objects.filter(pk=rally.pk).values().get() == before
    assert Rally.objects.count() == 1


def test_a_change_under_way_is_logged_with_what_it_was():
    rally, _entries = started("Ana")
    change(rally, quiet_from=time(22), quiet_to=time(7), miss_penalty=20)
    record = Record.objects.get(action="timekeeping changed")
    assert record.details["before"] == {"quiet_from": "", "quiet_to": "", "miss_penalty": 0}
    assert record.details["after"] == {"quiet_from": "22:00:00", "quiet_to": "07:00:00", "miss_penalty": 20}
    change(Rally.objects.get(pk=rally.pk), miss_penalty=20)
    assert Record.objects.filter(action="timekeeping changed").count() == 1, "nothing new, nothing logged"


def test_only_organisers_change_how_time_is_kept():
    rally, _entries = started("Ana")
    with pytest.raises(Forbidden):
        change(rally, by=make_member(rally.club))
    with pytest.raises(Http404):
        change(rally, by=make_user())
    with pytest.raises(Forbidden):
        services.pause_rally(by=make_member(rally.club), rally=rally, reason="Fog")
    services.pause_rally(by=organiser_of(rally), rally=rally, reason="Fog")
    with pytest.raises(Forbidden):
        services.resume_rally(by=make_member(rally.club), rally=rally)


def test_a_bank_of_the_stage_is_full_again_on_the_next_one():
    rally, (ana,) = started("Ana", timekeeping={"pace": "bank"})
    Entry.objects.filter(pk=ana.pk).update(bank_seconds=5)
    drive(rally, 1, {ana: 200})
    stage = stage_of(rally, 1)
    services.close_overdue_time_controls(now=stage.control_deadline or clock.now())
    assert Entry.objects.get(pk=ana.pk).bank_seconds is None


def test_a_bank_of_the_rally_is_not_full_again_on_the_next_stage():
    rally, (ana,) = started("Ana", timekeeping={"pace": "bank", "bank_per": "rally"})
    Entry.objects.filter(pk=ana.pk).update(bank_seconds=5)
    drive(rally, 1, {ana: 200})
    stage = stage_of(rally, 1)
    services.close_overdue_time_controls(now=stage.control_deadline or clock.now())
    assert Entry.objects.get(pk=ana.pk).bank_seconds == 5


# Pauses -----------------------------------------------------------------------------------------------


def test_a_pause_is_logged_with_its_author_and_reason_and_everybody_is_notified():
    rally, _entries = started("Ana", "Bo")
    by = organiser_of(rally)
    services.pause_rally(by=by, rally=rally, reason="The river is over the road")
    record = Record.objects.get(action="rally paused")
    assert (record.actor, record.details["reason"]) == (by, "The river is over the road")
    assert Notice.objects.filter(kind="rally paused").count() == 2
    assert set(Notice.objects.filter(kind="rally paused").values_list("thread", flat=True)) == {f"rally {rally.key}"}
    page = Client().get(f"/rallies/{rally.key}/").content.decode()
    assert "The river is over the road" in page


def test_a_pause_moves_the_closing_time_of_a_stage(at):
    rally, _entries = started("Ana", timekeeping={"pace": "closing", "stage_hours": 100})
    closes = stage_of(rally, 1).closes_at
    assert closes == clock.now() + 100 * HOUR
    services.pause_rally(by=organiser_of(rally), rally=rally, reason="Fog")
    at(clock.now() + 7 * HOUR)
    services.resume_rally(by=organiser_of(rally), rally=rally)
    assert stage_of(rally, 1).closes_at == closes + 7 * HOUR
    pause = Pause.objects.get()
    assert pause.ended_at - pause.began_at == 7 * HOUR


def test_time_control_waits_through_a_pause(at):
    rally, _entries = started("Ana", "Bo")
    drive(rally, 1, dict.fromkeys(_entries_of(rally), 200), cars={entry: worn() for entry in _entries_of(rally)})
    closes = stage_of(rally, 1).control_deadline
    services.pause_rally(by=organiser_of(rally), rally=rally, reason="Fog")
    assert services.close_overdue_time_controls(now=closes) == 0
    assert remind(now=closes - HOUR) == 0
    began, _now = clock.now(), at(closes + HOUR)
    services.resume_rally(by=organiser_of(rally), rally=rally)
    assert stage_of(rally, 1).control_deadline == closes + (clock.now() - began)


def _entries_of(rally):
    return list(rally.entries.filter(status="confirmed"))


def test_twice_the_same_press_pauses_and_resumes_once():
    rally, _entries = started("Ana")
    by = organiser_of(rally)
    services.pause_rally(by=by, rally=rally, reason="Fog")
    with pytest.raises(Stale):
        services.pause_rally(by=by, rally=rally, reason="Fog")
    services.resume_rally(by=by, rally=rally)
    with pytest.raises(Stale):
        services.resume_rally(by=by, rally=rally)
    assert Pause.objects.count() == 1


def test_only_a_rally_under_way_is_paused_and_only_for_a_reason():
    rally = make_rally()
    with pytest.raises(Refused):
        services.pause_rally(by=organiser_of(rally), rally=rally, reason="Fog")
    rally, _entries = started("Ana")
    with pytest.raises(Refused) as refusal:
        services.pause_rally(by=organiser_of(rally), rally=rally, reason="  ")
    assert refusal.value.field == "reason"


@pytest.mark.django_db(transaction=True)
def test_of_two_organisers_who_pause_at_once_one_pauses():
    rally, _entries = started("Ana")
    by = organiser_of(rally)
    answers = at_once(*[lambda: services.pause_rally(by=by, rally=rally, reason="Fog")] * 2)
    assert sorted(isinstance(answer, Stale) for answer in answers) == [False, True]
    assert Notice.objects.filter(kind="rally paused").count() == 1


# Time control -----------------------------------------------------------------------------------------


def test_time_control_is_open_until_all_have_had_their_hours_by_their_own_nights(at):
    rally = make_rally(turn_hours=6, timekeeping={"quiet_from": time(22), "quiet_to": time(7)})
    entries = enter(rally, "Ana", "Bo")
    ana = entries[0].driver
    ana.time_zone = "Asia/Tokyo"
    ana.save()
    services.start_rally(by=organiser_of(rally), rally=rally)
    at("2026-11-19T12:00")
    drive(rally, 1, dict.fromkeys(_entries_of(rally), 200), cars={entry: worn() for entry in _entries_of(rally)})
    deadline = stage_of(rally, 1).control_deadline
    assert deadline == moment("2026-11-20T03:00"), "21:00 in Tokyo: one hour before the night, five from 7:00"


def worn():
    """A car with damage that the service park can repair, so that time control waits for its driver."""
    return damaged(gear=2, brake=1)


@pytest.mark.parametrize(
    ("hours", "left"),
    [(48, 38), (24, 14), (18, 14), (6, 6)],
    ids=["more", "the same", "fewer, but more than are left", "fewer than are left"],
)
def test_an_open_time_control_follows_new_hours_and_leaves_drivers_enough_time(at, hours, left):
    rally, _entries = started("Ana", "Bo")
    drive(rally, 1, dict.fromkeys(_entries_of(rally), 200), cars={entry: worn() for entry in _entries_of(rally)})
    began = clock.now()
    assert stage_of(rally, 1).control_deadline == began + 24 * HOUR
    at(began + 10 * HOUR)
    by = organiser_of(rally)
    services.change_timekeeping(by=by, rally=rally, turn_hours=hours, reminder_hours=1, settings={})
    assert stage_of(rally, 1).control_deadline == clock.now() + left * HOUR


def test_an_open_time_control_follows_new_hours_while_the_rally_is_paused(at):
    """The new hours are counted from the beginning of the pause, and its end moves the deadline."""
    rally, _entries = started("Ana", "Bo")
    drive(rally, 1, dict.fromkeys(_entries_of(rally), 200), cars={entry: worn() for entry in _entries_of(rally)})
    at(clock.now() + 10 * HOUR)
    by = organiser_of(rally)
    services.pause_rally(by=by, rally=rally, reason="Fog")
    at(clock.now() + 30 * HOUR)
    rally.refresh_from_db()
    services.change_timekeeping(by=by, rally=rally, turn_hours=6, reminder_hours=1, settings={})
    services.resume_rally(by=by, rally=rally)
    assert stage_of(rally, 1).control_deadline == clock.now() + 6 * HOUR


def test_a_driver_on_holiday_has_their_hours_at_time_control_afterwards(at):
    rally, entries = started("Ana", "Bo", turn_hours=6)
    today = clock.now().date()
    take_holiday(by=entries[0].driver, club=rally.club, first_day=today, last_day=today)
    drive(rally, 1, dict.fromkeys(_entries_of(rally), 200), cars={entry: worn() for entry in _entries_of(rally)})
    assert stage_of(rally, 1).control_deadline == moment("2026-11-20T06:00")


# Penalties of the clock -------------------------------------------------------------------------------


def test_the_clock_gives_a_penalty_once_for_a_turn():
    rally, (ana,) = started("Ana")
    stage = stage_of(rally, 1)
    for _ in range(2):
        services.penalise_miss(special_stage=stage, entry=ana, amount=30, turn=4)
    penalty = Penalty.objects.get()
    assert (penalty.given_by, penalty.reason_in_words) == (None, "The deadline of turn 4 was missed")
    assert Record.objects.filter(action="penalty given", actor=None).count() == 1


# Pages ------------------------------------------------------------------------------------------------


def test_the_options_before_the_start_include_timekeeping():
    rally = make_rally()
    desk = signed_in(organiser_of(rally))
    typed = settings_typed(
        pace="bank", bank_hours="48", bank_per="rally", increment_hours="6", quiet_from="22:00", quiet_to="07:00"
    )
    answer = desk.post(f"/rallies/{rally.key}/desk/options/", typed | {"weekends_off": "on", "retire_after": "3"})
    assert answer.status_code == 302
    rally.refresh_from_db()
    assert (rally.pace, rally.bank_hours, rally.bank_per, rally.increment_hours) == ("bank", 48, "rally", 6)
    assert (rally.quiet, rally.weekends_count, rally.retire_after) == ((1320, 420), False, 3)
    page = desk.get(f"/rallies/{rally.key}/").content.decode()
    assert "A bank of 48 hours from the first start to the last finish; every turn adds 6." in page
    assert "From 22:00 to 07:00" in page
    assert "Saturday and Sunday do not count." in page


def test_an_error_is_shown_at_its_field_and_what_was_typed_is_kept():
    rally, _entries = started("Ana")
    desk = signed_in(organiser_of(rally))
    address = f"/rallies/{rally.key}/desk/time/"
    answer = desk.post(
        address, {"turn_hours": "24", "reminder_hours": "4", "quiet_from": "22:00", "miss_penalty": "17"}
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Set when quiet hours begin and when they end, or leave both empty." in page
    assert 'value="17"' in page
    assert desk.post(address, {"turn_hours": "a day", "reminder_hours": "4"}).status_code == 422
    assert desk.post(address, {"turn_hours": "4", "reminder_hours": "4"}).status_code == 422


def test_the_desk_pauses_and_resumes():
    rally, _entries = started("Ana")
    desk = signed_in(organiser_of(rally))
    assert desk.post(f"/rallies/{rally.key}/desk/pause/", {"reason": ""}).status_code == 422
    assert desk.post(f"/rallies/{rally.key}/desk/pause/", {"reason": "Fog"}).status_code == 302
    page = desk.get(f"/rallies/{rally.key}/desk/").content.decode()
    assert ">Resume</button>" in page
    assert desk.post(f"/rallies/{rally.key}/desk/pause/", {"reason": "Fog"}).status_code == 409
    assert desk.post(f"/rallies/{rally.key}/desk/resume/").status_code == 302
    assert Rally.objects.get(pk=rally.pk).paused_at is None
    assert desk.post(f"/rallies/{rally.key}/desk/resume/").status_code == 409


@pytest.mark.parametrize("page", ["time/", "pause/"])
def test_these_pages_are_for_organisers(page):
    rally, (ana,) = started("Ana")
    address = f"/rallies/{rally.key}/desk/{page}"
    typed = {"reason": "Fog", "turn_hours": "24", "reminder_hours": "4"}
    assert signed_in(ana.driver).post(address, typed).status_code == 403
    assert signed_in(make_user()).post(address, typed).status_code == 404
    assert Client().post(address, typed).status_code == 302
    rally.refresh_from_db()
    assert rally.paused_at is None
