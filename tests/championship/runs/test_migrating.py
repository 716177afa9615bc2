"""Migrations with runs under way: such runs end in the format in which they opened, before salts and seals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from championship.runs.models import Draft, Post, Run, SentAhead
from championship.runs.play import keep_draft, rebuild
from championship.runs.watch.proof import record_of
from engine import record
from tests.championship.runs.factories import SHORT, ahead, careful_turn, on_the_road, play
from tests.championship.runs.proofs import brought_home, of_format_1
from tests.migrating import Executor

pytestmark = pytest.mark.django_db(transaction=True)


def migrate(*targets: tuple[str, str]) -> None:
    executor = Executor(connection)
    executor.loader.build_graph()
    executor.migrate(list(targets))


@pytest.fixture
def without_salts() -> Iterator[None]:
    """A run under way in the tables as they were before salts and seals. The tables are migrated back at the end."""
    graph = Executor(connection).loader.graph
    now = graph.leaf_nodes()
    (here,) = [node for node in graph.nodes if node[0] == "runs" and node[1].endswith("salts_and_seals")]
    (before,) = [parent.key for parent in graph.node_map[here].parents if parent.key[0] == "runs"]
    yield from _migrate_back_and_forward(before, now)


def _migrate_back_and_forward(before: tuple[str, str], now: list[tuple[str, str]]) -> Iterator[None]:
    run, (ana, _bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    of_format_1(run)
    play(run, ana, **careful_turn(run))
    migrate(before)
    try:
        yield
    finally:
        migrate(*now)


@pytest.fixture
def with_plans_as_texts() -> Iterator[Run]:
    """A run with a draft and a plan sent ahead, in the tables as they were when both were texts."""
    run, (ana, bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    graph = Executor(connection).loader.graph
    now = graph.leaf_nodes()
    keep_draft(by=ana.driver, run=run, plan="1:1.2.l", version=0)
    ahead(run, bo)
    (here,) = [node for node in graph.nodes if node[0] == "runs" and node[1].endswith("hidden_events")]
    (before,) = [parent.key for parent in graph.node_map[here].parents if parent.key[0] == "runs"]
    migrate(before)
    try:
        yield run
    finally:
        migrate(*now)


@pytest.mark.slow
def test_plans_that_were_texts_are_drafts_of_their_game(with_plans_as_texts: Run) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT plan FROM runs_draft UNION ALL SELECT plan FROM runs_sentahead")
        assert [plan for (plan,) in cursor.fetchall()] == ["1:1.2.l", SHORT]
    migrate(*Executor(connection).loader.graph.leaf_nodes())
    assert (Draft.objects.get().laid, SentAhead.objects.get().laid) == ("1:1.2.l", SHORT)
    run = brought_home(Run.objects.get(pk=with_plans_as_texts.pk))
    assert (run.hidden, record.verify(record_of(run))) == (False, None)


def test_the_release_before_reads_and_writes_seats_under_their_old_name_place() -> None:
    """During an upgrade, and after a downgrade, the models of the release before work on the current tables."""
    run, (ana, bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    ahead(run, bo)
    before = Executor(connection).loader.project_state([("runs", "0019_longer_words")]).apps

    turns = before.get_model("runs", "Turn").objects.select_related("place__entry")
    assert [turn.place.entry.crew for turn in turns] == [ana.crew]
    (plan,) = before.get_model("runs", "SentAhead").objects.filter(place__entry=bo.pk)
    before.get_model("runs", "Turn").objects.update(place=plan.place_id)
    assert [turn.seat.entry for turn in run.turns.select_related("seat__entry")] == [bo]


@pytest.mark.slow
def test_a_run_under_way_continues_and_ends_in_its_own_format(without_salts: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM runs_post")
        assert cursor.fetchone()[0] > 0, "it is filled"
        cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_name = 'runs_post'")
        assert "salt" not in {name for (name,) in cursor.fetchall()}
    migrate(*Executor(connection).loader.graph.leaf_nodes())

    run = Run.objects.get()
    assert (run.record_format, run.phrases_sha256, run.special_stage.seal.phrases) == (1, "", None)
    assert set(Post.objects.values_list("salt", flat=True)) == {""}
    run = brought_home(run)
    document = record_of(run)
    assert document["record"] == 1
    assert record.verify(document) is None
    assert rebuild(run=run) == run.state
