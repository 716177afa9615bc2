"""What the clock does to rallies, each minute."""

from celery import shared_task
from django.utils import timezone

from championship.rallies import services


@shared_task
def close_overdue_time_controls() -> None:
    """Remind drivers whose card is missing, and close the time controls whose deadline has passed."""
    now = timezone.now()
    services.remind_of_time_controls(now=now)
    services.close_overdue_time_controls(now=now)
