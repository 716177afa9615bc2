"""Counters of requests by kind: how many, how long they took, and how much processor time they used.

Each process of the web server counts its own requests and writes its numbers to a file every few seconds. A request for
metrics adds up the files. The last numbers of a process that has ended are added to a file with the totals of all ended
processes.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from championship.platform.embedded import VAR_DIR

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

BUCKETS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Seconds. A request is counted in each bucket whose bound is at least the time that it took."""
WRITES_EVERY = 5.0
"""Seconds between two writes of a process."""
ENDED = "ended.json"
FOLDER = VAR_DIR / "metrics"

Numbers = dict[str, float]


class Counts:
    """The numbers of one process, by the name of the metric with its labels."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._numbers: Numbers = defaultdict(float)
        self._written_at = 0.0
        self._pid = 0

    def add(self, *, kind: str, method: str, status: int, seconds: float, processor: float) -> None:
        """Count one request. `kind` and `method` must have few different values, because each pair adds metrics."""
        labels = f'kind="{kind}",method="{method}"'
        with self._lock:
            self._reset_after_fork()
            numbers = self._numbers
            numbers[f'parc_ferme_requests_total{{{labels},status="{status // 100}xx"}}'] += 1
            numbers[f"parc_ferme_request_processor_seconds_total{{{labels}}}"] += processor
            numbers["parc_ferme_request_seconds_sum"] += seconds
            numbers["parc_ferme_request_seconds_count"] += 1
            for bucket in BUCKETS:
                if seconds <= bucket:
                    numbers[f'parc_ferme_request_seconds_bucket{{le="{bucket}"}}'] += 1
            numbers['parc_ferme_request_seconds_bucket{le="+Inf"}'] += 1
            if time.monotonic() - self._written_at >= WRITES_EVERY:
                self._write()

    def write(self) -> None:
        """Write the numbers to the file that other processes read."""
        with self._lock:
            if self._pid == os.getpid():
                self._write()

    def _reset_after_fork(self) -> None:
        """Start from zero in a new process: after a fork the numbers belong to the parent."""
        if self._pid != os.getpid():
            self._pid, self._numbers, self._written_at = os.getpid(), defaultdict(float), 0.0
            atexit.register(self.write)

    def _write(self) -> None:
        self._written_at = time.monotonic()
        with suppress(OSError):  # a full disk must not make a page fail
            self._folder.mkdir(parents=True, exist_ok=True)
            _replace_file(self._folder / f"{self._pid}-{_started(self._pid)}.json", self._numbers)

    def all(self) -> Numbers:
        """Return the sums over all processes of this machine, including those that have ended."""
        self.write()
        total: Numbers = defaultdict(float)
        with suppress(OSError), _locked(self._folder):
            files = sorted(self._folder.glob("*-*.json"))
            ended_files = [file for file in files if file.stem != f"{file.stem.split('-')[0]}-{_started_now(file)}"]
            ended = _read(self._folder / ENDED)
            for file in ended_files:
                _sum_up(ended, _read(file))
            if ended_files:
                _replace_file(self._folder / ENDED, ended)
            for file in ended_files:
                file.unlink()
            for numbers in (ended, *(_read(file) for file in files if file not in ended_files)):
                _sum_up(total, numbers)
        return dict(total)


COUNTS = Counts(FOLDER)


class CountingMiddleware:
    """Counts each request by the name of its URL pattern."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began, processor_began = time.perf_counter(), time.thread_time()
        response = self.get_response(request)
        match = request.resolver_match
        COUNTS.add(
            kind=(match.view_name or "unnamed") if match else "none",
            method=request.method if request.method in ("GET", "HEAD", "POST") else "other",
            status=response.status_code,
            seconds=time.perf_counter() - began,
            processor=time.thread_time() - processor_began,
        )
        return response


def _started(pid: int) -> str:
    """Return when a process started, in ticks since the machine started; "" when there is no such process. With the
    start time a process can be told from a later one that has the same number.
    """
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def _started_now(file: Path) -> str:
    return _started(int(pid)) if (pid := file.stem.split("-")[0]).isdigit() else ""


def _read(file: Path) -> Numbers:
    with suppress(OSError, ValueError):
        return {str(name): float(number) for name, number in json.loads(file.read_text()).items()}
    return {}


def _replace_file(file: Path, numbers: Numbers) -> None:
    """Replace the file atomically: readers see the old content or the new content."""
    unfinished = file.with_suffix(".part")
    unfinished.write_text(json.dumps(numbers))
    unfinished.replace(file)


def _sum_up(into: Numbers, numbers: Numbers) -> None:
    for name, number in numbers.items():
        into[name] = into.get(name, 0.0) + number


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock with which one process at a time adds up the numbers of ended processes."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
