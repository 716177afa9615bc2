"""Actions at set times, such as the start of a rally at a set hour. The sweep finds the ones that are due.

Unlike a deadline, an action waits for nobody: its time is not counted, not paused, and not excused after an outage. The
first sweep after an outage acts on all times that fell into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Protocol

from django.db import transaction

from championship.failures.services import Attempts

MOST = 200
"""Actions of one kind that one sweep gives to workers. The next sweep finds the others."""


class ScheduledAction(Protocol):
    """What the sweep needs of a kind of action. `name`: its name in tasks."""

    name: str

    def due(self, now: datetime) -> Sequence[int]:
        """Return ids whose time has come and that have not been acted on, the oldest first."""
        ...

    def act(self, row_id: int, now: datetime) -> bool:
        """Act on the id if it still needs it, under a lock and in its own transactions. Returns whether it did."""
        ...


_known: dict[str, ScheduledAction] = {}
_brisk: set[str] = set()


def register(action: ScheduledAction, *, brisk: bool = False) -> None:
    """Let the sweep handle a kind of action. Kinds are handled in the order in which they are registered. `brisk`: the
    second clock acts on it too, as long as anything is kept in seconds.
    """
    _known[action.name] = action
    _brisk.update([action.name] if brisk else [])


def get(name: str) -> ScheduledAction:
    """The kind of that name.

    Raises: KeyError when there is none.
    """
    return _known[name]


def due(now: datetime, *, brisk: bool = False) -> Iterator[tuple[str, int]]:
    """The kind and the id of each action that is due: two queries for each kind. Actions that are put off are left
    out. A kind whose query fails stops no other kind. `brisk`: only those of the second clock.
    """
    for name, action in _known.items():
        if brisk and name not in _brisk:
            continue
        found = Attempts(f"{name}: search", now=now).attempt("", partial(_due_of, action, now)) or []
        waiting = {int(unit) for unit in _acts_of(name, now).put_off()}
        for row_id in [row_id for row_id in found if row_id not in waiting][:MOST]:
            yield name, row_id


@transaction.atomic
def _due_of(action: ScheduledAction, now: datetime) -> list[int]:
    return list(action.due(now))


def act(name: str, row_id: int, *, now: datetime) -> bool:
    """Act on one id of that kind if it still needs it. Returns whether it did. One that fails is put off.

    Raises: KeyError when there is no such kind.
    """
    return bool(_acts_of(name, now).attempt(row_id, partial(get(name).act, row_id, now)))


def _acts_of(name: str, now: datetime) -> Attempts:
    return Attempts(f"{name}: due", now=now)
