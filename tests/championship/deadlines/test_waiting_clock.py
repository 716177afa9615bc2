"""The program that takes the second clock's place while there is nothing to tick for."""

import json
import os
import signal
import subprocess
import sys

import pytest
from django.db import connection

from championship.deadlines import second_clock, waiting_clock
from championship.deadlines.services import brisk
from championship.platform import clock
from championship.rallies.services import pause_rally
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.evening import in_an_evening
from tests.championship.runs.factories import on_the_road


@pytest.fixture
def asks(monkeypatch):
    """What a second clock leaves for the program that takes its place, which is not started."""
    monkeypatch.setattr(os, "execv", lambda *_program: None)
    monkeypatch.setattr(connection, "close", lambda: None)
    monkeypatch.delenv(waiting_clock.ASKS, raising=False)

    def left():
        second_clock._wait_in_less_memory()
        return json.loads(os.environ.pop(waiting_clock.ASKS))

    return left


@pytest.mark.django_db(transaction=True)
def test_it_finds_what_the_second_clock_would_find(asks):
    run, _entries = on_the_road("Ana", "Bo")
    asked = asks()
    assert not waiting_clock.found(asked["database"], asked["queries"])
    assert not brisk.anything_brisk(now=clock.now())
    evening, _entries = in_an_evening("Cem", "Di")
    assert waiting_clock.found(asked["database"], asked["queries"])
    rally = evening.special_stage.rally
    pause_rally(by=organiser_of(rally), rally=rally, reason="Pizza")
    assert not waiting_clock.found(asked["database"], asked["queries"])
    assert run.pk != evening.pk


@pytest.mark.django_db
def test_its_address_is_a_name_that_may_move(asks):
    assert "hostaddr" not in asks()["database"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_it_loads_nothing_of_the_service(name):
    asked = json.dumps({"database": "", "queries": [], "again": []})
    command = [sys.executable, "-P", "-X", "importtime", waiting_clock.__file__]
    program = subprocess.Popen(
        command, env={**os.environ, waiting_clock.ASKS: asked}, stderr=subprocess.PIPE, text=True
    )
    assert program.stderr is not None
    loaded = []
    for line in program.stderr:
        loaded.append(line)
        if line.rstrip().endswith("| psycopg"):
            break
    program.send_signal(name)
    assert program.wait(30) in (0, -name)
    assert not any("championship" in line or "django" in line for line in loaded)
