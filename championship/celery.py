"""The Celery application: every app's tasks.py is found, settings come from Django's CELERY_ names."""

import os
import sys
from pathlib import Path

from celery import Celery

from championship import broker, embedded

broker.register()
if "celery" in Path(sys.argv[0]).parts[-2:]:  # we are the program, not a part of another
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "championship.settings.production")
    embedded.VAR_DIR.mkdir(parents=True, exist_ok=True)
    embedded.ensure_running()

app = Celery("championship")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
