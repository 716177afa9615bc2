"""A database in use, with an open time control and a stage on the road, is migrated: it gets one sweep, and a row for
each card.
"""

from datetime import timedelta

import pytest
from django.db import connection

from championship.clubs.services.holidays import take_holiday
from championship.deadlines import tasks
from championship.deadlines.models import Sweep
from championship.deadlines.services.sweeping import remind
from championship.notices.models import Notice
from championship.platform import clock
from championship.rallies import services
from championship.rallies.models import AwaitedCard, SpecialStage
from tests.championship.rallies.factories import drive, hand_in, stage_of, started
from tests.championship.rallies.followers import nobody_follows
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.migrating import Executor

BEFORE = [("rallies", "0016_ten_colours"), ("runs", "0012_drafts_of_any_game")]
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def newest():
    """Migrate to the newest state again, which all other tests need."""
    yield
    executor = Executor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def reminded():
    found = Notice.objects.filter(kind="time control closes soon", channel="mail").order_by("created_at")
    return list(found.values_list("recipient__name", flat=True))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("newest")
def test_a_time_control_and_a_stage_survive_the_migration_and_its_reversal(at, monkeypatch):
    run, (dag, _eve) = on_the_road("Dag", "Eve", stages=("4/1",))
    with monkeypatch.context() as patch:
        nobody_follows(patch)
        rally, (ana, bo, cem) = started("Ana", "Bo", "Cem", turn_hours=48)
    drive(rally, 1, {ana: 200, bo: 201, cem: 202})
    hand_in(rally, 1, ana)
    tasks.sweep()
    deadline, waits = stage_of(rally, 1).control_deadline, open_turn(run).deadline
    AwaitedCard.objects.filter(entry=bo).update(reminded_of=deadline, remind_at=None)
    swept = Sweep.objects.get().at

    executor = Executor(connection)
    executor.migrate(BEFORE)
    old = executor.loader.project_state(BEFORE).apps
    assert old.get_model("runs", "Sweep").objects.get().at == swept
    assert old.get_model("rallies", "ControlSweep").objects.get().at == swept
    assert [place.reminded_of for place in old.get_model("rallies", "StartPlace").objects.filter(entry_id=bo.pk)] == [
        deadline
    ]
    executor = Executor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())

    assert Sweep.objects.get().at == swept
    rows = AwaitedCard.objects.order_by("entry__crew")
    assert [(row.entry.crew, row.deadline) for row in rows] == [("Bo", deadline), ("Cem", deadline)]
    assert [remind(now=swept + minute * MINUTE) for minute in (1, 2)] == [0, 0], "they take their terms first"
    assert all(row.terms for row in rows.all())
    assert (stage_of(rally, 1).control_deadline, open_turn(run).deadline) == (deadline, waits)
    play(run, dag, **careful_turn(run))
    assert remind(now=deadline - 4 * HOUR) >= 1
    assert reminded() == ["Cem"], "Bo was reminded before"
    today = clock.now().date()
    take_holiday(by=cem.driver, club=rally.club, first_day=today, last_day=today)
    later = stage_of(rally, 1).control_deadline
    assert later == deadline + 12 * HOUR, "it follows a holiday that begins at noon"
    assert services.close_overdue_time_controls(now=later - MINUTE) == 0
    assert services.close_overdue_time_controls(now=later) == 1
    assert stage_of(rally, 1).status == SpecialStage.Status.DONE
