"""Which time counts towards a deadline, and when it is used up: properties for any zone, any hours, any absences."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from championship.deadlines.counted_time import (
    Away,
    Counting,
    Deadline,
    before_quiet_hours,
    counted_between,
    deadline_of,
    quiet_minutes,
    reasons_between,
    spans,
    uncounted_at,
)
from tests.random_examples import examples

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
NIGHT = (22 * 60, 7 * 60)
ZONES = (
    "UTC",
    "Europe/Warsaw",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Africa/Cairo",
    "Pacific/Apia",
)


def at(text):
    """Return a moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


minutes = st.integers(0, 24 * 60 - 1)
quiet_hours = st.none() | st.tuples(minutes, minutes).filter(lambda pair: 0 < quiet_minutes(pair) <= 16 * 60)
# Around the clock changes of northern and southern zones in 2026 and 2027.
moments = st.sampled_from(
    ["2026-03-27", "2026-03-07", "2026-10-23", "2026-10-30", "2026-04-03", "2026-09-04", "2027-01-01"]
).flatmap(lambda day: st.integers(0, 6 * 24 * 60 * 60).map(lambda seconds: at(day) + timedelta(seconds=seconds)))
absences = st.lists(
    st.tuples(moments, st.integers(1, 3 * 24 * 60), st.sampled_from(["holiday", "pause", "outage"])).map(
        lambda drawn: Away(drawn[0], drawn[0] + drawn[1] * MINUTE, drawn[2])
    ),
    max_size=3,
).map(tuple)
countings = st.builds(Counting, zone=st.sampled_from(ZONES), quiet=quiet_hours, weekends=st.booleans(), away=absences)
allowances = st.integers(1, 10 * 24 * 60 * 60).map(lambda seconds: timedelta(seconds=seconds))


# Properties -------------------------------------------------------------------------------------------


@examples(300)
@given(moments, allowances, countings)
def test_exactly_the_allowance_is_counted_up_to_the_deadline(start, allowance, counting):
    due = deadline_of(start, allowance, counting)
    assert counted_between(start, due.moment, counting) == allowance
    assert counted_between(start, due.moment - timedelta(seconds=1), counting) == allowance - timedelta(seconds=1), (
        "the last second before the deadline counts: none ends in quiet hours"
    )
    assert due.reasons == reasons_between(start, due.moment, counting)


@examples(200)
@given(moments, moments, allowances, allowances, countings)
def test_a_later_start_or_more_time_never_gives_an_earlier_deadline(one, other, short, long, counting):
    first, second = sorted((one, other))
    short, long = sorted((short, long))
    assert deadline_of(first, short, counting).moment <= deadline_of(second, short, counting).moment
    assert deadline_of(first, short, counting).moment <= deadline_of(first, long, counting).moment


@examples(200)
@given(moments, moments, moments, countings)
def test_counted_time_adds_up(one, two, three, counting):
    first, second, third = sorted((one, two, three))
    whole = counted_between(first, third, counting)
    assert whole == counted_between(first, second, counting) + counted_between(second, third, counting)
    assert timedelta() <= whole <= third - first


@examples(60)
@given(moments, st.integers(1, 4 * 24 * 60), st.sampled_from(ZONES), quiet_hours, st.booleans())
def test_each_minute_counts_or_not_by_the_wall_clock_of_the_zone(start, length, zone, quiet, weekends):
    """A slow computation, minute by minute and without computing any boundary, must give the same."""
    start = start.replace(second=0)
    counting = Counting(zone=zone, quiet=quiet, weekends=weekends)
    slow = sum(uncounted_at(start + minute * MINUTE, counting) is None for minute in range(length))
    assert counted_between(start, start + length * MINUTE, counting) == slow * MINUTE


@examples(100)
@given(moments, moments, countings)
def test_pieces_join_without_gaps_and_each_is_of_one_kind(one, other, counting):
    start, end = sorted((one, other))
    pieces = list(spans(start, end, counting))
    if start == end:
        assert pieces == []
        return
    assert pieces[0][0] == start
    assert pieces[-1][1] == end
    for (_since, until, why), (next_since, _next_until, next_why) in pairwise(pieces):
        assert until == next_since
        assert why != next_why
    for since, until, why in pieces:
        assert since < until
        assert uncounted_at(since, counting) == why
        assert uncounted_at(until - timedelta(microseconds=1), counting) == why


@examples(100)
@given(moments, allowances, countings)
def test_what_is_kept_as_json_counts_the_same(start, allowance, counting):
    assert Counting.read(counting.plain()) == counting
    assert deadline_of(start, allowance, Counting.read(counting.plain())) == deadline_of(start, allowance, counting)


