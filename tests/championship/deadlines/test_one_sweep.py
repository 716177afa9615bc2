"""One sweep for everything with a deadline: turns and cards of time control get the same notices, each is handled once.

It begins on Thursday 19 November 2026, 12:00 in UTC.
"""

from datetime import time, timedelta

import pytest
from django.core.management import call_command

from championship.deadlines import customers, tasks
from championship.deadlines.models import Sweep
from championship.deadlines.services import sweeping
from championship.failures.services import Attempts
from championship.notices.models import Notice
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.models import AwaitedCard, Rally, SpecialStage, TimeControlCard
from championship.runs.models import Turn
from championship.runs.watch.deadline_health import clock_health
from tests.championship.rallies.factories import damaged, drive, hand_in, let_close, organiser_of, stage_of, started
from tests.championship.rallies.followers import nobody_follows
from tests.championship.runs.factories import on_the_road, open_turn
from tests.championship.runs.threads import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
NIGHT = {"quiet_from": time(22), "quiet_to": time(7)}


@pytest.fixture
def control(monkeypatch):
    """Return a function that creates a rally whose first time control waits for these drivers. Its runs are not
    opened.
    """

    def built(*names, **how):
        with monkeypatch.context() as patch:
            nobody_follows(patch)
            rally, entries = started(*names, **how)
        drive(rally, 1, dict.fromkeys(entries, 200), cars={entry: damaged(gear=2) for entry in entries})
        return rally, entries

    return built


def both(control, **how):
    """Return a turn and a card with the same deadline, and that deadline."""
    run, _entries = on_the_road("Ana", mode="open road", **how)
    rally, _entries = control("Bo", **how)
    assert stage_of(rally, 1).control_deadline == open_turn(run).deadline
    return run, rally, open_turn(run).deadline


def reminded():
    found = Notice.objects.filter(kind__endswith="closes soon", channel="mail").exclude(status="dropped")
    return sorted(found.values_list("recipient__name", flat=True))


def test_one_sweep_reminds_of_both_and_acts_on_both(control, at):
    run, rally, deadline = both(control)
    tasks.sweep.delay()
    at(deadline - 4 * HOUR)
    Sweep.objects.update(at=clock.now())
    tasks.sweep.delay()
    assert reminded() == ["Ana", "Bo"]
    at(deadline)
    Sweep.objects.update(at=clock.now())
    tasks.sweep.delay()
    assert Turn.objects.filter(run=run, missed=True).count() == 1
    assert stage_of(rally, 1).status == SpecialStage.Status.DONE


def test_an_outage_extends_both_deadlines(control, at):
    run, rally, deadline = both(control, timekeeping=NIGHT)
    at(deadline - HOUR)
    tasks.sweep.delay()
    at(deadline + HOUR)
    tasks.sweep.delay()
    assert open_turn(run).deadline == stage_of(rally, 1).control_deadline > clock.now()
    assert open_turn(run).reasons == AwaitedCard.objects.get().reasons
    assert "outage" in open_turn(run).reasons


def test_a_pause_moves_both_deadlines(control, at, django_capture_on_commit_callbacks):
    run, rally, _deadline = both(control, timekeeping=NIGHT)
    at("2026-11-19T20:00")
    rallied = [run.special_stage.rally, rally]
    for each in rallied:
        rallies.pause_rally(by=organiser_of(each), rally=each, reason="Snow")
    at("2026-11-20T09:30")
    with django_capture_on_commit_callbacks(execute=True):
        for each in rallied:
            rallies.resume_rally(by=organiser_of(each), rally=each)
    assert open_turn(run).deadline == stage_of(rally, 1).control_deadline
    assert open_turn(run).reasons == AwaitedCard.objects.get().reasons == ["quiet", "pause"]


def test_hours_changed_during_a_pause_do_not_lose_the_time_of_the_pause(
    control, at, django_capture_on_commit_callbacks
):
    """A turn of 24 hours, paused after ten. During the pause the hours of every turn are changed to 48."""
    run, rally, _deadline = both(control)
    at(clock.now() + 10 * HOUR)
    for each in (run.special_stage.rally, rally):
        by = organiser_of(each)
        rallies.pause_rally(by=by, rally=each, reason="Fog")
    at(clock.now() + 30 * HOUR)
    with django_capture_on_commit_callbacks(execute=True):
        for each in Rally.objects.all():
            by = organiser_of(each)
            rallies.change_timekeeping(by=by, rally=each, turn_hours=48, reminder_hours=1, settings={})
    with django_capture_on_commit_callbacks(execute=True):
        for each in Rally.objects.all():
            rallies.resume_rally(by=organiser_of(each), rally=each)
    assert open_turn(run).deadline == stage_of(rally, 1).control_deadline == clock.now() + 38 * HOUR


