"""A unit of work that takes long is done by one worker at a time, and one that was too slow waits longer each time.

A claim is a row, not a lock: the work may take half a minute, and no transaction stays open for so long. A worker takes
the row until `again_at`. When it is done, the row is free again. A worker that dies leaves the row as it is, and the
unit waits as if it was too slow; the shortest wait is longer than a task may take. To be too slow is no failure: the
machine is busy. So there is no `Failure` that operators have to look after, but one line in the log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction

from championship.failures.models import Claim
from championship.failures.services import wait_after
from championship.platform import clock

logger = logging.getLogger(__name__)

LONGEST_WAIT = timedelta(hours=1)
"""The longest wait of a unit that was too slow."""

T = TypeVar("T")


class TooSlow(Exception):
    """A unit of work has taken the time that it may take, and has come to nothing."""


def taken(kind: str) -> list[str]:
    """Return the units of this kind that may not be begun now: a worker has them, or they were too slow. One query."""
    return list(Claim.objects.filter(kind=kind, again_at__gt=clock.now()).values_list("unit", flat=True))


def alone(kind: str, unit: object, work: Callable[[], T], *, wanted: Callable[[], bool]) -> T | None:
    """Do the work of a unit, and return what it returns. Returns None when another worker has it, when it was too slow
    lately or is so now, or when it is not `wanted` any more: that is asked when the unit is ours. The work opens its
    own transactions.

    Raises: what the work raises, except TooSlow.
    """
    claim = _claimed(kind, str(unit), wanted)
    if claim is None:
        return None
    try:
        done = work()
    except TooSlow as slow:
        _put_off(claim, slow)
        return None
    except BaseException:
        _free(claim, claim.slow - 1)
        raise
    _free(claim, 0)
    return done


@transaction.atomic
def _claimed(kind: str, unit: str, wanted: Callable[[], bool]) -> Claim | None:
    """Take a unit for this worker. It counts as slow until it is done, so that one that kills workers waits, too."""
    now = clock.now()
    Claim.objects.bulk_create([Claim(kind=kind, unit=unit, again_at=now)], ignore_conflicts=True)
    claim = Claim.objects.select_for_update(skip_locked=True).filter(kind=kind, unit=unit, again_at__lte=now).first()
    if claim is None or not wanted():
        return None
    claim.slow += 1
    claim.again_at = now + _wait(claim.slow)
    claim.save(update_fields=["slow", "again_at"])
    return claim


def _put_off(claim: Claim, slow: TooSlow) -> None:
    again_at = clock.now() + _wait(claim.slow)
    _ours(claim).update(again_at=again_at)
    logger.warning(
        "%s %s is too slow for the %d. time, and is put off until %s: %s",
        *(claim.kind, claim.unit, claim.slow, again_at.isoformat(timespec="seconds"), slow),
    )


def _free(claim: Claim, slow: int) -> None:
    _ours(claim).update(again_at=clock.now(), slow=slow)


def _ours(claim: Claim):  # type: ignore[no-untyped-def]
    """Return the row as long as no other worker has taken it because this one was regarded as dead."""
    return Claim.objects.filter(pk=claim.pk, again_at=claim.again_at)


def _wait(slow: int) -> timedelta:
    return min(wait_after(slow), LONGEST_WAIT)


def forget_old(*, before: datetime) -> int:
    """Delete the claims of units that could be begun before that moment. Returns how many."""
    return Claim.objects.filter(again_at__lt=before).delete()[0]
