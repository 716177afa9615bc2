"""A database that was made before version 0.1.0, with runs under way, gets the names of today. The release before still
reads and writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from threading import Timer
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from championship.runs.models import Event, Post, Run, SentAhead, Turn
from championship.runs.play import rebuild
from championship.runs.watch.proof import record_of
from engine import record
from tests.championship.runs.factories import ahead, careful_turn, on_the_road, open_turn, play
from tests.championship.runs.proofs import brought_home, of_format_1
from tests.migrating import Executor

pytestmark = pytest.mark.django_db(transaction=True)

RENAMED = import_module("championship.runs.migrations.0002_tables_of_seats")
NAMES = """
    SELECT relname || '.' || attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relname LIKE 'runs\\_%' AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT relname || ' ' || relkind::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT conrelid::regclass::text || ' ' || conname FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
"""
VIEWS = "SELECT viewname FROM pg_views WHERE schemaname = current_user ORDER BY viewname"
CHECK = ("rallies_rally_miss_penalty_check", "rallies_rally_miss_seconds_check")
"""The name of a check of rallies now, and before."""
ADDED = """
    INSERT INTO runs_turn (
        run_id, place_id, number, made_before, since, deadline, missed, stands_in, reasons, terms, done, given, ended_at
    ) VALUES (%s, %s, %s, 0, now(), now(), false, false, '[]', '{}', '', 1, now()) RETURNING id
"""


def rows(query: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return sorted(row[0] for row in cursor.fetchall())


def run_sql(*statements: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def to_names_of_before() -> None:
    """Give the tables the names that they had before version 0.1.0, as in a database that is not upgraded yet."""
    Executor(connection).migrate([("runs", "0001_version_0_1_0"), ("rallies", "0001_version_0_1_0")])
    run_sql(
        *(f"ALTER TABLE {table} RENAME CONSTRAINT {new} TO {old}" for table, old, new in RENAMED.CONSTRAINTS),
        *(f"ALTER INDEX {new} RENAME TO {old}" for old, new in RENAMED.INDEXES),
        *(f"ALTER TABLE {table} RENAME seat_id TO place_id" for table in RENAMED.TURNS),
        "ALTER SEQUENCE runs_seat_id_seq RENAME TO runs_place_id_seq",
        "ALTER TABLE runs_seat RENAME TO runs_place",
        "ALTER TABLE rallies_rally RENAME CONSTRAINT {} TO {}".format(*CHECK),
    )


def upgrade() -> None:
    executor = Executor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.fixture
def before() -> Iterator[Any]:
    """Returns `to_names_of_before`. Afterwards the tables have the names of today, and there are no views."""
    yield to_names_of_before
    upgrade()
    run_sql("DO $$ BEGIN EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', current_user); END $$")
    connection.close()


def of_the_release_before() -> psycopg.Connection[Any]:
    """Return a session as the release before has it, with PostgreSQL's own order of schemas."""
    known = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port")
    return psycopg.connect(**{name: known[name] for name in names if known.get(name)}, autocommit=True)


def test_a_database_of_before_has_all_names_of_a_new_one(before: Any) -> None:
    new = rows(NAMES)
    before()
    old = rows(NAMES)
    assert {"runs_place.entry_id", "runs_turn.place_id", "runs_open_turns_by_place i"} <= set(old) - set(new)
    assert not [name for name in set(old) - set(new) if "place" not in name and "miss_seconds" not in name]

    upgrade()

    assert rows(NAMES) == new
    assert not [name for name in new if "_place_id" in name or "runs_place" in name or "per_place" in name]
    assert rows(VIEWS) == ["runs_place", "runs_sentahead", "runs_turn"]


def test_nothing_happens_in_a_new_database_or_again(before: Any) -> None:
    new = rows(NAMES)
    run_sql(RENAMED.NAMES_OF_TODAY)
    assert (rows(NAMES), rows(VIEWS)) == (new, [])
    before()
    run_sql(RENAMED.NAMES_OF_TODAY)
    run_sql(RENAMED.NAMES_OF_TODAY)
    assert rows(VIEWS) == ["runs_place", "runs_sentahead", "runs_turn"]


def test_a_run_under_way_continues_and_ends_with_a_proof(before: Any) -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    of_format_1(run)
    ahead(run, bo)
    counts = [model.objects.count() for model in (Run, Turn, Post, Event, SentAhead)]
    before()
    upgrade()

    assert [model.objects.count() for model in (Run, Turn, Post, Event, SentAhead)] == counts
    play(run, ana, **careful_turn(run))
    assert SentAhead.objects.get().seat.entry == bo
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
        Event.objects.update(kind="x")
    run = brought_home(Run.objects.get(pk=run.pk))
    document = record_of(run)
    assert (document["record"], record.verify(document), rebuild(run=run) == run.state) == (1, None, True)


def test_the_release_before_reads_and_writes_under_its_names(before: Any) -> None:
    """Its sessions stay open while the tables are renamed, and it has prepared its statements."""
    run, (ana, bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    ahead(run, bo)
    seats = {seat.entry_id: seat.pk for seat in run.seats.all()}
    first = open_turn(run).pk
    before()
    read = (
        "SELECT runs_turn.place_id FROM runs_turn JOIN runs_place ON runs_place.id = runs_turn.place_id"
        " WHERE runs_turn.id = %s FOR UPDATE"
    )
    with of_the_release_before() as session:

        def turn(number: int) -> Any:
            return session.execute(ADDED, [run.pk, seats[bo.pk], number], prepare=True).fetchone()

        assert session.execute(read, [first], prepare=True).fetchall() == [(seats[ana.pk],)]
        assert turn(101)
        upgrade()
        assert session.execute(read, [first], prepare=True).fetchall() == [(seats[ana.pk],)]
        (made,) = turn(102)
        session.execute("UPDATE runs_sentahead SET place_id = %s", [seats[ana.pk]])
        session.execute("UPDATE runs_place SET held = '{}' WHERE id = %s", [seats[ana.pk]])

    assert Turn.objects.get(pk=made).seat_id == seats[bo.pk]
    assert SentAhead.objects.get().seat.entry == ana
    assert run.seats.get(entry=ana).held == {}


def test_sessions_of_this_release_use_the_tables_and_not_the_views(before: Any) -> None:
    found = "SELECT relkind FROM pg_class WHERE oid = 'runs_turn'::regclass"
    before()
    upgrade()
    assert rows(found) == ["r"], "the session that has migrated"
    connection.close()
    assert rows(found) == ["r"], "a new one"
    with of_the_release_before() as session:
        assert session.execute(found).fetchall() == [("v",)]


def test_a_request_that_holds_a_table_is_waited_for_without_a_deadlock(before: Any) -> None:
    """The request locks another table after the migration has begun to wait."""
    on_the_road("Ana", "Bo", stages=("4/1",))
    before()
    with of_the_release_before() as session:
        session.autocommit = False
        session.execute("SELECT 1 FROM runs_turn FOR UPDATE")

        def goes_on() -> None:
            session.execute("SELECT 1 FROM runs_place FOR UPDATE")
            session.commit()

        request = Timer(0.2, goes_on)
        request.start()
        upgrade()
        request.join()
        assert session.info.transaction_status == psycopg.pq.TransactionStatus.IDLE, "it was not cancelled"
    assert "runs_seat r" in rows(NAMES)
