"""Limits how long this process waits for the database, and answers requests that waited too long.

Each kind of process has its own limits (DATABASE_WAITS): short ones for pages, longer ones for workers, so that one
locked row stops neither the site nor a sweep. PostgreSQL cancels a statement that takes longer and rolls it back. The
reader gets a 503 with Retry-After, and nothing has been changed.

A PostgreSQL that hangs cancels nothing. So a process also stops waiting on its own, a little after PostgreSQL should
have cancelled the statement (championship/platform/postgresql).
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults

from championship.platform.web import htmx

logger = logging.getLogger(__name__)

COMMAND, WEB, WORKER = "command", "web", "worker"
process = COMMAND
"""The kind of this process. wsgi.py and celery.py set it."""
RETRY_AFTER = 5
"""Seconds after which a reader may try again."""

API = "/api/v1/"
"""The prefix of the API's addresses. Its clients cannot read an HTML page."""

GRACE = {WEB: 0.5, WORKER: 5.0, COMMAND: 5.0}
"""Seconds by which a process waits longer for an answer than PostgreSQL lets a statement run."""
SESSION_LIMITS = {
    "lock": "lock_timeout",
    "statement": "statement_timeout",
    "idle": "idle_in_transaction_session_timeout",
}
"""PostgreSQL's settings for the limits that it keeps itself."""

UNAVAILABLE_STATES = frozenset(
    {
        "55P03",  # lock_not_available
        "57014",  # query_canceled
        "25P03",  # idle_in_transaction_session_timeout
        "40P01",  # deadlock_detected
        "53300",  # too_many_connections
        "57P01",  # admin_shutdown
        "57P02",  # crash_shutdown
        "57P03",  # cannot_connect_now
    }
)
"""SQLSTATEs that mean: try again later."""


def limit(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Set the limits of this kind of process on a new connection.

    Where a pooler shares the sessions of web processes, the pooler itself has set the limits of each session: a limit
    set here would apply to the next user of that session, and not to this process.
    """
    if settings.DATABASE_SESSIONS_ARE_SHARED and process == WEB:
        _check_pooler_limits(connection)
        return
    with connection.cursor() as cursor:
        for what, name in SESSION_LIMITS.items():
            cursor.execute("SELECT set_config(%s, %s, false)", [name, f"{round(waits()[what] * 1000)}ms"])


def waits() -> dict[str, float]:
    """The limits of this kind of process, in seconds. 0 means no limit."""
    limits: dict[str, float] = settings.DATABASE_WAITS[process]
    return limits


def answer_limit() -> float | None:
    """How many seconds this process waits for an answer of the database; None means forever."""
    statement = waits()["statement"]
    return statement + GRACE[process] if statement else None


def _check_pooler_limits(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        if cursor.fetchone() == ("0",):
            logger.error("The pooler gives its sessions no limits: connect_query in deploy/pgbouncer.ini sets them.")


def limit_connections() -> None:
    """Set the limits on every new database connection from now on."""
    connection_created.connect(limit, dispatch_uid="championship.platform.database_timeouts")


def is_database_unavailable(error: BaseException | None) -> bool:
    """Whether the database was too busy or not reachable. Any other error is a bug of the service."""
    while error is not None:
        if isinstance(error, psycopg.Error):
            lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and error.sqlstate is None
            return lost or error.sqlstate in UNAVAILABLE_STATES
        error = error.__cause__
    return False


class WaitMiddleware:
    """Turns a database wait that was too long into a 503 page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return busy(request, exception) if is_database_unavailable(exception) else None


def busy(request: HttpRequest, error: BaseException) -> HttpResponse:
    """The 503 page, or only its text for htmx. It makes no query."""
    logger.warning("%s %s waited too long: %s", request.method, request.path, error)
    template = "parts/busy.html" if htmx.details(request) else "503.html"
    context = {"again": request.get_full_path() if request.method == "GET" else ""}
    return HttpResponse(
        render_to_string(template, context),
        status=HTTPStatus.SERVICE_UNAVAILABLE,
        headers={"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"},
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """The handler500. An error outside of a view, for example in the session, may also be a database wait."""
    error = sys.exc_info()[1]
    if error is not None and is_database_unavailable(error):
        return busy(request, error)
    if request.path_info.startswith(API):
        told = {"type": "about:blank", "title": "A fault of ours", "status": 500, "do": "Try again later."}
        return JsonResponse(told, status=500, content_type="application/problem+json")
    return defaults.server_error(request)
