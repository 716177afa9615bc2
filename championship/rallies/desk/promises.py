"""What was promised about the random draws of a rally's stages, for letters, webhooks and pages.

The app of runs makes the promises. It is above this app, so it registers the function that reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from championship.rallies.models import Rally


class Promised(TypedDict):
    """The promise of one stage as a JSON value. `stage`: its number. `promise`: the SHA-256 of its seal. `phrases`: the
    SHA-256 of its phrases, "" before the stage opens. `page`: the path of the page about its chance.
    """

    stage: int
    promise: str
    phrases: str
    page: str


_readers: list[Callable[[Rally], list[Promised]]] = []


def register(reader: Callable[[Rally], list[Promised]]) -> None:
    """Register the function that returns the promises of a rally, in the order of the stages."""
    _readers[:] = [reader]


def promises_of(rally: Rally) -> list[Promised]:
    """The promises of all stages of a rally that have one: one query."""
    return [promised for reader in _readers for promised in reader(rally)]
