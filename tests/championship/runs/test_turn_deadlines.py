"""Reminders and deadlines. The tests set the time, so that they need not wait for it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from championship.deadlines.services.sweeping import remind
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice, SentMail, Switch
from championship.notices.services import deliver_due
from championship.platform.refusals import Refused
from championship.rallies import services as rally_services
from championship.rallies.models import Entry
from championship.runs.models import Event, Run, Turn
from championship.runs.play import act_on_deadlines, rebuild
from tests.championship.runs.factories import all_of, careful_turn, desk_of, on_the_road, open_turn, play, post

SECOND = timedelta(seconds=1)


def recipients(kind):
    """The recipients of notices of that kind, in order of name."""
    return sorted(Notice.objects.filter(kind=kind).values_list("recipient__name", flat=True))


# Notices ----------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_driver_whose_turn_it_is_gets_a_mail_after_the_commit(mailbox):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    mail = SentMail.objects.get(subject__contains="Stage 1: your turn")
    assert mail.to == ana.driver.email
    assert run.get_absolute_url() in mail.body
    while run.state["queue"][0] != str(bo.start_number):
        play(run, ana, **careful_turn(run))
    assert SentMail.objects.filter(subject__contains="your turn", to=bo.driver.email).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_refused_post_notifies_nobody(mailbox):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = SentMail.objects.count()
    with pytest.raises(Refused):
        play(run, ana, do="standing", plan="1:1.2.l 3:1.3.l")
    assert SentMail.objects.count() == before


@pytest.mark.django_db
def test_a_driver_who_switched_the_notice_off_does_not_get_it():
    run, (ana,) = on_the_road("Ana")
    Switch.objects.create(person=ana.driver, channel="mail", kind="turn waits", on=False)
    play(run, ana, **careful_turn(run))
    assert run.turns.count() == 2
    assert Notice.objects.filter(kind="turn waits").count() == 1


# Reminders --------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_reminder_comes_its_hours_before_the_deadline_and_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo", turn_hours=24)
    turn = open_turn(run)
    assert turn.remind_at == turn.deadline - timedelta(hours=4)
    assert remind(now=turn.remind_at - SECOND) == 0
    assert recipients("turn closes soon") == []
    assert remind(now=turn.remind_at) == 1
    assert remind(now=turn.remind_at) == 0
    assert remind(now=turn.remind_at + timedelta(hours=1)) == 0
    assert recipients("turn closes soon") == [ana.driver.name]


@pytest.mark.django_db
def test_many_reminders_are_written_a_few_at_a_time_each_once(monkeypatch):
    """So a driver who posts meanwhile waits only for a few of them."""
    monkeypatch.setattr("championship.deadlines.services.sweeping.CHUNK", 2)
    runs = [on_the_road(name)[0] for name in ("Ana", "Bo", "Cem", "Dag", "Eve")]
    now = max(open_turn(run).remind_at for run in runs)
    assert [remind(now=now, limit=3), remind(now=now), remind(now=now)] == [3, 2, 0]
    assert Notice.objects.filter(kind="turn closes soon", channel="mail").count() == 5


@pytest.mark.django_db
def test_a_driver_is_reminded_in_the_middle_of_a_turn_too():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    assert remind(now=open_turn(run).remind_at) == 1


@pytest.mark.django_db
def test_nobody_is_reminded_after_the_move(mailbox):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    assert remind(now=turn.remind_at) == 1
    play(run, ana, **careful_turn(run))
    dropped = Notice.objects.filter(subject_key=f"run {run.pk} turn 1")
    assert set(dropped.values_list("kind", "status")) == {("turn waits", "dropped"), ("turn closes soon", "dropped")}
    deliver_due(now=timezone.now() + timedelta(days=1))
    assert not SentMail.objects.filter(to=ana.driver.email, subject__contains="closes soon").exists()
    assert remind(now=turn.deadline - SECOND) <= 1, "the turn that is open now has a reminder of its own"
    assert Notice.objects.filter(kind="turn closes soon", subject_key=turn_key(turn)).count() == 1


@pytest.mark.django_db
def test_a_notice_that_could_not_be_dropped_after_the_move_is_dropped_before_it_is_sent(mailbox):
    """The notice is still queued, as when a worker held the row while the driver moved."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    key = turn_key(open_turn(run))
    remind(now=open_turn(run).remind_at)
    play(run, ana, **careful_turn(run))
    Notice.objects.filter(subject_key=key).update(status="queued")
    deliver_due(now=timezone.now() + timedelta(days=1))
    assert set(Notice.objects.filter(subject_key=key).values_list("status", flat=True)) == {"dropped"}
    assert not SentMail.objects.filter(to=ana.driver.email, subject__contains="closes soon").exists()


def turn_key(turn):
    return f"run {turn.run_id} turn {turn.number}"


@pytest.mark.django_db
def test_a_driver_who_moved_before_the_reminder_is_never_reminded():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    play(run, ana, **careful_turn(run))
    remind(now=turn.deadline - SECOND)
    assert not Notice.objects.filter(kind="turn closes soon", subject_key=turn_key(turn)).exists()


@pytest.mark.django_db
def test_a_reminder_that_comes_too_late_is_not_sent_at_all():
    """No sweep ran between the time of the reminder and the deadline."""
    run, (_ana, _bo) = on_the_road("Ana", "Bo")
    assert remind(now=open_turn(run).deadline) == 0
    assert recipients("turn closes soon") == []


