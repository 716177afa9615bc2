"""The Celery task for the health of the service, each minute."""

from functools import partial

from championship.failures.services import Attempts
from championship.health import services
from championship.lineage import services as lineage
from championship.platform import clock
from championship.platform.task_dispatch import task


@task()
def look() -> None:
    """Check the machine's clocks, and record how far the database has come. Safe to run at any time."""
    now = clock.now()
    Attempts("check of the machine's clock", now=now).attempt("", partial(services.check_clock, now=now))
    lineage.remember(now=now)
