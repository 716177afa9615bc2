"""A database that accepts connections and statements and never answers: a page, a probe and the metrics give up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import connection

from championship.platform import database_timeouts, embedded
from championship.platform.circuit import Breaker
from championship.platform.postgresql import base, driver
from tests.championship.faults import dead_port, silent_server, timed
from tests.deploy.test_several_machines import free_port, until

HOST = "127.0.0.1"
WORKERS, THREADS = 2, 4
WITHIN = 5.0
"""Seconds in which every request is answered while the database is silent."""
BUSY = 3.0
"""Seconds that a machine that runs other tests may take on top."""


class Frozen:
    """A PostgreSQL of its own, and a gunicorn that serves from it."""

    def __init__(self, folder: Path) -> None:
        self.server = embedded.Server(folder / "postgres", durable=False)
        self.server.start()
        self.port = free_port()
        url = self.server.url()
        user, _at, rest = url.removeprefix("postgresql://").partition("@/")
        name, _mark, place = rest.partition("?host=")
        scene = {
            "database": {"NAME": name, "USER": user, "HOST": place.replace("%2F", "/"), "PORT": ""},
            "broker": "folder://localhost",
        }
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "CELERY_BROKER_URL": "folder://localhost",
            "DJANGO_SETTINGS_MODULE": "tests.deploy.several_settings",
            "MACHINES_SCENE": json.dumps(scene),
            "PARC_FERME_VAR": str(folder),
        }
        self.web: subprocess.Popen[bytes] | None = None

    def migrate(self) -> None:
        command = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"]
        subprocess.run(command, cwd=django_settings.BASE_DIR, env=self.environment, check=True, timeout=300)

    def serve(self, log: Path) -> None:
        many = ("--workers", str(WORKERS), "--threads", str(THREADS))
        command = [sys.executable, "-m", "gunicorn", "championship.wsgi", "--bind", f"{HOST}:{self.port}", *many]
        with log.open("wb") as output:
            self.web = subprocess.Popen(
                command, cwd=django_settings.BASE_DIR, env=self.environment, stdout=output, stderr=output
            )
        until(lambda: self.ask("/healthz")[0] == 200, "gunicorn does not answer")

    def ask(self, path: str, limit: float = 120) -> tuple[int, float, str]:
        """Return status, seconds and text of a response; 0 when there is none."""
        begun = time.monotonic()
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self.port}{path}", timeout=limit) as response:
                return response.status, time.monotonic() - begun, response.read().decode()
        except urllib.error.HTTPError as error:
            assert path == "/healthz" or error.headers["Cache-Control"] == "no-store"
            return error.code, time.monotonic() - begun, error.read().decode()
        except OSError:
            return 0, time.monotonic() - begun, ""

    def ask_together(self, *paths: str) -> list[tuple[int, float, str]]:
        with ThreadPoolExecutor(len(paths)) as threads:
            return list(threads.map(self.ask, paths))

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all processes of the server while the block runs. Its connections stay open."""
        parent = psutil.Process(int((self.server.data / "postmaster.pid").read_text().split()[0]))
        processes = [parent, *parent.children(recursive=True)]
        for process in processes:
            process.suspend()
        try:
            yield
        finally:
            for process in processes:
                process.resume()

    def close(self) -> None:
        if self.web is not None:
            self.web.send_signal(signal.SIGTERM)
            self.web.wait(timeout=120)
        self.server.stop()


@pytest.fixture
def house(folder: Path) -> Iterator[Frozen]:
    folder.chmod(0o755)
    made = Frozen(folder)
    try:
        made.migrate()
        made.serve(folder / "web.log")
        yield made
    finally:
        made.close()


