"""The terms by which a driver's time is counted, and when it is over. Pure: plain values in, plain values out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from championship.deadlines.counted_time import REASONS, Counting, Deadline, counted_between, deadline_of

CLOSING, STAND_IN, TAKE_BACK, EXTENDED = "closing", "stand-in", "take back", "extended"
"""Reasons of a deadline besides REASONS: the stage closes; a holiday begins, during which the codriver drives; the
driver's time to take the wheel back ends; organisers have given more time.
"""
EARLIER = "earlier"
"""Key in the JSON of terms of what earlier persons of the row had left."""
BRISK = "brisk"
"""Key in the JSON of terms by which time is kept in seconds."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a person who was replaced had left of a row: so many of the `allowed` seconds, counted in their zone.
    `extended`: seconds of it that organisers had given on top.
    """

    person: int
    seconds: int
    allowed: int
    extended: int
    zone: str


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms by which the time of one row is counted.

    allowed: seconds when it began. closes: when everything closes, where only that ends the time.
    covered: holidays during which the codriver drives. bank: unused time goes back to the entry's bank.
    met: why time was not counted before these terms (REASONS). extended: seconds that organisers gave on top; they
    never go into a bank. earlier: what each person who was replaced had left. brisk: time is kept in seconds, as in an
    evening.
    """

    allowed: int
    counting: Counting
    closes: datetime | None = None
    covered: tuple[tuple[datetime, datetime], ...] = ()
    bank: bool = False
    met: tuple[str, ...] = ()
    extended: int = 0
    earlier: tuple[Left, ...] = ()
    brisk: bool = False

    def plain(self) -> dict[str, Any]:
        """The terms as JSON values."""
        return {
            **({EARLIER: [astuple(left) for left in self.earlier]} if self.earlier else {}),
            **({BRISK: True} if self.brisk else {}),
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
        """Parses the result of `plain`."""
        closes = plain["closes"]
        return cls(
            allowed=plain["allowed"],
            counting=Counting.read(plain),
            closes=None if closes is None else datetime.fromisoformat(closes),
            covered=tuple((datetime.fromisoformat(one), datetime.fromisoformat(two)) for one, two in plain["covered"]),
            bank=plain["bank"],
            met=tuple(plain["met"]),
            extended=plain.get("extended", 0),
            earlier=earlier_in(plain),
            brisk=plain.get(BRISK, False),
        )

    @property
    def rule(self) -> tuple[object, ...]:
        """The terms that an organiser can change. Time that was counted by them before a change stays counted."""
        counting = self.counting
        return self.allowed, counting.quiet, counting.weekends, self.closes, self.bank, self.brisk

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

    def used(self, since: datetime, until: datetime) -> timedelta:
        """How much of the time between two moments counts."""
        return counted_between(since, until, self.counting)

    def _counted(self, since: datetime, left: int) -> Deadline:
        if self.closes is None:
            return deadline_of(since, timedelta(seconds=left), self.counting)
        return deadline_of(since, max(self.closes - since, timedelta()), self.counting)


def earlier_in(plain: Mapping[str, Any]) -> tuple[Left, ...]:
    """What earlier persons of a row had left, in the result of `Terms.plain`."""
    return tuple(Left(*values) for values in plain.get(EARLIER, ()))


def left_after_change(old: Terms, new: Terms, since: datetime, left: int, now: datetime) -> int:
    """Seconds left after a change of terms.

    A row that gets less time keeps what it had left, or gets the whole new time if that is shorter. A row whose time is
    kept in seconds from now on, or no longer, gets its whole new time; of a bank the same share as before.
    """
    if old.brisk != new.brisk and old.closes is None and new.closes is None:
        if not (old.bank and new.bank and old.allowed):
            return new.allowed
        used = counted_between(since, now, replace(old.counting, away=new.counting.away))
        return -(-new.allowed * max(0, min(left - int(used.total_seconds()), old.allowed)) // old.allowed)
    if old.closes is not None or new.closes is not None:
        return new.allowed
    used = counted_between(since, now, replace(old.counting, away=new.counting.away))
    return left_of(new.allowed, max(0, left - int(used.total_seconds())), before=old.allowed)


def left_of(allowed: int, left: int, *, before: int) -> int:
    """Seconds left of a time of `allowed` seconds for somebody who had `left` seconds of a time of `before` seconds."""
    return left if allowed == before else max(allowed - (before - left), min(left, allowed))
