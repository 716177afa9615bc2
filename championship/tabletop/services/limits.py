"""Bounds of what comes over one link in a minute."""

from __future__ import annotations

from http import HTTPStatus

from django.utils.translation import gettext as _

from championship.accounts.rate_limit_answers import in_words
from championship.platform import counting
from championship.platform.refusals import Refused


class TooOften(Refused):
    """Too many requests over one link. `seconds`: how long to wait."""

    status = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, seconds: int) -> None:
        super().__init__(_("Too many attempts. Try again in %s.") % in_words(seconds))
        self.seconds = seconds


def limit(name: str, most: int, *, window: int = 60) -> None:
    """Count one more request under a name.

    Raises: TooOften when there were more than `most` in this window of seconds.
    """
    counted = counting.count(name, window=window)
    if counted.used > most:
        raise TooOften(counted.seconds)
