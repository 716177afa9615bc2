"""What the clock does to rallies, each minute."""

from celery import shared_task

from championship import clock
from championship.rallies import services


@shared_task
def close_overdue_time_controls() -> None:
    """Give back time in which the clock stood still, remind drivers whose card is missing, and close the time controls
    whose deadline has passed.
    """
    now = clock.now()
    services.excuse_time_controls(now=now)
    services.remind_of_time_controls(now=now)
    services.close_overdue_time_controls(now=now)
