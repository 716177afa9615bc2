"""What Celery does for runs: the sweep of deadlines each minute, and codrivers' turns right after the turn before.

A message may come twice or never. Each task looks under the lock whether there is still something to do, and what
a lost one was to do is found by the next sweep.
"""

import logging

from celery import shared_task

from championship import clock

logger = logging.getLogger(__name__)


@shared_task
def sweep_deadlines() -> None:
    """Hand the turns whose deadline has passed to workers, chunk by chunk, write the reminders that are due, end
    forgotten practice."""
    from championship.runs import services

    now = clock.now()
    for turn_ids in services.sweep(now=now):
        try:
            drive_due.delay(turn_ids)
        except drive_due.OperationalError:
            logger.exception("the broker is gone: %s turns are left to the next sweep", len(turn_ids))
            break
    services.remind(now=now)
    services.end_forgotten(now=now)


@shared_task
def drive_due(turn_ids: list[int]) -> int:
    """Drive these turns if they are still due; how many that were."""
    from championship.runs import services

    return services.drive_due(turn_ids=turn_ids, now=clock.now())


@shared_task
def drive_codrivers(run_id: int) -> None:
    """Drive the turns of a run that wait for the codriver; asks for another task when there are many."""
    from championship.runs import services

    if services.drive_codrivers(run_id=run_id):
        drive_codrivers.delay(run_id)
