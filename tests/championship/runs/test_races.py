"""Simultaneous acts on one run, on PostgreSQL with real threads: everything happens once, and nobody waits forever."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from championship.deadlines.services.sweeping import remind
from championship.notices.models import Notice, SentMail
from championship.platform.refusals import Refusal, Stale
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, SpecialStage, StageTime
from championship.runs.models import Draft, Event, Post, Run, SentAhead, Turn
from championship.runs.play import (
    act_on_deadlines,
    keep_draft,
    play_turn,
    rebuild,
    send_ahead,
    withdraw,
)
from tests.championship.runs.factories import (
    all_but_the_first_are_home,
    careful_turn,
    desk_of,
    on_the_road,
    open_turn,
    play,
    starters,
)
from tests.championship.runs.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

LAY = {"do": "lay", "plan": "1:1.2.l 2:1.3.l", "roll": "one by one"}


def turn_by(run, entry, key, version=0):
    """Returns an act: the driver posts the whole turn that is open now."""
    orders = careful_turn(run)
    return lambda: play_turn(by=entry.driver, run=Run.objects.get(pk=run.pk), orders=orders, version=version, key=key)


def assert_sound(run):
    """Numbers have no gaps, one turn is open while the run is under way, and the events give the snapshot."""
    run.refresh_from_db()
    assert list(run.posts.values_list("number", flat=True)) == list(range(1, run.version + 1))
    assert list(run.events.values_list("number", flat=True)) == list(range(1, run.events_told + 1))
    assert list(run.turns.values_list("number", flat=True)) == list(range(1, run.turns.count() + 1))
    assert run.turns.filter(ended_at=None).count() == (run.status == Run.Status.RUNNING)
    assert rebuild(run=run) == run.state


def test_of_two_posts_at_once_one_plays_and_the_other_gets_the_fresh_page():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desks = [desk_of(ana), desk_of(ana)]
    path = f"/runs/{run.key}/turn/"
    answers = at_once(
        *[
            lambda desk=desk, key=key: desk.post(path, {"version": 0, "key": key, **LAY})
            for desk, key in zip(desks, ("one", "two"), strict=True)
        ]
    )
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert 'name="version" value="1"' in refused.content.decode()
    assert Post.objects.count() == 1
    assert_sound(run)


def test_of_five_turns_at_once_one_is_made():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    outcomes = at_once(*[turn_by(run, ana, f"key {n}") for n in range(5)])
    assert sum(isinstance(outcome, Stale) for outcome in outcomes) == 4
    assert Turn.objects.filter(ended_at__isnull=False).count() == 1
    assert_sound(run)


def test_the_same_post_from_three_threads_plays_once_and_none_is_refused():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    outcomes = at_once(*[turn_by(run, ana, "once")] * 3)
    assert sorted(outcome.played for outcome in outcomes) == [False, False, True]
    assert Post.objects.filter(key="once").count() == 1
    assert_sound(run)


def test_a_post_and_the_clock_at_once_make_the_turn_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    late = turn.deadline + timedelta(seconds=1)
    posted, swept = at_once(turn_by(run, ana, "just in time"), lambda: act_on_deadlines(now=late))
    turn.refresh_from_db()
    by_driver = not isinstance(posted, Refusal)
    assert (by_driver, swept, turn.missed) in {(True, 0, False), (False, 1, True)}
    assert by_driver or isinstance(posted, Stale)
    assert Event.objects.filter(kind="end of turn").count() == 1
    assert Notice.objects.filter(kind="turn driven for you").count() == swept
    assert_sound(run)


def test_a_sweep_leaves_a_run_that_is_being_played_to_the_next_sweep(caplog):
    """The sweep runs while the driver's post is in the middle of its transaction."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    late = open_turn(run).deadline + timedelta(seconds=1)
    swept = []

    def sweep_meanwhile(execute, sql, params, many, context):
        if "INSERT INTO runs_event" in sql and not swept:
            swept.append(at_once(lambda: act_on_deadlines(now=late))[0])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(sweep_meanwhile):
        assert turn_by(run, ana, "held")().played
    assert swept == [0]
    assert "failed" not in caplog.text, "it does not wait, nor stumble"
    assert not Turn.objects.filter(missed=True).exists()
    assert_sound(run)