@pytest.mark.slow
def test_pages_probes_and_metrics_answer_503_while_the_database_is_frozen(house: Frozen) -> None:
    warm = house.ask_together(*["/"] * WORKERS * THREADS)
    assert {status for status, _seconds, _text in warm} == {200}, "the threads have connections"

    with house.frozen():
        for path in ("/", "/readyz/web", "/readyz", "/metrics"):
            status, seconds, text = house.ask(path)
            print(f"frozen: {path} {status} after {seconds:.2f} s")
            assert status == 503, path
            assert seconds < WITHIN + BUSY, path
        assert "parc_ferme_database_up 0" in text
        status, _seconds, _text = house.ask("/healthz")
        assert status == 200

        many = house.ask_together(*["/"] * 12)
        print("frozen: 12 together", [(status, round(seconds, 2)) for status, seconds, _text in many])
        assert {status for status, _seconds, _text in many} == {503}
        assert max(seconds for _status, seconds, _text in many) < WITHIN + BUSY

    until(lambda: house.ask("/")[0] == 200, "the pages do not come back by themselves")
    until(lambda: "parc_ferme_database_up 1" in house.ask("/metrics")[2], "the metrics do not come back")


@pytest.mark.slow
def test_a_crowd_finds_the_frozen_database_and_no_thread_waits_twice(house: Frozen) -> None:
    house.ask_together(*["/"] * WORKERS * THREADS)
    with house.frozen():
        many = house.ask_together(*["/"] * 12)
        print("frozen: 12 together at once", [(status, round(seconds, 2)) for status, seconds, _text in many])
    assert {status for status, _seconds, _text in many} == {503}
    assert max(seconds for _status, seconds, _text in many) < WITHIN + BUSY


@pytest.mark.django_db
def test_a_silent_server_is_given_up_and_only_one_thread_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_timeouts, "process", database_timeouts.WEB)
    monkeypatch.setattr(base, "breaker", Breaker(pause=60))
    with silent_server() as port:
        other = base.DatabaseWrapper({**connection.settings_dict, "HOST": HOST, "PORT": str(port)}, "silent")
        with timed() as first, pytest.raises(psycopg.OperationalError):
            other.connect()
        with pytest.raises(psycopg.OperationalError, match="did not answer a moment ago"):
            other.connect()
    assert first.seconds < WITHIN + BUSY
    assert base.breaker.is_open()


@pytest.mark.django_db
def test_a_refused_connection_is_tried_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that restarts refuses connections. Nobody waits for that, so nobody is kept from trying."""
    monkeypatch.setattr(database_timeouts, "process", database_timeouts.WEB)
    monkeypatch.setattr(base, "breaker", Breaker(pause=60))
    with dead_port() as port, pytest.raises(psycopg.OperationalError, match="refused"):
        base.DatabaseWrapper({**connection.settings_dict, "HOST": HOST, "PORT": str(port)}, "dead").connect()
    assert not base.breaker.is_open()


@pytest.mark.django_db
def test_a_statement_without_an_answer_ends_and_its_connection_is_not_used_again() -> None:
    """The server sleeps for longer than the process waits: as silent as one that is frozen."""
    made = driver.connect(**connection.get_connection_params())
    silences: list[str] = []
    made.answer_limit, made.on_silence = 0.3, lambda: silences.append("silent")
    assert made.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(driver.Silent):
        made.execute("SELECT pg_sleep(30)")
    assert silences == ["silent"]
    assert made.closed


@pytest.mark.django_db
def test_a_server_that_goes_on_sending_is_not_silent() -> None:
    with driver.connect(**connection.get_connection_params()) as made:
        made.answer_limit = 0.5
        rows = made.execute("SELECT repeat('x', 100000), pg_sleep(0.1) FROM generate_series(1, 15)").fetchall()
    assert len(rows) == 15


def test_each_kind_of_process_waits_longer_than_its_statements_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {}
    for process in ("web", "worker", "command"):
        monkeypatch.setattr(database_timeouts, "process", process)
        limits[process] = database_timeouts.answer_limit()
    assert limits == {"web": 4.0, "worker": 115.0, "command": None}
    assert limits["worker"] < django_settings.CELERY_TASK_TIME_LIMIT
