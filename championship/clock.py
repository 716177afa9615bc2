"""What time it is. Services and tasks ask here, never elsewhere, so that a rehearsal of months can be run in minutes.

`CLOCK` in the settings names the function that tells; without it that is the machine's own clock.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string


def now() -> datetime:
    """The moment, aware, in UTC."""
    teller = getattr(settings, "CLOCK", None)
    moment: datetime = import_string(teller)() if teller else timezone.now()
    return moment
