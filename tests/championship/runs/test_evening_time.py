"""Turns at the pace of an evening: the second clock acts, others give more, outages are made up, nothing is mailed."""

import threading
from datetime import time, timedelta

import pytest
from django.http import Http404

from championship.deadlines import second_clock
from championship.deadlines.models import Sweep, UnexcusedOutage
from championship.deadlines.services import brisk
from championship.deadlines.services.brisk import SECONDS, tick
from championship.deadlines.tasks import sweep
from championship.failures.models import Failure
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.clock.evening_pace import BANK, PERIODS, EveningPace
from championship.rallies.models import AwaitedCard
from championship.rallies.services import move_to_hours, pause_as_agreed, resume_as_agreed
from championship.runs.models import Run, Turn
from championship.runs.play import give_more
from championship.runs.watch.lengths import run_averages
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.evening import committed, in_an_evening, to_seconds
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]
second = timedelta(seconds=1)


@pytest.fixture
def seconds(at):
    """Let seconds pass, one after another, with a tick in each. Returns for how many rows ticks did something."""

    def passed(count):
        acted = 0
        for _second in range(count):
            at(clock.now() + second)
            acted += tick(now=clock.now())
        return acted

    tick(now=clock.now())
    return passed


def test_a_turn_has_seconds_and_the_second_clock_acts_within_two(seconds):
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=45))
    turn = open_turn(run)
    assert turn.deadline == clock.now() + 45 * second
    assert seconds(44) == 0
    assert seconds(2) == 1
    turn.refresh_from_db()
    assert (turn.missed, turn.done) == (True, "driven")
    assert turn.ended_at <= turn.deadline + 2 * second
    assert open_turn(run).deadline == turn.ended_at + 45 * second


def test_turns_that_fail_take_no_place_from_others(monkeypatch, at):
    in_an_evening("Ana", "Bo", "Cem", pace=EveningPace(turn=45), mode="open road")
    monkeypatch.setattr(brisk, "AT_ONCE", 2)
    first, second_one, third = Turn.objects.filter(ended_at=None).order_by("deadline", "pk")
    now = clock.now()
    for turn in (first, second_one):
        Failure.objects.create(
            kind="turns: due", unit=str(turn.pk), since=now, last_at=now, again_at=now + timedelta(hours=1), times=1
        )
    tick(now=now)
    at(now + 46 * second)
    Sweep.objects.update(at=clock.now())
    assert tick(now=clock.now()) == 1
    third.refresh_from_db()
    assert third.done == "driven"


def test_the_second_clock_leaves_rallies_in_hours_to_the_sweep(at, seconds):
    run, _entries = on_the_road("Ana", "Bo")
    at(open_turn(run).deadline + second)
    assert tick(now=clock.now()) == 0
    assert open_turn(run).number == 1


def test_the_sweep_acts_where_no_second_clock_runs(at):
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=45))
    sweep()
    at(clock.now() + 60 * second)
    sweep()
    assert run.turns.get(number=1).done == "driven"


def test_nothing_is_mailed_and_nobody_is_reminded(seconds):
    before = set(Notice.objects.values_list("pk", flat=True))
    run, (ana, _bo) = in_an_evening("Ana", "Bo", pace=EveningPace(turn=45))
    started = {notice.pk for notice in Notice.objects.exclude(pk__in=before)}
    play(run, ana, **careful_turn(run))
    seconds(46)
    assert run.turns.filter(missed=True).count() == 1
    assert open_turn(run).remind_at is None
    assert set(Notice.objects.exclude(pk__in=before).values_list("pk", flat=True)) == started


def test_a_bank_is_used_up_by_turns_and_each_turn_adds_to_it(at):
    run, (ana, bo) = in_an_evening("Ana", "Bo", pace=EveningPace(way=BANK, bank=100, added=10))
    assert open_turn(run).deadline == clock.now() + 110 * second
    at(clock.now() + 30 * second)
    play(run, ana, **careful_turn(run))
    ana.refresh_from_db()
    assert ana.bank_seconds == 80
    left = {ana.pk: 90, bo.pk: 110}
    assert open_turn(run).deadline == clock.now() + left[open_turn(run).seat.entry_id] * second


