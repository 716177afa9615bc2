"""Upgrades of installations in use: their migrations block nobody."""

from __future__ import annotations

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations
from django.db.migrations.loader import MigrationLoader

from championship.rallies.models import Entry
from championship.runs.models import Turn
from tests.championship.runs.factories import careful_turn, on_the_road, play
from tests.migrating import Executor

BEFORE_ANYBODY_DROVE = {
    ("api", "0001_initial"),
    ("clubs", "0005_visibility"),  # there are few clubs
    ("notices", "0003_channels"),
    ("notices", "0007_tests_of_webhooks"),  # there are few webhooks
    ("runs", "0001_initial"),
    ("runs", "0005_timing"),
}
INDEXES = {"runs_open_turns_by_place", "rallies_driven_by_codriver"}


def ours() -> list[migrations.Migration]:
    loaded = MigrationLoader(None).disk_migrations
    return [found for (app, _name), found in loaded.items() if found.__module__.startswith("championship.")]


def test_no_index_locks_its_table_while_it_is_built() -> None:
    locking = {
        (found.app_label, found.name)
        for found in ours()
        for operation in found.operations
        if isinstance(operation, migrations.AddIndex) and not isinstance(operation, AddIndexConcurrently)
    }

    assert locking == BEFORE_ANYBODY_DROVE


def test_a_migration_without_a_transaction_does_one_thing_only() -> None:
    """A migration without a transaction that is interrupted stays half done, and could not run again."""
    alone = [found for found in ours() if not found.atomic]

    assert {found.name for found in alone} >= {"0010_due_turns", "0010_driven_by_codriver"}
    assert [found.name for found in alone if len(found.operations) != 1] == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_indexes_are_built_over_rallies_that_are_under_way() -> None:
    now = Executor(connection).loader.graph.leaf_nodes()
    run, (ana, _bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    play(run, ana, **careful_turn(run))
    Entry.objects.filter(pk=ana.pk).update(driven_by="codriver")
    open_turns = set(Turn.objects.filter(ended_at=None).values_list("pk", flat=True))
    Executor(connection).migrate([("runs", "0009_salts_and_seals"), ("rallies", "0009_who_gave_what_drove")])
    try:
        assert open_turns
        assert built() == set()
    finally:
        Executor(connection).migrate(now)

    assert built() == INDEXES
    assert set(Turn.objects.filter(ended_at=None).values_list("pk", flat=True)) == open_turns
    assert Entry.objects.get(pk=ana.pk).driven_by == "codriver"


def built() -> set[str]:
    """Return which of the indexes exist and are valid."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid"
            " WHERE indisvalid AND relname = ANY(%s)",
            [list(INDEXES)],
        )
        return {name for (name,) in cursor.fetchall()}
