"""Every read about who comes to an evening: who has checked in, who waits for a place, and what the reader may do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.evenings.arriving.services import has_checked_in, not_come, reserves_left
from championship.evenings.models import CheckIn, CheckInHour
from championship.platform import clock
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.rallies.clock.evening_rules import Late
from championship.rallies.models import Entry, Rally

Status = Entry.Status


@dataclass(frozen=True, slots=True)
class Arriving:
    """Who comes to an evening. `hour`: by when drivers check in, or None. `mine`: the reader's own entry. `left_out`:
    crews; `reserves`: entries in the order in which they get a place. `not_come`: the cars whose drivers have not come.
    """

    rally: Rally
    hour: CheckInHour | None
    mine: Entry | None
    left_out: tuple[Entry, ...]
    reserves: tuple[Entry, ...]
    checked_in: frozenset[int]
    not_come: tuple[Entry, ...] = ()

    @property
    def open(self) -> bool:
        """Whether drivers check in now, in time."""
        return self.hour is not None and self.hour.done_at is None

    @property
    def i_have_checked_in(self) -> bool:
        return self.mine is not None and self.mine.pk in self.checked_in

    @property
    def i_may_check_in(self) -> bool:
        """Whether the reader can check in, in time."""
        entered = self.mine is not None and self.mine.status in Status.entered()
        return self.open and entered and not self.i_have_checked_in

    @property
    def i_am_late(self) -> bool:
        """Whether the reader was left out or has dropped out, or the codriver drives because they were absent."""
        if self.mine is None or self.rally.status not in (Rally.Status.ENTRIES, Rally.Status.RUNNING):
            return False
        if self.mine.starts_from is None:
            return True
        done = getattr(self.mine, "evening_check_in", None)
        return done is not None and done.at is None and done.outcome != ""

    @property
    def i_may_join(self) -> bool:
        """Whether the rules let the reader, who is late, join."""
        if not self.i_am_late or self.mine is None:
            return False
        out = self.mine.starts_from is None or self.mine.status not in Status.entered()
        return not out or self.rally.rules_of_evening.late != Late.NEVER


def arriving(rally: Rally, entries: Sequence[Entry], viewer: int | None) -> Arriving:
    """Return who comes. `entries`: all entries of the rally, with `evening_check_in` loaded. One query, and
    one more where reserves may be left under way.
    """
    under_way = rally.status == Rally.Status.RUNNING
    reserves = [
        entry for entry in entries if entry.status in (Status.REQUESTED, Status.WAITING) and not entry.driver.is_bot
    ]
    reserves.sort(key=lambda entry: (not has_checked_in(entry), entry.asked_at, entry.pk))
    return Arriving(
        rally=rally,
        hour=CheckInHour.objects.filter(rally=rally).first(),
        mine=next((entry for entry in entries if entry.driver_id == viewer), None),
        left_out=tuple(entry for entry in entries if _left_out(entry)),
        reserves=tuple(
            reserves if rally.status == Rally.Status.ENTRIES else reserves_left(entries) if under_way else ()
        ),
        checked_in=frozenset(entry.pk for entry in entries if has_checked_in(entry)),
        not_come=tuple(not_come(entries)) if under_way else (),
    )


def _left_out(entry: Entry) -> bool:
    done = getattr(entry, "evening_check_in", None)
    return done is not None and done.outcome == CheckIn.Outcome.OUT and entry.status == Status.WITHDRAWN


def asked_now(driver: User) -> list[tuple[Rally, datetime]]:
    """Return the rallies that ask the driver to check in, each with the hour, the next one first. One query."""
    return check_ins(_asked(driver=driver.pk, now=clock.now()))


def asked_of_page(reader: int, now: datetime, **_known: Any) -> BoundQuery[Entry]:
    """Return the query of `asked_now`, for a page that reads it with all else."""
    return _asked.bind(driver=reader, now=now)


def check_ins(entries: Sequence[Entry]) -> list[tuple[Rally, datetime]]:
    """Return the rallies of these rows, each with the hour. No query."""
    return [(entry.rally, entry.rally.check_in_hour.at) for entry in entries]


@prepared
def _asked(driver: Any, now: Any) -> QuerySet[Entry]:
    entries = Entry.objects.filter(
        driver=driver,
        status__in=Status.entered(),
        rally__check_in_hour__done_at=None,
        rally__check_in_hour__at__gt=now,
        rally__status__in=(Rally.Status.ENTRIES, Rally.Status.RUNNING),
    ).exclude(evening_check_in__at__isnull=False)
    return entries.select_related("rally__check_in_hour").order_by("rally__check_in_hour__at")
