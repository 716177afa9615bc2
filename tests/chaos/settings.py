"""The settings of a rehearsal: those of the tests, with a clock that can be set."""

import os
from pathlib import Path

from celery.signals import worker_ready

from championship.settings.test import *  # noqa: F403
from championship.settings.test import CELERY_TASK_ALWAYS_EAGER, CELERY_TASK_EAGER_PROPAGATES, every

CLOCK = "tests.chaos.moment.told"
OPEN_STAGE = False  # an open stage starts every week, so the season would never end
LOGGING = {"version": 1, "disable_existing_loggers": False, "root": {"level": "ERROR"}}
WEBHOOK_ALLOWED_ADDRESSES = os.environ.get("PARC_FERME_RECEIVERS", "").split()

if "PARC_FERME_MAIL_PORT" in os.environ:  # separate processes, and a mail server that can refuse
    CELERY_TASK_ALWAYS_EAGER = CELERY_TASK_EAGER_PROPAGATES = False
    CELERY_BEAT_SCHEDULE = every(float(os.environ["PARC_FERME_BEAT"]))
    EMAIL_BACKEND = "championship.notices.smtp.Backend"
    EMAIL_HOST, EMAIL_PORT = "127.0.0.1", int(os.environ["PARC_FERME_MAIL_PORT"])

    @worker_ready.connect(weak=False)
    def _tell_that_it_is_up(**_said: object) -> None:
        """Create a file when the worker is ready, so that it is killed during its work and not during its start."""
        (Path(os.environ["PARC_FERME_VAR"]) / f"{os.getpid()}.up").touch()
