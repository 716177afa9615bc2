"""One id for everything that one request causes: in the web log, in the workers' logs, and in the letters it sends.

A trusted proxy may give the id (X-Request-ID). Otherwise a new one is made. Each task carries it as a header of its
message, and each notice as a column.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from celery import signals

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
TASK_HEADER = "request_id"
LONGEST = 64
READABLE = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{7,{LONGEST - 1}}}", re.ASCII)

_current: ContextVar[str] = ContextVar("request_id", default="")


def current() -> str:
    """The id of the request that this work is part of; "" outside of any request."""
    return _current.get()


def new() -> str:
    """A new random id."""
    return secrets.token_hex(8)


@contextmanager
def within(request_id: str) -> Iterator[None]:
    """Context manager: the code inside is part of that request."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)


class RequestIdMiddleware:
    """Gives each request its id and returns it in a response header. It runs after ClientAddressMiddleware, which drops
    the id of an untrusted peer.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if READABLE.fullmatch(given) else new()
        with within(request_id):
            response = self.get_response(request)
        response.headers[HEADER] = request_id
        return response


class WithRequestId(logging.Filter):
    """Adds the id to every log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, "request_id"):
            record.request_id = current()
        return True


class JsonLines(logging.Formatter):
    """One JSON object per line: at, level, logger, message, and request_id and error where there are any."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id := getattr(record, "request_id", ""):
            said["request_id"] = request_id
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False)


def trace_tasks() -> None:
    """From now on every task carries the id of its sender and runs under it."""
    signals.before_task_publish.connect(_take_along, dispatch_uid="championship.platform.tracing")
    signals.task_prerun.connect(_take_up, dispatch_uid="championship.platform.tracing")
    signals.task_postrun.connect(_lay_down, dispatch_uid="championship.platform.tracing")


def _take_along(headers: dict[str, Any] | None = None, **_signal: Any) -> None:
    if headers is not None and current():
        headers[TASK_HEADER] = current()


def _take_up(task: Any = None, **_signal: Any) -> None:
    """A task from beat gets a new id. A task that runs in the sender's process keeps the sender's id."""
    if task.request.is_eager:
        return
    given = str(getattr(task.request, TASK_HEADER, "") or "")
    _current.set(given if READABLE.fullmatch(given) else new())


def _lay_down(task: Any = None, **_signal: Any) -> None:
    if not task.request.is_eager:
        _current.set("")
