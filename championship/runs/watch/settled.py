"""The number up to which all posts of all runs are committed, so that no later commit can add a post with a lower
number.

Posts get their numbers before they are committed, and commits may come in another order: a turn in one run may take
number 5 and be committed after number 6 of another run. So a transaction that inserts posts holds a shared advisory
lock until it ends. The second key of the lock is the next number at that moment: all posts of the transaction have that
number or a higher one. A trigger takes the lock (migration 1). Shared locks never wait for each other.
"""

from __future__ import annotations

from django.db import connection

IN_THE_MAKING = 1919905840
"""The first key of the lock."""
LAST_COMMITTED_POST = """
SELECT given.last, (
    SELECT min(given.last - (given.last - objid::bigint) %% 2147483648) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2 AND pid <> pg_backend_pid() AND given.last >= 0
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
) FROM (SELECT last_value AS last FROM runs_post_id_seq OFFSET 0) AS given
"""
"""The newest number that was given, which is read first, and the lowest number that may still be committed."""


def last_committed_post() -> int:
    """Return the number up to which every post is committed or never will be. One query. Call it before reading the
    posts.

    A transaction that numbers posts after the first half of the query gives them higher numbers than the result. An
    open transaction that did so before holds its lock, which the second half sees.
    """
    with connection.cursor() as cursor:
        cursor.execute(LAST_COMMITTED_POST, [IN_THE_MAKING])
        newest, unsettled = cursor.fetchone()
    return int(newest if unsettled is None else unsettled - 1)
