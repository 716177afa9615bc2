"""What a missed deadline costs: never more than the rally's rules say. And how a driver takes the wheel back."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.test import Client

from championship.clubs.models import Role
from championship.deadlines.models import Sweep
from championship.deadlines.services.sweeping import DEADLINES
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice, SentMail
from championship.notices.services import deliver_due
from championship.platform import clock
from championship.platform.refusals import Forbidden, Stale
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Penalty, StageTime
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import act_on_deadlines, drive_codrivers, rebuild, take_wheel
from engine import registry
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import careful_turn, desk_of, on_the_road, open_turn, play
from tests.factories import make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def let_pass(run, at, times=1):
    """Let deadlines of the run pass, one after the other, each acted on at once."""
    for _ in range(times):
        at(open_turn(run).deadline)
        assert act_on_deadlines(now=clock.now()) == 1


def done(run):
    return list(run.turns.exclude(ended_at=None).order_by("number").values_list("missed", "done"))


# The rules --------------------------------------------------------------------------------------------


def test_without_other_rules_the_codriver_drives_and_it_costs_nothing(at):
    run, _ana = on_the_road("Ana")
    let_pass(run, at)
    assert done(run) == [(True, "driven")]
    assert not Penalty.objects.exists()
    assert Seat.objects.get(run=run).codriver_since is None


def test_a_turn_that_is_sent_after_the_deadline_and_before_the_sweep_acts_is_in_time(at):
    """docs/clockwork.md says so: a late turn of the driver is better than one of the codriver."""
    run, (ana,) = on_the_road("Ana", timekeeping={"miss_penalty": 40})
    at(open_turn(run).deadline + timedelta(seconds=59))
    play(run, ana, **careful_turn(run))
    assert done(run) == [(False, "")]
    assert act_on_deadlines(now=clock.now()) == 0
    assert not Penalty.objects.exists()


def test_a_penalty_is_given_once_without_an_author_and_its_reason_is_shown(at, mailbox):
    run, (ana,) = on_the_road("Ana", timekeeping={"miss_penalty": 40})
    let_pass(run, at)
    assert act_on_deadlines(now=clock.now()) == 0
    penalty = Penalty.objects.get()
    assert (penalty.amount, penalty.given_by, penalty.missed_turn) == (40, None, 1)
    assert done(run) == [(True, "penalised")]
    page = signed_in(organiser_of(ana.rally)).get(f"/rallies/{ana.rally.key}/desk/penalty/").content.decode()
    assert "The deadline of turn 1 was missed" in page
    Notice.objects.exclude(kind="turn driven for you").delete()
    deliver_due(now=clock.now() + HOUR)
    assert "costs 40 seconds" in SentMail.objects.get(subject__contains="codriver drove").body


def test_a_penalty_of_the_last_turn_counts_in_the_stage_that_it_ends(at):
    run, (ana,) = on_the_road("Ana", stages=("4/1",), timekeeping={"miss_penalty": 40})
    while run.status == Run.Status.RUNNING:
        let_pass(run, at)
        run.refresh_from_db()
    turns = run.turns.count()
    assert Penalty.objects.count() == turns
    page = Client().get(f"/rallies/{ana.rally.key}/").content.decode()
    assert StageTime.objects.get().measure is not None
    assert "Finished" in page
    assert "the codriver stood in on stage 1" in page
    assert "the codriver stood in<" in Client().get(f"/rallies/{ana.rally.key}/stages/1/").text
    assert "the codriver stood in on stage 1" in Client().get(f"/rallies/{ana.rally.key}/results.csv").text


def test_a_car_retires_at_the_miss_that_the_rules_name_and_not_before(at):
    run, (ana,) = on_the_road("Ana", timekeeping={"retire_after": 3})
    let_pass(run, at, times=2)
    assert done(run) == [(True, "driven")] * 2
    let_pass(run, at)
    assert done(run)[-1] == (True, "retired")
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert StageTime.objects.get(entry=ana).retired
    assert rebuild(run=run) == run.state


@pytest.mark.slow
def test_misses_count_through_the_rally_and_from_zero_after_a_retirement(at):
    run, (ana,) = on_the_road("Ana", stages=("4/1", "4/2", "4/3"), timekeeping={"retire_after": 2})
    let_pass(run, at)
    while run.status == Run.Status.RUNNING:
        play(run, ana, **careful(run))
    second = next_run(ana, 2, at)
    let_pass(second, at)
    assert done(second) == [(True, "retired")], "one on the first stage, one on the second"
    third = next_run(ana, 3, at)
    let_pass(third, at)
    assert done(third) == [(True, "driven")], "a first miss again"


def careful(run):
    """The next step that the codriver would make."""
    run.refresh_from_db()
    rules = registry.get(run.game)
    return rules.autopilot(run.state, rules.to_play(run.state)[0])


def next_run(ana, number, at):
    """The run of stage `number`, after the deadline of the time control before it has passed."""
    stage = ana.rally.stages.get(number=number - 1)
    if stage.status == "time control":
        at(stage.control_deadline)
        rally_services.close_overdue_time_controls(now=clock.now())
    return Run.objects.get(special_stage__rally=ana.rally, special_stage__number=number)


# The wheel --------------------------------------------------------------------------------------------


def handed_over(at, **how):
    """A run in which Ana has missed a deadline and the codriver keeps her wheel for the rest of the stage."""
    rules = {"after_miss": "stage", "hand_back_hours": 12}
    run, (ana, bo) = on_the_road("Ana", "Bo", timekeeping=rules, **how)
    let_pass(run, at)
    return run, ana, bo


def until_it_is(run, entry, *others):
    """Let `others` drive until it is this car's turn. The codriver drives the cars of which it has the wheel."""
    run.refresh_from_db()
    while run.state["queue"][0] != str(entry.start_number):
        other = next(each for each in others if str(each.start_number) == run.state["queue"][0])
        play(run, other, **careful_turn(run))


