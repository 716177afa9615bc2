"""The rehearsal's service: the tests' settings under a clock that can be turned."""

import os

from championship.settings.test import *  # noqa: F403
from championship.settings.test import CELERY_TASK_ALWAYS_EAGER, CELERY_TASK_EAGER_PROPAGATES, every

CLOCK = "tests.chaos.moment.told"
LOGGING = {"version": 1, "disable_existing_loggers": False, "root": {"level": "ERROR"}}

if "PARC_FERME_MAIL_PORT" in os.environ:  # processes of their own, and a mail server that may refuse
    CELERY_TASK_ALWAYS_EAGER = CELERY_TASK_EAGER_PROPAGATES = False
    CELERY_BEAT_SCHEDULE = every(float(os.environ["PARC_FERME_BEAT"]))
    EMAIL_BACKEND = "championship.notices.smtp.Backend"
    EMAIL_HOST, EMAIL_PORT = "127.0.0.1", int(os.environ["PARC_FERME_MAIL_PORT"])
