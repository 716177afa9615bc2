"""The clock's part: deliver what is due, after a commit that wrote a notice and each minute."""

from celery import shared_task

from championship.notices import delivery


@shared_task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def deliver() -> int:
    """Send due notices; how many were sent. Safe to run at any time, in any number of processes."""
    return delivery.deliver_due()
