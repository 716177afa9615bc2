"""How a stage on the road is stopped at the end of an evening. An app below, which knows shortened stages, registers
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run


class Stopper(Protocol):
    """Stops a stage on the road and takes its results at the last split that all cars have passed."""

    def __call__(self, *, rally: Rally, stage: SpecialStage, locked: Sequence[Run]) -> int | None:
        """Return the split, counted from 1; None where the stage counts for nothing. The rally and `locked`, the runs
        on the road, are locked.

        Raises: Stale when a run has opened since.
        """
        ...


_stoppers: list[Stopper] = []


def register(stopper: Stopper) -> None:
    """Let evenings stop stages in this way."""
    _stoppers[:] = [stopper]


def stop(*, rally: Rally, stage: SpecialStage, locked: Sequence[Run]) -> int | None:
    """Stop the stage (`Stopper`)."""
    return _stoppers[0](rally=rally, stage=stage, locked=locked)
