"""The post that ends a run: it costs as many queries for many cars as for few. A run may be advanced twice, and its
changes flushed twice.
"""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from championship.notices.models import Notice
from championship.platform import clock
from championship.rallies.models import StageTime
from championship.runs.models import Event, Post, Run, Turn
from championship.runs.play.advancing import advance, advance_in_memory
from championship.runs.play.advancing_run import Changes, load_runs, locked_run
from championship.runs.play.writing import flush
from tests.championship.runs.factories import all_but_the_first_are_home, careful_turn, on_the_road, play, starters

pytestmark = pytest.mark.django_db

CREWS = ("Ana", "Bo", "Cem", "Dag", "Eve", "Fay")


def cost_of_the_end(cars, **how):
    """Return the number of queries of the post that ends a run of so many cars."""
    run, _entries = on_the_road(*CREWS[:cars], **how)
    move = all_but_the_first_are_home(run)
    with CaptureQueriesContext(connection) as queries:
        play(run, starters(run)[0], do="standing", plan=move)
    assert Run.objects.get(pk=run.pk).status == Run.Status.FINISHED
    assert StageTime.objects.filter(special_stage=run.special_stage_id).count() == cars
    return len(queries)


@pytest.mark.parametrize(
    "how",
    [{}, {"stages": ("1/1",)}, {"timekeeping": {"pace": "bank"}}],
    ids=["before a time control", "at the end of the rally", "with banks"],
)
def test_the_last_post_costs_as_many_queries_for_six_cars_as_for_two(how):
    found = {cars: cost_of_the_end(cars, **how) for cars in (2, 4, 6)}
    assert len(set(found.values())) == 1, found


def rows():
    """Return how many rows there are of everything that a post adds."""
    return [model.objects.count() for model in (Post, Event, Turn, Notice)]


def test_changes_that_are_flushed_twice_are_written_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = rows()
    with transaction.atomic():
        [advancing] = load_runs([locked_run(run.pk)])
        advancing.play(str(ana.start_number), careful_turn(run), by=ana.driver, now=clock.now())
        advance_in_memory([advancing], now=clock.now())
        assert rows() == before and advancing.changes != Changes()
        flush([advancing], now=clock.now())
        after = rows()
        assert advancing.changes == Changes()
        flush([advancing], now=clock.now())
    assert rows() == after
    assert Post.objects.count() == before[0] + 1


def test_a_run_that_is_advanced_twice_is_written_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    with transaction.atomic():
        [advancing] = load_runs([locked_run(run.pk)])
        advancing.play(str(ana.start_number), careful_turn(run), by=ana.driver, now=clock.now())
        advance([advancing], now=clock.now())
        after = rows()
        advance([advancing], now=clock.now())
    assert rows() == after
    stored = Run.objects.get(pk=run.pk)
    assert (stored.version, stored.state) == (advancing.run.version, advancing.run.state)
    assert Turn.objects.filter(run=run, ended_at=None).count() == 1


def test_a_run_that_is_over_is_finished_once():
    run, _entries = on_the_road("Ana", "Bo")
    move = all_but_the_first_are_home(run)
    with transaction.atomic():
        [advancing] = load_runs([locked_run(run.pk)])
        first = starters(run)[0]
        advancing.play(str(first.start_number), {"do": "standing", "plan": move}, by=first.driver, now=clock.now())
        advance([advancing], now=clock.now())
        advance([advancing], now=clock.now())
    assert StageTime.objects.filter(special_stage=run.special_stage_id).count() == 2
