"""Moments at which something happens of itself, such as the start of a rally at a set hour: found by the one sweep.

Unlike a deadline a moment waits for nobody: it is not counted, not paused, and not excused after an outage. What fell
into an outage is acted on by the first sweep after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

MOST = 200
"""Moments of one kind that one sweep gives to workers; the next one finds the others."""


class Moment(Protocol):
    """What the sweep asks of a kind of moment. `name`: how tasks call it."""

    name: str

    def due(self, now: datetime) -> Sequence[int]:
        """Return ids whose moment has come and has not been acted on, the oldest first."""
        ...

    def act(self, row_id: int, now: datetime) -> bool:
        """Do what has to happen if it still has to, under the row's lock; whether it had."""
        ...


_known: dict[str, Moment] = {}


def register(moment: Moment) -> None:
    """Have the sweep look after a kind of moment."""
    _known[moment.name] = moment


def get(name: str) -> Moment:
    """The kind of that name; KeyError for none."""
    return _known[name]


def due(now: datetime) -> Iterator[tuple[str, int]]:
    """What has to happen now, by kind and id: one query a kind."""
    for name, moment in _known.items():
        for row_id in moment.due(now)[:MOST]:
            yield name, row_id
