"""Keeps secrets out of logs: some addresses are secrets themselves (docs/notices.md). Lets errors stand out. Sends
unexpected errors to a Sentry server if the operator names one, and otherwise nothing.
"""

from __future__ import annotations

import logging
import re
from http import HTTPStatus
from typing import Any

from championship.platform.version import __version__

logger = logging.getLogger(__name__)
logger.setLevel(logging.INFO)  # Celery's command line sets the level of the root to WARNING

SECRET = re.compile(r"(/(?:calendar|mail/off|join|turns/changes|demo/as)/)[^/?#\s\"']+")
"""Paths whose next segment is a secret that authorises its bearer."""
LOGGERS = ("gunicorn.access", "django.server", "django.request")
"""Loggers that log the requested address."""


def without_secrets(text: str) -> str:
    """The text, with "..." in place of the secret segment of each such path."""
    return SECRET.sub(r"\1...", text)


class WithoutSecrets(logging.Filter):
    """Removes secrets from the message and the arguments of a record. It lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, str):
            record.msg = without_secrets(record.msg)
        if isinstance(record.args, dict):  # gunicorn's: request line, path, referrer, headers
            for name, value in record.args.items():
                record.args[name] = _redacted(value)
        elif record.args:
            record.args = tuple(_redacted(value) for value in record.args)
        return True


def _redacted(value: object) -> object:
    return without_secrets(value) if isinstance(value, str) else value


class UnavailableIsNoError(logging.Filter):
    """Makes the record of an answer 503 a warning: the service is not ready, or a lock is held, and it says so. One
    restart of the database makes dozens of them. An answer 500 stays an error. It lets every record pass.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE and record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True


def redact_secrets() -> None:
    """Add the filter to the loggers in LOGGERS, so that none of them logs a secret, whatever handlers they have."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(WithoutSecrets())


def log_unavailable_as_warning() -> None:
    """Add the filter to the logger with which Django records answers of 500 and more."""
    logging.getLogger("django.request").addFilter(UnavailableIsNoError())


def log_version(process: str) -> None:
    """Log which release this process runs. `process` is "web", "worker" or "beat"."""
    logger.info("Parc Fermé %s: %s", __version__, process)


def report_errors_to(address: str, **more: Any) -> None:
    """Send the errors of web processes and workers to that DSN.

    Reports contain no personal data and no secrets: by default the library sends no addresses and no cookies, and these
    options also leave out request bodies and values of variables.
    `more`: options of the library, such as another transport.
    """
    import sentry_sdk

    sentry_sdk.init(
        dsn=address,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        **more,
    )
