"""What `manage.py clock` says about sweeps and deadlines, and when its check fails."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from championship.deadlines.models import Sweep
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.platform import clock
from championship.rallies import services as rally_services
from championship.rallies.models import AwaitedCard, SpecialStage
from championship.runs.models import Turn
from championship.runs.watch.deadline_health import clock_health
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road, open_turn
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def swept(at):
    """A run whose deadline is a day away. The last sweep was a moment ago, and no notice waits."""
    run, _drivers = on_the_road("Ana", "Bo")
    Notice.objects.all().delete()
    sweep.delay()
    return run


def check():
    """The output of the check, and its exit status."""
    out = StringIO()
    try:
        call_command("clock", "--check", stdout=out)
    except SystemExit as end:
        return out.getvalue(), end.code
    return out.getvalue(), 0


def test_all_is_well_after_a_sweep(swept):
    said, status = check()
    assert "All is well." in said
    assert "turns 0" in said
    assert status == 0


def test_without_a_sweep_beat_is_missing(swept, at):
    at(clock.now() + 3 * MINUTE)
    said, status = check()
    assert "Beat is missing" in said
    assert "0:03:00 ago" in said and "queue clock?" in said, "an operator at night is told where to look"
    assert status == 1
    Sweep.objects.all().delete()
    assert "Last sweep: never" in check()[0]


def test_a_clock_that_was_set_back_hides_no_missing_beat(swept, at):
    """The last sweep is in the future then. It would take more than an hour until it looks too old."""
    at(clock.now() - timedelta(hours=1))
    said, status = check()
    assert status == 1
    assert "The machine's clock was set back" in said
    assert "queue clock?" in said
    assert "All is well." not in said
    sweep.delay()
    assert check()[1] == 0, "a sweep under the new time is one"
    assert Sweep.objects.get().at > clock.now(), "and no outage is made of the hour that comes twice"


def test_a_claim_from_before_the_clock_was_set_back_does_not_block_a_turn(swept, at):
    turn = open_turn(swept)
    at(turn.deadline + MINUTE)
    Turn.objects.filter(pk=turn.pk).update(claimed_at=clock.now() + timedelta(hours=1))
    Sweep.objects.update(at=clock.now() - MINUTE)  # no outage
    sweep.delay()
    turn.refresh_from_db()
    assert turn.ended_at is not None


def test_notices_that_wait_for_the_operator_are_named_but_do_not_fail_the_check(swept):
    reader = make_user()
    Notice.objects.create(recipient=reader, kind="turn waits", subject_key="a", status="dead")
    said, status = check()
    assert "1 letter did not go out and waits for you at /operator/letters/" in said
    assert "All is well." not in said and "The clock goes well." in said
    assert status == 0


def test_a_due_turn_is_no_fault_but_an_overdue_one_is(swept, at):
    at(open_turn(swept).deadline + MINUTE)
    Sweep.objects.update(at=clock.now(), heard_at=clock.now())
    found = clock_health(clock.now())
    assert (found.due["turns"], found.healthy) == (1, True)
    at(clock.now() + MINUTE)
    said, status = check()
    assert status == 1
    assert "Overdue for more than two minutes, turns: 1" in said
    assert swept.key in said


def test_a_paused_rally_is_not_overdue(swept, at):
    rally = swept.special_stage.rally
    rally_services.pause_rally(by=organiser_of(rally), rally=rally, reason="Fog")
    Notice.objects.all().delete()
    at(open_turn(swept).deadline + 5 * MINUTE)
    Sweep.objects.update(at=clock.now(), heard_at=clock.now())
    assert clock_health(clock.now()).healthy


def test_a_run_that_waits_for_nobody_is_named(swept):
    Turn.objects.filter(run=swept).update(ended_at=clock.now())
    said, status = check()
    assert "has no open turn" in said
    assert swept.key in said
    assert status == 1


def test_a_time_control_that_nobody_closes_and_a_notice_that_nobody_sends_are_overdue(swept, at):
    SpecialStage.objects.filter(runs=swept).update(status="time control", control_deadline=clock.now())
    entry = swept.seats.first().entry
    AwaitedCard.objects.create(special_stage=swept.special_stage, entry=entry, since=clock.now(), deadline=clock.now())
    Turn.objects.filter(run=swept).update(deadline=clock.now() + timedelta(days=9))
    Notice.objects.create(
        recipient=swept.seats.first().entry.driver, kind="turn waits", subject_key="x", next_try_at=clock.now()
    )
    at(clock.now() + timedelta(minutes=30))
    Sweep.objects.update(at=clock.now(), heard_at=clock.now())
    found = clock_health(clock.now())
    assert (found.overdue_count["time controls"], found.overdue_count["notices"]) == (1, 1)
    assert not found.healthy


def test_a_monitor_reads_it_as_json(swept):
    out = StringIO()
    call_command("clock", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["well"] is True
    assert told["due"] == {"turns": 0, "time controls": 0, "notices": 0}
    assert told["overdue"]["turns"] == {"count": 0, "first": []}
