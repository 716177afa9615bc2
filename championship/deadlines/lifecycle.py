"""The life of a deadline: it begins, follows changes of its facts, is excused, extended, and reminded of.

The terms are stored with the row. Time that was counted before a change stays counted. A pause or a holiday takes
effect from the moment at which it began, however late an open row follows it. So a deadline can be set again at any
time. This module saves nothing: the caller locks the row and saves the fields in TIMING_FIELDS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil

from championship.clubs.selectors import holidays_between, holidays_of_many
from championship.deadlines.counted_time import HOLIDAY, OUTAGE, REASONS, Away, Counting, reasons_between, reminder_at
from championship.deadlines.customers import BRISK_GRACE, GRACE, Outage
from championship.deadlines.models import Allowance, Awaited
from championship.deadlines.terms import TAKE_BACK, Left, Terms, earlier_in, left_after_change, left_of
from championship.notices.selectors import reminder_lead, reminder_leads

TIMING_FIELDS = (
    "since",
    "deadline",
    "remind_at",
    "counted_from",
    "left_seconds",
    "terms",
    "reasons",
    "stands_in",
    "reminded_of",
    "given",
)
"""The fields of a row that this module sets."""
HANDED_OVER = "handed over"
"""Key in the terms of a row that the codriver has, and that its driver may take back."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The data on which the times of many rows depend, read at once: holidays by (person, club), absences of everybody
    by rally, and lead times of reminders by person.
    """

    holidays: Mapping[tuple[int, int], Sequence[tuple[datetime, datetime]]]
    absences: Mapping[int, Sequence[Away]]
    leads: Mapping[int, timedelta | None]


def facts_of(people: Iterable[int], since: datetime, absences: Mapping[int, Sequence[Away]]) -> Facts:
    """The facts for these people from a moment on: two queries. `absences`: those of rallies."""
    wanted = set(people)
    return Facts(holidays_of_many(wanted, since), absences, reminder_leads(wanted))


def begin(row: Awaited, *, now: datetime, facts: Facts | None = None) -> None:
    """Start the driver's time now. A row that the codriver plays is due when the codriver may act, usually at once.

    A row that was already open gets all its time again. Its deadline is announced again, and a reminder is sent again.
    What earlier persons of the row had left stays known.
    """
    earlier = earlier_in(row.terms)
    row.given, row.reminded_of = row.given + 1 if row.pk else 1, None
    row.since = row.counted_from = now
    row.terms, row.reasons, row.remind_at, row.stands_in = {}, [], None, False
    row.left_seconds = None
    if row.codriver_drives:
        row.deadline = row.codriver_from(now)
        if row.deadline > now:
            row.reasons, row.stands_in = [TAKE_BACK], True
        return
    terms = replace(terms_of(row, facts), earlier=earlier)
    _count(row, terms, now, terms.allowed)
    row.remind_at = reminder(row, facts)


def leave(row: Awaited, *, now: datetime) -> None:
    """Keep with the row what its person has left of its time. The row still has this person, who is replaced now."""
    if not row.terms and row.reasons == [TAKE_BACK]:
        return
    follow(row, now=now)
    if not row.terms or row.counted_from is None:
        return
    terms = Terms.read(row.terms)
    if terms.closes is not None:
        return
    used = terms.used(row.counted_from, row.policy.counted_until(now))
    seconds = max(0, (row.left_seconds or 0) - ceil(used.total_seconds()))
    left = Left(row.person.pk, seconds, terms.allowed, terms.extended, terms.counting.zone)
    others = tuple(other for other in terms.earlier if other.person != left.person)
    row.terms = replace(terms, earlier=(*others, left)).plain()


def take_over(row: Awaited, *, now: datetime) -> None:
    """Start the time of the person who has the row from now on: what was left to somebody who has had it before and was
    replaced; all its time to anybody else, and what organisers have given on top.
    """
    given = extended(row)
    begin(row, now=now)
    terms = Terms.read(row.terms)
    left = next((left for left in terms.earlier if left.person == row.person.pk), None)
    if left is None:
        if given:
            extend(row, seconds=given, now=now)
    elif terms.closes is None:
        terms = replace(terms, counting=replace(terms.counting, zone=left.zone), extended=left.extended)
        _count(row, terms, now, left_of(terms.allowed, left.seconds, before=left.allowed))
        row.remind_at = reminder(row)


def hand_over(row: Awaited, *, now: datetime) -> None:
    """Give the row to the codriver: it is due when the codriver may act, usually at once. Its driver's time is kept
    with it and continues to run.
    """
    if not row.terms:
        _adopt(row, None)
    row.terms = {**row.terms, HANDED_OVER: True}
    row.deadline, row.remind_at = max(row.codriver_from(now), row.since), None
    row.stands_in = row.deadline > now
    row.reasons = [TAKE_BACK] if row.stands_in else []


def hand_back(row: Awaited, *, now: datetime) -> bool:
    """Give the row back to its driver, with the deadline that it would have had: nobody gains time by handing a car
    over. If that deadline is past, the codriver stands in and no miss is recorded (`follow`).

    Returns whether the codriver had the row.
    """
    if row.terms and HANDED_OVER not in row.terms:
        return False
    row.given += 1
    follow(row, now=now)
    return True


def follow(row: Awaited, *, now: datetime, facts: Facts | None = None) -> bool:
    """Set the deadline and the reminder of an open row by the current facts. Returns whether anything changed.

    The caller holds the row's lock. A change of the rules during a pause of the rally takes effect from the start of
    the pause.
    """
    if row.codriver_drives or row.counted_from is None:
        return False
    if not row.terms:
        handed, moment = row.deadline <= row.since, now
        _adopt(row, facts)
        row.stands_in = row.stands_in or (handed and row.deadline <= moment)
        return True
    handed, moment = HANDED_OVER in row.terms, now
    old, new = Terms.read(row.terms), terms_of(row, facts)
    if new == old and HANDED_OVER not in row.terms:
        before = row.remind_at
        if row.deadline > now:
            _plan_reminder(row, facts)
        return row.remind_at != before
    since, left = row.counted_from, row.left_seconds or 0
    if new.rule != old.rule:
        now = row.policy.counted_until(now)
        was = replace(old.counting, away=new.counting.away)
        left, met = left_after_change(old, new, since, left, now), {*old.met, *reasons_between(since, now, was)}
        new = replace(new, met=tuple(reason for reason in REASONS if reason in met))
        since = max(since, now)
    _count(row, new, since, left)
    row.stands_in = row.stands_in or (handed and row.deadline <= moment)
    _plan_reminder(row, facts)
    return True


def _adopt(row: Awaited, facts: Facts | None) -> None:
    """Give the current terms to a row that was written without terms. It keeps the time that its deadline left, and no
    less. A row that began while the codriver had the car gets all its time, counted from then.
    """
    terms, since, promised = terms_of(row, facts), row.since, row.deadline
    whole = promised <= since
    _count(row, terms, since, terms.allowed if whole else ceil(terms.used(since, promised).total_seconds()))
    row.deadline = max(row.deadline, promised)
    _plan_reminder(row, facts)


def excuse(row: Awaited, outage: Outage) -> None:
    """Do not count the time of the outage, and leave the driver at least GRACE after it, in time that counts. Where
    time is kept in seconds it is BRISK_GRACE.
    """
    grace = BRISK_GRACE if row.policy.keeps_seconds else GRACE
    if row.counted_from is None or row.codriver_drives:
        row.deadline = max(row.deadline, outage.until + grace)
        return
    if not row.terms:
        _adopt(row, None)
    terms, left, since = Terms.read(row.terms), row.left_seconds or 0, outage.since
    if terms.closes is not None:
        since = min(since, row.deadline - grace)
    away = Away(max(since, row.counted_from), outage.until, OUTAGE)
    terms = replace(terms, counting=terms.counting.with_absences([away]))
    left = max(left, ceil((terms.used(row.counted_from, outage.until) + grace).total_seconds()))
    _count(row, terms, row.counted_from, left)
    _plan_reminder(row)


def extend(row: Awaited, *, seconds: int, now: datetime) -> None:
    """Give the driver this many more seconds that count. Nobody else's time changes.

    The row first follows the changes that it has not followed yet.
    """
    follow(row, now=now)
    if not row.terms or row.counted_from is None:
        return
    terms = Terms.read(row.terms)
    terms = replace(terms, extended=terms.extended + seconds)
    _count(row, terms, row.counted_from, (row.left_seconds or 0) + seconds)
    _plan_reminder(row)


def close_together(
    rows: Sequence[Awaited], *, no_sooner_than: datetime | None = None, facts: Facts | None = None
) -> datetime | None:
    """Give the latest of their deadlines to rows that close at one moment for all. Returns it; None without rows.

    Each row is counted by its own terms. `no_sooner_than`: a moment that was promised to all.
    """
    own = [_own_deadline(row) for row in rows]
    latest = max([*own, *([] if no_sooner_than is None or not rows else [no_sooner_than])], default=None)
    for row in rows:
        if latest is not None and row.deadline != latest:
            row.deadline = latest
            if row.terms:
                _plan_reminder(row, facts)
    return latest


def _own_deadline(row: Awaited) -> datetime:
    if not row.terms or row.counted_from is None:
        return row.deadline
    return Terms.read(row.terms).due(row.counted_from, row.left_seconds or 0)[0].moment


def extended(row: Awaited) -> int:
    """Seconds that organisers gave on top of the driver's time."""
    return Terms.read(row.terms).extended if row.terms else 0


