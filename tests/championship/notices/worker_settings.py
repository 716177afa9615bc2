"""Settings of a real Celery worker in a test: the database of the test, a separate broker folder and mailbox."""

import json
import os

from championship.settings.test import *  # noqa: F403
from championship.settings.test import DATABASES

SCENE = json.loads(os.environ["WORKER_SCENE"])

DATABASES["default"].update(SCENE["database"])
EMAIL_BACKEND = SCENE["mailbox"]
CELERY_TASK_ALWAYS_EAGER = False
CELERY_BROKER_URL = "folder://"
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "data_folder_in": SCENE["folder"],
    "data_folder_out": SCENE["folder"],
    "control_folder": SCENE["folder"] + "-control",
    "polling_interval": 0.05,
}
