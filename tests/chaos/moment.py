"""The clock of a rehearsal: a file that its processes read, so that all of them live at the same moment."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

FILE = "PARC_FERME_CLOCK"
"""The environment's name for the path of that file."""
BEGINNING = datetime(2026, 9, 14, 6, 0, tzinfo=UTC)
"""A season that begins then sees clocks change: in Europe on 25 October, in America on 1 November."""


def told() -> datetime:
    """The rehearsal's present, aware, in UTC. For the setting CLOCK."""
    return datetime.fromisoformat(Path(os.environ[FILE]).read_text())


def turn_to(moment: datetime) -> None:
    """Let it be `moment`. Readers see the old moment or the new one, never half of either."""
    path = Path(os.environ[FILE])
    beside = path.with_name(path.name + ".new")
    beside.write_text(moment.isoformat())
    beside.replace(path)
