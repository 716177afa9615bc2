"""Rate limits: the number of requests of a token in a minute, counted in the cache (platform/counting.py)."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

from championship.api.models import Token
from championship.platform import counting
from championship.platform.web import client_address

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
    counted = counting.count(f"api-{kind}-{who}", window=WINDOW)
    most = settings.API_LIMITS[kind]
    return Allowance(most, most - counted.used, counted.seconds)
