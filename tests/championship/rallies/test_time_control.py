"""Time control (F3, F4): sealed cards, opened when all are in or when the clock closes it."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.formats import date_format

from championship.audit.models import Record
from championship.deadlines.services.sweeping import remind
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.notices.services import deliver_due
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services
from championship.rallies.models import Entry, Rally, SpecialStage, TimeControlCard
from championship.rallies.results.selectors import results_of
from tests.championship.rallies.factories import damaged, drive, hand_in, let_close, organiser_of, stage_of, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def at_time_control(*names: str, **how) -> tuple[Rally, list[Entry]]:
    """A rally whose first stage everybody has finished, a second apart, in the order given."""
    rally, entries = started(*names, **how)
    drive(rally, 1, {entry: 200 + place for place, entry in enumerate(entries)})
    return rally, entries


def test_f4_cards_stay_sealed_until_the_last_one_is_in():
    rally, (ana, bo, cem, dag) = at_time_control()
    assert stage_of(rally, 1).status == SpecialStage.Status.TIME_CONTROL
    hand_in(rally, 1, ana, penalties=3)
    hand_in(rally, 1, bo, cem)
    sealed = results_of(rally)
    assert [line.total for line in sealed.stage_lines(1)] == [200, 201, 202, 203]
    assert [line.added for line in sealed.overall] == [0, 0, 0, 0]
    hand_in(rally, 1, dag)
    opened = results_of(rally)
    assert [(line.entry.crew, line.total, line.added) for line in opened.stage_lines(1)] == [
        ("Bo", 201, 0),
        ("Cem", 202, 0),
        ("Dag", 203, 0),
        ("Ana", 215, 15),
    ]
    starters = [place.entry.crew for place in stage_of(rally, 2).start_places.select_related("entry")]
    assert starters == ["Bo", "Cem", "Dag", "Ana"]
    assert stage_of(rally, 2).status == SpecialStage.Status.RUNNING


def test_the_same_card_twice_is_one_card_and_another_one_is_stale():
    rally, (ana, *_rest) = at_time_control()
    hand_in(rally, 1, ana, penalties=1)
    hand_in(rally, 1, ana, penalties=1)
    with pytest.raises(Stale):
        hand_in(rally, 1, ana, penalties=2)
    assert [card.amount for card in TimeControlCard.objects.all()] == [5]
    with pytest.raises(IntegrityError), transaction.atomic():
        TimeControlCard.objects.create(special_stage=stage_of(rally, 1), entry=ana, car_after={})


@pytest.mark.parametrize("penalties", [-1, 1000, "many", True, 1.5])
def test_f4_a_card_holds_a_whole_number_of_penalties(penalties):
    rally, (ana, *_rest) = at_time_control()
    with pytest.raises(Refused) as refusal:
        hand_in(rally, 1, ana, penalties=penalties)
    assert refusal.value.rule == "F4"
    assert not TimeControlCard.objects.exists()


def test_only_drivers_of_the_stage_hand_in_and_only_while_time_control_is_open():
    rally, (ana, *_rest) = started()
    with pytest.raises(Stale):
        hand_in(rally, 1, ana)
    with pytest.raises(Forbidden):
        services.submit_time_control(
            by=organiser_of(rally), special_stage=stage_of(rally, 1), decision={"penalties": 0}
        )


def test_f3_the_spare_wheel_takes_one_marker_away_and_is_used_up():
    rally, (ana,) = started("Ana", stages=("1/3", "1/1"), options={"checkpoints": False})
    drive(rally, 1, {ana: 200}, cars={ana: damaged(coast=2, gear=1)})
    services.submit_time_control(by=ana.driver, special_stage=stage_of(rally, 1), decision={"spare": True})
    car = Entry.objects.get(pk=ana.pk).car
    assert (car["damage"], car["spare"]) == ({"gear": 1, "coast": 1, "brake": 0}, False)


def test_f3_the_spare_wheel_is_refused_where_there_is_a_service_park():
    rally, (ana, *_rest) = at_time_control()
    with pytest.raises(Refused) as refusal:
        hand_in(rally, 1, ana, spare=True)
    assert refusal.value.rule == "F3"


def test_time_control_does_not_wait_for_drivers_with_nothing_to_decide():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3", "1/1"), options={"checkpoints": False})
    drive(rally, 1, {ana: 200, bo: 210}, cars={ana: damaged(coast=1), bo: damaged(gear=1)})
    assert list(Notice.objects.filter(kind="time control waits").values_list("recipient", flat=True)) == [ana.driver_id]
    services.submit_time_control(by=ana.driver, special_stage=stage_of(rally, 1), decision={"spare": False})
    assert stage_of(rally, 1).status == SpecialStage.Status.DONE


def test_time_control_does_not_wait_for_cars_of_the_codriver():
    """An organiser has handed them over: their drivers may not be there."""
    rally, (ana, bo) = started("Ana", "Bo")
    services.set_driven_by(by=organiser_of(rally), entry=ana, driven_by="codriver")
    drive(rally, 1, {ana: 200, bo: 210})
    assert TimeControlCard.objects.get().entry == ana
    services.set_driven_by(by=organiser_of(rally), entry=bo, driven_by="codriver")
    assert stage_of(rally, 1).status == SpecialStage.Status.DONE
    assert [card.by for card in TimeControlCard.objects.all()] == [None, None]


def test_an_organiser_closes_time_control_and_missing_cards_take_no_penalties():
    rally, (ana, *_rest) = at_time_control()
    hand_in(rally, 1, ana, penalties=2)
    with pytest.raises(Forbidden):
        services.close_time_control(by=ana.driver, special_stage=stage_of(rally, 1))
    services.close_time_control(by=organiser_of(rally), special_stage=stage_of(rally, 1))
    assert [line.added for line in results_of(rally).stage_lines(1)] == [0, 0, 0, 10]
    assert Record.objects.get(action="time control closed").details["without a card"] == ["#2 Bo", "#3 Cem", "#4 Dag"]
    with pytest.raises(Stale):
        services.close_time_control(by=organiser_of(rally), special_stage=stage_of(rally, 1))
    with pytest.raises(Stale):
        hand_in(rally, 1, _rest[0])


def test_the_clock_closes_only_overdue_time_controls():
    rally, _entries = at_time_control(turn_hours=10)
    deadline = stage_of(rally, 1).control_deadline
    assert deadline - timezone.now() <= timedelta(hours=10)
    assert services.close_overdue_time_controls(now=deadline - timedelta(seconds=1)) == 0
    assert services.close_overdue_time_controls(now=deadline) == 1
    assert services.close_overdue_time_controls(now=deadline) == 0
    assert (stage_of(rally, 1).status, stage_of(rally, 2).status) == ("done", "running")
    assert Record.objects.get(action="time control closed").actor is None


def test_one_time_control_that_cannot_close_does_not_keep_the_others_open(caplog):
    broken, _entries = at_time_control("Ana")
    sound, _entries = at_time_control("Bo")
    Entry.objects.filter(rally=broken).update(car={})
    late = timezone.now() + timedelta(days=30)
    assert services.close_overdue_time_controls(now=late) == 1
    assert (stage_of(broken, 1).status, stage_of(sound, 1).status) == ("time control", "done")
    assert "time controls: due" in caplog.text and "failed" in caplog.text


def test_drivers_are_notified_once_and_reminded_once_if_their_card_is_missing(mailoutbox):
    rally, (ana, bo) = at_time_control("Ana", "Bo", turn_hours=10)
    deadline = stage_of(rally, 1).control_deadline
    hand_in(rally, 1, ana)
    deliver_due(now=timezone.now(), limit=100)
    waits = [mail for mail in mailoutbox if "Stage 1: time control" in mail.subject]
    assert [mail.to for mail in waits] == [[bo.driver.email]]

    assert remind(now=deadline - timedelta(hours=5)) == 0
    assert remind(now=deadline - timedelta(hours=4)) == 1
    assert remind(now=deadline - timedelta(hours=3)) == 0
    hand_in(rally, 1, bo)
    deliver_due(now=timezone.now(), limit=100)
    assert not any("closes soon" in mail.subject for mail in mailoutbox)


def test_mails_say_what_to_do_and_until_when_in_the_readers_zone(mailoutbox):
    rally, (ana,) = started("Ana")
    ana.driver.time_zone = "Asia/Tokyo"
    ana.driver.save()
    drive(rally, 1, {ana: 200})
    deliver_due(now=timezone.now(), limit=100)
    [waiting] = [letter for letter in mailoutbox if letter.to == [ana.driver.email]]
    assert waiting.subject == "Rajd Wisły, Stage 1: time control (and 3 more)"
    assert "Rajd Wisły has started" in waiting.body
    assert "start number is 1" in waiting.body
    assert f"/rallies/{rally.key}/stages/1/control/" in waiting.body
    assert "Time control waits for your sealed card" in waiting.body
    deadline = stage_of(rally, 1).control_deadline.astimezone(ZoneInfo("Asia/Tokyo"))
    assert date_format(deadline, "DATETIME_FORMAT") in waiting.body


def test_the_beat_task_closes_and_reminds():
    rally, _entries = at_time_control(turn_hours=1)
    let_close(rally, 1, timezone.now())
    sweep.delay()
    assert stage_of(rally, 1).status == SpecialStage.Status.DONE


def test_the_log_says_nothing_about_what_is_on_a_card():
    rally, (ana, *_rest) = at_time_control()
    before = Record.objects.count()
    hand_in(rally, 1, ana, penalties=7)
    assert Record.objects.count() == before
