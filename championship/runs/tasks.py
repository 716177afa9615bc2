"""What Celery does for runs: the sweep of deadlines each minute, and codrivers' turns right after the turn before."""

from celery import shared_task
from django.utils import timezone


@shared_task
def sweep_deadlines() -> None:
    """Drive the turns whose deadline has passed, then write the reminders that are due."""
    from championship.runs import services

    now = timezone.now()
    services.act_on_deadlines(now=now)
    services.remind(now=now)


@shared_task
def drive_codrivers(run_id: int) -> None:
    """Drive the turns of a run that wait for the codriver; asks for another task when there are many."""
    from championship.runs import services

    if services.drive_codrivers(run_id=run_id):
        drive_codrivers.delay(run_id)
