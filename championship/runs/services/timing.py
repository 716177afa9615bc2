"""When a turn is due: by what terms its driver's time is counted, and how an open turn follows when these change.

The terms are kept with the turn. What was counted before a change stays counted; a pause or a holiday counts from
the moment at which it began, however late an open turn learns of it. So a deadline can be set anew at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from championship.clubs.selectors import holidays_between, holidays_of_many
from championship.notices.selectors import reminder_lead, reminder_leads
from championship.rallies.models import Pause, Rally
from championship.rallies.pace import (
    HOLIDAY,
    OUTAGE,
    PAUSE,
    REASONS,
    Away,
    Counting,
    Deadline,
    counted_between,
    deadline_of,
    reasons_between,
    reminder_at,
)
from championship.runs.models import Place, Turn

CLOSING, STAND_IN, TAKE_BACK, EXTENDED = "closing", "stand-in", "take back", "extended"
"""Reasons of a deadline beside those of `pace`: the stage closes; a holiday begins, during which the codriver drives;
the driver's time to take the wheel back ends; organisers have given more time.
"""
TIMED = (
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
"""The fields of a turn that this module sets."""


@dataclass(frozen=True, slots=True)
class Terms:
    """By what a turn's time is counted.

    allowed: seconds for the turn, when it began. closes: when the stage closes, where only that ends a turn.
    covered: holidays during which the codriver drives. bank: what is not used goes back to the entry's bank.
    met: what was not counted before these terms (REASONS). extended: seconds that organisers gave on top, none of which
    go into a bank.
    """

    allowed: int
    counting: Counting
    closes: datetime | None = None
    covered: tuple[tuple[datetime, datetime], ...] = ()
    bank: bool = False
    met: tuple[str, ...] = ()
    extended: int = 0

    def plain(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {
            "allowed": self.allowed,
            **self.counting.plain(),
            "closes": None if self.closes is None else self.closes.isoformat(),
            "covered": [[start.isoformat(), end.isoformat()] for start, end in self.covered],
            "bank": self.bank,
            "met": list(self.met),
            "extended": self.extended,
        }

    @classmethod
    def read(cls, plain: dict[str, Any]) -> Terms:
        """From what `plain` gave."""
        closes = plain["closes"]
        return cls(
            allowed=plain["allowed"],
            counting=Counting.read(plain),
            closes=None if closes is None else datetime.fromisoformat(closes),
            covered=tuple((datetime.fromisoformat(one), datetime.fromisoformat(two)) for one, two in plain["covered"]),
            bank=plain["bank"],
            met=tuple(plain["met"]),
            extended=plain.get("extended", 0),
        )

    @property
    def rule(self) -> tuple[object, ...]:
        """What an organiser or a driver sets at will; what was counted by it before a change stays counted."""
        counting = self.counting
        return self.allowed, counting.zone, counting.quiet, counting.weekends, self.closes, self.bank

    def due(self, since: datetime, left: int) -> tuple[Deadline, bool]:
        """When `left` seconds have been counted from `since`, and whether the codriver only stands in then."""
        found = self._counted(since, left)
        covered = [max(start, since) for start, end in self.covered if end > since and start < found.moment]
        if covered:
            return Deadline(min(covered), (STAND_IN,)), True
        met = {*found.reasons, *self.met}
        told = tuple(reason for reason in REASONS if reason in met)
        given = (EXTENDED,) if self.extended else ()
        return replace(found, reasons=(CLOSING, *told) if self.closes else (*given, *told)), False

    def _counted(self, since: datetime, left: int) -> Deadline:
        if self.closes is None:
            return deadline_of(since, timedelta(seconds=left), self.counting)
        return deadline_of(since, max(self.closes - since, timedelta()), self.counting)


@dataclass(frozen=True, slots=True)
class Facts:
    """What many turns' times depend on, read at once: holidays by (person, club), pauses by rally, leads of reminders
    by person.
    """

    holidays: Mapping[tuple[int, int], Sequence[tuple[datetime, datetime]]]
    pauses: Mapping[int, Sequence[Pause]]
    leads: Mapping[int, timedelta | None]


def facts_of(turns: Sequence[Turn]) -> Facts:
    """What these turns' times depend on, in three queries."""
    people = {turn.place.entry.driver_id for turn in turns}
    rallies = {turn.place.entry.rally_id for turn in turns}
    since = min((turn.since for turn in turns), default=datetime.now(UTC))
    pauses: dict[int, list[Pause]] = {}
    for pause in Pause.objects.filter(rally__in=rallies, ended_at__gt=since):
        pauses.setdefault(pause.rally_id, []).append(pause)
    return Facts(holidays_of_many(people, since), pauses, reminder_leads(people))


