"""A driver's calendar shows the turns and time controls that wait, with their deadlines, until they are done."""

from datetime import timedelta

import icalendar
import pytest

from championship.notices.calendar_feed import feed
from championship.runs.models import Turn
from tests.championship.rallies.factories import drive, hand_in, organiser_of, started
from tests.championship.runs.factories import careful_turn, on_the_road, play

pytestmark = pytest.mark.django_db


def events(person):
    return {str(event["uid"]): event for event in icalendar.Calendar.from_ical(feed(person)).walk("VEVENT")}


def deadlines(person):
    return {uid: event for uid, event in events(person).items() if uid.startswith("run-")}


def test_a_turn_that_waits_is_in_the_calendar_until_it_is_driven():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    turn = Turn.objects.get(run=run, ended_at=None)
    [(uid, event)] = deadlines(ana.driver).items()
    assert event.decoded("dtend") == turn.deadline.replace(microsecond=0)
    assert event["summary"] == "Rajd Wisły, Stage 1: your turn closes"
    assert event["url"].endswith(run.get_absolute_url())
    assert deadlines(bo.driver) == {}

    Turn.objects.filter(pk=turn.pk).update(deadline=turn.deadline + timedelta(days=1))
    assert deadlines(ana.driver)[uid].decoded("dtend") == (turn.deadline + timedelta(days=1)).replace(microsecond=0)

    while run.turns.filter(pk=turn.pk, ended_at=None).exists():
        play(run, ana, **careful_turn(run))
    assert uid not in deadlines(ana.driver)


def test_the_days_of_a_rally_are_in_the_calendar_of_its_drivers():
    run, (ana,) = on_the_road("Ana")
    [started] = [event for uid, event in events(ana.driver).items() if "started" in uid]
    assert started["summary"] == "Rajd Wisły starts"
    assert started.decoded("dtstart") == run.special_stage.rally.started_at.date()
    assert not any("started" in uid for uid in events(organiser_of(run.special_stage.rally)))


def test_a_time_control_that_waits_is_in_the_calendar_until_the_card_is_in():
    rally, (ana,) = started("Ana")
    drive(rally, 1, {ana: 200})
    stage = rally.stages.get(number=1)
    uid = f"stage-{stage.pk}-driver-{ana.driver_id}@localhost"
    event = events(ana.driver)[uid]
    assert event.decoded("dtend") == stage.control_deadline.replace(microsecond=0)
    assert event["summary"] == "Rajd Wisły, Stage 1: time control closes"
    hand_in(rally, 1, ana)
    assert uid not in events(ana.driver)