def test_the_codriver_keeps_the_wheel_where_the_rules_say_so_and_misses_nothing_more(at):
    run, ana, bo = handed_over(at)
    until_it_is(run, ana, bo)
    assert open_turn(run).deadline == clock.now(), "nobody is kept waiting for a codriver"
    assert drive_codrivers(run_id=run.pk) is False
    assert [missed for missed, _done in done(run)].count(True) == 1
    page = desk_of(ana).get(run.get_absolute_url()).content.decode()
    assert "Done in your name" in page
    assert "The codriver drove the turn." in page
    assert "Take the wheel back" in page
    assert "Take the wheel back" in desk_of(ana).get("/turns/").content.decode()


def test_the_driver_takes_the_wheel_back_and_drives(at):
    run, ana, bo = handed_over(at)
    at(clock.now() + 3 * HOUR)
    answer = desk_of(ana).post(f"/runs/{run.key}/wheel/")
    assert answer.status_code == 302
    assert Seat.objects.get(run=run, entry=ana).codriver_since is None
    until_it_is(run, ana, bo)
    play(run, ana, **careful_turn(run))
    with pytest.raises(Stale):
        take_wheel(by=ana.driver, run=run)


def test_while_the_codriver_has_the_wheel_the_driver_cannot_drive(at):
    run, ana, bo = handed_over(at)
    until_it_is(run, ana, bo)
    with pytest.raises(Forbidden, match="Take it back first"):
        play(run, ana, **careful_turn(run))


def test_after_the_hand_back_hours_the_wheel_cannot_be_taken_back(at):
    run, ana, _bo = handed_over(at)
    at(clock.now() + 12 * HOUR)
    answer = desk_of(ana).post(f"/runs/{run.key}/wheel/")
    assert answer.status_code == 422
    assert "could be taken back until" in answer.content.decode()
    assert "Take the wheel back" not in desk_of(ana).get(run.get_absolute_url()).content.decode()
    assert Seat.objects.get(run=run, entry=ana).codriver_since is not None


