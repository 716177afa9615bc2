"""The failures in a season: killed workers, minutes without any worker, a database and a broker that restart, a mail
server and receivers that refuse.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connections

from championship.deadlines import customers
from championship.deadlines.models import Sweep
from tests.chaos import moment
from tests.chaos.machinery import PATIENCE, Letterbox, Machinery
from tests.chaos.receivers import Receivers
from tests.chaos.season import MINUTE, due_at

T = TypeVar("T")
LONGEST_WAIT = 300
"""Real seconds in which all due work must be done."""
LOOK = 0.03
"""Real seconds between two checks for that."""
OUTAGES = (25, 200)
"""Minutes of the season without any worker, for each outage."""


@dataclass
class Refusal:
    """A receiver of letters or posts that refuses them from a day on, until an hour after the first refusal."""

    by: Letterbox | Receivers
    since: datetime
    first: datetime | None = None

    def look(self, now: datetime) -> None:
        if self.by.refused and self.first is None:
            self.first = now
        over = self.first is not None and now >= self.first + timedelta(hours=1)
        self.by.refuses = now >= self.since and not over


@dataclass
class Misfortune:
    """Moves the clock on while beats and workers run on their own, and lets machines fail at random.

    kills: number of workers to kill in all. share: share of the busy minutes in which a worker is killed. restarts:
    number of restarts of database and broker. lengths: minutes of the season without any worker, for each outage.
    outages: times without any worker so far.
    """

    machinery: Machinery
    kills: int
    share: float
    days: int
    draw: Random
    restarts: int = 3
    lengths: Sequence[int] = OUTAGES
    slowest: timedelta = timedelta(0)
    outages: list[tuple[datetime, datetime]] = field(default_factory=list)
    _restarted: int = 0

    def __post_init__(self) -> None:
        third, fifth = (moment.BEGINNING + timedelta(days=days) for days in (3, 5))
        self._refusals = [Refusal(self.machinery.letters, third), Refusal(self.machinery.receivers, fifth)]

    def tick(self, now: datetime) -> datetime:
        """Wait until workers have done everything that is due, and let machines fail meanwhile. Return the time after
        that.

        A minute ends after its sweep and `beat` real seconds. Outside a rehearsal a new worker starts within a few of
        the 60 seconds of a minute. The clock stands still during restarts.
        """
        for refusal in self._refusals:
            refusal.look(now)
        self._restart(now)
        now = self._go_dark(now)
        began, since, minute = now, time.monotonic(), time.monotonic()
        strikes = self._strikes(now)
        while (due := patient(due_at)) is not None and due <= now:
            if strikes:
                time.sleep(self.draw.random() * self.machinery.beat / 2)
                self.machinery.kill_worker(self.draw.randrange(self.machinery.workers))
                strikes = False
            time.sleep(LOOK)
            if time.monotonic() - minute > self.machinery.minute and _swept(now):
                now, minute = now + MINUTE, time.monotonic()
                moment.turn_to(now)
            if time.monotonic() - since > LONGEST_WAIT:
                stuck = f"At {now} something is due since {due}, and nobody does it."
                raise SystemExit(f"{stuck}\n{self.machinery.state()}")
        self.slowest = max(self.slowest, now - began)
        return now

    def told(self) -> dict[str, object]:
        """Return the failures in numbers."""
        return {
            "workers killed": self.machinery.killed,
            "database and broker restarted": self._restarted,
            "minutes without any worker": [str(until - since) for since, until in self.outages],
            "letters refused": self.machinery.letters.refused,
            "posts refused": self.machinery.receivers.refused,
            "longest until all due was done": str(self.slowest),
        }

    def _strikes(self, now: datetime) -> bool:
        due = patient(due_at)
        busy = due is not None and due <= now
        return busy and self.machinery.killed < self.kills and self.draw.random() < self.share

    def _restart(self, now: datetime) -> None:
        """Restart database and broker, at even intervals in the first half of the season."""
        if self._restarted < self.restarts and now >= self._day((self._restarted + 1) / (2 * self.restarts + 1)):
            self.machinery.restart_database()
            self.machinery.restart_broker()
            self._restarted += 1

    def _go_dark(self, now: datetime) -> datetime:
        """Stop all workers for a while, exactly when the deadline of a driver passes."""
        done = len(self.outages)
        if done == len(self.lengths) or now < self._day((done + 1) / (2 * len(self.lengths) + 1)):
            return now
        if not patient(lambda: customers.get("turns").due(now).filter(deadline__gt=now - MINUTE).exists()):
            return now
        with self.machinery.no_workers():
            until = now + self.lengths[done] * MINUTE
            moment.turn_to(until)
        self.outages.append((now, until))
        return until

    def _day(self, share: float) -> datetime:
        return moment.BEGINNING + timedelta(days=self.days) * share


def _swept(now: datetime) -> bool:
    """Return whether the deadlines have been swept in this minute."""
    return patient(Sweep.objects.filter(at__gte=now).exists)


def patient(does: Callable[[], T]) -> T:
    """Call the function, and retry while the database is down."""
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            return does()
        except (OperationalError, InterfaceError):
            connections.close_all()
            if time.monotonic() > patience:
                raise
            time.sleep(0.1)
