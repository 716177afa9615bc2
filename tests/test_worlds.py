"""A world that is put back is like the one that was built, under seals of the test's own luck."""

from collections import UserDict
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from championship.rallies.models import Rally
from championship.runs.models import Event, Run, Seal, Turn
from championship.runs.services import rebuild
from engine import chance
from tests import worlds
from tests.championship.runs.factories import driven, on_the_road

CREWS = ("Ulla", "Veit")


def rows() -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables."""
    return {model._meta.label: list(model._base_manager.order_by("pk").values()) for model in apps.get_models()}


def undone(world: Callable[[], Any]) -> Any:
    """What the function returns about a world, which is gone afterwards."""
    with transaction.atomic():
        found = world()
        transaction.set_rollback(True)
    return found


def told() -> tuple[Any, ...]:
    """What the caller gets, and rows, whenever it is asked with the same luck."""
    with worlds._luck("the same"):
        return *on_the_road(*CREWS, stages=("1/2",)), rows()


def _sizes(tables: dict[str, list[dict[str, Any]]]) -> dict[str, int]:
    return {label: len(found) for label, found in tables.items()}


@pytest.mark.django_db
def test_it_is_like_the_one_that_was_built(at: Any, django_assert_max_num_queries: Any) -> None:
    at("2026-11-19T12:00")
    built = undone(lambda: on_the_road(*CREWS, stages=("1/2",), options=UserDict()) and rows())
    undone(told)
    first = undone(told)
    assert undone(told) == first
    with django_assert_max_num_queries(11):
        on_the_road(*CREWS, stages=("1/2",))
    assert _sizes(first[-1]) == _sizes(built)


@pytest.mark.django_db
def test_its_seals_are_drawn_anew_and_what_follows_from_them_follows() -> None:
    seals = set()
    for _ in range(3):
        with transaction.atomic():
            run, _entries = on_the_road(*CREWS)
            seal = Seal.objects.get(special_stage=run.special_stage)
            seals.add(bytes(seal.secret))
            assert seal.commitment == chance.commitment(bytes(seal.secret))
            assert bytes(run.secret) == chance.secret_of_run(bytes(seal.secret), run.number)
            assert run.commitment == chance.commitment(bytes(run.secret))
            transaction.set_rollback(True)
    assert len(seals) == 3


@pytest.mark.django_db
def test_by_the_machines_clock_it_is_as_old_as_it_was() -> None:
    def spans() -> list[Any]:
        on_the_road(*CREWS, stages=("1/3",))
        turn, rally = Turn.objects.get(), Rally.objects.get()
        return [turn.deadline - turn.since, turn.since - rally.started_at, rally.started_at]

    undone(spans)
    *first, began = undone(spans)
    *second, later = spans()
    assert second == first and later > began


@pytest.mark.django_db
def test_what_is_there_already_is_built_beside_it() -> None:
    runs = {on_the_road(*CREWS)[0].pk for _ in range(4)}
    assert len(runs) == Run.objects.count() == 4


@pytest.mark.django_db
def test_terms_that_are_no_text_are_built_anew() -> None:
    assert worlds._told("any", [object()]) is None


@pytest.mark.django_db
def test_what_was_drawn_in_a_world_still_follows_from_its_seals() -> None:
    found = []
    for _ in range(3):
        with transaction.atomic():
            run, _entries = driven("Ulla", stages=("4/1",))
            seal = Seal.objects.get(special_stage=run.special_stage)
            assert bytes(run.secret) == chance.secret_of_run(bytes(seal.secret), run.number)
            assert rebuild(run=run) == run.state and run.status == Run.Status.FINISHED
            found.append((run.pk, list(Event.objects.order_by("number").values())))
            transaction.set_rollback(True)
    assert found[1:] == found[:1] * 2 and found[0][1]