def test_nobody_takes_anothers_wheel(at):
    run, _ana, bo = handed_over(at)
    assert desk_of(bo).post(f"/runs/{run.key}/wheel/").status_code == 409
    assert signed_in(make_user()).post(f"/runs/{run.key}/wheel/").status_code == 403
    assert Client().post(f"/runs/{run.key}/wheel/").status_code == 302


def test_alone_on_the_road_the_codriver_waits_for_the_driver_as_long_as_the_wheel_may_be_taken_back(at):
    """Nobody else waits, so the codriver does not drive the rest of the stage at once."""
    run, _ana = on_the_road("Ana", mode="open road", timekeeping={"after_miss": "stage", "hand_back_hours": 5})
    let_pass(run, at)
    turn = open_turn(run)
    assert (turn.deadline, turn.reasons) == (clock.now() + 5 * HOUR, ["take back"])
    assert drive_codrivers(run_id=run.pk) is False
    assert open_turn(run) == turn
    at(turn.deadline)
    assert act_on_deadlines(now=clock.now()) == 1
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert run.turns.filter(missed=True).count() == 1


# Outages ----------------------------------------------------------------------------------------------


def swept_until(moment, at):
    """Sweep at `moment`, as if a sweep had run every minute until then. No sweep runs afterwards."""
    Sweep.objects.update_or_create(name=DEADLINES, defaults={"at": moment - MINUTE})
    at(moment)
    sweep.delay()


def test_a_deadline_that_passed_while_the_site_was_away_is_not_missed(at):
    run, _ana = on_the_road("Ana")
    deadline = open_turn(run).deadline
    swept_until(deadline - 20 * MINUTE, at)
    at(deadline + 5 * HOUR)
    sweep.delay()
    turn = open_turn(run)
    assert (turn.number, turn.missed) == (1, False)
    assert turn.deadline == clock.now() + HOUR, "twenty minutes were left; an hour is given at least"
    assert turn.reasons == ["outage"]
    at(turn.deadline)
    Sweep.objects.update(at=clock.now() - MINUTE)
    sweep.delay()
    assert Turn.objects.get(pk=turn.pk).missed


def test_a_sweep_that_was_a_little_late_excuses_nobody(at):
    run, _ana = on_the_road("Ana")
    swept_until(open_turn(run).deadline - MINUTE, at)
    at(clock.now() + 10 * MINUTE)
    sweep.delay()
    assert Turn.objects.filter(missed=True).count() == 1


@pytest.mark.parametrize("minutes", [170, 60, 9, 1, 0, -3, -59])
def test_whenever_a_deadline_passes_around_an_outage_its_driver_has_the_grace(at, minutes):
    """No sweep runs for three hours. The deadline is `minutes` before the first sweep afterwards."""
    run, _ana = on_the_road("Ana")
    back = open_turn(run).deadline + minutes * MINUTE
    swept_until(back - 3 * HOUR, at)
    at(back)
    sweep.delay()
    turn = open_turn(run)
    assert (turn.number, turn.missed, turn.reasons) == (1, False, ["outage"])
    assert turn.deadline == back + max(HOUR, 3 * HOUR - minutes * MINUTE), "what was left before it, or an hour"
    swept_until(turn.deadline - MINUTE, at)
    at(turn.deadline)
    sweep.delay()
    assert Turn.objects.get(pk=turn.pk).missed, "excused once, and only once"


def test_a_driver_with_more_than_the_grace_left_after_an_outage_keeps_the_deadline(at):
    run, _ana = on_the_road("Ana")
    deadline = open_turn(run).deadline
    swept_until(deadline - 5 * HOUR, at)
    at(deadline - HOUR)
    sweep.delay()
    assert (open_turn(run).deadline, open_turn(run).reasons) == (deadline, [])


