"""Up to which number all posts of all runs are written, so that none can appear behind a reader any more.

Posts get their numbers before they are committed, and not in the order in which they are: a turn in one run may take
number 5 and be committed after number 6 of another run. So a transaction that inserts posts holds a shared advisory
lock until the transaction ends, whose second key is the next number at that moment: all its posts have that number or a
later one. A trigger takes the lock (migration 0016). Shared locks never wait for each other.
"""

from __future__ import annotations

from django.db import connection

IN_THE_MAKING = 1919905840
"""The first key of the lock."""
LAST_SETTLED = """
SELECT given.last, (
    SELECT min(given.last - (given.last - objid::bigint) %% 2147483648) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2 AND pid <> pg_backend_pid() AND given.last >= 0
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
) FROM (SELECT last_value AS last FROM runs_post_id_seq OFFSET 0) AS given
"""
"""The newest number that was given, read first, and the first number that may still be written."""


def last_settled() -> int:
    """The number up to which every post is committed or never will be: one query. Ask it before the posts are read.

    A transaction that numbers posts after the first half of the query numbers them beyond its answer. One that did so
    before, and is still open, is seen by its lock.
    """
    with connection.cursor() as cursor:
        cursor.execute(LAST_SETTLED, [IN_THE_MAKING])
        newest, unsettled = cursor.fetchone()
    return int(newest if unsettled is None else unsettled - 1)
