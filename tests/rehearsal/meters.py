"""What the processes of a rehearsal use: processor seconds, the time they waited for a processor, and memory, by name.

Where other programs share the machine, the time that a process could have run and had to wait tells which lateness is
the machine's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from tests.rehearsal import machines


class Meter:
    """Adds up the processor seconds of groups of processes, and keeps the most memory of each."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.waited: Counter[str] = Counter()
        self.memory: Counter[str] = Counter()
        self._of_process: dict[int, float] = {}
        self._waited: dict[str, float] = {}
        self._began = _busy()

    def look(self, groups: Mapping[str, Sequence[psutil.Process]], *, memory: bool) -> None:
        """Count what each process has used since the last look, and its memory where that is asked for."""
        for name, processes in groups.items():
            for process in processes:
                used = machines.processor([process])
                self.seconds[name] += max(0.0, used - self._of_process.get(process.pid, used))
                self._of_process[process.pid] = used
                for thread, waited in waits_of(process.pid).items():
                    self.waited[name] += max(0.0, waited - self._waited.get(thread, waited))
                    self._waited[thread] = waited
            if memory:
                self.memory[name] = max(self.memory[name], round(machines.memory(processes)))

    def others(self) -> float:
        """Processor seconds that all other programs have used meanwhile."""
        return max(0.0, _busy() - self._began - self.seconds.total())


def waits_of(pid: int) -> dict[str, float]:
    """Seconds that each thread of a process was ready to run and waited for a processor (Linux), by its folder."""
    found = {}
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(OSError):
            found[str(thread)] = int((thread / "schedstat").read_text().split()[1]) / 1e9
    return found


def _busy() -> float:
    """Processor seconds of the whole machine that were used, or taken by the machine below it."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0.0) - getattr(times, "guest", 0.0))


def of_database() -> list[psutil.Process]:
    """The processes of PostgreSQL that serve this database, without that of this connection."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        ids = [row[0] for row in cursor.fetchall()]
    found = []
    for pid in ids:
        with suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(pid))
    return found
