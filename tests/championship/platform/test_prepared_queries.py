"""Prepared queries return the same as the queryset, run each time, and are compiled once."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import Exists, OuterRef, QuerySet, Value

from championship.platform.prepared_queries import any_of, prepared
from championship.runs.models import Run, Seat, Turn
from tests.championship.runs.factories import on_the_road

pytestmark = pytest.mark.django_db
BUILT = list[str]()


@prepared
def _seats(run: Any, after: Any) -> QuerySet[Seat]:
    BUILT.append("seats")
    waits = Exists(Turn.objects.filter(seat=OuterRef("pk"), ended_at=None))
    seats = Seat.objects.filter(run=run, position__gt=after).annotate(waits=waits, of=Value("the run"))
    return seats.select_related("entry__driver", "run").order_by("position")


@prepared
def _runs(keys: Any) -> QuerySet[Run, tuple[Any, ...]]:
    return Run.objects.filter(pk__in=any_of(keys)).order_by("pk").values_list("pk", "state")


def test_a_prepared_query_gives_what_its_queryset_gives_and_asks_each_time(django_assert_num_queries):
    BUILT.clear()
    run, _in_it = on_the_road("Ana", "Bo")
    values = {"run": run.pk, "after": 0}

    with django_assert_num_queries(1):
        found = _seats(**values)
        told = [(seat, seat.waits, seat.of, seat.entry.driver, seat.run.state) for seat in found]
    expected = _seats.queryset(**values)
    assert told == [(seat, seat.waits, seat.of, seat.entry.driver, seat.run.state) for seat in expected]
    assert told

    Seat.objects.filter(pk=found[0].pk).update(position=90)
    assert _seats(**values)[-1] == found[0]
    assert _seats.first(run=run.pk, after=90) is None
    assert BUILT.count("seats") == 2  # once for SQL, once for the queryset


def test_rows_as_tuples_by_a_list_of_keys():
    run, _in_it = on_the_road("Ana", "Bo")
    assert _runs(keys=[run.pk, 0]) == list(_runs.queryset(keys=[run.pk, 0]))
    assert _runs(keys=[]) == []


def test_rows_become_models_as_from_db_makes_them_and_share_what_they_point_to():
    run, _in_it = on_the_road("Ana", "Bo")
    found, expected = _seats(run=run.pk, after=0), list(_seats.queryset(run=run.pk, after=0))
    assert len(found) == 2
    for seat, plain in zip(found, expected, strict=True):
        assert {**vars(seat), "_state": 0} == {**vars(plain), "_state": 0}
        assert vars(seat.entry).keys() == vars(plain.entry).keys()
        assert (seat._state.adding, seat._state.db) == (plain._state.adding, plain._state.db) == (False, "default")
        seat.position += 10
        seat.save()
    assert found[0].run is found[1].run
    assert [seat.position for seat in _seats(run=run.pk, after=0)] == [seat.position for seat in found]


@prepared
def _called(key: Any) -> QuerySet[Run]:
    return Run.objects.filter(pk=key).only("key", "special_stage").order_by()


def test_what_is_not_selected_is_asked_for_later(django_assert_num_queries):
    run, _in_it = on_the_road("Ana")
    found = _called.first(key=run.pk)
    assert found is not None and found.get_deferred_fields() >= {"state", "stage"}
    with django_assert_num_queries(1):
        assert found.state == run.state
