"""The migration that adds measures, on a database in use with a stage on the road."""

import pytest
from django.db import connection

from championship.clubs.models import Role
from championship.rallies import services
from championship.rallies.models import Penalty, Rally, StageTime, TimeByHand
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run
from championship.runs.play.rebuilding import rebuild
from championship.seasons import services as seasons
from championship.seasons.models import Championship
from championship.stewards import services as stewards
from championship.stewards.models import Decision
from tests.championship.rallies.factories import drive, hand_in, organiser_of, stage_of, started
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_member
from tests.migrating import Executor

BEFORE = [
    ("rallies", "0011_kept_papers"),
    ("stewards", "0004_who_decided_drove"),
    ("seasons", "0003_drafts_and_versions"),
]


@pytest.fixture
def newest():
    """Afterwards, migrate to the newest tables and allow emptying them, as in all other tests."""
    yield
    executor = Executor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    with connection.cursor() as cursor:
        for table in ("rallies_penaltywithdrawal", "stewards_decision"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {table}_no_truncate")


def scene() -> tuple[Rally, Run]:
    """A rally at its second stage, with a retirement, a card, penalties and decisions; another on the road."""
    rally, (ana, bo, cem) = started("Ana", "Bo", "Cem", stages=("1/1", "1/3"), options={"checkpoints": True})
    drive(rally, 1, {ana: 200, bo: None, cem: 210}, why="wrecked")
    hand_in(rally, 1, ana, penalties=2)
    hand_in(rally, 1, bo, cem)
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    services.give_penalty(by=organiser_of(rally), entry=ana, amount=7, reason="Late")
    stewards.decide(
        by=sten,
        rally=rally,
        kind="stage time",
        text="Held up.",
        entry=cem,
        amount=205,
        special_stage=stage_of(rally, 1),
    )
    seasons.create_championship(
        by=organiser_of(rally), club=rally.club, name="Cup", rally_settings={"timekeeping": {"miss_penalty": 40}}
    )
    run, _entries = on_the_road("Dag", "Eve", stages=("4/1",), timekeeping={"miss_penalty": 30})
    return rally, run


def seen(rally: Rally) -> list[tuple[object, ...]]:
    return [
        (line.place, line.entry.crew, line.total, [str(each) for each in line.remarks.retired])
        for line in results_of(rally).overall
    ]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("newest")
def test_results_are_the_same_and_a_stage_on_the_road_continues():
    rally, run = scene()
    rally.refresh_from_db()
    before = seen(rally)
    assert [line[1] for line in before] == ["Cem", "Ana", "Bo"]
    executor = Executor(connection)
    executor.migrate(BEFORE)
    old = executor.loader.project_state(BEFORE).apps
    bo = old.get_model("rallies", "StageTime").objects.get(retired=True)
    assert (bo.car["retired"], bo.cards_seconds, bo.seconds) == ("wrecked", 200, 270)
    assert set(old.get_model("rallies", "Rally").objects.values_list("miss_seconds", flat=True)) == {0, 30}
    kept = old.get_model("seasons", "Championship").objects.get().rally_settings
    assert kept == {"timekeeping": {"miss_seconds": 40}}

    executor = Executor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())

    assert seen(Rally.objects.select_related("club").get(pk=rally.pk)) == before
    time = StageTime.objects.get(retired=True)
    assert (time.reason, time.detail, time.rank) == ("wrecked", {"cards_seconds": 200}, [])
    assert set(time.car) == {"damage", "spare", "sisu"}
    assert (Penalty.objects.get().amount, TimeByHand.objects.get().measure, Decision.objects.get().amount) == (
        7,
        205,
        205,
    )
    assert Championship.objects.get().rally_settings == {"timekeeping": {"miss_penalty": 40}}
    run = Run.objects.select_related("special_stage__rally").get(pk=run.pk)
    assert (run.special_stage.rally.miss_penalty, run.special_stage.rally.unit) == (30, "seconds")
    play(run, open_turn(run).seat.entry, **careful_turn(run))
    run.refresh_from_db()
    assert rebuild(run=run) == run.state