@pytest.mark.django_db
def test_a_rally_without_reminders_reminds_nobody():
    run, _drivers = on_the_road("Ana", "Bo", turn_hours=1)
    turn = open_turn(run)
    assert turn.remind_at is None
    assert remind(now=turn.deadline - SECOND) == 0


# Deadlines --------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_missed_deadline_is_driven_by_the_codriver_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo", turn_hours=24)
    turn = open_turn(run)
    assert turn.deadline == turn.since + timedelta(hours=24)
    before = all_of(run)
    assert act_on_deadlines(now=turn.deadline - SECOND) == 0
    assert all_of(run) == before
    assert act_on_deadlines(now=turn.deadline) == 1
    after = all_of(run)
    assert act_on_deadlines(now=turn.deadline) == 0
    assert all_of(run) == after
    turn.refresh_from_db()
    assert turn.missed
    assert turn.ended_at == turn.deadline
    assert recipients("turn driven for you") == [ana.driver.name]
    run.refresh_from_db()
    assert set(run.posts.values_list("by", flat=True)) == {None}
    assert Event.objects.filter(kind="end of turn").count() == 1
    assert rebuild(run=run) == run.state
    assert open_turn(run).deadline == turn.deadline + timedelta(hours=24)


@pytest.mark.django_db
def test_a_half_made_turn_is_finished_by_the_codriver():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    assert act_on_deadlines(now=open_turn(run).deadline) == 1
    run.refresh_from_db()
    assert run.state["drivers"][str(ana.start_number)]["turns"] == 1
    assert run.posts.first().by == ana.driver
    assert set(run.posts.exclude(number=1).values_list("by", flat=True)) == {None}
    assert Turn.objects.get(number=1).missed


@pytest.mark.django_db
def test_the_driver_who_comes_late_finds_the_turn_made():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    act_on_deadlines(now=open_turn(run).deadline)
    answer = post(desk_of(ana), run, version=0, do="lay", plan="1:1.2.l", roll="one by one")
    assert answer.status_code == 409
    assert "codriver" in answer.content.decode(), "the log says who drove"


@pytest.mark.django_db
def test_a_driver_who_comes_late_but_before_the_sweep_still_drives():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    Turn.objects.update(since=timezone.now() - timedelta(days=2), deadline=timezone.now() - SECOND)
    play(run, ana, **careful_turn(run))
    turn = Turn.objects.get(number=1)
    assert turn.ended_at > turn.deadline
    assert not turn.missed
    assert act_on_deadlines(now=timezone.now()) == 0


@pytest.mark.django_db
def test_the_car_of_a_driver_who_never_comes_is_driven_to_the_finish():
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    while run.status == Run.Status.RUNNING:
        assert act_on_deadlines(now=open_turn(run).deadline) == 1
        run.refresh_from_db()
    assert run.turns.filter(missed=False).count() == 0
    assert Notice.objects.filter(kind="turn driven for you").count() == run.turns.count()
    assert ana.times.get().measure is not None
    ana.rally.refresh_from_db()
    assert ana.rally.status == "finished"


@pytest.mark.django_db
def test_a_run_that_cannot_be_driven_stops_no_other(caplog):
    """One run's snapshot is damaged in the database. Its turn comes first, and the other run is still driven."""
    broken, _ana = on_the_road("Ana")
    whole, _bo = on_the_road("Bo")
    Run.objects.filter(pk=broken.pk).update(state={})
    late = max(open_turn(broken).deadline, open_turn(whole).deadline)
    before = all_of(broken)
    assert act_on_deadlines(now=late) == 1
    assert open_turn(whole).number == 2
    assert all_of(broken)["turns"] == before["turns"]
    assert f"turns: due {open_turn(broken).pk} failed" in caplog.text


@pytest.mark.django_db
def test_the_sweep_of_each_minute_reminds_and_drives():
    late, _ana = on_the_road("Ana")
    soon, _bo = on_the_road("Bo")
    now = timezone.now()
    Turn.objects.filter(run=late).update(since=now - timedelta(days=1), deadline=now - SECOND, remind_at=None)
    Turn.objects.filter(run=soon).update(remind_at=now - SECOND)
    sweep.delay()
    assert recipients("turn closes soon") == ["Bo"]
    assert recipients("turn driven for you") == ["Ana"]


# Handing over -----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_car_whose_hand_over_was_cut_short_is_driven_by_the_next_sweep():
    """On-commit callbacks do not run in this test, as when the process dies right after the commit."""
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    assert act_on_deadlines(now=timezone.now()) == 1
    turn = Turn.objects.get(number=1)
    assert turn.ended_at is not None
    assert not turn.missed
    assert recipients("turn driven for you") == []


@pytest.mark.django_db
def test_a_driver_who_takes_the_car_back_has_all_the_time_of_a_turn_and_is_notified(django_capture_on_commit_callbacks):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by="codriver")
    while run.state["queue"][0] != str(bo.start_number):
        play(run, ana, **careful_turn(run))
    turn = open_turn(run)
    assert (turn.deadline, turn.remind_at) == (turn.since, None)
    assert bo.driver.name not in recipients("turn waits")
    with django_capture_on_commit_callbacks(execute=True):
        rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by="person")
    turn.refresh_from_db()
    assert turn.ended_at is None
    assert turn.deadline == turn.since + timedelta(hours=24)
    assert turn.remind_at == turn.deadline - timedelta(hours=4)
    assert bo.driver.name in recipients("turn waits")
    assert Entry.objects.get(pk=bo.pk).driven_by == "person"
