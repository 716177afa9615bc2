"""The Celery application: every app's tasks.py is found, settings come from Django's CELERY_ names."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "championship.settings.demo")

app = Celery("championship")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
