"""A stopwatch for benchmarks. No rule reads a clock."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import NamedTuple


class Times(NamedTuple):
    """Seconds of wall-clock time and of processor time: a moment, or the time between two moments."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> Times:
        """Return the present moment."""
        return cls(perf_counter(), process_time())

    def since(self, begun: Times) -> Times:
        """Return the time that has passed from `begun` to this moment."""
        return Times(self.wall - begun.wall, self.processor - begun.processor)
