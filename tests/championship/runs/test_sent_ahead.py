"""Plans sent before the turn comes: driven as soon as it comes, unless the situation has changed."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.translation import override

from championship.notices.models import Notice, SentMail, Switch
from championship.rallies import services as rally_services
from championship.runs.models import Draft, Post, Run, SentAhead, Turn
from championship.runs.play import act_on_deadlines, rebuild
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import load_runs
from championship.runs.watch.proof import record_of
from engine import record, registry
from engine.dirt import legal_moves
from engine.dirt.course.compiled_stage import compiled
from tests.championship.runs.factories import (
    SENT_ORDERS,
    SHORT,
    ahead,
    all_but_the_first_are_home,
    careful_turn,
    desk_of,
    driven_to_the_end,
    on_the_road,
    only_plan,
    open_turn,
    play,
    post_ahead,
    put,
    with_luck,
)

pytestmark = pytest.mark.django_db


def notice_statuses(kind, entry):
    return list(Notice.objects.filter(kind=kind, recipient=entry.driver).values_list("status", flat=True))


# Driven -----------------------------------------------------------------------------------------------


def test_a_plan_sent_ahead_is_driven_the_moment_its_turn_comes():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    assert post_ahead(desk_of(bo), run).status_code == 302
    while not Post.objects.filter(turn__seat__entry=bo).exists():
        assert open_turn(run).seat.entry == ana
        play(run, ana, **careful_turn(run))
    post = Post.objects.get(turn__seat__entry=bo)
    assert post.by == bo.driver
    assert post.orders == {"do": "standing", "plan": SHORT, **SENT_ORDERS}
    plan = only_plan(bo)
    assert (plan.state, plan.turn, plan.settled_at) == (SentAhead.State.DRIVEN, post.turn, post.at)
    assert post.turn.since == post.turn.ended_at, "nobody waited"
    assert notice_statuses("turn waits", bo) == [], "and nobody is told to come"
    assert rebuild(run=run) == run.state
    assert "It was driven when your turn came." in desk_of(bo).get(run.get_absolute_url()).content.decode()


def test_a_run_whose_drivers_have_all_sent_their_plans_plays_through_without_waiting():
    run, crew = on_the_road("Ana", "Bo", "Cem", "Dag")
    first, *others = crew
    for place, entry in enumerate(others):
        ahead(run, entry, "1:1.2.l" if place % 2 else "1:1.2.r")
    turns = run.turns.count()
    play(run, first, do="standing", plan="1:1.2.l 2:1.3.l", roll="one by one")
    run.refresh_from_db()
    while run.state["round"] < 2:
        play(run, first, **careful_turn(run))
    assert Turn.objects.filter(run=run, ended_at=None).count() == 1
    assert run.turns.count() > turns
    assert rebuild(run=run) == run.state
    assert list(run.posts.values_list("number", flat=True)) == list(range(1, run.version + 1))


def moves_of(run, entry):
    """The first moves that this driver could lay if it were their turn, without those that lose control."""
    rules, driver = registry.get(run.game), str(entry.start_number)
    state = run.state if driver in rules.to_play(run.state) else rules.ahead(run.state, driver)
    return [move.text for move in legal_moves.choices(state, driver, "").moves if not move.loses]


def test_one_post_drives_all_cars_whose_plans_wait():
    """Four cars on the road, far from each other."""
    run, crew = on_the_road("Ana", "Bo", "Cem", "Dag")
    names = [space.name for space in compiled(run.stage).spaces if space.kind not in ("grid", "shortcut")]
    for place, entry in enumerate(crew):
        put(run, entry, started=True, space=names[20 - 6 * place], gear=1)
    run.refresh_from_db()
    run.state["queue"] = [str(entry.start_number) for entry in crew]
    run.state["round"] = 4
    run.save(update_fields=["state"])
    for entry in crew[1:]:
        ahead(run, entry, moves_of(run, entry)[0])
    play(run, crew[0], do="standing", plan=moves_of(run, crew[0])[0], roll="one by one")
    assert set(SentAhead.objects.values_list("state", flat=True)) == {SentAhead.State.DRIVEN}
    assert [post.turn.seat.entry for post in run.posts.select_related("turn__seat__entry").order_by("number")] == crew
    assert run.state["round"] == 5
    assert turns_made(run) == 4


def turns_made(run):
    """How many turns have been made. Asserts that the numbers of turns have no gap."""
    assert list(run.turns.values_list("number", flat=True)) == list(range(1, run.turns.count() + 1))
    return run.turns.exclude(ended_at=None).count()


def test_when_the_clock_makes_the_turn_before_the_plan_is_driven_too():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo)
    while only_plan(bo).state == SentAhead.State.WAITING:
        assert act_on_deadlines(now=open_turn(run).deadline + timedelta(seconds=1)) == 1
    assert only_plan(bo).state == SentAhead.State.DRIVEN
    assert Turn.objects.filter(seat__entry=bo, missed=True).count() == 0
    assert Turn.objects.filter(seat__entry=ana, missed=True).exists()


def test_a_plan_that_ends_the_stage_ends_it():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    move = all_but_the_first_are_home(run)
    there = {word: run.state["drivers"][str(ana.start_number)][word] for word in ("space", "gear", "on_track")}
    run.refresh_from_db()
    put(run, bo, finished=False, stage_time=None, **{**there, "space": "1.2.l", "gear": 1})
    run.refresh_from_db()
    run.state["queue"] = [str(bo.start_number), str(ana.start_number)]
    run.save(update_fields=["state"])
    Turn.objects.filter(run=run, ended_at=None).update(ended_at=timezone.now())
    advance(load_runs([run]), now=timezone.now())
    ahead(run, ana, move)
    play(run, bo, do="retire")
    assert run.status == Run.Status.FINISHED
    assert only_plan(ana).state == SentAhead.State.DRIVEN


def test_the_chance_of_a_run_with_plans_sent_ahead_can_be_checked():
    run, (ana, bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    ahead(run, bo)
    play(run, ana, **careful_turn(run))
    driven_to_the_end(run, ana, bo)
    assert record.verify(record_of(run)) is None
    assert rebuild(run=run) == run.state


# Not driven -------------------------------------------------------------------------------------------


def test_a_plan_with_a_car_in_the_way_becomes_a_draft_and_the_driver_is_notified():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    put(run, ana, started=True, space="1.2.l", gear=2)
    put(run, bo, started=True, space="1.2.r", gear=2)
    run.refresh_from_db()
    run.state["queue"] = [str(ana.start_number), str(bo.start_number)]
    run.state["round"] = 2
    run.save(update_fields=["state"])
    ahead(run, bo, "1:1.3.r c:2.1.o1", roll="one by one", stop_at=1)
    orders = {"do": "standing", "plan": "1:1.3.l c:2.1.o1", "roll": "one by one"}
    with_luck(run, orders, lambda state: state["drivers"][str(ana.start_number)]["space"] == "2.1.o1")
    play(run, ana, **orders)
    plan, turn = only_plan(bo), open_turn(run)
    assert (plan.state, plan.rule, plan.move, plan.turn) == (SentAhead.State.NOT_DRIVEN, "M6", 2, turn)
    assert turn.seat.entry == bo
    draft = Draft.objects.get(person=bo.driver)
    assert (draft.laid, draft.orders) == ("1:1.3.r c:2.1.o1", {"roll": "one by one", "stop_at": 1})
    assert notice_statuses("plan not driven", bo) == ["queued"]
    assert notice_statuses("turn waits", bo) == ["dropped"], "one letter says both"
    page = desk_of(bo).get(run.get_absolute_url())
    assert "It was not driven because the situation has changed: Move 2:" in page.content.decode()
    assert page.context["plan"] == "1:1.3.r", "the legal part is on the desk"
    notice = Notice.objects.get(kind="plan not driven")
    assert notice.context["rule"] == "M6"
    assert notice.context["why"].startswith("Move 2: ")


def test_the_reason_is_given_in_the_drivers_language():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    type(bo.driver).objects.filter(pk=bo.driver_id).update(language="pl")
    ahead(run, bo)
    put(run, bo, tokens=5)
    while only_plan(bo).state == SentAhead.State.WAITING:
        play(run, ana, **careful_turn(run))
    assert only_plan(bo).rule == "O1"
    with override("pl"):
        assert Notice.objects.get(kind="plan not driven").context["why"] == only_plan(bo).why


def test_a_car_that_was_handed_to_the_codriver_is_driven_by_the_codriver():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo)
    rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by="codriver")
    while only_plan(bo).state == SentAhead.State.WAITING:
        play(run, ana, **careful_turn(run))
    plan = only_plan(bo)
    assert (plan.state, plan.why) == (SentAhead.State.NOT_DRIVEN, "the codriver drives the car")
    assert Notice.objects.filter(kind="plan not driven", recipient=bo.driver).exists(), "and Bo is told"
    assert not Post.objects.filter(turn__seat__entry=bo).exclude(by=None).exists()


def test_the_plan_of_a_car_handed_back_before_the_turn_is_driven():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo)
    for whom in ("codriver", "person"):
        rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by=whom)
    while only_plan(bo).state == SentAhead.State.WAITING:
        play(run, ana, **careful_turn(run))
    assert only_plan(bo).state == SentAhead.State.DRIVEN


@pytest.mark.parametrize("outlook", [{}, {"car": {}}, [], {"car": 1, "moves": [{}]}], ids=str)
def test_a_plan_checked_by_an_older_engine_is_not_driven_and_stops_nobody(outlook):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo)
    SentAhead.objects.update(outlook=outlook)
    while only_plan(bo).state == SentAhead.State.WAITING:
        play(run, ana, **careful_turn(run))
    assert (only_plan(bo).state, only_plan(bo).rule) == (SentAhead.State.NOT_DRIVEN, "O1")
    assert open_turn(run).seat.entry == bo


def test_a_car_that_is_out_leaves_no_plan_waiting():
    run, (ana, bo, _cem) = on_the_road("Ana", "Bo", "Cem")
    ahead(run, bo)
    put(run, bo, retired=True)
    play(run, ana, **careful_turn(run))
    plan = only_plan(bo)
    assert (plan.state, plan.rule) == (SentAhead.State.NOT_DRIVEN, "O1")
    assert not Draft.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_driver_whose_plan_is_driven_gets_no_mail_but_the_others_do(mailbox):
    run, (_ana, bo, cem) = on_the_road("Ana", "Bo", "Cem")
    for entry in (bo, cem):
        ahead(run, entry, "1:1.2.r")
    put(run, cem, tokens=3)
    before = SentMail.objects.count()
    while SentAhead.objects.filter(state=SentAhead.State.WAITING).exists():
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    letters = SentMail.objects.filter(pk__gt=0).order_by("pk")[before:]
    about = [mail.subject for mail in letters if mail.to == cem.driver.email]
    assert [subject for subject in about if "was not driven" in subject]
    assert not [subject for subject in about if "your turn" in subject]
    first_of_bo = run.turns.filter(seat__entry=bo).order_by("number").first()
    assert first_of_bo.since == first_of_bo.ended_at
    assert not Notice.objects.filter(
        recipient=bo.driver, subject_key=f"run {run.pk} turn {first_of_bo.number}", status="sent"
    ).exists()


def test_a_driver_who_switched_that_notice_off_is_still_notified_that_the_turn_waits():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    Switch.objects.create(person=bo.driver, channel="mail", kind="plan not driven", on=False)
    ahead(run, bo)
    put(run, bo, tokens=5)
    while only_plan(bo).state == SentAhead.State.WAITING:
        play(run, ana, **careful_turn(run))
    assert notice_statuses("plan not driven", bo) == []
    assert notice_statuses("turn waits", bo) == ["queued"]
