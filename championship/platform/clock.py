"""The current time. Services and tasks use only this clock, so that a rehearsal of months can run in minutes.

The setting `CLOCK` names a function that returns the time. Without it, the machine's own clock is used.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string


def now() -> datetime:
    """The current moment, aware, in UTC."""
    teller = getattr(settings, "CLOCK", None)
    moment: datetime = import_string(teller)() if teller else timezone.now()
    return moment
