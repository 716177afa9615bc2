"""One row that always fails stops no other: it is rolled back, logged, shown to operators, put off, and tried again.

The failures are real: the database refuses to change the row, or its data are damaged.
"""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command

from championship.deadlines.models import Sweep, UnexcusedOutage
from championship.deadlines.services import scheduled_actions, sweeping
from championship.deadlines.tasks import sweep
from championship.failures.models import Failure
from championship.failures.services import FIRST_WAIT, LONGEST_WAIT, wait_after
from championship.health import metrics
from championship.notices.models import Notice
from championship.openstage.models import Week
from championship.platform import clock
from championship.rallies.clock.services.acting_dates import EntryDeadlines, Starts
from championship.rallies.models import AwaitedCard, Rally, SpecialStage
from championship.runs.models import Run, Turn
from championship.runs.watch.deadline_health import clock_health
from tests.championship.rallies.factories import damaged, drive, enter, make_rally, stage_of, started
from tests.championship.rallies.followers import nobody_follows
from tests.championship.runs.factories import on_the_road, open_turn
from tests.refusing_rows import refuse

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def no_open_stage(settings):
    settings.OPEN_STAGE = False


@pytest.fixture
def control(monkeypatch):
    """Return a function that creates a rally whose first time control waits for these drivers."""

    def built(*names, **how):
        with monkeypatch.context() as patch:
            nobody_follows(patch)
            rally, entries = started(*names, **how)
        drive(rally, 1, dict.fromkeys(entries, 200), cars={entry: damaged(gear=2) for entry in entries})
        return rally, entries

    return built


@pytest.fixture
def minutes(at):
    """Return a function that sweeps once a minute until that moment, so that no outage is seen."""

    def swept(until):
        at(until - MINUTE)
        Sweep.objects.update(at=clock.now())
        at(until)
        sweep.delay()

    return swept


def failing():
    """Return the kind of work and the key of each unit that is put off."""
    return [(each.kind, each.unit) for each in Failure.objects.order_by("kind", "unit")]


# Outages ----------------------------------------------------------------------------------------------


def test_a_turn_that_cannot_be_excused_stops_no_other_and_is_excused_once_later(at, caplog):
    broken, _ana = on_the_road("Ana")
    sound, _bo = on_the_road("Bo")
    deadline = open_turn(broken).deadline
    assert deadline == open_turn(sound).deadline
    accept = refuse(Turn, when=f"NEW.id = {open_turn(broken).pk} AND NEW.deadline > OLD.deadline")
    at(deadline - HOUR)
    sweep.delay()
    at(deadline + HOUR)
    sweep.delay()
    after = deadline + 2 * HOUR
    assert open_turn(sound).deadline == after
    assert open_turn(broken).deadline == deadline, "rolled back"
    assert failing() == [("turns: outage", str(broken.pk))]
    assert "turns: outage" in caplog.text and "this row is refused" in caplog.text
    assert Sweep.objects.get().at == clock.now(), "the sweep is recorded"

    at(clock.now() + MINUTE)
    sweep.delay()
    assert Turn.objects.get(run=broken).ended_at is None, "nobody misses a deadline that is not excused yet"
    assert Failure.objects.get().times == 1, "put off: the next sweep does not try it"
    assert open_turn(sound).deadline == after, "excused once"

    accept()
    at(clock.now() + FIRST_WAIT)
    sweep.delay()
    assert failing() == [] and not UnexcusedOutage.objects.exists()
    moved = open_turn(broken).deadline
    assert moved == clock.now() + 1 * HOUR, "the clock stood still for this run until now"
    sweep.delay()
    assert open_turn(broken).deadline == moved
    assert open_turn(sound).deadline == after


def test_a_card_that_cannot_be_excused_stops_neither_turns_nor_other_cards(control, at):
    broken, _ana = control("Ana")
    sound, _bo = control("Bo")
    run, _cem = on_the_road("Cem")
    deadline = stage_of(broken, 1).control_deadline
    card = AwaitedCard.objects.get(special_stage__rally=broken)
    accept = refuse(AwaitedCard, when=f"NEW.id = {card.pk} AND NEW.deadline > OLD.deadline")
    at(deadline - HOUR)
    sweep.delay()
    at(deadline + HOUR)
    sweep.delay()
    after = deadline + 2 * HOUR
    assert [stage_of(rally, 1).control_deadline for rally in (broken, sound)] == [deadline, after]
    assert open_turn(run).deadline == after
    assert failing() == [("time controls: outage", str(broken.pk))]
    sweep.delay()
    assert stage_of(broken, 1).status == SpecialStage.Status.TIME_CONTROL
    accept()
    at(clock.now() + FIRST_WAIT)
    sweep.delay()
    assert stage_of(broken, 1).control_deadline == clock.now() + HOUR
    assert [stage_of(sound, 1).control_deadline, open_turn(run).deadline] == [after, after]