def test_a_message_that_comes_twice_closes_once(control, at):
    rally, _entries = control("Ana", "Bo")
    at(stage_of(rally, 1).control_deadline)
    [(name, row_ids)] = sweeping.claim(now=clock.now())
    assert (name, len(row_ids)) == ("time controls", 1), "one card stands for all of a time control"
    assert list(sweeping.claim(now=clock.now())) == [], "a worker has it"
    assert [customers.get(name).act(row_ids, clock.now()) for _ in range(2)] == [1, 0]
    assert TimeControlCard.objects.count() == 2


def test_a_deadline_that_a_lost_message_left_behind_is_followed_before_it_is_acted_on(control, at):
    """The pause is over, but the task after it never ran."""
    rally, _entries = control("Ana")
    stage = stage_of(rally, 1)
    rally.pauses.create(began_at=clock.now(), ended_at=clock.now() + 5 * HOUR, reason="Fog")
    at(stage.control_deadline)
    assert rallies.close_overdue_time_controls(now=clock.now()) == 0
    assert stage_of(rally, 1).control_deadline == clock.now() + 5 * HOUR
    let_close(rally, 1, clock.now())
    assert stage_of(rally, 1).status == SpecialStage.Status.TIME_CONTROL


def test_a_time_control_that_waits_for_nobody_is_reported_to_operators(control):
    rally, _entries = control("Ana")
    assert clock_health(clock.now()).unwaited == []
    AwaitedCard.objects.all().delete()
    [named] = clock_health(clock.now()).unwaited
    assert rally.name in named
    with pytest.raises(SystemExit):
        call_command("clock", "--check")


def remind_of_cards():
    tries = Attempts("time controls: reminder", now=clock.now())
    return sweeping._remind_of(customers.get("time controls"), clock.now(), 500, tries)


def test_reminders_of_cards_are_found_by_rows_not_by_looking_at_every_driver(control, at, django_assert_num_queries):
    """Nobody is due: the number of queries is the same however many wait."""
    control("Ana", "Bo")
    with django_assert_num_queries(4):  # what has failed before, the rows, and a savepoint around them
        assert remind_of_cards() == 0
    control("Cem", "Dag", "Eve", "Fay", "Gil")
    with django_assert_num_queries(4):
        assert remind_of_cards() == 0


# At the same time -------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_two_sweeps_at_once_one_reminds_of_each_card(control):
    rally, _entries = control("Ana", "Bo", "Cem")
    moment = stage_of(rally, 1).control_deadline - 4 * HOUR
    counts = at_once(*[lambda: sweeping.remind(now=moment)] * 3)
    assert sum(counts) == 3
    assert reminded() == ["Ana", "Bo", "Cem"]


@pytest.mark.django_db(transaction=True)
def test_a_card_handed_in_while_reminders_are_written_gets_none(control):
    rally, (ana, _bo) = control("Ana", "Bo")
    moment = stage_of(rally, 1).control_deadline - 4 * HOUR
    at_once(lambda: sweeping.remind(now=moment), lambda: hand_in(rally, 1, ana))
    assert not Notice.objects.filter(kind="time control closes soon", recipient=ana.driver, status="queued").exists()
    assert "Bo" in reminded()
    assert AwaitedCard.objects.get(ended_at=None).entry.crew == "Bo"


@pytest.mark.django_db(transaction=True)
def test_an_outage_and_the_last_card_at_once_leave_the_time_control_closed_once(control, at):
    rally, (ana,) = control("Ana")
    tasks.sweep.delay()
    at(stage_of(rally, 1).control_deadline + HOUR)
    at_once(lambda: sweeping.excuse_outage(now=clock.now()), lambda: hand_in(rally, 1, ana))
    assert stage_of(rally, 1).status == SpecialStage.Status.DONE
    assert stage_of(rally, 2).status == SpecialStage.Status.RUNNING
    assert TimeControlCard.objects.get().by == ana.driver
