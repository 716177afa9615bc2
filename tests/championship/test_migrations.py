"""Migrations of a new installation, and upgrades of installations in use: these block nobody."""

from __future__ import annotations

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tests.migrating import Executor

FIRST = "0001_version_0_1_0"


def ours() -> list[migrations.Migration]:
    loaded = MigrationLoader(None).disk_migrations
    return [found for (app, _name), found in loaded.items() if found.__module__.startswith("championship.")]


def test_no_index_locks_its_table_while_it_is_built() -> None:
    """The first migration of an app creates tables that nobody uses yet."""
    locking = {
        (found.app_label, found.name)
        for found in ours()
        if not found.initial
        for operation in found.operations
        if isinstance(operation, migrations.AddIndex) and not isinstance(operation, AddIndexConcurrently)
    }

    assert locking == set()


def test_a_migration_without_a_transaction_does_one_thing_only() -> None:
    """A migration without a transaction that is interrupted stays half done, and could not run again."""
    assert [(found.app_label, found.name) for found in ours() if not found.atomic and len(found.operations) != 1] == []


def test_each_app_begins_with_version_0_1_0() -> None:
    first = [found for found in ours() if found.name.startswith("0001_")]
    assert {found.name for found in first} == {FIRST}
    assert len(first) == len({found.app_label for found in ours()})
    replaced = {replaced for found in first for replaced in found.replaces}
    assert len(replaced) == sum(len(found.replaces) for found in first)
    assert {app for app, _name in replaced} == {found.app_label for found in first}


@pytest.mark.django_db
def test_a_database_that_was_made_before_version_0_1_0_needs_no_first_migration() -> None:
    for found in ours():
        MigrationRecorder(connection).migration_qs.filter(app=found.app_label, name=found.name).delete()
    executor = Executor(connection)
    executor.loader.check_consistent_history(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    assert {(migration.app_label, migration.name) for migration, _back in plan} == {
        ("rallies", "0002_check_of_penalties"),
        ("runs", "0002_tables_of_seats"),
    }