def left_in_bank(row: Awaited, *, now: datetime) -> int | None:
    """Seconds that go back to the bank if the row ends now; None where the rally has no bank."""
    if not row.terms or row.counted_from is None:
        return None
    terms = Terms.read(row.terms)
    if not terms.bank:
        return None
    if row.codriver_drives:  # it has followed no change since it was handed over
        terms = replace(terms, counting=terms_of(row).counting)
    used = terms.used(row.counted_from, row.policy.counted_until(now))
    return max(0, (row.left_seconds or 0) - terms.extended - int(used.total_seconds()))


def is_up_to_date(row: Awaited, facts: Facts | None = None) -> bool:
    """Whether a row's deadline is up to date: it has no change to follow."""
    if row.codriver_drives or row.counted_from is None:
        return True
    return bool(row.terms) and HANDED_OVER not in row.terms and terms_of(row, facts) == Terms.read(row.terms)


def reminder(row: Awaited, facts: Facts | None = None) -> datetime | None:
    """When the driver is reminded: the lead time before the deadline, outside quiet hours in their current zone. None
    where there is no time for it, and where time is kept in seconds.
    """
    if row.policy.keeps_seconds:
        return None
    lead = lead_of(row, facts)
    rhythm = row.policy.counting_in(row.person.time_zone)
    return reminder_at(row.deadline, lead, row.since, rhythm) if lead else None


