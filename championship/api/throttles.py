"""Rate limits: the number of requests of a token in a minute, counted in the cache, which all web processes share."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from championship import client_address, clock
from championship.api.models import Token

WINDOW = 60
"""Seconds."""
READ, WRITE, ADDRESS = "read", "write", "address"


@dataclass(frozen=True, slots=True)
class Allowance:
    """The state of a window: `most` requests in all, `left` of them, and `seconds` until the window ends."""

    most: int
    left: int
    seconds: int

    @property
    def spent(self) -> bool:
        """Whether this request is beyond the limit."""
        return self.left < 0

    def headers(self) -> dict[str, str]:
        headers = {
            "RateLimit-Limit": str(self.most),
            "RateLimit-Remaining": str(max(0, self.left)),
            "RateLimit-Reset": str(self.seconds),
        }
        return headers | ({"Retry-After": str(self.seconds)} if self.spent else {})


def count(request: HttpRequest, token: Token | None) -> Allowance:
    """Count a request: by its token, reads and writes separately; by the client's network when it has no token."""
    kind = ADDRESS if token is None else READ if request.method in ("GET", "HEAD") else WRITE
    who = client_address.network_of(request.META) if token is None else str(token.pk)
    now = clock.now().timestamp()
    window = int(now // WINDOW)
    name = f"api-{kind}-{who}-{window}"
    used = _increment(name)
    most = settings.API_LIMITS[kind]
    return Allowance(most, most - used, math.ceil((window + 1) * WINDOW - now))


def _increment(name: str) -> int:
    """Count one more under a name and return the count. One trip to the cache, three for the first request of a
    window.
    """
    try:
        return cache.incr(name)
    except ValueError:  # the first request of its window
        if cache.add(name, 1, WINDOW * 2):
            return 1
    try:
        return cache.incr(name)  # another request has just become the first
    except ValueError:  # the cache has just dropped it
        return 1
