"""What Celery does for runs: codrivers' turns right after the turn before, and practice that was left.

A message may come twice or never. Each task looks under the lock whether there is still something to do, and what
a lost one was to do is found by the next sweep.
"""

from championship import clock, task_dispatch
from championship.lineage.services import was_set_back
from championship.runs import services
from championship.task_dispatch import task


@task()
def end_forgotten() -> None:
    """End practice that nobody has gone on with."""
    services.end_forgotten(now=clock.now())


@task()
def drive_codrivers(run_id: int) -> None:
    """Drive the turns of a run that wait for the codriver; asks for another task when there are many."""
    if not was_set_back() and services.drive_codrivers(run_id=run_id):
        task_dispatch.send(drive_codrivers, run_id)
