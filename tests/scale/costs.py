"""What a request costs: the thread's own work, the database's time, queries, bytes; and how its queries are planned."""

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
        *("runs_run", "runs_place", "runs_turn", "runs_post", "runs_event", "runs_sentahead", "runs_draft"),
        *("rallies_rally", "rallies_specialstage", "rallies_entry", "rallies_startplace", "rallies_stagetime"),
        *("notices_notice", "accounts_user", "clubs_membership", "audit_record", "django_session"),
    )
)
"""Tables that grow with what is played and with who plays: no page reads one of them from end to end."""
ENOUGH = 1000
"""Rows from which on a table counts as large."""
ROUNDS = 5


@dataclass(slots=True)
class Heard:
    """What was asked of the database: statements with their parameters, and for how many seconds."""

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
    """Listen to what is asked in the block."""
    heard = Heard()
    with connection.execute_wrapper(heard):
        yield heard


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians of ROUNDS: milliseconds of the thread's own work, and of the time the database took; trips to it; bytes
    of the answer. `scans`: growing tables that were read from end to end, each with the statement.
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
    """What `ask` costs, asked once before to be warm. It returns an answer with `content`, or text."""
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
    """The growing tables that hold enough here to tell: one of a few pages is read whole, whatever its indexes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples >= %s", [ENOUGH])
        return GROWING & {name for (name,) in cursor.fetchall()}


def scanned(sql: str, params: Any) -> list[str]:
    """The growing tables that PostgreSQL would read from end to end for this, with the statement; of several that are
    sent together each is asked.
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
