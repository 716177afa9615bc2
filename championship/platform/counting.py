"""Counts requests in windows of time, in the cache, which all web processes share."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.core.cache import cache

from championship.platform import clock


@dataclass(frozen=True, slots=True)
class Count:
    """The number of requests in a window, this one included, and the seconds until the window ends."""

    used: int
    seconds: int


def count(name: str, *, window: int) -> Count:
    """Count one more request under a name in the present window of so many seconds."""
    now = clock.now().timestamp()
    number = int(now // window)
    return Count(_increment(f"{name}-{number}", window), math.ceil((number + 1) * window - now))


def _increment(name: str, window: int) -> int:
    """Count one more under a name and return the count. One trip to the cache, three for the first request of a
    window.
    """
    try:
        return cache.incr(name)
    except ValueError:  # the first request of its window
        if cache.add(name, 1, window * 2):
            return 1
    try:
        return cache.incr(name)  # another request has just become the first
    except ValueError:  # the cache has just dropped it
        return 1
