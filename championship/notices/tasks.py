"""Celery tasks: deliver due notices, after a commit that wrote a notice and each minute.

Each channel has its own task. Pushes and posts go to addresses that anybody may have typed, so they have a queue of
their own: however slow those addresses are, mail does not wait for them.
"""

import time

from championship.failures.services import Attempts
from championship.notices import mail_health
from championship.notices.channels import Channel
from championship.notices.services import delivery, webhook_tests
from championship.platform import clock, task_dispatch
from championship.platform.task_dispatch import Task, task

LONGEST = 30
"""Seconds after which a task begins no more letters, pushes or posts. The last one may take about as long again
(outbound_http.py, push_transport.py). The sum is well within the task's soft time limit.
"""


def deliver_over(channel: str) -> bool:
    """Send what is due over that channel until none is left or LONGEST is over. Returns whether there may be more."""
    end = time.monotonic() + LONGEST
    while delivery.deliver_due(channels=[channel], until=end):
        if time.monotonic() >= end:
            return True
    return time.monotonic() >= end


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def deliver() -> None:
    """Send the due letters. Safe to run at any time, in any number of processes, as are the other two tasks."""
    mail_health.try_failing_server(now=clock.now())
    _continue(deliver, more=deliver_over(Channel.MAIL))


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def deliver_pushes() -> None:
    """Send the due pushes to people's browsers."""
    _continue(deliver_pushes, more=deliver_over(Channel.PUSH))


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def deliver_posts() -> None:
    """Post the requested tests of webhooks, for which people wait, and then the due posts."""
    tests = Attempts("tests of webhooks", now=clock.now())
    tests.attempt("", lambda: webhook_tests.send_requested(until=time.monotonic() + LONGEST / 2))
    _continue(
        deliver_posts, more=webhook_tests.waiting().filter(test_begun_at=None).exists() | deliver_over(Channel.WEBHOOK)
    )


BY_CHANNEL: dict[str, Task[()]] = {Channel.MAIL: deliver, Channel.PUSH: deliver_pushes, Channel.WEBHOOK: deliver_posts}


def _continue(again: Task[()], *, more: bool) -> None:
    """Send the task again for the rest, behind other waiting tasks. Beat sends it each minute, so it may be lost."""
    if more:
        task_dispatch.send(again, expires=60)
