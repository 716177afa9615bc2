"""Evaluates the access log of the server: the time for each kind of request, and the bytes sent."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.load.browser import Seen

LOG_FORMAT = "%(m)s %(U)s %(s)s %(D)s %(B)s"
"""Gunicorn's log format: method, path, status, microseconds from the arrival of the request in a worker to the end of
the response, bytes.
"""

FLOOR = "bare"
"""The kind of request that all others are compared with: a page of one line for a person who is signed in."""

BUDGETED = ("step", "draft", "poll", "stage page")
"""The kinds of request that have a budget. A poll without news is a kind of its own."""
RATIO_BUDGET = {"p50": 8.0, "p95": 12.0}
"""The largest multiple of a bare page's processor time that each of them may take: median compared with median, p95
with p95.
"""

KINDS = (
    (FLOOR, re.compile(r"GET /load/bare/")),
    ("step", re.compile(r"POST /runs/[^/]+/turn/")),
    ("draft", re.compile(r"POST /runs/[^/]+/draft/")),
    ("stage page", re.compile(r"GET /runs/[^/]+/$")),
    ("poll", re.compile(r"GET /runs/[^/]+/changes/")),
    ("badge", re.compile(r"GET /turns/changes/")),
    ("my turns", re.compile(r"GET /turns/$")),
    ("log", re.compile(r"GET /runs/[^/]+/log/")),
    ("rally page", re.compile(r"GET /rallies/")),
)


def kind_of(method: str, path: str) -> str:
    """Return the kind of a request, from its method and address."""
    return next((kind for kind, pattern in KINDS if pattern.match(f"{method} {path}")), "other")


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest of the values that is at least as large as this share of all values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def figures(milliseconds: Sequence[float]) -> dict[str, float]:
    """Return count, p50, p95, p99 and maximum, in milliseconds."""
    return {
        "requests": len(milliseconds),
        **{f"p{share}": round(percentile(milliseconds, share / 100), 1) for share in (50, 95, 99)},
        "most": round(max(milliseconds), 1),
    }


def of_server(log: Path) -> dict[str, Any]:
    """Return the server time by kind of request (responses with status 304 are a kind of their own), and the number of
    responses by status.
    """
    taken: dict[str, list[float]] = defaultdict(list)
    statuses: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        method, path, status, micros, _bytes = line.split(" ")
        kind = kind_of(method, path)
        taken[f"{kind}, 304" if status == "304" else kind].append(int(micros) / 1000)
        statuses[status] += 1
    return {
        "by kind": {kind: figures(taken[kind]) for kind in sorted(taken)},
        "statuses": dict(sorted(statuses.items())),
    }


def of_clients(seen: Iterable[Seen], what: Callable[[Seen], float]) -> dict[str, Any]:
    """Return one of the times that the drivers' browsers recorded, by kind of request."""
    taken: dict[str, list[float]] = defaultdict(list)
    for each in seen:
        taken[f"{each.kind}, 304" if each.status == 304 else each.kind].append(what(each))
    return {kind: figures(taken[kind]) for kind in sorted(taken)}


def times_the_floor(cpu: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return the processor time of each kind of request as a multiple of that of a bare page: its median divided by the
    median of the bare page, and p95 by p95. Empty when no bare page was requested.
    """
    floor = cpu.get(FLOOR)
    if not floor:
        return {}
    return {
        kind: {share: round(row[share] / max(floor[share], 0.1), 1) for share in ("p50", "p95")}
        for kind, row in cpu.items()
        if kind != FLOOR
    }


def over_budget(ratios: dict[str, dict[str, float]]) -> list[str]:
    """Return one line of text for each kind of request and each figure over its budget."""
    return [
        f"{kind}: {ratios[kind][share]} times a bare page at {share}, budget {most}"
        for kind in BUDGETED
        for share, most in RATIO_BUDGET.items()
        if kind in ratios and ratios[kind][share] > most
    ]


def ratio_table(
    server: dict[str, dict[str, float]], cpu: dict[str, dict[str, float]], ratios: dict[str, dict[str, float]]
) -> str:
    """Return a table for a terminal, by kind of request: wall time, processor time of the thread, and that as a
    multiple of a bare page.
    """
    shares = ("p50", "p95")
    head = f"{'':16}" + "".join(f"{part:>7} {share}" for part in ("wall", "work", "times") for share in shares)
    rows = [
        f"{kind:16}"
        + "".join(f"{server.get(kind, row)[share]:>11.1f}" for share in shares)
        + "".join(f"{row[share]:>11.1f}" for share in shares)
        + "".join(f"{ratios.get(kind, {}).get(share, 1.0):>11.1f}" for share in shares)
        for kind, row in cpu.items()
    ]
    return "\n".join([head, *rows])


def table(by_kind: dict[str, dict[str, float]]) -> str:
    """Return the figures as a table for a terminal."""
    head = f"{'':16}{'requests':>9}{'p50':>9}{'p95':>9}{'p99':>9}{'most':>9}"
    rows = [
        f"{kind:16}{row['requests']:>9}" + "".join(f"{row[key]:>9.1f}" for key in ("p50", "p95", "p99", "most"))
        for kind, row in by_kind.items()
    ]
    return "\n".join([head, *rows])
