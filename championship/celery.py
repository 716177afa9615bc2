"""The Celery application: every app's tasks.py is found, settings come from Django's CELERY_ names."""

import gc
import os
import sys
from pathlib import Path

from celery import Celery, signals
from django.conf import settings
from django.utils.log import configure_logging

from championship import broker, database_timeouts, embedded, startup_checks

broker.register()
is_program = "celery" in Path(sys.argv[0]).parts[-2:] or "championship.background" in sys.orig_argv
"""Whether we are the program, not a part of another."""
if is_program:
    startup_checks.by_default(startup_checks.PRODUCTION)
    startup_checks.check(os.environ)
    embedded.VAR_DIR.mkdir(parents=True, exist_ok=True)
    embedded.ensure_running()
    database_timeouts.process = database_timeouts.WORKER

is_beat = is_program and "beat" in sys.argv[1:] and "worker" not in sys.argv[1:]
"""Beat calls tasks by their names and asks no database. Without the service's modules it takes half of the memory."""

app = Celery("championship", fixups=[] if is_beat else None)
app.config_from_object("django.conf:settings", namespace="CELERY")
if is_beat:
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
else:
    app.autodiscover_tasks()


def _share_what_is_loaded(**_said: object) -> None:
    """A worker's pool shares what was loaded as long as nothing writes to it: garbage collection leaves it alone."""
    gc.collect()
    gc.freeze()


signals.worker_init.connect(_share_what_is_loaded, dispatch_uid="championship.memory")
