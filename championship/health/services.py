"""The check of the machine's clocks, once a minute."""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from championship.health.models import ClockJump, MachineClock

logger = logging.getLogger(__name__)

JUMP = timedelta(minutes=2)
"""A larger difference is never made by a clock service that slews the clock."""
KEPT = timedelta(days=90)
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def counter() -> tuple[str, float] | None:
    """Return which start of which machine this is, and the seconds since then, including the time asleep.

    A test clock (CLOCK in the settings) has no such counter unless COUNTER names one. Returns None when there is none.
    """
    if counter_path := getattr(settings, "COUNTER", None):
        reading: tuple[str, float] = import_string(counter_path)()
        return reading
    if getattr(settings, "CLOCK", None) or not hasattr(time, "CLOCK_BOOTTIME"):
        return None
    return BOOT_ID.read_text().strip(), time.clock_gettime(time.CLOCK_BOOTTIME)


@transaction.atomic
def check_clock(*, now: datetime) -> ClockJump | None:
    """Compare the wall clock with the counter since the last check on this machine, and return the jump if there was
    one. After a restart of the machine the comparison starts from zero.
    """
    counted = counter()
    if counted is None:
        return None
    boot, seconds = counted
    last = MachineClock.objects.select_for_update().filter(boot=boot).first()
    MachineClock.objects.update_or_create(boot=boot, defaults={"wall": now, "counter": seconds})
    if last is None:
        MachineClock.objects.filter(wall__lt=now - KEPT).delete()
        return None
    difference = (now - last.wall).total_seconds() - (seconds - last.counter)
    if abs(difference) <= JUMP.total_seconds():
        return None
    logger.error("the machine's clock was set %+.0f seconds", difference)
    ClockJump.objects.filter(noticed_at__lt=now - KEPT).delete()
    return ClockJump.objects.create(boot=boot, noticed_at=now, seconds=difference)


@transaction.atomic
def acknowledge_jumps(*, now: datetime) -> int:
    """End the report of all jumps so far: an operator has looked at the deadlines. Returns how many. A later jump is
    reported again.
    """
    return ClockJump.objects.lately(now).update(acknowledged_at=now)
