"""Moments at which something happens automatically, such as the start of a rally at a set hour. The sweep finds them.

Unlike a deadline, a moment waits for nobody: it is not counted, not paused, and not excused after an outage. The first
sweep after an outage acts on the moments that fell into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

MOST = 200
"""Moments of one kind that one sweep gives to workers. The next sweep finds the others."""


class Moment(Protocol):
    """What the sweep needs of a kind of moment. `name`: its name in tasks."""

    name: str

    def due(self, now: datetime) -> Sequence[int]:
        """Return ids whose moment has come and has not been acted on, the oldest first."""
        ...

    def act(self, row_id: int, now: datetime) -> bool:
        """Act on the row if it still needs it, under the row's lock. Returns whether it did."""
        ...


_known: dict[str, Moment] = {}


def register(moment: Moment) -> None:
    """Let the sweep handle a kind of moment."""
    _known[moment.name] = moment


def get(name: str) -> Moment:
    """The kind of that name.

    Raises: KeyError when there is none.
    """
    return _known[name]


def due(now: datetime) -> Iterator[tuple[str, int]]:
    """The kind and the id of each moment that is due: one query for each kind."""
    for name, moment in _known.items():
        for row_id in moment.due(now)[:MOST]:
            yield name, row_id
