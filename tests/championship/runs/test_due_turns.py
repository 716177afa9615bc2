"""Due turns are found with indexes: thousands of waiting turns are not read to find the few that are due."""

from datetime import timedelta

import pytest
from django.db import connection

from championship.deadlines.services.sweeping import claim
from championship.platform import clock
from championship.rallies.models import Entry
from championship.runs.models import Run, Seat, Turn
from championship.runs.play.turn_deadlines import Turns
from tests.championship.rallies.factories import make_rally
from tests.championship.runs.factories import on_the_road, open_turn
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

WAITING = 4000
DAY = timedelta(days=1)


@pytest.fixture
def road():
    """A run on the road, and thousands of other runs, each with an open turn whose deadline is a day away."""
    run, _entries = on_the_road("Ana", "Bo")
    copy_many(run, WAITING)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return run


def copy_many(run, number):
    """Add `number` runs of another rally, each with one car and one open turn."""
    turn = open_turn(run)
    rally = make_rally()
    driver = make_user()
    plain = {"special_stage": rally.stages.first(), "stage": {}, "entrants": [], "options": {}, "state": {}}
    known = {"game": run.game, "ruleset_version": run.ruleset_version, "opened_at": run.opened_at}
    runs = Run.objects.bulk_create(Run(number=n + 10, commitment="", **plain, **known) for n in range(number))
    entries = Entry.objects.bulk_create(
        Entry(rally=rally, driver=driver, crew="Crew", status="withdrawn") for _n in range(number)
    )
    seats = Seat.objects.bulk_create(
        Seat(run=each, special_stage=each.special_stage, entry=entry, name="1", position=1)
        for each, entry in zip(runs, entries, strict=True)
    )
    Turn.objects.bulk_create(
        Turn(run=seat.run, number=1, seat=seat, made_before=0, since=turn.since, deadline=clock.now() + DAY)
        for seat in seats
    )


def nodes(plan):
    """Every step of a query's plan."""
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def plan_of(turns):
    with connection.cursor() as cursor:
        sql, params = turns.query.sql_with_params()
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
        [[explained]] = cursor.fetchall()
    return list(nodes(explained[0]["Plan"]))


def of_turns(plan):
    return [node for node in plan if node.get("Relation Name") == "runs_turn"]


def rows_read(node):
    return (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]


@pytest.mark.slow
def test_turns_that_are_not_due_are_not_read(road):
    Turn.objects.filter(pk=open_turn(road).pk).update(deadline=clock.now() + DAY)
    Entry.objects.filter(seats__run=road).update(driven_by=Entry.DrivenBy.CODRIVER)
    late = Turn.objects.exclude(run=road).first()
    Turn.objects.filter(pk=late.pk).update(since=clock.now() - DAY, deadline=clock.now())

    plan = plan_of(Turns().due(clock.now()).order_by("deadline", "pk"))

    assert [node["Node Type"] for node in of_turns(plan) if node["Node Type"] == "Seq Scan"] == []
    assert sum(rows_read(node) for node in of_turns(plan)) < 50, "a few for each that is due, however many wait"
    due = Turns().due(clock.now()).order_by("deadline", "pk").values_list("pk", flat=True)
    assert set(due) == {late.pk, open_turn(road).pk}


def test_a_turn_that_is_both_late_and_handed_over_is_taken_once(road):
    turn = open_turn(road)
    Turn.objects.filter(pk=turn.pk).update(since=clock.now() - DAY, deadline=clock.now())
    Entry.objects.filter(seats__run=road).update(driven_by=Entry.DrivenBy.CODRIVER)
    assert list(claim(now=clock.now())) == [("turns", [turn.pk])]
    assert list(claim(now=clock.now())) == [], "and not by the next sweep"