def test_a_closing_time_that_cannot_be_moved_stops_no_other(at):
    closing = {"pace": Rally.Pace.CLOSING, "stage_hours": 48}
    broken, _ana = on_the_road("Ana", timekeeping=closing)
    sound, _bo = on_the_road("Bo", timekeeping=closing)
    stages = [broken.special_stage, sound.special_stage]
    closes = stages[0].closes_at
    accept = refuse(SpecialStage, stages[0].pk)
    at(closes - HOUR)
    sweep.delay()
    at(closes + HOUR)
    sweep.delay()

    def closings():
        return list(
            SpecialStage.objects.filter(pk__in=[stage.pk for stage in stages]).values_list("closes_at", flat=True)
        )

    assert sorted(closings()) == [closes, closes + 2 * HOUR]
    assert failing() == [("time controls: outage", str(broken.special_stage.rally_id))]
    accept()
    at(clock.now() + FIRST_WAIT)
    sweep.delay()
    assert sorted(closings()) == [closes + 2 * HOUR, clock.now() + HOUR]


def test_an_outage_whose_rows_cannot_be_read_yet_is_excused_later(at):
    """The sweep is recorded and dies before it has looked for the rows that the outage affects."""
    run, _ana = on_the_road("Ana")
    deadline = open_turn(run).deadline
    at(deadline - HOUR)
    sweep.delay()
    at(deadline + HOUR)
    sweeping._record_sweep(clock.now())
    assert list(sweeping.claim(now=clock.now())) == [], "the outage is not excused yet"
    sweep.delay()
    assert open_turn(run).deadline == deadline + 2 * HOUR


# Deadlines and reminders ------------------------------------------------------------------------------


def test_a_due_turn_that_fails_is_put_off_longer_each_time_and_done_after_a_repair(minutes, at):
    broken, _ana = on_the_road("Ana")
    sound, _bo = on_the_road("Bo")
    state = broken.state
    Run.objects.filter(pk=broken.pk).update(state={})
    first = open_turn(broken)
    minutes(first.deadline)
    assert open_turn(sound).number == 2
    assert failing() == [("turns: due", str(first.pk))]
    minutes(clock.now() + 2 * MINUTE)
    assert Failure.objects.get().times == 1
    minutes(clock.now() + FIRST_WAIT)
    found = Failure.objects.get()
    assert (found.times, found.again_at - found.last_at) == (2, 2 * FIRST_WAIT)
    Run.objects.filter(pk=broken.pk).update(state=state)
    minutes(clock.now() + 3 * FIRST_WAIT)
    assert open_turn(broken).number == 2
    assert failing() == []


def test_a_turn_that_cannot_be_claimed_stops_no_other(minutes):
    broken, _ana = on_the_road("Ana")
    sound, _bo = on_the_road("Bo")
    first = open_turn(broken)
    refuse(Turn, first.pk)
    minutes(first.deadline)
    assert open_turn(sound).number == 2
    assert failing() == [("turns: claim", str(first.pk))]


def test_a_due_card_that_fails_keeps_no_other_time_control_open(control, minutes):
    broken, (ana,) = control("Ana")
    sound, _bo = control("Bo")
    type(ana).objects.filter(pk=ana.pk).update(car={})
    minutes(stage_of(sound, 1).control_deadline)
    assert [stage_of(rally, 1).status for rally in (broken, sound)] == ["time control", "done"]
    assert failing() == [("time controls: due", str(AwaitedCard.objects.get(special_stage__rally=broken).pk))]


@pytest.mark.parametrize("how", ["the notice", "the row"])
def test_a_reminder_that_fails_stops_neither_others_nor_actions(how, minutes):
    broken, (ana,) = on_the_road("Ana")
    sound, _bo = on_the_road("Bo")
    rally = make_rally()
    enter(rally, "Cem", "Dag")
    moment = open_turn(sound).remind_at
    Rally.objects.filter(pk=rally.pk).update(starts_at=moment)
    turn = open_turn(broken)
    accept = (
        refuse(Turn, turn.pk)
        if how == "the row"
        else refuse(Notice, on="INSERT", when=f"NEW.recipient_id = {ana.driver_id} AND NEW.kind = 'turn closes soon'")
    )
    minutes(moment)
    reminded = Notice.objects.filter(kind="turn closes soon", channel="mail")
    assert [notice.recipient.name for notice in reminded] == ["Bo"]
    assert Rally.objects.get(pk=rally.pk).status == Rally.Status.RUNNING
    assert failing() == [("turns: reminder", str(turn.pk))]
    accept()
    minutes(clock.now() + FIRST_WAIT)
    assert sorted(notice.recipient.name for notice in reminded.all()) == ["Ana", "Bo"]
    assert failing() == []


