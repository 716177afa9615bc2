"""A game from outside the tree with several courses in its library: its courses are stages of rallies."""

from __future__ import annotations

import pytest

from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.stages.models import StageDesign
from tests.championship.rallies.factories import ready_made
from tests.contract.tables import drive, on_the_road

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]


def test_the_stages_of_a_rally_take_the_courses_in_turn() -> None:
    ready_made()
    assert StageDesign.objects.filter(club=None, game="laps").count() == 2
    first, _entries = on_the_road("laps", "Ana", "Bo", stages=3)
    rally = first.special_stage.rally
    rounds = []
    for number in (1, 2, 3):
        run = Run.objects.get(special_stage__rally=rally, special_stage__number=number)
        rounds.append(run.state["rounds"])
        drive(run)
    assert rounds == [2, 1, 2]
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
