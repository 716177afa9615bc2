"""The Redis cache of CACHE_URL. While that Redis does not answer, the database takes its place.

The cache holds the counts of rate limits. Signing in needs them, so a Redis that is down or frozen must not stop a
page, and must not lift the limits either. A count begins at zero when the other one takes over.
"""

from __future__ import annotations

import logging
from typing import Any

from django.core.cache import BaseCache, caches
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from championship.platform.circuit import Breaker

logger = logging.getLogger(__name__)

FALLBACK = "database"
"""The alias of the cache in the database."""
PAUSE = 10.0
"""Seconds for which a process does not ask a Redis that did not answer."""

breaker = Breaker(PAUSE)


def settings_of(url: str, *, seconds: float) -> dict[str, object]:
    """The entry of CACHES for the Redis at this address, which a page waits for at most `seconds` at a time."""
    waits = {"socket_timeout": seconds}
    if not url.startswith("unix:"):
        waits["socket_connect_timeout"] = seconds
    return {"BACKEND": f"{__name__}.Cache", "LOCATION": url, "OPTIONS": waits}


class Cache(RedisCache):
    """A Redis cache that passes its calls on to the cache in the database while Redis does not answer."""

    def add(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("add", args, options)

    def get(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("get", args, options)

    def set(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("set", args, options)

    def touch(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("touch", args, options)

    def delete(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("delete", args, options)

    def get_many(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("get_many", args, options)

    def has_key(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("has_key", args, options)

    def incr(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("incr", args, options)

    def set_many(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("set_many", args, options)

    def delete_many(self, *args: Any, **options: Any) -> Any:
        return self._first_that_answers("delete_many", args, options)

    def clear(self) -> Any:
        return self._first_that_answers("clear", (), {})

    def _first_that_answers(self, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if breaker.may_ask():
            try:
                answer = getattr(super(), name)(*args, **options)
            except RedisError as error:  # also a Redis that still loads, is full, or refuses the password
                breaker.failed()
                # Only the kind of error: its text may name a server or a user.
                logger.warning("the Redis of CACHE_URL does not answer (%s): the database counts", type(error).__name__)
            else:
                breaker.answered()
                return answer
        fallback: BaseCache = caches[FALLBACK]
        return getattr(fallback, name)(*args, **options)

    def check(self) -> None:
        """Ask Redis itself.

        Raises: RedisError when it does not answer.
        """
        self._cache.get_client(write=True).ping()
