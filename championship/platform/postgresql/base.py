"""The database backend of the setting DATABASES: Django's own, with the limits of database_timeouts.py."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base

from championship.platform import database_timeouts
from championship.platform.circuit import Breaker
from championship.platform.postgresql import driver

if TYPE_CHECKING:
    from collections.abc import Iterator

PAUSE = 3.0
"""Seconds for which a process that serves pages opens no connection after the database was silent."""
FIRST_ANSWER = 2.0
"""Seconds in which a database that runs answers an empty query."""
FIRST_ANSWER_IN_DOUBT = 0.5
"""The same while another thread has found the database silent."""
TABLES_FIRST = """
SELECT set_config('search_path', 'public, ' || current_setting('search_path'), false)
WHERE current_schema() = current_user
    AND to_regclass(quote_ident(current_user) || '.django_migrations') IS NULL
    AND to_regclass('public.django_migrations') IS NOT NULL
"""
"""For one release: the schema named like the role has views for the previous release (runs, migration 2). PostgreSQL
looks there first, and sessions of this release need the tables.
"""

breaker = Breaker(PAUSE)
"""Of the processes that serve pages. Others do not have many threads that wait."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Connections to PostgreSQL that give up on a silent server."""

    Database = driver

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        if seconds := database_timeouts.waits().get("connect"):
            params.setdefault("connect_timeout", round(seconds))
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect.

        Raises: OperationalError when the database does not answer within the limit, or at once when it did not answer
            another thread a moment ago.
        """
        shared = database_timeouts.process == database_timeouts.WEB
        if shared and not breaker.may_ask():
            raise driver.Silent("the database did not answer a moment ago")
        try:
            made = super().get_new_connection(conn_params)
        except psycopg.errors.ConnectionTimeout:
            if shared:
                breaker.failed()
            raise
        made.answer_limit = database_timeouts.answer_limit()
        if shared:
            breaker.answered()
            made.on_silence = breaker.failed
        return made

    def init_connection_state(self) -> None:
        """Let the session use the tables, and not the views that the previous release uses during an upgrade.

        A session that a pooler shares stays as it is: the previous release may use it next. The views have the columns
        of both releases.
        """
        super().init_connection_state()
        if not (settings.DATABASE_SESSIONS_ARE_SHARED and database_timeouts.process == database_timeouts.WEB):
            with self.cursor() as cursor:
                cursor.execute(TABLES_FIRST)

    def is_usable(self) -> bool:
        """Whether the server answers over this connection. Django asks before the first query of a request."""
        with self._hurried():
            usable: bool = super().is_usable()
        return usable

    @contextmanager
    def _hurried(self) -> Iterator[None]:
        """Lower the limit of the connection while the block runs."""
        made = self.connection
        if made is None or made.answer_limit is None:
            yield
            return
        kept = made.answer_limit
        made.answer_limit = min(kept, FIRST_ANSWER_IN_DOUBT if breaker.is_open() else FIRST_ANSWER)
        try:
            yield
        finally:
            made.answer_limit = kept
