"""A run at the pace of an evening, for tests."""

from __future__ import annotations

from typing import Any

from django.test import TestCase

from championship.rallies.clock.evening_pace import EveningPace
from championship.rallies.models import Entry, Rally
from championship.rallies.services import move_to_seconds, set_evening_pace
from championship.runs.models import Run
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road


def in_an_evening(*names: str, pace: EveningPace | None = None, **how: Any) -> tuple[Run, list[Entry]]:
    """A rally under way with these crews that is driven in seconds: its first run, and its entries in order."""
    run, entries = on_the_road(*names, **how)
    to_seconds(run.special_stage.rally, pace or EveningPace(turn=120))
    return Run.objects.get(pk=run.pk), entries


def to_seconds(rally: Rally, pace: EveningPace) -> Rally:
    """Move a rally to this pace."""
    set_evening_pace(by=organiser_of(rally), rally=rally, pace=pace)
    return committed(move_to_seconds, rally_id=rally.pk, by=organiser_of(rally))


def committed(service: Any, **arguments: Any) -> Any:
    """Call a service, and what it leaves for after the commit."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        return service(**arguments)
