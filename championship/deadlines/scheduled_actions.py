"""Actions at set times, such as the start of a rally at a set hour. The sweep finds the ones that are due.

Unlike a deadline, an action waits for nobody: its time is not counted, not paused, and not excused after an outage. The
first sweep after an outage acts on all times that fell into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

MOST = 200
"""Actions of one kind that one sweep gives to workers. The next sweep finds the others."""


class ScheduledAction(Protocol):
    """What the sweep needs of a kind of action. `name`: its name in tasks."""

    name: str

    def due(self, now: datetime) -> Sequence[int]:
        """Return ids whose time has come and that have not been acted on, the oldest first."""
        ...

    def act(self, row_id: int, now: datetime) -> bool:
        """Act on the id if it still needs it, under a lock. Returns whether it did."""
        ...


_known: dict[str, ScheduledAction] = {}


def register(action: ScheduledAction) -> None:
    """Let the sweep handle a kind of action. Kinds are handled in the order in which they are registered."""
    _known[action.name] = action


def get(name: str) -> ScheduledAction:
    """The kind of that name.

    Raises: KeyError when there is none.
    """
    return _known[name]


def due(now: datetime) -> Iterator[tuple[str, int]]:
    """The kind and the id of each action that is due: one query for each kind."""
    for name, action in _known.items():
        for row_id in action.due(now)[:MOST]:
            yield name, row_id
