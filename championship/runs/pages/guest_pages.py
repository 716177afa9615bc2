"""The pages of runs on which a guest is the user: practice, and all pages of a run that the guest drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.accounts import guests
from championship.runs.models import Seat

PRACTICE = ("runs:practice", "runs:skip_lesson", "runs:leave_practice")
OWN_RUN = (
    *("runs:run", "runs:changes", "runs:turn", "runs:draft", "runs:ahead", "runs:at", "runs:place"),
    *("runs:log", "runs:gaps", "runs:replay", "runs:proof", "runs:record"),
)


def admit() -> None:
    """Let guests be the user of these pages."""
    guests.admit(PRACTICE)
    guests.admit(OWN_RUN, _drives)


def _drives(guest_id: int, arguments: Mapping[str, Any]) -> bool:
    """Whether the guest drives in the run that the address names. One query."""
    return Seat.objects.filter(run__key=arguments["key"], entry__driver=guest_id).exists()
