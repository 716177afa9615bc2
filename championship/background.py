"""The processes that nobody sees, as an installation starts them: a worker for one queue, or beat.

    python -m championship.background clock
    python -m championship.background beat /var/lib/parc-ferme/beat-schedule

They are what `celery worker` and `celery beat` are, without what each would keep in memory for nothing: Celery's
command line with its shell, and all pages, which Celery would load to check them. `manage.py` checks them.
"""

from __future__ import annotations

import os
import sys

from celery.apps.worker import Worker
from celery.utils.nodenames import gethostname, nodename
from django.conf import settings

from championship.celery import app

LEVEL = "INFO"
TASKS_A_PROCESS = 2000
"""Tasks after which a worker's process is replaced by a fresh one."""


def main(what: str = "", *more: str) -> int:
    """Run until a signal ends it; the status of its end."""
    queues = [queue.name for queue in settings.CELERY_TASK_QUEUES]
    if what == "beat" and len(more) < 2:
        app.Beat(schedule=(*more, settings.CELERY_BEAT_SCHEDULE_FILENAME)[0], loglevel=LEVEL).run()
        return os.EX_OK
    if what not in queues or more:
        sys.stderr.write(f"usage: python -m championship.background {'|'.join(queues)}|beat [FILE]\n")
        return os.EX_USAGE
    working = worker(what)
    working.start()
    return int(working.exitcode or os.EX_OK)


def worker(queue: str) -> Worker:
    """A worker that takes one task of one queue at a time, in a process of its own, so that limits of time hold."""
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
