"""What the server's own log says: how long it took for each kind of request, and how much it sent."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.load.browser import Seen

LOG_FORMAT = "%(m)s %(U)s %(s)s %(D)s %(B)s"
"""Gunicorn's: method, path, status, microseconds from the request's arrival in a worker to the end of the answer,
bytes.
"""

KINDS = (
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
    """The kind of a request by its address."""
    return next((kind for kind, pattern in KINDS if pattern.match(f"{method} {path}")), "other")


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that is at least as large as that share of all."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def figures(milliseconds: Sequence[float]) -> dict[str, float]:
    """Count, and p50, p95, p99, the most, in milliseconds."""
    return {
        "requests": len(milliseconds),
        **{f"p{share}": round(percentile(milliseconds, share / 100), 1) for share in (50, 95, 99)},
        "most": round(max(milliseconds), 1),
    }


def of_server(log: Path) -> dict[str, Any]:
    """Server time by kind of request, a 304 apart from the page itself; and how many answers had which status."""
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
    """One of the times that the drivers' browsers noted, by kind of request."""
    taken: dict[str, list[float]] = defaultdict(list)
    for each in seen:
        taken[f"{each.kind}, 304" if each.status == 304 else each.kind].append(what(each))
    return {kind: figures(taken[kind]) for kind in sorted(taken)}


def table(by_kind: dict[str, dict[str, float]]) -> str:
    """The figures for a terminal."""
    head = f"{'':16}{'requests':>9}{'p50':>9}{'p95':>9}{'p99':>9}{'most':>9}"
    rows = [
        f"{kind:16}{row['requests']:>9}" + "".join(f"{row[key]:>9.1f}" for key in ("p50", "p95", "p99", "most"))
        for kind, row in by_kind.items()
    ]
    return "\n".join([head, *rows])
