"""At which runs people are present now: then their open pages hear of changes at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime, timedelta

from django.db.models import Count, Q

from championship.runs.models import Run

OPEN_FOR = timedelta(minutes=2)
"""A page that was noted within this time counts as open: a page that is looked at polls at least every half minute."""
KNOWN_FOR = timedelta(seconds=15)
REMEMBERED = 2000
"""How many runs a process remembers."""

_known: OrderedDict[str, tuple[datetime, bool]] = OrderedDict()
_lock = threading.Lock()


def is_live(key: str, *, now: datetime) -> bool:
    """Return whether the run with this key is driven in an evening, or two of its drivers have its page open. A process
    asks once in KNOWN_FOR: one query, otherwise none.
    """
    with _lock:
        known = _known.get(key)
    if known is not None and known[0] <= now < known[0] + KNOWN_FOR:
        return known[1]
    here = Count("seats", filter=Q(seats__seen_open_at__gt=now - OPEN_FOR))
    rows = Run.objects.filter(key=key, status=Run.Status.RUNNING).annotate(here=here)
    found = rows.values_list("special_stage__rally__evening_since", "here").first()
    live = found is not None and (found[0] is not None or found[1] > 1)
    with _lock:
        _known[key] = (now, live)
        _known.move_to_end(key)
        if len(_known) > REMEMBERED:
            _known.popitem(last=False)
    return live


def forget() -> None:
    """Forget what is known, as after a start."""
    with _lock:
        _known.clear()
