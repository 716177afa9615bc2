"""Settings of the workers that drive ten thousand due turns: those of the tests, but tasks are sent to a real
broker.
"""

import os

from championship.settings.test import *  # noqa: F403
from championship.settings.test import DATABASES

CELERY_TASK_ALWAYS_EAGER = CELERY_TASK_EAGER_PROPAGATES = False
LOGGING = {"version": 1, "disable_existing_loggers": False, "root": {"level": "ERROR"}}

if "SWEEP_DATABASE" in os.environ:
    DATABASES["default"]["NAME"] = os.environ["SWEEP_DATABASE"]

if "SWEEP_FOLDER" in os.environ:
    CELERY_BROKER_URL = "folder://"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": os.environ["SWEEP_FOLDER"],
        "data_folder_out": os.environ["SWEEP_FOLDER"],
        "control_folder": os.environ["SWEEP_FOLDER"] + "-control",
        "polling_interval": 0.05,
    }