def begin(turn: Turn, *, now: datetime, facts: Facts | None = None) -> None:
    """Let the driver's time begin now; the turn is not saved. A driver whom the codriver plays is due at once.

    A turn that was open already has its time anew, and is told of and reminded of as such.
    """
    turn.given, turn.reminded_of = turn.given + 1 if turn.pk else 1, None
    turn.since = turn.counted_from = now
    turn.terms, turn.reasons, turn.remind_at, turn.stands_in = {}, [], None, False
    turn.left_seconds = None
    if turn.place.played:
        turn.deadline = _codriver_from(turn.place, now)
        if turn.deadline > now:
            turn.reasons, turn.stands_in = [TAKE_BACK], True
        return
    terms = terms_of(turn, facts)
    _count(turn, terms, now, terms.allowed)
    turn.remind_at = reminder(turn, terms, facts)


def follow(turn: Turn, *, now: datetime) -> bool:
    """Set deadline and reminder of an open turn anew by what holds now; whether anything changed. It is not saved.

    The run row and the turn are locked. Of a rally that is paused nothing is moved yet: it is once the rally goes on.
    """
    if turn.place.played or not turn.terms or turn.counted_from is None:
        return False
    old, new = Terms.read(turn.terms), terms_of(turn)
    if new == old:
        before = turn.remind_at
        if turn.deadline > now:
            _plan_reminder(turn, new)
        return turn.remind_at != before
    since, left = turn.counted_from, turn.left_seconds or 0
    if new.rule != old.rule:
        was = replace(old.counting, away=new.counting.away)
        left, met = _left_by(old, new, since, left, now), {*old.met, *reasons_between(since, now, was)}
        new = replace(new, met=tuple(reason for reason in REASONS if reason in met))
        since = max(since, now)
    _count(turn, new, since, left)
    _plan_reminder(turn, new)
    return True


def _plan_reminder(turn: Turn, terms: Terms) -> None:
    """Remind of a deadline that moved or was not told yet. Of one that was told nobody is reminded again."""
    if turn.reminded_of == turn.deadline:
        turn.remind_at = None
        return
    wanted = reminder(turn, terms)
    if turn.reminded_of is not None and turn.remind_at is None and wanted is not None:
        turn.given += 1
    turn.remind_at = wanted


def excuse(turn: Turn, *, since: datetime, until: datetime, least: timedelta) -> None:
    """Do not count the time between two moments in which the site was away, and leave the driver `least` then, of
    hours that count; the turn is not saved.
    """
    if not turn.terms or turn.counted_from is None:
        turn.deadline = max(turn.deadline, until + least)
        return
    terms, left = Terms.read(turn.terms), turn.left_seconds or 0
    if terms.closes is not None:
        since = min(since, turn.deadline - least)
    away = Away(max(since, turn.counted_from), until, OUTAGE)
    terms = replace(terms, counting=terms.counting.besides([away]))
    used = counted_between(turn.counted_from, until, terms.counting)
    left = max(left, ceil((used + least).total_seconds()))
    _count(turn, terms, turn.counted_from, left)
    _plan_reminder(turn, terms)


def extend(turn: Turn, *, seconds: int, now: datetime) -> None:
    """Let the driver have so many seconds more that count; the turn is not saved, and nobody else's has changed.

    What the deadline has yet to follow is followed first.
    """
    follow(turn, now=now)
    if not turn.terms or turn.counted_from is None:
        return
    terms = Terms.read(turn.terms)
    terms = replace(terms, extended=terms.extended + seconds)
    _count(turn, terms, turn.counted_from, (turn.left_seconds or 0) + seconds)
    _plan_reminder(turn, terms)


def left_in_bank(turn: Turn, *, now: datetime) -> int | None:
    """Seconds that go back to the bank when the turn ends now; None where the rally has no bank."""
    if not turn.terms or turn.counted_from is None:
        return None
    terms = Terms.read(turn.terms)
    if not terms.bank:
        return None
    paused_at = turn.run.special_stage.rally.paused_at
    until = now if paused_at is None else min(now, max(paused_at, turn.counted_from))
    used = counted_between(turn.counted_from, until, terms.counting)
    return max(0, (turn.left_seconds or 0) - terms.extended - int(used.total_seconds()))


def reminder(turn: Turn, terms: Terms, facts: Facts | None = None) -> datetime | None:
    """When the driver is reminded: so long before the deadline, awake; None where there is no time for it."""
    lead = lead_of(turn, facts)
    rhythm = turn.run.special_stage.rally.counting_in(terms.counting.zone)
    return reminder_at(turn.deadline, lead, turn.since, rhythm) if lead else None


