"""The story of a stage: what it tells, to whom, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from championship.platform.memory import Memory
from championship.platform.refusals import NotYet
from championship.rallies.models import Entry, SpecialStage
from championship.runs.models import Run, Seat
from championship.runs.watch import story
from tests.championship.rallies.factories import started
from tests.championship.runs.factories import driven_to_the_end, on_the_road, starters

pytestmark = pytest.mark.django_db
ANYBODY = AnonymousUser()


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test computes its own stories."""
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that begins, and a shared cache without stories."""
    cache.clear()
    monkeypatch.setattr(story, "MARKS", Memory(1000))


def stage_of(run: Run) -> SpecialStage:
    return SpecialStage.objects.select_related("rally__club").get(pk=run.special_stage_id)


def convoy() -> Run:
    """A stage that three cars have driven together."""
    run, entries = on_the_road("Ada", "Bo", "Tuula", stages=("4/1",), mode="convoy")
    driven_to_the_end(run, *entries)
    run.refresh_from_db()
    return run


def test_a_driven_stage_has_a_story_with_links_to_the_replay_and_each_sentence_once() -> None:
    run = convoy()
    told = story.of_stage(stage_of(run), ANYBODY)
    texts = [one.text for one in told]
    assert len(set(texts)) == len(texts) >= 3
    assert told[-1].turning
    assert all(one.replay == f"/runs/{run.key}/replay/?at={one.moment}" for one in told)
    assert [one.at for one in told] == sorted(one.at for one in told)
    assert story.of_run(run, ANYBODY) == told
    assert story.latest([stage_of(run)], ANYBODY, most=2) == [one for one in told if one.weight > 1][::-1][:2]


def test_the_open_road_has_one_story_of_all_its_runs_in_whatever_order_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rally, _entries = started("Ada", "Bo", "Tuula", stages=("4/1",), mode="open road")
    for run in Run.objects.filter(special_stage__rally=rally).order_by("-number"):
        driven_to_the_end(run, *starters(run))
    stage = SpecialStage.objects.select_related("rally").get(rally=rally)
    told = story.of_stage(stage, ANYBODY)
    assert {one.entry for one in told} >= set(Entry.objects.filter(rally=rally))
    forget(monkeypatch)
    assert [one.text for one in story.of_stage(stage, ANYBODY)] == [one.text for one in told]


def test_a_driver_reads_what_others_did_since_the_last_own_turn_and_the_gap() -> None:
    run, entries = on_the_road("Ada", "Bo", "Tuula", stages=("4/1",), mode="convoy")
    driven_to_the_end(run, *entries)
    seats = list(Seat.objects.filter(run=run).select_related("run__special_stage__rally", "entry__driver"))
    found = story.since(seats, seats[0].entry.driver)
    for seat in seats:
        assert all(one.entry is not None and one.entry.pk != seat.entry_id for one in found[seat.pk].told)
    assert any(one.gap.startswith("You ") for one in found.values())


def test_stories_of_many_seats_cost_as_many_queries_as_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [on_the_road("Ada", "Bo", stages=("4/1",), mode="convoy", name=f"Rally {n}")[0] for n in range(3)]
    for run in runs:
        driven_to_the_end(run, *starters(run))
    seats = list(Seat.objects.select_related("run__special_stage__rally", "entry__driver"))
    costs = []
    for some in (seats[:1], seats):
        forget(monkeypatch)
        with CaptureQueriesContext(connection) as asked:
            story.since(some, some[0].entry.driver)
        costs.append(len(asked))
    assert costs == [2, 2]
    with CaptureQueriesContext(connection) as asked:
        story.latest([seat.run.special_stage for seat in seats], ANYBODY)
    assert len(asked) == 1


def test_a_process_that_begins_takes_stories_from_the_shared_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = stage_of(convoy())
    told = story.of_stage(stage, ANYBODY)
    monkeypatch.setattr(story, "MARKS", Memory(1000))
    with CaptureQueriesContext(connection) as asked:
        assert story.of_stage(stage, ANYBODY) == told
    assert not [query for query in asked if "runs_event" in query["sql"]]


def test_a_restored_run_with_the_key_of_one_that_is_deleted_has_a_story_of_its_own() -> None:
    deleted, restored = convoy(), convoy()
    assert story.of_stage(stage_of(deleted), ANYBODY)
    Run.objects.filter(pk=deleted.pk).update(key="another-key0")
    Run.objects.filter(pk=restored.pk).update(key=deleted.key, version=deleted.version)
    told = story.of_stage(stage_of(restored), ANYBODY)
    assert told and {one.run.pk for one in told} == {restored.pk}


def test_who_may_not_watch_reads_no_story() -> None:
    rally, _entries = started("Ada", "Bo", stages=("4/1",), mode="open road", options={"dice": "duplicate"})
    first, second = Run.objects.filter(special_stage__rally=rally).order_by("number")
    driven_to_the_end(first, *starters(first))
    stage = SpecialStage.objects.select_related("rally").get(rally=rally)
    (driver,) = starters(second)
    with pytest.raises(NotYet):
        story.of_stage(stage, driver.driver)
    assert story.latest([stage], driver.driver) == []
    (seat,) = Seat.objects.filter(run=second).select_related("run__special_stage__rally", "entry__driver")
    assert story.since([seat], driver.driver)[seat.pk] == story.Since()
    assert story.of_run(second, driver.driver) == []


def words(found: list[Any]) -> list[str]:
    return [one.text for one in found]