def test_a_period_is_lost_only_when_it_is_used_up(at):
    pace = EveningPace(way=PERIODS, bank=60, turn=30, periods=3)
    run, (ana, _bo) = in_an_evening("Ana", "Bo", pace=pace)
    assert open_turn(run).deadline == clock.now() + 150 * second
    at(clock.now() + 95 * second)
    play(run, ana, **careful_turn(run))
    ana.refresh_from_db()
    assert ana.bank_seconds == 60, "35 seconds into the periods: one is lost, the second is whole again"


# The others -------------------------------------------------------------------------------------------


def test_at_the_end_of_time_the_others_are_asked_and_then_the_codriver_drives(seconds):
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=45, grace=20))
    seconds(46)
    turn = open_turn(run)
    assert turn.number == 1
    assert turn.time_up_at is not None
    seconds(18)
    assert open_turn(run).number == 1
    seconds(2)
    assert run.turns.get(number=1).done == "driven"


def test_another_driver_gives_a_minute_more_and_the_grace_comes_again(seconds):
    run, (_ana, bo) = in_an_evening("Ana", "Bo", pace=EveningPace(turn=45, grace=20))
    seconds(50)
    before = open_turn(run).deadline
    assert give_more(by=bo.driver, run=run, seen=before) == 1
    turn = open_turn(run)
    assert (turn.deadline, turn.time_up_at, turn.times_more) == (before + 60 * second, None, 1)
    with pytest.raises(Stale):
        give_more(by=bo.driver, run=run, seen=before)
    seconds(60 + 16)
    assert open_turn(run).time_up_at is not None


def test_time_that_was_given_is_not_banked(at):
    run, (ana, bo) = in_an_evening("Ana", "Bo", pace=EveningPace(way=BANK, bank=100, added=10))
    give_more(by=bo.driver, run=run)
    at(clock.now() + 50 * second)
    play(run, ana, **careful_turn(run))
    ana.refresh_from_db()
    assert ana.bank_seconds == 60


def test_nobody_gives_time_to_themselves_nor_without_end_and_strangers_do_not(at):
    run, (ana, bo) = in_an_evening("Ana", "Bo")
    with pytest.raises(Refused):
        give_more(by=ana.driver, run=run)
    for _time in range(5):
        give_more(by=bo.driver, run=run)
    with pytest.raises(Refused):
        give_more(by=bo.driver, run=run)
    with pytest.raises(Refused):
        give_more(by=organiser_of(ana.rally), run=run)
    with pytest.raises(Http404):
        give_more(by=make_user(), run=run)


def test_alone_on_the_road_the_codriver_drives_at_once(seconds):
    run, _entries = in_an_evening("Ana", mode="open road", pace=EveningPace(turn=45, grace=20))
    seconds(47)
    assert run.turns.get(number=1).done == "driven"


def test_in_hours_nobody_gives_minutes():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    with pytest.raises(Refused):
        give_more(by=bo.driver, run=run)


# From hours to seconds and back -----------------------------------------------------------------------


def test_an_open_turn_gets_its_whole_new_time_both_ways(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    at(clock.now() + timedelta(hours=23, minutes=59))
    to_seconds(ana.rally, EveningPace(turn=90))
    assert open_turn(run).deadline == clock.now() + 90 * second
    at(clock.now() + 80 * second)
    committed(move_to_hours, rally_id=ana.rally_id, by=None)
    assert open_turn(run).deadline == clock.now() + timedelta(hours=24)


def test_of_a_bank_the_open_turn_keeps_its_share(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"pace": "bank", "bank_hours": 20, "increment_hours": 4})
    at(clock.now() + timedelta(hours=12))
    to_seconds(ana.rally, EveningPace(way=BANK, bank=100, added=20))
    assert open_turn(run).deadline == clock.now() + 60 * second


