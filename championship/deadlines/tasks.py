"""What Celery does about deadlines: one sweep each minute, and what is due, chunk by chunk.

A message may come twice or never. Each task looks under the lock whether there is still something to do, and what
a lost one was to do is found by the next sweep.
"""

import logging

from championship import clock, task_dispatch
from championship.deadlines import customers, moments, sweeping
from championship.lineage.services import was_set_back
from championship.task_dispatch import task

logger = logging.getLogger(__name__)


@task()
def sweep() -> None:
    """Give back time in which the clock stood still, hand what is due to workers, write the reminders that are due."""
    if was_set_back():  # and so the sweep grows old: a monitor tells, and the time counts for nobody
        logger.error("the database was set back in time: no deadline is acted on before manage.py after_restore")
        return
    now = clock.now()
    sweeping.excuse_outage(now=now)
    for customer, row_ids in sweeping.claim(now=now):
        if not task_dispatch.send(act, customer, row_ids):  # what was taken is taken again by a later sweep
            break
    for moment, row_id in moments.due(now):
        if not task_dispatch.send(act_at_moment, moment, row_id):
            break
    sweeping.remind(now=now)


@task()
def act_at_moment(moment: str, row_id: int) -> bool:
    """Do what has to happen at a set moment if it still has to; whether it had."""
    return not was_set_back() and moments.get(moment).act(row_id, clock.now())


@task()
def act(customer: str, row_ids: list[int]) -> int:
    """Do what has to happen at these deadlines if it still has to; for how many that was."""
    return 0 if was_set_back() else customers.get(customer).act(row_ids, clock.now())
