"""What befalls a season: killed workers, a database and a broker that restart, a mail server that refuses."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connections

from tests.chaos import moment
from tests.chaos.machinery import PATIENCE, Machinery
from tests.chaos.season import MINUTE, due_at

T = TypeVar("T")
LONGEST_WAIT = 120
"""Real seconds until what is due must have been done."""


@dataclass
class Misfortune:
    """Beats and workers answer by themselves; this lets the clock go on while they do, and strikes at random.

    `kills`: how many workers die in all; `share`: of the busy minutes, how many see one die.
    """

    machinery: Machinery
    kills: int
    share: float
    days: int
    draw: Random
    restarts: int = 3
    slowest: timedelta = timedelta(0)
    _restarted: int = 0
    _refused_since: datetime | None = None

    def tick(self, now: datetime) -> datetime:
        """Let workers do what is due, with whatever befalls them meanwhile; the moment when it is done.

        Each beat that passes is a minute, as in earnest; restarts stop the clock.
        """
        self._mail(now)
        self._restart(now)
        began, since = now, time.monotonic()
        strikes = self._strikes(now)
        while (due := patient(due_at)) is not None and due <= now:
            if strikes:
                time.sleep(self.draw.random() * self.machinery.beat)
                self.machinery.kill_worker(self.draw.randrange(self.machinery.workers))
                strikes = False
            time.sleep(self.machinery.beat)
            now += MINUTE
            moment.turn_to(now)
            if time.monotonic() - since > LONGEST_WAIT:
                raise SystemExit(f"At {now} something is due since {due}, and nobody does it.")
        self.slowest = max(self.slowest, now - began)
        return now

    def told(self) -> dict[str, object]:
        """What befell, in numbers."""
        return {
            "workers killed": self.machinery.killed,
            "database and broker restarted": self._restarted,
            "letters refused": self.machinery.letters.refused,
            "longest until all due was done": str(self.slowest),
        }

    def _strikes(self, now: datetime) -> bool:
        due = patient(due_at)
        busy = due is not None and due <= now
        return busy and self.machinery.killed < self.kills and self.draw.random() < self.share

    def _mail(self, now: datetime) -> None:
        """From the third day on the mail server refuses, until an hour after it first had a letter to refuse."""
        letters = self.machinery.letters
        if letters.refused and self._refused_since is None:
            self._refused_since = now
        over = self._refused_since is not None and now >= self._refused_since + timedelta(hours=1)
        letters.refuses = now >= moment.BEGINNING + timedelta(days=3) and not over

    def _restart(self, now: datetime) -> None:
        """Evenly over the first half of the season database and broker restart."""
        if self._restarted < self.restarts and now >= moment.BEGINNING + timedelta(days=self.days) * (
            (self._restarted + 1) / (2 * self.restarts + 1)
        ):
            self.machinery.restart_database()
            self.machinery.restart_broker()
            self._restarted += 1


def patient(does: Callable[[], T]) -> T:
    """Do it, again and again while the database is away."""
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            return does()
        except (OperationalError, InterfaceError):
            connections.close_all()
            if time.monotonic() > patience:
                raise
            time.sleep(0.1)
