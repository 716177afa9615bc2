"""Each unit of background work stands alone: one that fails stops no other.

A sweep does the same work for many units, such as the turns that are due. `Attempts` tries each unit by itself. A unit
that fails is logged, stored as a `Failure` for operators, and put off: the next tries come after FIRST_WAIT, then after
twice as long each time. When it succeeds, its row is deleted. The unit "" stands for the work as a whole: it is never
put off, because everybody would have to wait.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction

from championship.failures.models import Failure

logger = logging.getLogger(__name__)

FIRST_WAIT = timedelta(minutes=5)
LONGEST_WAIT = timedelta(hours=6)
TOO_LONG = 45
"""Seconds after which a unit is the cause when the time of its task is over."""

T = TypeVar("T")
U = TypeVar("U")


class Attempts:
    """The tries of one kind of work at one time. Reads once which units have failed before: one query."""

    def __init__(self, kind: str, *, now: datetime) -> None:
        self.kind, self.now = kind, now
        self._again_at = dict(Failure.objects.filter(kind=kind).values_list("unit", "again_at"))

    def put_off(self) -> list[str]:
        """The units that may not be tried now."""
        return [unit for unit, again_at in self._again_at.items() if again_at > self.now]

    def failed_before(self) -> list[str]:
        """The units that have failed since they last succeeded, whether they may be tried now or not."""
        return list(self._again_at)

    def is_put_off(self, unit: object = "") -> bool:
        """Whether this unit may not be tried now."""
        again_at = self._again_at.get(str(unit))
        return again_at is not None and again_at > self.now

    def attempt(self, unit: object, work: Callable[[], T]) -> T | None:
        """Do the work of one unit, and return what it returns. Returns None when the unit is put off or fails.

        The work opens its own transactions. When it raises, these are rolled back, and the failure is stored.

        Raises: SoftTimeLimitExceeded when the time of the task is over. The unit is put off if it took most of it.
        """
        if self.is_put_off(unit):
            return None
        begun = time.monotonic()
        try:
            done = work()
        except SoftTimeLimitExceeded as error:
            if time.monotonic() - begun > TOO_LONG:
                self.failed(unit, error)
            raise
        except Exception as error:
            self.failed(unit, error)
            return None
        self.succeeded(unit)
        return done

    def attempt_in_transaction(self, unit: object, work: Callable[[], T]) -> T | None:
        """The same as `attempt`, for work that opens no transaction of its own."""

        def together() -> T:
            with transaction.atomic():
                return work()

        return self.attempt(unit, together)

    def attempt_together(self, units: Sequence[U], work: Callable[[Sequence[U]], object]) -> list[U]:
        """Do the work of all these units in one transaction. Where that fails, one of them is the cause, and each is
        tried alone. Returns the units whose work is done; those that are put off are left out.

        Raises: SoftTimeLimitExceeded when the time of the task is over.
        """
        free = [unit for unit in units if not self.is_put_off(unit)]
        if not free:
            return []
        try:
            with transaction.atomic():
                work(free)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            return [unit for unit in free if self.attempt_in_transaction(unit, partial(_done, work, [unit]))]
        for unit in free:
            self.succeeded(unit)
        return free

    def failed(self, unit: object, error: Exception) -> None:
        """Log and store that a unit has failed, and put it off."""
        key, reason = str(unit), f"{type(error).__name__}: {error}".replace("\x00", "")[:300]
        with transaction.atomic():
            found, _new = Failure.objects.select_for_update().get_or_create(
                kind=self.kind,
                unit=key,
                defaults={"since": self.now, "last_at": self.now, "again_at": self.now, "times": 0},
            )
            found.times, found.last_at, found.error = found.times + 1, self.now, reason
            found.again_at = self._again_at[key] = self.now + (wait_after(found.times) if key else timedelta())
            found.save()
        logger.error(
            "%s %s failed, and is put off until %s",
            *(self.kind, key, found.again_at.isoformat(timespec="seconds")),
            exc_info=error,
        )

    def succeeded(self, unit: object = "") -> None:
        """Forget the failures of a unit. One query for a unit that has failed before, otherwise none."""
        if self._again_at.pop(str(unit), None) is not None:
            Failure.objects.filter(kind=self.kind, unit=str(unit)).delete()


def _done(work: Callable[[Sequence[U]], object], units: Sequence[U]) -> bool:
    work(units)
    return True


def wait_after(times: int) -> timedelta:
    """How long a unit is put off after it has failed so many times in a row."""
    waits: timedelta = FIRST_WAIT * 2 ** min(times - 1, 20)
    return min(waits, LONGEST_WAIT)


def try_all_again(*, now: datetime) -> int:
    """End the wait of every unit that is put off, as after a repair. Returns how many there are."""
    return Failure.objects.filter(again_at__gt=now).update(again_at=now)


def forget_old(*, before: datetime) -> int:
    """Delete the failures of units that could be tried again before that moment and were not tried: they have nothing
    to do any more. Returns how many.
    """
    return Failure.objects.filter(again_at__lt=before).delete()[0]


def lines_for_operators(now: datetime, most: int) -> list[str]:
    """The open failures as text, the oldest first, at most so many."""
    return [
        f"{each}: {each.since:%Y-%m-%d %H:%M} UTC, {each.times} x, {each.error}"
        for each in Failure.objects.open(now)[:most]
    ]
