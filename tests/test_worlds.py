"""An inserted world has the same rows as the one that the service set up, but new seals."""

from collections import UserDict
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from championship.rallies.models import Rally
from championship.runs.models import Event, Run, Seal, Turn
from championship.runs.play import rebuild
from engine import chance
from tests import worlds
from tests.championship.runs.factories import driven, on_the_road

CREWS = ("Ulla", "Veit")


def rows() -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables."""
    return {model._meta.label: list(model._base_manager.order_by("pk").values()) for model in apps.get_models()}


def rolled_back(world: Callable[[], Any]) -> Any:
    """Return the result of the function, and roll back what it has written."""
    with transaction.atomic():
        found = world()
        transaction.set_rollback(True)
    return found


def keys_and_rows() -> tuple[Any, ...]:
    """Return the keys of a world and all rows, drawn with the same random numbers at each call."""
    with worlds._seeded_secrets("the same"):
        return *on_the_road(*CREWS, stages=("1/2",)), rows()


def _sizes(tables: dict[str, list[dict[str, Any]]]) -> dict[str, int]:
    return {label: len(found) for label, found in tables.items()}


@pytest.mark.django_db
def test_an_inserted_world_is_like_the_one_that_was_set_up(at: Any, django_assert_max_num_queries: Any) -> None:
    at("2026-11-19T12:00")
    built = rolled_back(lambda: on_the_road(*CREWS, stages=("1/2",), options=UserDict()) and rows())
    rolled_back(keys_and_rows)
    first = rolled_back(keys_and_rows)
    assert rolled_back(keys_and_rows) == first
    with django_assert_max_num_queries(11):
        on_the_road(*CREWS, stages=("1/2",))
    assert _sizes(first[-1]) == _sizes(built)


@pytest.mark.django_db
def test_an_inserted_world_has_new_seals_and_the_values_that_depend_on_them() -> None:
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
def test_by_the_machines_clock_an_inserted_world_is_as_old_as_when_recorded() -> None:
    def spans() -> list[Any]:
        on_the_road(*CREWS, stages=("1/3",))
        turn, rally = Turn.objects.get(), Rally.objects.get()
        return [turn.deadline - turn.since, turn.since - rally.started_at, rally.started_at]

    rolled_back(spans)
    *first, began = rolled_back(spans)
    *second, later = spans()
    assert second == first and later > began


@pytest.mark.django_db
def test_a_second_world_of_the_same_kind_is_set_up_beside_the_first() -> None:
    runs = {on_the_road(*CREWS)[0].pk for _ in range(4)}
    assert len(runs) == Run.objects.count() == 4


@pytest.mark.django_db
def test_a_world_made_of_objects_of_the_test_has_no_key() -> None:
    assert worlds._world_key("any", [object()]) is None


@pytest.mark.django_db
def test_rolls_in_a_world_put_in_as_it_was_still_follow_from_its_seals() -> None:
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
