"""A person's calendar, parsed as a calendar program does."""

from datetime import UTC, date, datetime, timedelta

import icalendar
import pytest
from django.test import Client

from championship.notices import calendar_feed
from championship.notices.calendar_feed import Date
from championship.notices.models import Preferences
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db
EVENING = datetime(2026, 11, 20, 18, tzinfo=UTC)


@pytest.fixture
def dates(settings, monkeypatch):
    """The dates that an app has registered for the calendar, by person."""
    settings.SITE_URL = "https://rally.example"
    known = {}
    monkeypatch.setattr(calendar_feed, "_sources", {})
    calendar_feed.register("scene", lambda person: known.get(person, []))
    return known


def turn(ends=EVENING, title="Monte: your turn"):
    return Date("run 7 turn 12", ends, EVENING - timedelta(days=1), title, "/runs/abc/", text="Drive; or, wait")


def address_of(person):
    signed_in(person).get("/me/notices/")
    return f"/calendar/{Preferences.objects.get(person=person).calendar_key}.ics"


def events(path):
    answer = Client().get(path)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    return list(icalendar.Calendar.from_ical(answer.content).walk("VEVENT"))


def test_a_calendar_program_finds_the_deadlines_without_signing_in(dates):
    ana = make_user("Ana")
    dates[ana] = [turn()]
    [event] = events(address_of(ana))
    assert event.decoded("dtend") == EVENING
    assert event.decoded("dtstart") == EVENING - timedelta(minutes=30)
    assert event["summary"] == "Monte: your turn"
    assert event["uid"] == "run-7-turn-12@rally.example"
    assert event["description"] == "Drive; or, wait\nhttps://rally.example/runs/abc/"
    assert event["url"] == "https://rally.example/runs/abc/"
    assert event["transp"] == "TRANSPARENT"


def test_every_calendar_program_reads_how_often_to_reload(dates):
    """X-PUBLISHED-TTL is all that Outlook reads."""
    calendar = Client().get(address_of(make_user("Ana"))).text
    assert "REFRESH-INTERVAL;VALUE=DURATION:PT30M\r\n" in calendar
    assert "X-PUBLISHED-TTL:PT30M\r\n" in calendar


def test_a_deadline_that_moves_is_the_same_event_at_another_time(dates):
    ana = make_user("Ana")
    path = address_of(ana)
    dates[ana] = [turn()]
    [before] = events(path)
    dates[ana] = [turn(EVENING + timedelta(days=2))]
    [after] = events(path)
    assert before["uid"] == after["uid"]
    assert after.decoded("dtend") - before.decoded("dtend") == timedelta(days=2)


def test_a_day_is_a_whole_day(dates):
    ana = make_user("Ana")
    dates[ana] = [turn(date(2026, 11, 20))]
    [event] = events(address_of(ana))
    assert event.decoded("dtstart") == date(2026, 11, 20)
    assert event.decoded("dtend") == date(2026, 11, 21)


def test_a_name_with_line_breaks_and_commas_stays_one_summary(dates):
    ana = make_user("Ana")
    dates[ana] = [turn(title="Monte, Carlo; \r\nBEGIN:VEVENT\\ " + "ä" * 100)]
    [event] = events(address_of(ana))
    assert event["summary"].startswith("Monte, Carlo; ")
    assert event["summary"].endswith("ä" * 100)


def test_a_feed_that_has_not_changed_is_not_sent_again(dates):
    ana = make_user("Ana")
    path = address_of(ana)
    dates[ana] = [turn()]
    first = Client().get(path)
    assert "private" in first["Cache-Control"]
    again = Client().get(path, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    dates[ana] = [turn(EVENING + timedelta(hours=1))]
    assert Client().get(path, headers={"if-none-match": first["ETag"]}).status_code == 200


def test_another_address_ends_the_old_one(dates):
    ana = make_user("Ana")
    old = address_of(ana)
    client = signed_in(ana)
    assert client.post("/me/notices/calendar/")["Location"] == "/me/notices/"
    assert Client().get(old).status_code == 404
    assert address_of(ana) != old
    assert f"https://rally.example{address_of(ana)}" in client.get("/me/notices/").text


def test_nobody_elses_dates_are_in_it(dates):
    ana, ben = make_user("Ana"), make_user("Ben")
    dates[ana] = [turn()]
    assert events(address_of(ben)) == []


@pytest.mark.parametrize("key", ["x", "", "%00", "..", "a" * 500])
def test_a_guessed_address_finds_nothing(dates, key):
    assert Client().get(f"/calendar/{key}.ics").status_code == 404


def test_a_closed_account_has_no_calendar(dates):
    ana = make_user("Ana")
    path = address_of(ana)
    ana.is_active = False
    ana.save()
    assert Client().get(path).status_code == 404
