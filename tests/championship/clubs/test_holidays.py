"""Holidays: taken by the calendar of the driver's time zone, counted by year, given back."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.http import Http404

from championship.accounts.services import update_profile
from championship.audit.models import Record
from championship.clubs import services
from championship.clubs.models import Club, Holiday
from championship.clubs.services import holidays
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def friday(at):
    at("2026-11-20T12:00")


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(name="Wiking", owner=olga)


@pytest.fixture
def ana(club):
    return make_member(club, user=make_user("Ana", time_zone="Europe/Warsaw"))


def take(person, club, first, last):
    return holidays.take_holiday(
        by=person, club=club, first_day=date.fromisoformat(first), last_day=date.fromisoformat(last)
    )


def left(person, club, year):
    return club.holiday_days - holidays.days_by_year(holidays.holidays_of(person, club))[year]


def test_a_holiday_goes_from_midnight_to_midnight_where_the_driver_lives(ana, club, at):
    taken = take(ana, club, "2026-12-24", "2026-12-27")
    assert taken.starts_at == datetime(2026, 12, 23, 23, tzinfo=UTC)
    assert taken.ends_at == datetime(2026, 12, 27, 23, tzinfo=UTC)
    assert left(ana, club, 2026) == 24


def test_a_holiday_taken_today_begins_now(ana, club, at):
    taken = take(ana, club, "2026-11-20", "2026-11-21")
    assert taken.starts_at == clock.now()


def test_today_is_the_drivers_today(ana, club, at):
    """23:30 in UTC: in Warsaw it is tomorrow already."""
    at("2026-11-20T23:30")
    with pytest.raises(Refused) as refusal:
        take(ana, club, "2026-11-20", "2026-11-21")
    assert refusal.value.field == "first_day"
    take(ana, club, "2026-11-21", "2026-11-21")


def test_the_days_left_are_those_of_the_year_in_the_drivers_zone(ana, club, at):
    """23:30 on New Year's Eve in UTC: in Warsaw the new year has begun."""
    take(ana, club, "2026-12-01", "2026-12-05")
    at("2026-12-31T22:30")
    assert "23 days left this year" in signed_in(ana).get("/holidays/").content.decode()
    at("2026-12-31T23:30")
    assert "28 days left this year" in signed_in(ana).get("/holidays/").content.decode()


def test_each_day_counts_in_its_own_year(ana, club, at):
    take(ana, club, "2026-12-30", "2027-01-02")
    assert (left(ana, club, 2026), left(ana, club, 2027)) == (26, 26)


@pytest.mark.parametrize(
    ("first", "last", "field"),
    [
        ("2026-11-19", "2026-11-21", "first_day"),
        ("2026-11-22", "2026-11-21", "last_day"),
        ("2027-11-20", "2027-11-22", "last_day"),
        ("2026-12-01", "2026-12-29", "last_day"),
        ("2026-11-26", "2026-11-30", "first_day"),
    ],
    ids=["gone by", "ends before it begins", "too far ahead", "more than allowed", "taken already"],
)
def test_what_cannot_be_taken_is_refused_at_its_field_and_changes_nothing(ana, club, at, first, last, field):
    take(ana, club, "2026-11-25", "2026-11-26")
    with pytest.raises(Refused) as refusal:
        take(ana, club, first, last)
    assert refusal.value.field == field
    assert Holiday.objects.count() == 1


def test_a_holiday_that_has_not_begun_is_given_back_whole(ana, club, at):
    taken = take(ana, club, "2026-12-24", "2026-12-27")
    holidays.end_holiday(by=ana, holiday=taken)
    assert left(ana, club, 2026) == 28
    assert not Holiday.objects.exists()
    acts = Record.objects.filter(action__startswith="holiday").order_by("pk").values_list("action", flat=True)
    assert list(acts) == ["holiday taken", "holiday given back"]


def test_of_a_holiday_under_way_the_days_to_come_are_given_back(ana, club, at):
    taken = take(ana, club, "2026-11-20", "2026-11-29")
    at("2026-11-22T09:00")
    holidays.end_holiday(by=ana, holiday=taken)
    taken.refresh_from_db()
    assert (taken.last_day, taken.ends_at) == (date(2026, 11, 22), clock.now())
    assert left(ana, club, 2026) == 25
    with pytest.raises(Stale):
        holidays.end_holiday(by=ana, holiday=taken)


def lives_in(person, zone):
    """The person chooses another time zone. Returns the person as the next request reads them."""
    return update_profile(user=person, name=person.name, language=person.language, time_zone=zone)


def test_nobody_chooses_by_the_time_zone_how_long_today_is(ana, club, at):
    """04:30 in Warsaw, and midnight in New York: there a whole day is left."""
    at("2026-11-20T04:30")
    for zone in ("America/New_York", "Pacific/Kiritimati", "America/New_York"):
        ana = lives_in(ana, zone)
        at(clock.now() + timedelta(minutes=10))
    assert holidays.today_of(ana, clock.now()) == date(2026, 11, 20)
    taken = take(ana, club, "2026-11-20", "2026-11-20")
    assert taken.ends_at == datetime(2026, 11, 20, 23, tzinfo=UTC), "midnight in Warsaw, where Ana's days still are"