@examples(200)
@given(moments, moments, countings)
def test_nobody_is_reminded_in_quiet_hours(moment, since, counting):
    since, moment = sorted((moment, since))
    found = before_quiet_hours(moment, since, counting)
    assert since <= found <= moment
    rhythm = Counting(zone=counting.zone, quiet=counting.quiet)
    assert found == since or uncounted_at(found, rhythm) is None


# Examples ---------------------------------------------------------------------------------------------


def test_without_rules_an_hour_is_an_hour():
    assert deadline_of(at("2026-11-20T20:00"), 24 * HOUR, Counting()) == Deadline(at("2026-11-21T20:00"))


def test_the_night_does_not_count():
    """In Warsaw, an hour ahead of UTC in winter: two hours have passed before the night, six are left at 7:00."""
    counting = Counting(zone="Europe/Warsaw", quiet=NIGHT)
    assert deadline_of(at("2026-11-19T19:00"), 8 * HOUR, counting) == Deadline(at("2026-11-20T12:00"), ("quiet",))


def test_a_turn_that_begins_at_night_has_all_its_time_from_the_morning():
    counting = Counting(zone="Europe/Warsaw", quiet=NIGHT)
    assert deadline_of(at("2026-11-19T23:30"), 2 * HOUR, counting).moment == at("2026-11-20T08:00")


def test_time_used_up_as_the_night_begins_is_up_then():
    counting = Counting(quiet=NIGHT)
    assert deadline_of(at("2026-11-19T20:00"), 2 * HOUR, counting).moment == at("2026-11-19T22:00")


def test_the_weekend_is_the_drivers_own():
    """Friday 23:00 in Auckland is Friday morning in UTC. The weekend begins an hour later there."""
    counting = Counting(zone="Pacific/Auckland", weekends=False)
    friday_late = at("2026-11-20T10:00")
    assert deadline_of(friday_late, 2 * HOUR, counting) == Deadline(at("2026-11-22T12:00"), ("weekend",))
    assert deadline_of(friday_late, 2 * HOUR, Counting(weekends=False)).moment == at("2026-11-20T12:00")


@pytest.mark.parametrize(
    ("evening", "due", "elapsed"),
    [("2026-03-28T20:00", "2026-03-29T06:00", 10), ("2026-10-24T19:00", "2026-10-25T07:00", 12)],
    ids=["clocks go forward", "clocks go back"],
)
def test_the_night_keeps_its_hours_when_the_clocks_change(evening, due, elapsed):
    """21:00 in Warsaw, quiet from 22:00 to 7:00, two hours: due at 8:00, whether the night has eight hours or ten."""
    counting = Counting(zone="Europe/Warsaw", quiet=NIGHT)
    found = deadline_of(at(evening), 2 * HOUR, counting).moment
    assert found == at(due)
    assert found - at(evening) == elapsed * HOUR


def test_quiet_hours_that_end_inside_the_hour_left_out_end_with_it():
    """In Warsaw the hour from 2:00 to 3:00 is skipped on 29 March 2026: quiet until 2:30 means until the clock
    change.
    """
    counting = Counting(zone="Europe/Warsaw", quiet=(60, 150))
    assert list(spans(at("2026-03-28T23:30"), at("2026-03-29T02:00"), counting)) == [
        (at("2026-03-28T23:30"), at("2026-03-29T00:00"), None),
        (at("2026-03-29T00:00"), at("2026-03-29T01:00"), "quiet"),
        (at("2026-03-29T01:00"), at("2026-03-29T02:00"), None),
    ]


def test_absences_do_not_count_and_each_reason_is_given_once():
    away = (
        Away(at("2026-11-20T12:00"), at("2026-11-20T14:00"), "pause"),
        Away(at("2026-11-21T00:00"), at("2026-11-23T00:00"), "holiday"),
    )
    due = deadline_of(at("2026-11-20T10:00"), 24 * HOUR, Counting(away=away))
    assert due == Deadline(at("2026-11-23T12:00"), ("holiday", "pause"))


def test_where_nothing_ever_counts_there_is_no_deadline():
    forever = (Away(at("2026-01-01"), at("2126-01-01"), "holiday"),)
    with pytest.raises(ValueError, match="no time counts"):
        deadline_of(at("2026-11-20"), HOUR, Counting(away=forever))


def test_a_reminder_that_would_come_at_night_comes_before_it():
    counting = Counting(quiet=NIGHT)
    assert before_quiet_hours(at("2026-11-20T05:00"), at("2026-11-19T10:00"), counting) == at("2026-11-19T21:59:59")