@pytest.mark.usefixtures("mailbox")
def test_two_sweeps_at_once_drive_each_turn_once_and_notify_each_driver_once():
    on_the_road("Ana", "Bo", "Cem", "Dag", mode="open road")
    late = timezone.now() + timedelta(days=2)
    counts = at_once(*[lambda: act_on_deadlines(now=late)] * 3)
    assert sum(counts) == 4
    assert Turn.objects.filter(missed=True).count() == 4
    assert Notice.objects.filter(kind="turn driven for you").count() == 4
    assert SentMail.objects.filter(body__contains="The codriver has driven it for you").count() == 4
    for run in Run.objects.all():
        assert run.turns.filter(ended_at__isnull=False).count() == 1
        assert_sound(run)


@pytest.mark.usefixtures("mailbox")
def test_two_clocks_at_once_remind_each_driver_once():
    on_the_road("Ana", "Bo", mode="open road")
    soon = timezone.now() + timedelta(hours=21)
    counts = at_once(*[lambda: remind(now=soon)] * 3)
    assert sum(counts) == 2
    assert Notice.objects.filter(kind="turn closes soon").count() == 2
    assert SentMail.objects.filter(subject__contains="closes soon").count() == 2


def test_the_last_cars_of_two_convoys_home_at_once_end_the_stage_once():
    first, _six = on_the_road("A", "B", "C", "D", "E", "F", "G")
    second = Run.objects.get(special_stage=first.special_stage, number=2)
    acts = []
    for run in (first, second):
        move = all_but_the_first_are_home(run)
        driver = starters(run)[0].driver
        acts.append(
            lambda run=run, move=move, driver=driver: play_turn(
                by=driver, run=run, orders={"do": "standing", "plan": move}, version=0, key="home"
            )
        )
    outcomes = at_once(*acts)
    assert [outcome.played for outcome in outcomes] == [True, True]
    assert set(Run.objects.values_list("status", flat=True)) == {Run.Status.FINISHED}
    assert StageTime.objects.count() == 7
    stage = SpecialStage.objects.get(pk=first.special_stage_id)
    assert stage.status == SpecialStage.Status.TIME_CONTROL
    assert Notice.objects.filter(kind="time control waits").count() == 7


def test_the_last_cars_home_at_once_open_the_next_stage_once():
    first, _six = on_the_road("A", "B", "C", "D", "E", "F", "G", options={"checkpoints": False})
    rally = first.special_stage.rally
    acts = []
    for run in first.special_stage.runs.all():
        move = all_but_the_first_are_home(run)
        driver = starters(run)[0].driver
        acts.append(
            lambda run=run, move=move, driver=driver: play_turn(
                by=driver, run=run, orders={"do": "standing", "plan": move}, version=0, key="home"
            )
        )
    at_once(*acts)
    assert list(rally.stages.order_by("number").values_list("status", flat=True)) == ["done", "running", "planned"]
    assert list(Run.objects.filter(special_stage__number=2).values_list("number", flat=True)) == [1, 2]


@pytest.mark.parametrize("times", range(2))
def test_a_car_handed_to_the_codriver_while_its_driver_posts_is_driven_on(times):
    """In either order there is no deadlock, and in the end the codriver has driven the car to the finish."""
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    posted, entry = at_once(
        turn_by(run, ana, "my last turn"),
        lambda: rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver"),
    )
    assert isinstance(entry, Entry)
    assert isinstance(posted, Refusal) or posted.played
    assert_sound(run)
    assert run.status == Run.Status.FINISHED
    assert not Turn.objects.filter(missed=True).exists()
    assert run.posts.exclude(by=None).count() == (not isinstance(posted, Refusal))


def test_a_car_handed_back_and_forth_ends_up_where_it_was_handed_last():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    at_once(
        *[
            lambda whom=whom: rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by=whom)
            for whom in ("codriver", "person", "codriver", "person")
        ]
    )
    ana.refresh_from_db()
    assert_sound(run)
    for turn in Turn.objects.filter(ended_at=None, seat__entry=ana):
        waits = turn.deadline > timezone.now()
        assert waits == (ana.driven_by == Entry.DrivenBy.PERSON)


# Drafts and plans sent ahead -----------------------------------------------------------------------------


def assert_settled(run):
    """Each plan sent ahead has one post when its state is DRIVEN, and otherwise none."""
    for plan in SentAhead.objects.filter(seat__run=run):
        posts = Post.objects.filter(turn__seat=plan.seat, orders__plan=plan.laid, orders__do="standing").count()
        assert posts == (plan.state == SentAhead.State.DRIVEN)
        assert (plan.settled_at is None) == (plan.state == SentAhead.State.WAITING)


