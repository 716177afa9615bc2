"""Starts one background process of an installation: a worker for one queue, the second clock, or beat.

    python -m championship.platform.background clock
    python -m championship.platform.background seconds
    python -m championship.platform.background beat /var/lib/parc-ferme/beat-schedule

The first and the last do the same as `celery worker` and `celery beat` but use less memory. They do not load Celery's
command line with its shell, nor all views, which Celery would load to check them. `manage.py` checks the views.
"""

from __future__ import annotations

import os
import sys

import django
from celery.apps.worker import Worker
from celery.utils.nodenames import gethostname, nodename
from django.conf import settings
from django.utils.module_loading import import_string

from championship.celery import app

LEVEL = "INFO"
SECONDS = "seconds"
"""The name of the second clock, which has no queue (championship/deadlines/second_clock.py)."""
TASKS_A_PROCESS = 2000
"""Tasks after which a new process replaces a worker's process."""


def main(what: str = "", *more: str) -> int:
    """Run the process until a signal ends it. Returns its exit status."""
    queues = [queue.name for queue in settings.CELERY_TASK_QUEUES]
    if what == "beat" and len(more) < 2:
        app.Beat(schedule=(*more, settings.CELERY_BEAT_SCHEDULE_FILENAME)[0], loglevel=LEVEL).run()
        return os.EX_OK
    if what == SECONDS and not more:
        django.setup()
        return int(import_string(settings.SECOND_CLOCK)())
    if what not in queues or more:
        names = "|".join([*queues, SECONDS])
        sys.stderr.write(f"usage: python -m championship.platform.background {names}|beat [FILE]\n")
        return os.EX_USAGE
    working = worker(what)
    working.start()
    return int(working.exitcode or os.EX_OK)


def worker(queue: str) -> Worker:
    """Returns a worker for one queue. It runs one task at a time in a child process, so that time limits work."""
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    return app.Worker(
        hostname=nodename(queue, gethostname()),
        queues=queue,
        concurrency=1,
        max_tasks_per_child=TASKS_A_PROCESS,
        loglevel=LEVEL,
        without_gossip=True,
        without_mingle=True,
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
