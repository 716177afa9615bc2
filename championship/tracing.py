"""One id for what one request sets off: in the web's log, in the workers' logs, and in the letter that came of it.

A trusted proxy may give the id (X-Request-ID); else one is made. It travels with each task as a header of its message,
and with each notice as a column.
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
    """The id of the request that this work is part of; "" outside of any."""
    return _current.get()


def new() -> str:
    """A fresh id."""
    return secrets.token_hex(8)


@contextmanager
def within(request_id: str) -> Iterator[None]:
    """What happens inside is part of that request."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)


class RequestIdMiddleware:
    """Gives each request its id, and tells it in the answer. It stands behind the middleware that knows the proxies."""

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
    """Puts the id on every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, "request_id"):
            record.request_id = current()
        return True


class JsonLines(logging.Formatter):
    """One JSON object a line: at, level, logger, message, and where there are any request_id and error."""

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
    """From now on every task that is sent takes the id along, and works under it."""
    signals.before_task_publish.connect(_take_along, dispatch_uid="championship.tracing")
    signals.task_prerun.connect(_take_up, dispatch_uid="championship.tracing")
    signals.task_postrun.connect(_lay_down, dispatch_uid="championship.tracing")


def _take_along(headers: dict[str, Any] | None = None, **_signal: Any) -> None:
    if headers is not None and current():
        headers[TASK_HEADER] = current()


def _take_up(task: Any = None, **_signal: Any) -> None:
    """A task that beat has sent gets an id of its own. One that runs in the sender's process keeps the sender's."""
    if task.request.is_eager:
        return
    given = str(getattr(task.request, TASK_HEADER, "") or "")
    _current.set(given if READABLE.fullmatch(given) else new())


def _lay_down(task: Any = None, **_signal: Any) -> None:
    if not task.request.is_eager:
        _current.set("")
