"""Celery task for open stages: closes the one whose time is over, and opens the one of this week.

A task may be delivered twice or never: each time it checks what there is to do.
"""

from championship import clock
from championship.lineage.services import was_set_back
from championship.openstage import services
from championship.task_dispatch import task


@task()
def look_after_open_stages() -> None:
    """Close what is over, then open what is due. Does nothing while the database counts as set back in time."""
    if was_set_back():
        return
    now = clock.now()
    services.close_due(now=now)
    services.open_due(now=now)
