"""What benchmarks measure with. No rule reads a clock."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import NamedTuple


class Moment(NamedTuple):
    """Seconds on the clock on the wall, and those that the processor has worked; also what passed between two."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> Moment:
        """Return this moment."""
        return cls(perf_counter(), process_time())

    def since(self, begun: Moment) -> Moment:
        """Return what has passed from then to this moment."""
        return Moment(self.wall - begun.wall, self.processor - begun.processor)
