"""Celery tasks for runs: the codriver's turns right after an earlier turn, ending forgotten practice, and ledgers.

A task may be delivered twice or never. Each task checks under the lock whether there is still something to do. If a
task is lost, the next sweep does its work.
"""

from championship.lineage.services import was_set_back
from championship.platform import clock, task_dispatch
from championship.platform.task_dispatch import task
from championship.runs import play as services


@task()
def end_forgotten() -> None:
    """End practice stages without a recent post."""
    services.end_forgotten(now=clock.now())


@task()
def drive_codrivers(run_id: int) -> None:
    """Play the turns of a run that wait for the codriver. Sends another task when there may be more."""
    if not was_set_back() and services.drive_codrivers(run_id=run_id):
        task_dispatch.send(drive_codrivers, run_id)


@task()
def keep_missing_ledgers() -> None:
    """Compute the ledgers of runs whose draws may be shown now."""
    services.keep_missing_ledgers()


@task()
def forecast_stages() -> None:
    """Compute who is likely to win the stages that have moved on."""
    services.forecast_stages()
