"""Prepared queries: they give what the queryset gives, ask the database each time, and are written down once."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import Exists, OuterRef, QuerySet, Value

from championship.prepared_queries import any_of, prepared
from championship.runs.models import Place, Run, Turn
from tests.championship.runs.factories import on_the_road

pytestmark = pytest.mark.django_db
BUILT = list[str]()


@prepared
def _places(run: Any, after: Any) -> QuerySet[Place]:
    BUILT.append("places")
    waits = Exists(Turn.objects.filter(place=OuterRef("pk"), ended_at=None))
    places = Place.objects.filter(run=run, position__gt=after).annotate(waits=waits, of=Value("the run"))
    return places.select_related("entry__driver", "run").order_by("position")


@prepared
def _runs(keys: Any) -> QuerySet[Run, tuple[Any, ...]]:
    return Run.objects.filter(pk__in=any_of(keys)).order_by("pk").values_list("pk", "state")


def test_a_prepared_query_gives_what_its_queryset_gives_and_asks_each_time(django_assert_num_queries):
    BUILT.clear()
    run, _in_it = on_the_road("Ana", "Bo")
    values = {"run": run.pk, "after": 0}

    with django_assert_num_queries(1):
        found = _places(**values)
        told = [(place, place.waits, place.of, place.entry.driver, place.run.state) for place in found]
    expected = _places.queryset(**values)
    assert told == [(place, place.waits, place.of, place.entry.driver, place.run.state) for place in expected]
    assert told

    Place.objects.filter(pk=found[0].pk).update(position=90)
    assert _places(**values)[-1] == found[0]
    assert _places.first(run=run.pk, after=90) is None
    assert BUILT.count("places") == 2  # once for SQL, once for the queryset


def test_rows_as_tuples_by_a_list_of_keys():
    run, _in_it = on_the_road("Ana", "Bo")
    assert _runs(keys=[run.pk, 0]) == list(_runs.queryset(keys=[run.pk, 0]))
    assert _runs(keys=[]) == []