# Actions at set times ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "dates", "done"),
    [
        (EntryDeadlines.name, {"entries_close_at": None}, {"entries_closed": True}),
        (Starts.name, {"starts_at": None}, {"status": Rally.Status.RUNNING}),
    ],
)
def test_a_rally_whose_date_fails_keeps_no_other_from_its_date(kind, dates, done, minutes):
    rallies = [make_rally(name=name) for name in ("Broken", "Sound")]
    for rally in rallies:
        enter(rally, f"{rally.name} one", f"{rally.name} two")
    Rally.objects.update(**dict.fromkeys(dates, clock.now() + HOUR))
    accept = refuse(Rally, rallies[0].pk)
    minutes(clock.now() + HOUR)
    finished = Rally.objects.filter(**done)
    assert [rally.name for rally in finished] == ["Sound"]
    assert failing() == [(f"{kind}: due", str(rallies[0].pk))]
    assert (kind, rallies[0].pk) not in list(scheduled_actions.due(clock.now())), "put off"
    accept()
    minutes(clock.now() + FIRST_WAIT)
    assert finished.all().count() == 2
    assert failing() == []


def test_a_kind_of_action_that_cannot_be_searched_stops_no_other_kind(minutes):
    """A kind of action that another app has registered, and whose query is wrong."""

    class Wrong:
        name = "wrong"

        def due(self, now):
            return list(Rally.objects.extra(where=["no_such_column = 1"]).values_list("pk", flat=True))

        def act(self, row_id, now):
            raise AssertionError

    rally = make_rally()
    enter(rally, "Ana", "Bo")
    Rally.objects.filter(pk=rally.pk).update(starts_at=clock.now() + HOUR)
    known = dict(scheduled_actions._known)
    scheduled_actions._known.clear()
    try:
        scheduled_actions.register(Wrong())
        scheduled_actions._known.update(known)
        minutes(clock.now() + HOUR)
    finally:
        scheduled_actions._known.clear()
        scheduled_actions._known.update(known)
    assert Rally.objects.get(pk=rally.pk).status == Rally.Status.RUNNING
    assert failing() == [("wrong: search", "")]


def test_an_open_stage_that_cannot_open_or_close_stops_nothing_else(minutes, settings):
    settings.OPEN_STAGE = True
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    Rally.objects.filter(pk=rally.pk).update(starts_at=clock.now() + HOUR)
    accept = refuse(Week, on="INSERT", when="true")
    minutes(clock.now() + HOUR)
    assert Rally.objects.get(pk=rally.pk).status == Rally.Status.RUNNING
    assert [kind for kind, _unit in failing()] == ["openings of open stages: due"]
    accept()
    minutes(clock.now() + FIRST_WAIT)
    week = Week.objects.get()
    settings.OPEN_STAGE = False
    refuse(SpecialStage, week.rally.stages.get().pk)
    later = make_rally(name="Later")
    enter(later, "Cem", "Dag")
    closes = week.rally.stages.get().closes_at
    Rally.objects.filter(pk=later.pk).update(starts_at=closes)
    minutes(closes)
    assert Rally.objects.get(pk=later.pk).status == Rally.Status.RUNNING
    assert ("closings of open stages: due", str(week.pk)) in failing()


# What operators see -----------------------------------------------------------------------------------


def test_operators_see_what_keeps_failing_and_can_have_it_tried_again(minutes, capsys):
    broken, _ana = on_the_road("Ana")
    state = broken.state
    Run.objects.filter(pk=broken.pk).update(state={})
    turn = open_turn(broken)
    minutes(turn.deadline)
    found = clock_health(clock.now())
    assert not found.healthy and found.failing_count == 1
    assert f"turns: due {turn.pk}: {turn.deadline:%Y-%m-%d %H:%M} UTC, 1 x, KeyError" in found.failing[0]
    with pytest.raises(SystemExit):
        call_command("clock", "--check", "--json")
    assert json.loads(capsys.readouterr().out)["failing"]["count"] == 1
    assert 'parc_ferme_failing{what="turns: due"} 1' in metrics.text(clock.now())[0]
    Run.objects.filter(pk=broken.pk).update(state=state)
    call_command("clock", "--retry")
    minutes(clock.now() + MINUTE)
    assert open_turn(broken).number == 2
    assert clock_health(clock.now()).failing == []


def test_the_waits_grow_up_to_a_limit():
    assert [wait_after(times) for times in (1, 2, 3)] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT]
    assert wait_after(1000) == LONGEST_WAIT