def test_a_stage_with_a_closing_time_has_none_in_an_evening_and_gets_one_again(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"pace": "closing", "stage_hours": 48})
    to_seconds(ana.rally, EveningPace(turn=90))
    run.special_stage.refresh_from_db()
    assert run.special_stage.closes_at is None
    assert open_turn(run).deadline == clock.now() + 90 * second
    committed(move_to_hours, rally_id=ana.rally_id, by=None)
    run.special_stage.refresh_from_db()
    assert open_turn(run).deadline == run.special_stage.closes_at == run.opened_at + timedelta(hours=48)


def test_quiet_hours_count_in_an_evening(at):
    at("2026-11-19T23:00")
    run, _entries = in_an_evening("Ana", "Bo", timekeeping={"quiet_from": time(22), "quiet_to": time(7)})
    assert open_turn(run).deadline == clock.now() + 120 * second


def test_a_pause_stops_the_clock(at, seconds):
    run, (ana, _bo) = in_an_evening("Ana", "Bo", pace=EveningPace(turn=45))
    seconds(10)
    committed(pause_as_agreed, by=ana.driver, rally=ana.rally)
    seconds(300)
    assert open_turn(run).number == 1
    committed(resume_as_agreed, by=ana.driver, rally=ana.rally)
    assert open_turn(run).deadline == clock.now() + 35 * second


def test_time_control_has_a_minute_at_least_and_closes_by_itself(at, seconds):
    run, _entries = in_an_evening("Ana", mode="open road", pace=EveningPace(turn=45), stages=("4/1", "1/1"))
    AwaitedCard.objects.all().delete()
    for _turn in range(40):
        if Run.objects.get(pk=run.pk).status != Run.Status.RUNNING:
            break
        seconds(46)
    stage = run.special_stage
    stage.refresh_from_db()
    if stage.status == "time control":
        assert stage.control_deadline <= clock.now() + 60 * second
        seconds(62)
    assert Run.objects.filter(special_stage__number=2).exists()


def test_turns_of_an_evening_teach_nothing_about_days(at):
    run, entries = in_an_evening("Ana", "Bo")
    for _turn in range(12):
        at(clock.now() + 5 * second)
        run.refresh_from_db()
        queue = run.state["queue"][0]
        play(run, next(entry for entry in entries if str(entry.start_number) == queue), **careful_turn(run))
    assert run.turns.exclude(ended_at=None).count() >= 10
    assert run_averages(entries[0].rally.club, "dirt", 2).answer is None


# Outages ----------------------------------------------------------------------------------------------


def test_time_in_which_no_clock_ticked_is_made_up_once(at, seconds):
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=60))
    seconds(20)
    at(clock.now() + 50 * second)
    assert tick(now=clock.now()) == 0
    turn = open_turn(run)
    assert turn.deadline == clock.now() + 40 * second
    assert turn.reasons == ["outage"]
    assert not UnexcusedOutage.objects.exists()
    tick(now=clock.now())
    assert open_turn(run).deadline == turn.deadline


def test_after_an_outage_nobody_has_less_than_half_a_minute(at, seconds):
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=60))
    seconds(59)
    at(clock.now() + 20 * second)
    tick(now=clock.now())
    assert open_turn(run).deadline == clock.now() + 30 * second


def test_a_short_gap_is_no_outage(at, seconds):
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=60))
    seconds(20)
    at(clock.now() + 5 * second)
    tick(now=clock.now())
    assert open_turn(run).deadline == clock.now() + 35 * second


def test_the_process_rests_while_nothing_is_kept_in_seconds(at):
    ticking = second_clock.SecondClock()
    assert ticking.beat() == second_clock.IDLE
    assert not Sweep.objects.filter(name=SECONDS).exists()
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=60))
    assert ticking.beat() <= second_clock.EVERY
    assert Sweep.objects.get(name=SECONDS).at == clock.now()
    assert open_turn(run).reasons == []


def test_the_process_ends_when_it_is_told_to(monkeypatch):
    monkeypatch.setattr("championship.platform.database_timeouts.process", "command")
    stop = threading.Event()
    stop.set()
    assert second_clock.run(stop) == 0
