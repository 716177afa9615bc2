"""Migrations of a new installation, and upgrades of installations in use: these block nobody."""

from __future__ import annotations

from importlib import import_module
from io import StringIO

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.core.management import call_command
from django.db import connection, migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tests.migrating import Executor

LATER = {"lists", "evenings", "puzzles", "tabletop"}
"""Apps that were not there before version 0.1.0: their first migration replaces none."""
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


@pytest.mark.django_db
def test_the_models_are_what_the_migrations_make() -> None:
    call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())


def test_each_app_begins_with_version_0_1_0() -> None:
    every = [found for found in ours() if found.name.startswith("0001_")]
    first = [found for found in every if found.app_label not in LATER]
    assert {found.name for found in first} == {FIRST}
    assert len(every) == len({found.app_label for found in ours()})
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
    planned = {(migration.app_label, migration.name) for migration, _back in plan}
    assert planned >= {("rallies", "0002_check_of_penalties"), ("runs", "0002_tables_of_seats")}
    assert {app for app, name in planned if name.startswith("0001_")} == LATER


@pytest.mark.django_db
def test_the_table_of_papers_of_before_keeps_nobody_from_deleting_a_rally() -> None:
    """A database of the release before has it in the app of rallies. It stays until the next release, without a key."""
    key = "SELECT count(*) FROM pg_constraint WHERE conrelid = to_regclass('rallies_keptpaper') AND contype = 'f'"
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE rallies_keptpaper (rally_id bigint REFERENCES rallies_rally (id))")
        cursor.execute(key)
        assert cursor.fetchone() == (1,)
        for _again in range(2):
            cursor.execute(import_module("championship.rallies.migrations.0002_check_of_penalties").FREE_OF_RALLIES)
        cursor.execute(key)
        assert cursor.fetchone() == (0,)