@pytest.mark.django_db(transaction=True)
def test_a_stage_that_closed_while_the_site_was_away_closes_later_for_all_its_turns(at):
    """Not only the turn that was open then: a driver who makes it within the given hour may make further turns."""
    run, (ana,) = on_the_road(
        "Ana", mode="open road", stages=("4/1",), timekeeping={"pace": "closing", "stage_hours": 100}
    )
    closes = open_turn(run).deadline
    swept_until(closes - 20 * MINUTE, at)
    at(closes + 5 * HOUR)
    sweep.delay()
    turn = open_turn(run)
    assert (turn.number, turn.missed, turn.reasons) == (1, False, ["closing", "outage"])
    assert turn.deadline == clock.now() + HOUR
    play(run, ana, **careful_turn(run))
    assert open_turn(run).number == 2
    assert open_turn(run).deadline == turn.deadline, "the stage is open until then"
    swept_until(turn.deadline, at)
    assert run.turns.get(number=2).missed, "and no longer"


def test_only_hours_that_count_are_given_as_grace(at):
    """Sweeps run again at 22:00, when the quiet hours begin. So the hour that is given is the first of the morning."""
    run, _ana = on_the_road("Ana", turn_hours=9, timekeeping={"quiet_from": time(22), "quiet_to": time(7)})
    assert open_turn(run).deadline == datetime(2026, 11, 19, 21, tzinfo=UTC)
    swept_until(datetime(2026, 11, 19, 20, 40, tzinfo=UTC), at)
    at(datetime(2026, 11, 19, 22, tzinfo=UTC))
    sweep.delay()
    assert open_turn(run).deadline == datetime(2026, 11, 20, 8, tzinfo=UTC)


def test_a_deadline_that_passed_unswept_before_a_pause_is_excused_while_the_rally_is_paused(
    at, django_capture_on_commit_callbacks
):
    run, (ana,) = on_the_road("Ana")
    deadline = open_turn(run).deadline
    swept_until(deadline - HOUR, at)
    at(deadline + HOUR)
    rally_services.pause_rally(by=organiser_of(ana.rally), rally=ana.rally, reason="Snow")
    at(deadline + 2 * HOUR)
    sweep.delay()
    at(deadline + 5 * HOUR)
    Sweep.objects.update(at=clock.now() - MINUTE)
    with django_capture_on_commit_callbacks(execute=True):
        rally_services.resume_rally(by=organiser_of(ana.rally), rally=ana.rally)
    sweep.delay()
    turn = open_turn(run)
    assert (turn.number, turn.missed) == (1, False)
    assert turn.deadline >= clock.now() + HOUR


# Who sees misses --------------------------------------------------------------------------------------


def test_stewards_and_organisers_see_who_missed_what_and_nobody_else_does(at):
    _run, ana, bo = handed_over(at)
    rally = ana.rally
    address = f"/rallies/{rally.key}/misses/"
    steward = make_member(rally.club, name="Stig", roles=[Role.STEWARD])
    for person in (steward, organiser_of(rally)):
        page = signed_in(person).get(address).content.decode()
        assert ana.crew in page
        assert "The codriver drove the turn" in page
        assert address in page, "it stands among the rally's pages"
    assert desk_of(bo).get(address).status_code == 403
    assert signed_in(make_user()).get(address).status_code == 404
    assert Client().get(address).status_code == 302


def test_without_a_miss_the_page_says_so(at):
    _run, (ana,) = on_the_road("Ana")
    assert "No deadline has been missed" in (
        signed_in(organiser_of(ana.rally)).get(f"/rallies/{ana.rally.key}/misses/").content.decode()
    )


def test_each_miss_brings_one_notice_that_says_what_was_done(at):
    run, (ana,) = on_the_road("Ana", timekeeping={"miss_penalty": 10, "retire_after": 2})
    let_pass(run, at, times=2)
    said = Notice.objects.filter(kind="turn driven for you").order_by("created_at")
    assert [notice.context["done"] for notice in said] == ["penalised", "retired"]
    assert Entry.objects.get(pk=ana.pk).driven_by == "person"