def test_a_new_time_zone_applies_to_holidays_after_a_day(ana, club, at):
    ana = lives_in(ana, "America/New_York")
    at("2026-11-21T11:59")
    assert ana.zone_of_days(clock.now()) == "Europe/Warsaw"
    at("2026-11-21T12:00")
    assert take(ana, club, "2026-11-21", "2026-11-21").ends_at == datetime(2026, 11, 22, 5, tzinfo=UTC)


def test_nobody_gets_days_back_that_are_over_by_changing_the_time_zone(ana, club, at):
    """25 hours of a holiday are over. In Honolulu it is still its first day."""
    ana = lives_in(ana, "Pacific/Kiritimati")
    at("2026-11-22T12:00")
    taken = take(ana, club, "2026-11-24", "2026-11-26")
    ana = lives_in(ana, "Pacific/Honolulu")
    at(taken.starts_at + timedelta(hours=25))
    assert holidays.today_of(ana, clock.now()) == date(2026, 11, 24)
    holidays.end_holiday(by=ana, holiday=taken)
    taken.refresh_from_db()
    assert taken.last_day == date(2026, 11, 25)
    assert left(ana, club, 2026) == 26


def test_strangers_take_none_and_nobody_ends_anothers(ana, club, at):
    with pytest.raises(Http404):
        take(make_user("Sten"), club, "2026-12-01", "2026-12-02")
    taken = take(ana, club, "2026-12-01", "2026-12-02")
    with pytest.raises(Http404):
        holidays.end_holiday(by=make_member(club, name="Bo"), holiday=taken)


def test_only_organisers_say_how_many_days_the_club_allows(ana, club, olga, at):
    with pytest.raises(Forbidden):
        holidays.set_allowance(by=ana, club=club, days=100)
    with pytest.raises(Refused) as refusal:
        holidays.set_allowance(by=olga, club=club, days=121)
    assert refusal.value.field == "days"
    holidays.set_allowance(by=olga, club=club, days=1)
    club.refresh_from_db()
    with pytest.raises(Refused):
        take(ana, club, "2026-12-01", "2026-12-02")


# Pages ------------------------------------------------------------------------------------------------


def test_a_member_takes_a_holiday_and_gives_it_back_on_the_page(ana, club, at):
    browser = signed_in(ana)
    answer = browser.post("/clubs/wiking/holidays/", {"first_day": "2026-12-24", "last_day": "2026-12-27"}, follow=True)
    page = answer.content.decode()
    assert "Your holiday is saved." in page
    taken = Holiday.objects.get()
    assert f"/clubs/wiking/holidays/{taken.pk}/end/" in page
    assert "24 days left this year" in browser.get("/holidays/").content.decode()
    answer = browser.post(f"/clubs/wiking/holidays/{taken.pk}/end/", follow=True)
    assert not Holiday.objects.exists()


def test_what_is_wrong_is_said_at_the_field_and_what_was_typed_is_kept(ana, club, at):
    browser = signed_in(ana)
    answer = browser.post("/clubs/wiking/holidays/", {"first_day": "2026-12-24", "last_day": "2026-12-20"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The last day is before the first" in page
    assert 'value="2026-12-20"' in page
    answer = browser.post("/clubs/wiking/holidays/", {"first_day": "soon", "last_day": ""})
    assert answer.status_code == 422


def test_organisers_see_who_is_away_and_set_the_allowance(ana, club, olga, at):
    take(ana, club, "2026-12-24", "2026-12-27")
    browser = signed_in(olga)
    assert "Ana: 24 December 2026" in browser.get("/clubs/wiking/holidays/").content.decode()
    browser.post("/clubs/wiking/holidays/allowance/", {"days": "14"})
    assert Club.objects.get(pk=club.pk).holiday_days == 14
    assert browser.post("/clubs/wiking/holidays/allowance/", {"days": "many"}).status_code == 422
    assert "Ana: 24 December" not in signed_in(ana).get("/clubs/wiking/holidays/").content.decode()
    assert signed_in(ana).post("/clubs/wiking/holidays/allowance/", {"days": "99"}).status_code == 403


def test_a_stranger_finds_no_such_page(club, ana, at):
    taken = take(ana, club, "2026-12-24", "2026-12-27")
    stranger = signed_in(make_user())
    assert stranger.get("/clubs/wiking/holidays/").status_code == 404
    assert stranger.post(f"/clubs/wiking/holidays/{taken.pk}/end/").status_code == 404
    services.create_club(by=make_user("Other"), name="Other")
    other = make_member(club, name="Bo")
    assert signed_in(other).post(f"/clubs/wiking/holidays/{taken.pk}/end/").status_code == 404
