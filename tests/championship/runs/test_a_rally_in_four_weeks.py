"""A rally of a league with rounds together, three stages and twelve drivers who answer within a day: four weeks."""

from datetime import timedelta
from random import Random

import pytest

from championship.platform import clock
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run, SentAhead, Turn
from championship.runs.play import drive_codrivers
from championship.seasons.calendar_fit import fit_of
from championship.seasons.rally_defaults import LEAGUE_TABLE
from tests.championship.rallies.factories import started
from tests.chaos.people import drive, hand_in, plan_ahead

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)


def weeks_of(rally, at, draw):
    """Let people drive until the rally is over. Returns how long it took.

    Each driver acts 1 to 23 hours after a turn or a time control opens.
    """
    asked = {}

    def due(key, since):
        return asked.setdefault(key, since + draw.uniform(1, 23) * HOUR)

    while True:
        rally.refresh_from_db()
        if rally.status == Rally.Status.FINISHED:
            return rally.finished_at - rally.started_at
        waiting = []
        turns = Turn.objects.filter(run__special_stage__rally=rally, run__status=Run.Status.RUNNING, ended_at=None)
        sent = set(SentAhead.objects.filter(state=SentAhead.State.WAITING).values_list("seat_id", flat=True))
        for turn in turns:
            if not (turn.to_come and turn.seat_id in sent):
                waiting.append((due(("turn", turn.pk), turn.since), "turn", turn))
        for stage in rally.stages.filter(status=SpecialStage.Status.TIME_CONTROL):
            for card in stage.awaited_cards.filter(ended_at=None).select_related("entry__driver"):
                waiting.append((due(("card", card.pk), card.since), "card", card))
        when, kind, row = min(waiting, key=lambda each: each[0])
        at(max(when, clock.now()))
        if kind == "card":
            hand_in(row.special_stage, row.entry.driver)
        elif row.to_come and plan_ahead(row.seat_id):
            pass
        elif row.to_come or not drive(row.pk):
            asked["turn", row.pk] = clock.now() + draw.uniform(1, 8) * HOUR  # tries again later
        for run in Run.objects.filter(special_stage__rally=rally, status=Run.Status.RUNNING):
            while drive_codrivers(run_id=run.pk):
                pass


def test_twelve_drivers_who_answer_within_a_day_are_home_in_four_weeks(at):
    crews = [f"Crew {n}" for n in range(1, 13)]
    rally, _entries = started(
        *crews, stages=("1/1", "1/2", "1/3"), timekeeping={"rounds_together": True, "table_size": LEAGUE_TABLE}
    )
    estimated = fit_of(rally, clock.now().date()).takes
    took = weeks_of(rally, at, Random("four weeks"))
    per_stage = [stage.closed_at - stage.opened_at for stage in rally.stages.all()]
    missed = Turn.objects.filter(missed=True).count()
    assert missed <= 3
    assert took < timedelta(weeks=4), (took, per_stage)
    assert 0.7 < took / timedelta(seconds=estimated.likely) < 1.3, (took, estimated)
