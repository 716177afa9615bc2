"""How work is given to the workers: after the commit, briefly, and without harm when the broker is away.

Everything that is committed is found again by beat's sweeps. So a message that cannot be sent is logged and forgotten,
and the page that wrote the work answers as if it had been sent.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVarTuple

from celery import shared_task
from django.db import connection, transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

AT_ONCE = 0.3
"""Seconds. A failure within them is a connection that was cut long ago; a second one may work."""
REST = 10.0
"""Seconds for which a process sends nothing more after the broker has not answered it."""

_rests_until: dict[str, float] = {}
"""By the broker's address: until when, on time.monotonic()."""

Args = TypeVarTuple("Args")


class Task(Protocol[*Args]):
    """A task of Celery's, which has no types of its own: called with these arguments, here or by a worker."""

    name: str
    app: Any

    def __call__(self, *args: *Args) -> Any: ...

    def apply_async(self, args: tuple[*Args] = ..., **options: Any) -> Any:
        """Have a worker do it."""


def task(**options: Any) -> Callable[[Callable[[*Args], Any]], Task[*Args]]:
    """A function as a task; `options` are Celery's."""
    made: Callable[[Callable[[*Args], Any]], Task[*Args]] = shared_task(**options)
    return made


def after_commit(task: Task[*Args], *args: *Args) -> None:
    """Have a worker do this after the commit: once, however often one transaction asks for it.

    What was asked within a savepoint that is undone is no longer in Django's list, so it is asked again.
    """
    asks = (task.name, args)
    if any(getattr(entry[1], "asks", None) == asks for entry in connection.run_on_commit):
        return

    def send_after_commit() -> None:
        send(task, *args)

    send_after_commit.asks = asks  # type: ignore[attr-defined]
    transaction.on_commit(send_after_commit, robust=True)


def send(task: Task[*Args], *args: *Args, **options: Any) -> bool:
    """Have a worker do this; `options` are those of `apply_async`. False when the broker does not take it.

    A process whose broker has not answered does not ask it again for REST seconds: a page that has several messages
    to send waits once.
    """
    broker = str(task.app.conf.broker_url)
    if task.app.conf.task_always_eager:
        task.apply_async(args, **options)
        return True
    if time.monotonic() < _rests_until.get(broker, 0):
        return False
    begun = time.monotonic()
    try:
        _publish(lambda: task.apply_async(args, retry=False, **options), begun)
    except OperationalError as error:
        _rests_until[broker] = time.monotonic() + REST
        logger.warning("the broker does not take %s; the next sweep finds the work: %s", task.name, error)
        return False
    return True


def rest_no_more() -> None:
    """Ask every broker again at once, as after a start."""
    _rests_until.clear()


def _publish(publish: Callable[[], object], begun: float) -> None:
    """Publish, and once more where it failed at once: the broker may have closed a connection that lay idle."""
    try:
        publish()
    except OperationalError:
        if time.monotonic() - begun > AT_ONCE:
            raise
        publish()
