"""Settings of real workers in a test: the test's database, the broker that the test chooses, separate queues."""

import json
import os

from kombu import Queue

from championship.settings.test import *  # noqa: F403
from championship.settings.test import CELERY_TASK_ROUTES, DATABASES

SCENE = json.loads(os.environ["WORKER_SCENE"])
OURS = SCENE["queues"]

DATABASES["default"].update(SCENE["database"])
CELERY_TASK_ALWAYS_EAGER = CELERY_TASK_EAGER_PROPAGATES = False
CELERY_TASK_QUEUES = tuple(Queue(f"{OURS}{name}", routing_key=f"{OURS}{name}") for name in ("clock", "mail"))
CELERY_TASK_DEFAULT_QUEUE = f"{OURS}clock"
CELERY_TASK_ROUTES = {tasks: {"queue": OURS + route["queue"]} for tasks, route in CELERY_TASK_ROUTES.items()}
CELERY_BROKER_URL = SCENE["broker"]
CELERY_BROKER_TRANSPORT_OPTIONS = SCENE["options"]
