"""Celery tasks for accounts: send letters about signing in, after a commit that stored one and at every sweep."""

import time

from championship.accounts.services import sign_in_mail
from championship.platform.task_dispatch import task

LONGEST = 30
"""Seconds after which a task begins no more letters. The last one may take as long as the mail server's timeout."""


@task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def send_entrance_letters() -> None:
    """Send the due letters. Safe to run at any time, in any number of processes."""
    sign_in_mail.send_due(until=time.monotonic() + LONGEST)
