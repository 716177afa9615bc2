"""The clock's part: deliver what is due, after a commit that wrote a notice and each minute.

A task for each channel, and a queue of their own for what goes to addresses that anybody may have typed: however
slow those are, mail does not wait behind them.
"""

import time

from championship import task_dispatch
from championship.notices import delivery
from championship.notices.channels import Channel
from championship.task_dispatch import Task, task

LONGEST = 30
"""Seconds after which a task begins no more letters, pushes or posts. The last that it began may take about as long
again (outbound_http.py, push_transport.py): together well within the task's soft time limit."""


def deliver_over(channel: str) -> bool:
    """Send what is due over that channel until none is left or LONGEST is over; whether there may be more."""
    end = time.monotonic() + LONGEST
    while delivery.deliver_due(channels=[channel], until=end):
        if time.monotonic() >= end:
            return True
    return time.monotonic() >= end


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def deliver() -> None:
    """Send the letters that are due. Safe to run at any time, in any number of processes, as are the other two."""
    _go_on(deliver, more=deliver_over(Channel.MAIL))


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def deliver_pushes() -> None:
    """Send the pushes that are due to people's browsers."""
    _go_on(deliver_pushes, more=deliver_over(Channel.PUSH))


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def deliver_posts() -> None:
    """Post what is due to webhooks, and before that the tests that people wait for."""
    from championship.notices import webhook_trials

    webhook_trials.send_asked(until=time.monotonic() + LONGEST / 2)
    _go_on(
        deliver_posts, more=webhook_trials.waiting().filter(test_begun_at=None).exists() | deliver_over(Channel.WEBHOOK)
    )


BY_CHANNEL: dict[str, Task[()]] = {Channel.MAIL: deliver, Channel.PUSH: deliver_pushes, Channel.WEBHOOK: deliver_posts}


def _go_on(again: Task[()], *, more: bool) -> None:
    """What is left over goes behind the other tasks that wait; beat asks again each minute, so it may be lost."""
    if more:
        task_dispatch.send(again, expires=60)
