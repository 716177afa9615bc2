"""The cost of a request: processor time of the thread, time and queries of the database, bytes; and its query plans."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.db import connection

GROWING = frozenset(
    (
        *("runs_run", "runs_seat", "runs_turn", "runs_post", "runs_event", "runs_sentahead", "runs_draft"),
        *("rallies_rally", "rallies_specialstage", "rallies_entry", "rallies_startplace", "rallies_stagetime"),
        *("notices_notice", "accounts_user", "clubs_membership", "audit_record", "django_session"),
    )
)
"""Tables that grow with the number of people and of turns. No page may read one of them completely."""
ENOUGH = 1000
"""Number of rows from which a table counts as large."""
ROUNDS = 5


@dataclass(slots=True)
class Heard:
    """The queries that were run: statements with their parameters, and the seconds that they took."""

    asked: list[tuple[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.seconds += time.perf_counter() - began
            self.asked.append((sql, params))


@contextmanager
def hearing() -> Iterator[Heard]:
    """Record the queries that run in the block."""
    heard = Heard()
    with connection.execute_wrapper(heard):
        yield heard


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians of ROUNDS requests: milliseconds of processor time of the thread and of database time, number of queries,
    bytes of the response.

    scans: growing tables that were read completely, each with the statement.
    """

    what: str
    work: float
    database: float
    trips: int
    bytes: int
    scans: tuple[str, ...] = ()

    def line(self) -> str:
        return f"{self.what:<28}{self.work:>9.1f}{self.database:>10.1f}{self.trips:>8}{self.bytes:>10}"


HEAD = f"{'':<28}{'work ms':>9}{'base ms':>10}{'trips':>8}{'bytes':>10}"


def of(what: str, ask: Callable[[], Any]) -> Cost:
    """Measure the cost of `ask`, after one call to warm up. `ask` returns a response with `content`, or text."""
    ask()
    works, bases, said, asked = [], [], b"", list[tuple[str, Any]]()
    for _round in range(ROUNDS):
        with hearing() as heard:
            began = time.thread_time()
            answer = ask()
            works.append((time.thread_time() - began) * 1000)
        bases.append(heard.seconds * 1000)
        asked = heard.asked
        said = answer.encode() if isinstance(answer, str) else getattr(answer, "content", b"")
        status = getattr(answer, "status_code", 200)
        if status != 200:
            raise RuntimeError(f"{what}: {status} {said[:300]!r}")
    scans = tuple(scan for sql, params in asked for scan in scanned(sql, params))
    return Cost(what, statistics.median(works), statistics.median(bases), len(asked), len(said), scans)


@cache
def large() -> frozenset[str]:
    """Return the growing tables with enough rows to judge. PostgreSQL reads a table of few disk pages completely,
    whatever its indexes are.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples >= %s", [ENOUGH])
        return GROWING & {name for (name,) in cursor.fetchall()}


def scanned(sql: str, params: Any) -> list[str]:
    """Return the growing tables that PostgreSQL would read completely for this SQL, each with the statement. The SQL
    may consist of several statements: each is checked.
    """
    found, left = [], list(params or ())
    for statement in sql.split(";\n"):
        count = statement.replace("%%", "").count("%s")
        given, left = left[:count], left[count:]
        if not statement.lstrip().upper().startswith("SELECT"):
            continue
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN (FORMAT JSON) " + statement, given)
            told = cursor.fetchone()[0]
        plan = json.loads(told) if isinstance(told, str) else told
        found += [f"{table}: {statement[:400]}" for table in sorted(_read_whole(plan[0]["Plan"]))]
    return found


def _read_whole(plan: dict[str, Any]) -> set[str]:
    own = {plan["Relation Name"]} & large() if plan["Node Type"].endswith("Seq Scan") else set()
    return own.union(*(_read_whole(each) for each in plan.get("Plans", ())))
