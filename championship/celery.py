"""The Celery application. It finds every app's tasks.py. Its settings are Django's settings that begin with CELERY_."""

import gc
import os
import sys
from pathlib import Path

from celery import Celery, signals
from django.conf import settings
from django.utils.log import configure_logging

from championship.platform import broker, database_timeouts, embedded, logs, startup_checks

broker.register()
is_program = "celery" in Path(sys.argv[0]).parts[-2:] or "championship.platform.background" in sys.orig_argv
"""Whether this process is a worker or beat, and not another program that imports this module."""
if is_program:
    startup_checks.by_default(startup_checks.PRODUCTION)
    startup_checks.check(os.environ)
    embedded.VAR_DIR.mkdir(parents=True, exist_ok=True)
    embedded.ensure_running()
    database_timeouts.process = database_timeouts.WORKER

is_beat = is_program and "beat" in sys.argv[1:] and "worker" not in sys.argv[1:]
"""Beat sends tasks by name and needs no database. Without the service's modules it uses half the memory."""

app = Celery("championship", fixups=[] if is_beat else None)
app.config_from_object("django.conf:settings", namespace="CELERY")
if is_beat:
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
else:
    app.autodiscover_tasks()


def _freeze_loaded_objects(**_signal: object) -> None:
    """Keep garbage collection away from loaded objects: a worker's pool shares their memory until something writes."""
    gc.collect()
    gc.freeze()


def _log_version(**_signal: object) -> None:
    logs.log_version("beat" if is_beat else "worker")


signals.worker_init.connect(_freeze_loaded_objects, dispatch_uid="championship.memory")
if is_program:
    signals.after_setup_logger.connect(_log_version, dispatch_uid="championship.version")
