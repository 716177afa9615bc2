"""What Celery does about open stages: closes the one whose time is over, and opens the one of this week.

A message may come twice or never: each time it is looked what there is to do.
"""

from championship import clock
from championship.lineage.services import was_set_back
from championship.openstage import services
from championship.task_dispatch import task


@task()
def look_after_open_stages() -> None:
    """Close what is over, then open what is due. A database that was set back in time is left alone."""
    if was_set_back():
        return
    now = clock.now()
    services.close_due(now=now)
    services.open_due(now=now)