def sending(run, entry, plan="1:1.2.r", version=0):
    """Returns an act: the driver sends a plan ahead."""
    orders = {"roll": "one by one", "stop_at": 2}
    return lambda: send_ahead(
        by=entry.driver, run=Run.objects.get(pk=run.pk), plan=plan, orders=orders, version=version
    )


def the_last_turn_before(run, ana, bo):
    """Ana makes turns until Bo comes right after her."""
    while str(bo.start_number) not in run.state["queue"]:
        play(run, ana, **careful_turn(run))


@pytest.mark.parametrize("times", range(2))
def test_a_plan_sent_ahead_as_its_turn_opens_is_driven_or_refused_as_stale(times):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    the_last_turn_before(run, ana, bo)
    posted, sent = at_once(turn_by(run, ana, "mine", run.version), sending(run, bo, version=run.version))
    assert posted.played
    if isinstance(sent, Refusal):
        assert isinstance(sent, Stale)
        assert not SentAhead.objects.exists()
        assert open_turn(run).seat.entry == bo
    else:
        assert SentAhead.objects.get().state == SentAhead.State.DRIVEN
    assert_sound(run)
    assert_settled(run)


@pytest.mark.parametrize("times", range(2))
def test_a_plan_withdrawn_while_it_is_being_driven_is_either_withdrawn_or_driven(times):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    the_last_turn_before(run, ana, bo)
    sending(run, bo, version=run.version)()
    posted, back = at_once(
        turn_by(run, ana, "mine", run.version), lambda: withdraw(by=bo.driver, run=Run.objects.get(pk=run.pk))
    )
    assert posted.played
    plan = SentAhead.objects.get()
    if isinstance(back, Refusal):
        assert plan.state == SentAhead.State.DRIVEN
        assert not Draft.objects.filter(person=bo.driver).exists()
    else:
        assert plan.state == SentAhead.State.WITHDRAWN
        assert Draft.objects.get(person=bo.driver).laid == plan.laid
        assert open_turn(run).seat.entry == bo
    assert_sound(run)
    assert_settled(run)


def test_of_plans_sent_at_once_one_waits():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    at_once(*[sending(run, bo, plan) for plan in ("1:1.2.l", "1:1.2.r", "2:1.2.l")])
    assert sorted(SentAhead.objects.values_list("state", flat=True)) == ["waiting", "withdrawn", "withdrawn"]
    assert_settled(run)


def test_the_clock_and_a_post_at_once_drive_a_plan_that_waits_once():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    the_last_turn_before(run, ana, bo)
    sending(run, bo, version=run.version)()
    late = open_turn(run).deadline + timedelta(seconds=1)
    at_once(turn_by(run, ana, "mine", run.version), lambda: act_on_deadlines(now=late))
    assert SentAhead.objects.get().state == SentAhead.State.DRIVEN
    assert_sound(run)
    assert_settled(run)


def test_two_tabs_lay_at_once_and_one_draft_is_kept():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    plans = ("1:1.2.l", "1:1.2.r", "2:1.2.l", "2:1.2.r")
    outcomes = at_once(
        *[
            lambda plan=plan: keep_draft(by=ana.driver, run=Run.objects.get(pk=run.pk), plan=plan, version=0)
            for plan in plans
        ]
    )
    assert not [outcome for outcome in outcomes if isinstance(outcome, Refusal)], "the last one wins, without a word"
    assert Draft.objects.get().laid in plans


def test_a_move_laid_while_the_turn_is_played_leaves_no_draft_behind():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    posted, laid = at_once(
        turn_by(run, ana, "mine"),
        lambda: keep_draft(by=ana.driver, run=Run.objects.get(pk=run.pk), plan="1:1.2.l", version=0),
    )
    assert posted.played
    assert isinstance(laid, Stale | Draft)
    assert not Draft.objects.exists()
    assert_sound(run)


def test_the_same_whole_turn_pressed_twice_is_rolled_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desks = [desk_of(ana), desk_of(ana)]
    fields = {"version": 0, "key": "tap", "do": "standing", "plan": "1:1.2.l 2:1.3.l", "roll": "one by one"}
    headers = {"HX-Request": "true", "HX-Target": "run"}
    answers = at_once(
        *[lambda desk=desk: desk.post(f"/runs/{run.key}/turn/", fields, headers=headers) for desk in desks]
    )
    assert [answer.status_code for answer in answers] == [200, 200]
    assert Post.objects.count() == 1
    assert_sound(run)
