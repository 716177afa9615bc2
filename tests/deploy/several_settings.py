"""Settings of the machines in test_several_machines.py: the database of the test, a separate Redis, fast beats."""

import json
import os

from kombu import Queue

from championship.platform import broker
from championship.platform.embedded import VAR_DIR
from championship.settings.test import *  # noqa: F403
from championship.settings.test import DATABASES

SCENE = json.loads(os.environ["MACHINES_SCENE"])

DATABASES["default"].update(SCENE["database"])
ALLOWED_HOSTS = ["127.0.0.1"]
WHITENOISE_USE_FINDERS = True  # for the browser in test_frozen.py
CELERY_TASK_ALWAYS_EAGER = CELERY_TASK_EAGER_PROPAGATES = False
# Messages do not expire: on a busy machine they always would before a worker reads them.
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": 3.0}
    for task in ("championship.deadlines.tasks.sweep", "championship.notices.tasks.deliver")
}
CELERY_TASK_QUEUES = tuple(Queue(name) for name in ("clock", "mail", "posts", "simulation"))
CELERY_BROKER_URL = SCENE["broker"]
CELERY_BROKER_TRANSPORT_OPTIONS = broker.transport_options(SCENE["broker"], folder=VAR_DIR, seconds=30.0)
EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
