"""Several machines on one database: each remembers the highest post, and what one has noticed the others know."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client

from championship.lineage import services as lineage
from championship.platform import clock, embedded
from championship.platform.refusals import TurnsSuspended
from championship.runs.models import Post, Run
from championship.runs.play import play_turn
from engine import registry
from tests.championship.runs.factories import fresh_key, on_the_road, starters

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("at")]


@pytest.fixture
def machine(tmp_path, monkeypatch) -> Callable[[str], Path]:
    """Return a function that lets the test continue on another machine: with a folder and a connection of its own."""

    def continue_on(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        monkeypatch.setattr(embedded, "VAR_DIR", folder)
        connection.close()
        return folder

    yield continue_on
    connection.close()


@pytest.fixture
def run(machine) -> Run:
    """A run on the road, in a database that the service knows since a sweep on the machine "clock"."""
    machine("clock")
    found, _entries = on_the_road("Ana", "Bo")
    lineage.remember(now=clock.now())
    return found


def play(run: Run) -> Post:
    """Have the seat whose turn it is take one step. Return the post."""
    run.refresh_from_db()
    rules = registry.get(run.game)
    seat = rules.to_play(run.state)[0]
    driver = next(entry.driver for entry in starters(run) if str(entry.start_number) == seat)
    orders = rules.autopilot(run.state, seat)
    play_turn(by=driver, run=run, orders=orders, version=run.version, key=fresh_key(), salt="")
    return Post.objects.latest("pk")


def set_disk_back(state: dict, last: int) -> None:
    """Bring the rows into the state before the posts after the one numbered `last`. No constraint is checked, as when a
    disk is set back.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("DELETE FROM runs_event WHERE post_id > %s", [last])
        cursor.execute("DELETE FROM runs_post WHERE id > %s", [last])
    Run.objects.update(**state)


def state_of(run: Run) -> dict:
    return Run.objects.filter(pk=run.pk).values("state", "version", "events_told", "drawn").get()


def highest_in(folder: Path) -> int:
    return int((folder / "highest-post").read_text().split()[1])


def test_a_machine_with_the_web_service_alone_notices_that_the_disk_was_set_back(machine, run):
    folder = machine("web")
    kept, state = play(run), state_of(run)
    lost = play(run)
    assert highest_in(folder) == lost.pk

    set_disk_back(state, kept.pk)
    machine("web")
    with pytest.raises(TurnsSuspended):
        play(run)
    assert "parc_ferme_set_back 1" in Client().get("/metrics").content.decode()
    assert Post.objects.latest("pk") == kept


def test_a_machine_that_has_taken_no_turn_remembers_the_turns_of_others(machine, run):
    machine("web 1")
    kept, state = play(run), state_of(run)
    play(run)
    folder = machine("web 2")
    assert Client().get("/readyz/web").status_code in (200, 503)
    assert highest_in(folder) == Post.objects.latest("pk").pk

    set_disk_back(state, kept.pk)
    machine("web 2")
    assert lineage.was_set_back()


def test_what_one_machine_has_noticed_a_new_machine_knows(machine, run):
    machine("web 1")
    kept, state = play(run), state_of(run)
    play(run)
    set_disk_back(state, kept.pk)
    machine("clock")
    assert not lineage.was_set_back(), "this machine has not seen the lost post"
    machine("web 1")
    assert lineage.was_set_back()
    machine("web 2")
    with pytest.raises(TurnsSuspended):
        play(run)
    assert "parc_ferme_set_back 1" in Client().get("/metrics").content.decode()


def test_after_restore_on_one_machine_is_enough_for_all(machine, run):
    for name in ("web 1", "web 2"):
        folder = machine(name)
        kept = play(run)
        assert highest_in(folder) == kept.pk
    state = state_of(run)
    lost = [play(run) for _step in range(3)]
    assert lost
    set_disk_back(state, kept.pk)
    machine("web 2")
    call_command("after_restore", stdout=StringIO())
    for name in ("web 1", "web 2", "clock", "web 3"):
        folder = machine(name)
        assert not lineage.was_set_back(), name
        assert highest_in(folder) == kept.pk, name


def test_a_post_asks_the_database_no_more_for_it(machine, run, django_assert_num_queries):
    machine("web")
    connection.ensure_connection()
    with django_assert_num_queries(0):
        lineage.note_after_commit(7)


def test_a_folder_that_cannot_be_written_stops_no_turn(machine, run, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(embedded, "VAR_DIR", tmp_path / "file")
    connection.close()
    before = run.version
    play(run)
    run.refresh_from_db()
    assert run.version > before
