"""Gives work to the workers: after the commit, without a long wait, and without harm when the broker is down.

Beat's sweeps find all committed work. So a message that cannot be sent is logged and forgotten, and the page that
stored the work responds as if it had been sent.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, TypeVarTuple, cast

from celery import current_app, shared_task
from django.db import connection, transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

QUICK_FAILURE = 0.3
"""Seconds. A failure within this time means that the connection was cut long ago; a second attempt may work."""
PAUSE = 10.0
"""Seconds for which a process sends nothing more to a broker that has not answered it."""

_paused_until: dict[str, float] = {}
"""By the broker's address: the time.monotonic() until which nothing is sent to it."""

Args = TypeVarTuple("Args")


class Task(Protocol[*Args]):
    """The type of a Celery task, since Celery has no types: it is called with these arguments, here or by a worker."""

    name: str
    app: Any

    def __call__(self, *args: *Args) -> Any: ...

    def apply_async(self, args: tuple[*Args] = ..., **options: Any) -> Any:
        """Have a worker run it."""


def task(**options: Any) -> Callable[[Callable[[*Args], Any]], Task[*Args]]:
    """Decorates a function as a task; `options` are Celery's."""
    made: Callable[[Callable[[*Args], Any]], Task[*Args]] = shared_task(**options)
    return made


def named(name: str) -> Task[*tuple[Any, ...]]:
    """Return the task of that name, which begins with the name of its module. A service names the task that calls it,
    so that the import goes one way. A web process imports the module when it needs the task for the first time.
    """
    if name not in current_app.tasks:
        import_module(name.rpartition(".")[0])
    found: Task[*tuple[Any, ...]] = current_app.tasks[name]
    return found


class _Asking(Protocol):
    """A function that Django calls after a commit. `asks`: the task that it sends, and its arguments."""

    asks: tuple[str, tuple[Any, ...]]

    def __call__(self) -> None: ...


def after_commit(task: Task[*Args], *args: *Args) -> None:
    """Have a worker run the task after the commit: once, however often one transaction calls this.

    When a savepoint is rolled back, Django drops the tasks that were registered within it, and a later call registers
    them again.
    """
    asks = (task.name, args)
    if any(getattr(entry[1], "asks", None) == asks for entry in connection.run_on_commit):
        return

    def send_after_commit() -> None:
        send(task, *args)

    asking = cast(_Asking, send_after_commit)
    asking.asks = asks
    transaction.on_commit(asking, robust=True)


def send(task: Task[*Args], *args: *Args, **options: Any) -> bool:
    """Have a worker run the task; `options` are those of `apply_async`. Returns False when the broker does not take it.

    After a failure the process does not try that broker again for PAUSE seconds: a page that has several messages to
    send waits once.
    """
    broker = str(task.app.conf.broker_url)
    if task.app.conf.task_always_eager:
        task.apply_async(args, **options)
        return True
    if time.monotonic() < _paused_until.get(broker, 0):
        return False
    begun = time.monotonic()
    try:
        _publish(lambda: task.apply_async(args, retry=False, **options), begun)
    except OperationalError as error:
        _paused_until[broker] = time.monotonic() + PAUSE
        logger.warning("the broker does not take %s; the next sweep finds the work: %s", task.name, error)
        return False
    return True


def resume_sending() -> None:
    """Send to every broker again at once, as after a start."""
    _paused_until.clear()


def _publish(publish: Callable[[], object], begun: float) -> None:
    """Publish, and try once more after a quick failure: the broker may have closed an idle connection."""
    try:
        publish()
    except OperationalError:
        if time.monotonic() - begun > QUICK_FAILURE:
            raise
        publish()
