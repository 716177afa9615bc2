"""What Celery does for accounts: the letters about signing in, after a commit that wrote one and with every sweep."""

import time

from championship.task_dispatch import task

LONGEST = 30
"""Seconds after which a task begins no more letters; the last may take as long as the mail server is waited for."""


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def send_entrance_letters() -> None:
    """Send the letters that are due. Safe to run at any time, in any number of processes."""
    from championship.accounts import sign_in_mail

    sign_in_mail.send_due(until=time.monotonic() + LONGEST)
