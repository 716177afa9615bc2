"""The clock of a rehearsal: a file that all its processes read, so that they have the same time."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

FILE = "PARC_FERME_CLOCK"
"""The environment variable with the path of that file."""
BEGINNING = datetime(2026, 9, 14, 6, 0, tzinfo=UTC)
"""The season begins before daylight saving time ends: on 25 October in Europe, on 1 November in America."""


def told() -> datetime:
    """Return the rehearsal's current time in UTC. The setting CLOCK names this function."""
    return datetime.fromisoformat(Path(os.environ[FILE]).read_text())


def turn_to(moment: datetime) -> None:
    """Set the clock. Readers see the old time or the new one, never a part of each."""
    path = Path(os.environ[FILE])
    beside = path.with_name(path.name + ".new")
    beside.write_text(moment.isoformat())
    beside.replace(path)
