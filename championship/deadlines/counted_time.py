"""Which time counts for a driver, and when counted time is used up. Pure: plain values in, plain values out.

A moment counts unless it is in the driver's quiet hours, on a weekend that does not count, or while the driver is away
(a holiday, a pause of the rally, an outage). Quiet hours and weekends follow the wall clock of the driver's own zone,
so they keep their hours when that zone changes to summer time and back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
SATURDAY = 5
MINUTES_A_DAY = 24 * 60
LONGEST_WAIT = 5 * 366
"""Days after which the search for a deadline gives up: no time counts at all."""

QUIET, WEEKEND, HOLIDAY, PAUSE, OUTAGE = "quiet", "weekend", "holiday", "pause", "outage"
REASONS = (QUIET, WEEKEND, HOLIDAY, PAUSE, OUTAGE)
"""Why time does not count, in the order in which the reasons are shown."""


@dataclass(frozen=True, slots=True, order=True)
class Away:
    """Time that does not count, from `start` up to but not including `end` (aware), for one of the REASONS."""

    start: datetime
    end: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Counting:
    """The settings by which a driver's time is counted.

    zone: name in the zone database. quiet: the first minute and the minute after the last one, counted from midnight;
    they may span midnight (22:00 to 7:00 is 1320, 420). weekends: whether Saturday and Sunday count.
    """

    zone: str = "UTC"
    quiet: tuple[int, int] | None = None
    weekends: bool = True
    away: tuple[Away, ...] = ()

    def plain(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return {
            "zone": self.zone,
            "quiet": None if self.quiet is None else list(self.quiet),
            "weekends": self.weekends,
            "away": [[span.start.isoformat(), span.end.isoformat(), span.reason] for span in self.away],
        }

    def with_absences(self, away: Iterable[Away]) -> Counting:
        """The same settings with further absences."""
        return replace(self, away=tuple(sorted({*self.away, *away})))

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Counting:
        """Parses the result of `plain`. A missing key gets its default."""
        quiet = plain.get("quiet")
        return cls(
            zone=plain.get("zone", "UTC"),
            quiet=None if quiet is None else (quiet[0], quiet[1]),
            weekends=plain.get("weekends", True),
            away=tuple(
                Away(datetime.fromisoformat(start), datetime.fromisoformat(end), reason)
                for start, end, reason in plain.get("away", ())
            ),
        )


@dataclass(frozen=True, slots=True)
class Deadline:
    """When counted time is used up, and why some time before it was not counted (REASONS, in their order)."""

    moment: datetime
    reasons: tuple[str, ...] = ()


def deadline_of(start: datetime, counted: timedelta, counting: Counting) -> Deadline:
    """The first moment at which `counted` has passed since `start`, counting only time that counts.

    Raises: ValueError when that does not happen within LONGEST_WAIT.
    """
    if not _may_skip_time(counting):
        return Deadline(start + counted)
    if counted <= timedelta():
        return Deadline(start)
    left, met = counted, set[str]()
    for since, until, reason in spans(start, start + LONGEST_WAIT * DAY, counting):
        if reason is not None:
            met.add(reason)
        elif left <= until - since:
            return Deadline(since + left, _in_order(met))
        else:
            left -= until - since
    raise ValueError("no time counts: quiet hours, weekends and absences leave nothing")


def counted_between(start: datetime, end: datetime, counting: Counting) -> timedelta:
    """How much of the time between two moments counts; zero where `end` is not after `start`."""
    if end <= start:
        return timedelta()
    if not _may_skip_time(counting):
        return end - start
    return sum((until - since for since, until, reason in spans(start, end, counting) if reason is None), timedelta())


def reasons_between(start: datetime, end: datetime, counting: Counting) -> tuple[str, ...]:
    """Why some of the time between two moments does not count."""
    return _in_order({reason for _since, _until, reason in spans(start, end, counting) if reason is not None})


def uncounted_at(moment: datetime, counting: Counting) -> str | None:
    """Why this moment does not count; None when it does."""
    for span in counting.away:
        if span.start <= moment < span.end:
            return span.reason
    if counting.quiet is None and counting.weekends:
        return None
    wall = moment.astimezone(_zone(counting.zone))
    if not counting.weekends and wall.weekday() >= SATURDAY:
        return WEEKEND
    if counting.quiet is None:
        return None
    first, after = counting.quiet
    minute = wall.hour * 60 + wall.minute
    quiet = first <= minute < after if first <= after else minute >= first or minute < after
    return QUIET if quiet else None


def before_quiet_hours(moment: datetime, since: datetime, counting: Counting) -> datetime:
    """The moment, or where it is in quiet hours the last second before these began; never before `since`."""
    rhythm = replace(counting, weekends=True, away=())
    while moment > since and uncounted_at(moment, rhythm) is not None:
        begun = [start for start, _end, reason in spans(moment - 2 * DAY, moment, rhythm) if reason is not None]
        moment = begun[-1] - SECOND
    return max(moment, since)


def reminder_at(deadline: datetime, lead: timedelta, since: datetime, counting: Counting) -> datetime | None:
    """When to remind of a deadline: `lead` before it. Where that is in quiet hours: right before them, or at their end
    if the wait began (`since`) within them. None where the result is not between `since` and the deadline.
    """
    rhythm = replace(counting, weekends=True, away=())
    wanted = deadline - lead
    if wanted <= since:
        return None
    found = before_quiet_hours(wanted, since, counting)
    if found <= since and uncounted_at(found, rhythm) is not None:
        found = next(start for start, _end, reason in spans(wanted, wanted + 2 * DAY, rhythm) if reason is None)
    return found if since < found < deadline else None


def spans(start: datetime, end: datetime, counting: Counting) -> Iterator[tuple[datetime, datetime, str | None]]:
    """The time between two moments in consecutive spans, each with the reason why it does not count, or None.

    Neighbouring spans have different reasons. All moments are in UTC.
    """
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    since, why = start, uncounted_at(start, counting)
    for moment in _turning_points(start, end, counting):
        reason = uncounted_at(moment, counting)
        if reason != why:
            yield since, moment, why
            since, why = moment, reason
    if since < end:
        yield since, end, why


def quiet_minutes(quiet: tuple[int, int] | None) -> int:
    """How many minutes of a day are quiet."""
    return 0 if quiet is None else (quiet[1] - quiet[0]) % MINUTES_A_DAY


def counted_seconds_of_a_week(counting: Counting) -> int:
    """How many seconds of a week count, apart from absences and clock changes."""
    days = 7 if counting.weekends else 5
    return days * (MINUTES_A_DAY - quiet_minutes(counting.quiet)) * 60


def _may_skip_time(counting: Counting) -> bool:
    return counting.quiet is not None or not counting.weekends or bool(counting.away)


def _in_order(reasons: set[str]) -> tuple[str, ...]:
    return tuple(reason for reason in REASONS if reason in reasons)


def _turning_points(start: datetime, end: datetime, counting: Counting) -> Iterator[datetime]:
    """Moments between `start` and `end`, in order, at which time may start or stop counting."""
    away = sorted({moment.astimezone(UTC) for span in counting.away for moment in (span.start, span.end)})
    day, last = start.date() - DAY, end.date() + DAY
    done = start
    while day <= last:
        following = datetime.combine(day, time(), tzinfo=UTC) + DAY
        today = set(_points_of_day(counting.zone, counting.quiet, counting.weekends, day))
        today.update(moment for moment in away if moment.date() == day)
        for moment in sorted(today):
            if done < moment < end:
                yield moment
                done = moment
        day = following.date()


@lru_cache(maxsize=20_000)
def _points_of_day(zone: str, quiet: tuple[int, int] | None, weekends: bool, day: date) -> tuple[datetime, ...]:
    """Moments of a UTC day at which the wall clock of the zone may enter or leave quiet hours or a weekend."""
    if quiet is None and weekends:
        return ()
    minutes = {0, *(quiet or ())}
    found = set(_changes(zone, day))
    for near in (day - DAY, day, day + DAY):
        for minute in minutes:
            wall = datetime.combine(near, time(minute // 60 % 24, minute % 60), tzinfo=_zone(zone))
            found.update(wall.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    return tuple(sorted(moment for moment in found if moment.date() == day))


@lru_cache(maxsize=20_000)
def _changes(zone: str, day: date) -> tuple[datetime, ...]:
    """The moment of this UTC day at which the zone's offset changes, to the second; most days have none."""
    known = _zone(zone)
    low = datetime.combine(day, time(), tzinfo=UTC)
    high = low + DAY
    before = low.astimezone(known).utcoffset()
    if before == high.astimezone(known).utcoffset():
        return ()
    while high - low > SECOND:
        middle = low + timedelta(seconds=(high - low) // SECOND // 2)
        if middle.astimezone(known).utcoffset() == before:
            low = middle
        else:
            high = middle
    return (high,)


@lru_cache(maxsize=600)
def _zone(name: str) -> ZoneInfo:
    """The zone of that name; UTC where this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
