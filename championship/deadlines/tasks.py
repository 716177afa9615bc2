"""Celery tasks for deadlines: one sweep each minute, and the due rows, chunk by chunk.

A message may arrive twice or never. Each task checks under the lock whether there is still something to do, and the
next sweep finds the work of a lost message.
"""

import logging

from championship.deadlines.services import scheduled_actions, sweeping
from championship.lineage.services import was_set_back
from championship.platform import clock, task_dispatch
from championship.platform.task_dispatch import task

logger = logging.getLogger(__name__)


@task()
def sweep() -> None:
    """Give back the time of an outage, give due rows and actions to workers, and write due reminders."""
    if was_set_back():  # the last sweep gets old: a monitor reports it, and the time will count for nobody
        logger.error("the database was set back in time: no deadline is acted on before manage.py after_restore")
        return
    now = clock.now()
    sweeping.excuse_outage(now=now)
    for customer, row_ids in sweeping.claim(now=now):
        if not task_dispatch.send(act, customer, row_ids):  # a later sweep claims these rows again
            break
    sweeping.remind(now=now)
    for action, row_id in scheduled_actions.due(now):
        if not task_dispatch.send(act_as_scheduled, action, row_id):
            break


@task()
def act_as_scheduled(action: str, row_id: int) -> bool:
    """Carry out an action at its set time if that is still needed. Returns whether it was."""
    return not was_set_back() and scheduled_actions.act(action, row_id, now=clock.now())


@task()
def act(customer: str, row_ids: list[int]) -> int:
    """Act at these deadlines where that is still needed. Returns for how many it was."""
    return 0 if was_set_back() else sweeping.act(customer, row_ids, now=clock.now())