def lead_of(row: Awaited, facts: Facts | None = None) -> timedelta:
    """How long before the deadline this driver wants to be reminded: their own choice, else the rally's setting."""
    wanted = reminder_lead(row.person) if facts is None else facts.leads.get(row.person.pk)
    return timedelta(hours=row.policy.reminder_hours) if wanted is None else wanted


def _plan_reminder(row: Awaited, facts: Facts | None = None) -> None:
    """Plan the reminder of the deadline, unless the driver was already reminded of exactly this deadline."""
    if row.reminded_of == row.deadline:
        row.remind_at = None
        return
    wanted = reminder(row, facts)
    if row.reminded_of is not None and row.remind_at is None and wanted is not None:
        row.given += 1
    row.remind_at = wanted


def terms_of(row: Awaited, facts: Facts | None = None) -> Terms:
    """The terms that apply to a row now; `facts`: where they have been read already.

    A row keeps the zone in which it began: a driver who changes zone gets no second night.
    """
    policy, old, allowance = row.policy, row.terms, row.allowance
    counting = policy.counting_in(old.get("zone", row.person.time_zone))
    away = [span for span in Counting.read(old).away if span.reason == OUTAGE]
    holidays = _holidays(row, allowance, facts)
    if allowance.closes is None:
        away += _absences(row, facts)
    if allowance.holidays == "wait":
        away += [Away(start, end, HOLIDAY) for start, end in holidays]
    return Terms(
        allowance.seconds,
        replace(counting, away=tuple(sorted(away))),
        closes=allowance.closes,
        covered=tuple(holidays) if allowance.holidays == "stand in" else (),
        bank=allowance.bank,
        met=tuple(old.get("met", ())),
        extended=old.get("extended", 0),
        earlier=earlier_in(old),
        brisk=policy.keeps_seconds,
    )


def _absences(row: Awaited, facts: Facts | None) -> Sequence[Away]:
    """Pauses of the rally since the row began; none for a row that is not saved yet."""
    if not row.pk:
        return ()
    if facts is None:
        return row.policy.absences_since(row.since)
    return [away for away in facts.absences.get(row.policy.pk, ()) if away.end > row.since]


def _holidays(row: Awaited, allowance: Allowance, facts: Facts | None) -> list[tuple[datetime, datetime]]:
    """The driver's holidays in the club that were not over when the row began; none where they do not matter."""
    if allowance.holidays == "count":
        return []
    person, club = row.person.pk, row.policy.club_id
    if facts is None:
        return holidays_between(person, club, row.since)
    return [span for span in facts.holidays.get((person, club), ()) if span[1] > row.since]


def _count(row: Awaited, terms: Terms, since: datetime, left: int) -> None:
    found, row.stands_in = terms.due(since, left)
    row.counted_from, row.left_seconds, row.terms = since, left, terms.plain()
    row.deadline, row.reasons = max(found.moment, row.since), list(found.reasons)