def lead_of(turn: Turn, facts: Facts | None = None) -> timedelta:
    """How long before the deadline this driver wants to be reminded; without a wish of theirs, as the rally says."""
    driver = turn.place.entry.driver
    wanted = reminder_lead(driver) if facts is None else facts.leads.get(driver.pk)
    return timedelta(hours=turn.run.special_stage.rally.reminder_hours) if wanted is None else wanted


def terms_of(turn: Turn, facts: Facts | None = None) -> Terms:
    """The terms that hold for a turn now; `facts`: where they have been read already."""
    stage, entry = turn.run.special_stage, turn.place.entry
    rally, old = stage.rally, turn.terms
    away = [span for span in Counting.read(old).away if span.reason == OUTAGE]
    counting = rally.counting_in(entry.driver.time_zone)
    allowed, met, extended = _allowed(turn, rally), tuple(old.get("met", ())), old.get("extended", 0)
    if rally.pace == Rally.Pace.CLOSING:
        closes = stage.closes_at or turn.since + timedelta(hours=rally.stage_hours)
        return Terms(allowed, replace(counting, away=tuple(away)), closes=closes, met=met, extended=extended)
    away += [Away(pause.began_at, pause.ended_at, PAUSE) for pause in _pauses(turn, rally, facts)]
    holidays = _holidays(turn, rally, facts)
    covered: tuple[tuple[datetime, datetime], ...] = ()
    if rally.holidays == Rally.Holidays.CODRIVER:
        covered = tuple(holidays)
    else:
        away += [Away(start, end, HOLIDAY) for start, end in holidays]
    return Terms(
        allowed,
        replace(counting, away=tuple(sorted(away))),
        covered=covered,
        bank=rally.pace == Rally.Pace.BANK,
        met=met,
        extended=extended,
    )


def _allowed(turn: Turn, rally: Rally) -> int:
    """Seconds for a turn. What was in the bank when the turn began is kept there until it ends."""
    if rally.pace != Rally.Pace.BANK:
        return rally.turn_hours * 3600
    bank = turn.place.entry.bank_seconds
    return (rally.bank_hours * 3600 if bank is None else bank) + rally.increment_hours * 3600


def _pauses(turn: Turn, rally: Rally, facts: Facts | None) -> Iterable[Pause]:
    """Pauses of the rally since the turn began; a turn that is only beginning has met none."""
    if not turn.pk:
        return ()
    if facts is None:
        return rally.pauses.filter(ended_at__gt=turn.since)
    return [pause for pause in facts.pauses.get(rally.pk, ()) if pause.ended_at > turn.since]


def _holidays(turn: Turn, rally: Rally, facts: Facts | None) -> list[tuple[datetime, datetime]]:
    """The driver's holidays in the club that are not over when the turn began."""
    person = turn.place.entry.driver_id
    if facts is None:
        return holidays_between(person, rally.club_id, turn.since)
    return [span for span in facts.holidays.get((person, rally.club_id), ()) if span[1] > turn.since]


def _left_by(old: Terms, new: Terms, since: datetime, left: int, now: datetime) -> int:
    """Seconds left at a change of terms. Who is given less keeps what they had, or gets a whole new turn."""
    if old.closes is not None or new.closes is not None:
        return new.allowed
    used = counted_between(since, now, replace(old.counting, away=new.counting.away))
    left_now = max(0, left - int(used.total_seconds()))
    if new.allowed == old.allowed:
        return left_now
    return max(new.allowed - (old.allowed - left_now), min(left_now, new.allowed))


def _count(turn: Turn, terms: Terms, since: datetime, left: int) -> None:
    found, turn.stands_in = terms.due(since, left)
    turn.counted_from, turn.left_seconds, turn.terms = since, left, terms.plain()
    turn.deadline, turn.reasons = max(found.moment, turn.since), list(found.reasons)


def _codriver_from(place: Place, now: datetime) -> datetime:
    """When the codriver, who has the wheel, makes the turn: at once.

    But where nobody else is kept waiting, a driver who may still take the wheel back is given the time to do so.
    """
    until = take_back_until(place)
    if until is None or place.run.places.count() > 1:
        return now
    return max(now, until)


def take_back_until(place: Place) -> datetime | None:
    """Until when the driver may take the wheel back for the rest of the stage; None when they have it, have handed the
    car over for good, or the stage has closed.
    """
    rally = place.run.special_stage.rally
    if place.codriver_since is None or place.entry.driven_by != place.entry.DrivenBy.PERSON:
        return None
    if rally.pace == Rally.Pace.CLOSING:
        return None
    return place.codriver_since + timedelta(hours=rally.hand_back_hours)


def lasts(turn: Turn, facts: Facts | None = None) -> bool:
    """Whether a turn's deadline is what its driver's time comes to now: nothing has changed that it must follow."""
    return turn.place.played or not turn.terms or terms_of(turn, facts) == Terms.read(turn.terms)
