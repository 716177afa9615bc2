"""What must not stand in a log: addresses that are secrets themselves (docs/notices.md)."""

from __future__ import annotations

import logging
import re

SECRET = re.compile(r"(/(?:calendar|mail/off|join|turns/changes|demo/as)/)[^/?#\s\"']+")
"""Paths whose next part is a secret that lets people in."""
WHERE = ("gunicorn.access", "django.server", "django.request")
"""Loggers that write down what was asked for."""


def without_secrets(text: str) -> str:
    """The text, with the secret part of each such path left out."""
    return SECRET.sub(r"\1...", text)


class WithoutSecrets(logging.Filter):
    """Leaves secrets out of whatever a record is made of; it lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, str):
            record.msg = without_secrets(record.msg)
        if isinstance(record.args, dict):  # gunicorn's: request line, path, referrer, headers
            for name, value in record.args.items():
                record.args[name] = _cut(value)
        elif record.args:
            record.args = tuple(_cut(value) for value in record.args)
        return True


def _cut(value: object) -> object:
    return without_secrets(value) if isinstance(value, str) else value


def keep_secrets() -> None:
    """From now on none of WHERE writes a secret down, whatever handlers they have."""
    for name in WHERE:
        logging.getLogger(name).addFilter(WithoutSecrets())
