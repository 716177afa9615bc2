"""What drives for people who are absent: a careful codriver that scores, however the car came to it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from championship.rallies import services as rallies
from championship.rallies.models import Entry, StageTime
from championship.runs.models import Run
from championship.runs.play import act_on_deadlines, drive_codrivers
from tests.games.dust.pages.scenes import on_the_road

pytestmark = pytest.mark.django_db


def by_missed_deadlines(run: Run, entries: list[Entry]) -> None:
    """Nobody ever comes: every turn is driven after its deadline."""
    while turn := run.turns.filter(ended_at=None).order_by("deadline").first():
        act_on_deadlines(now=turn.deadline + timedelta(minutes=1))


def by_handing_over(run: Run, entries: list[Entry]) -> None:
    """Everybody hands the car over and chooses no manner."""
    for entry in entries:
        rallies.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    while drive_codrivers(run_id=run.pk):
        pass


@pytest.mark.parametrize("drive", [by_missed_deadlines, by_handing_over])
def test_the_codriver_scores_for_an_absent_driver(drive: Callable[[Run, list[Entry]], None]) -> None:
    run, entries = on_the_road("Ana", "Bo", options={"cards": "5"})
    drive(run, entries)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    points = StageTime.objects.filter(special_stage=run.special_stage).values_list("measure", flat=True)
    assert len(points) == 2 and all(each is not None and each > 0 for each in points), list(points)
