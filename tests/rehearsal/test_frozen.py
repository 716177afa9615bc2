"""An evening while a machine of the installation is frozen: worker, broker, a second clock, all clocks, the database.

Each is stopped with SIGSTOP, so that its connections stay open and nothing answers. As long as one second clock runs, a
turn whose time is over is driven once, by the codriver, and within two seconds, as the rows of the database tell. Time
in which nothing could act is made up once, and the page says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
import pytest
from django.conf import settings as django_settings

from championship.platform import embedded
from tests.deploy.test_several_machines import free_port, until
from tests.rehearsal.machines import end, listens, tool
from tests.rehearsal.meters import waits_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

HOST = "127.0.0.1"
CLOCKS = ("clock of seconds 1", "clock of seconds 2")
ACTS_WITHIN = 2.0
"""Seconds after its deadline in which a turn is driven, while a second clock runs."""
OUTAGE = 6
"""Seconds without a tick, which are an outage."""
SEED = """
import json
from dataclasses import asdict
import django
django.setup()
from tests.rehearsal.world import go, seed
rally, organiser, drivers = seed(drivers=6, after_miss="turn", turn=900)
go(rally)
print("SEEDED" + json.dumps([rally, [asdict(each) for each in drivers]]))
"""
"""So many cars that the stage lasts for all tests, and so much time that no turn ends while programs start."""
TOLD = "Not counted: the time this site was away."
"""What the page of a driver says whose turn got its time back."""
LISTEN = """(() => {
  const Stream = window.EventSource;
  window.open_streams = 0;
  window.told = 0;
  window.EventSource = function (address) {
    const stream = new Stream(address);
    stream.addEventListener("open", () => { window.open_streams += 1; });
    stream.addEventListener("message", () => { window.told += 1; });
    return stream;
  };
})();"""
"""Counts in a page the streams that it opened, and what they said."""
MISSED = "SELECT count(*) FROM runs_turn WHERE missed"
OPEN = "SELECT id, deadline, reasons, now() FROM runs_turn WHERE ended_at IS NULL AND NOT to_come"
LATE = "SELECT extract(epoch FROM ended_at - deadline) FROM runs_turn WHERE missed ORDER BY ended_at DESC LIMIT 1"
TICKED = "SELECT coalesce(extract(epoch FROM now() - at), 1e9) FROM deadlines_sweep WHERE name = 'seconds'"


class Evening:
    """PostgreSQL, Redis, gunicorn, a worker, beat and two second clocks, each a process that can be frozen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.server = embedded.Server(folder / "postgres", durable=False)
        self.server.start()
        self.port = free_port()
        redis = free_port()
        url = self.server.url()
        user, _at, rest = url.removeprefix("postgresql://").partition("@/")
        name, _mark, place = rest.partition("?host=")
        broker = f"redis://{HOST}:{redis}/0"
        database = {"NAME": name, "USER": user, "HOST": place.replace("%2F", "/"), "PORT": ""}
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "CELERY_BROKER_URL": broker,
            "DJANGO_SETTINGS_MODULE": "tests.deploy.several_settings",
            "MACHINES_SCENE": json.dumps({"database": database, "broker": broker}),
            "PARC_FERME_VAR": str(folder),
        }
        where = ("--port", str(redis), "--bind", HOST, "--save", "", "--dir", str(folder))
        self._start("redis", tool("redis-server"), *where)
        until(lambda: listens(redis), "Redis does not answer")
        self._call("manage.py", "migrate", "--no-input", "--verbosity", "0")

    def _call(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=django_settings.BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def _start(self, name: str, *command: str) -> None:
        with (self.folder / f"{name.replace(' ', '-')}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, cwd=django_settings.BASE_DIR, env=self.environment, stdout=log, stderr=log
            )

    def start_clocks(self) -> None:
        for name in CLOCKS:
            self._start(name, sys.executable, "-m", "championship.platform.background", "seconds")

    def seed(self) -> None:
        rally, drivers = json.loads(self._call("-c", SEED).partition("SEEDED")[2])
        self.rally, self.cookies = rally, drivers[0]["cookies"]
        [[self.run]] = self.asks("SELECT key FROM runs_run")

    def start_others(self) -> None:
        bind = ("--bind", f"{HOST}:{self.port}", "--workers", "1", "--threads", "4", "--no-control-socket")
        self._start("web", sys.executable, "-m", "gunicorn", "championship.wsgi", *bind)
        for what in ("clock", "beat"):
            more = (str(self.folder / "beat"),) if what == "beat" else ()
            self._start(what, sys.executable, "-m", "championship.platform.background", what, *more)
        until(lambda: self.page()[0] == 200, self.told())

    def is_waiting(self, name: str) -> bool:
        """Whether the program that waits has taken the place of this clock."""
        return any("waiting_clock" in part for part in psutil.Process(self.running[name].pid).cmdline())

    def asks(self, query: str) -> list[Any]:
        """The rows of a query."""
        with psycopg.connect(self.server.url(), autocommit=True) as connection:
            cursor = connection.execute(query.encode())
            return cursor.fetchall() if cursor.description else []

    def page(self) -> tuple[int, str]:
        """The status and the text of the run's page, for its first driver."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        asked = urllib.request.Request(f"http://{HOST}:{self.port}/runs/{self.run}/", headers=headers)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def missed(self) -> int:
        return int(self.asks(MISSED)[0][0])

    def time_is_over(self) -> int:
        """End the time of the open turn. Returns how many were missed before."""
        before = self.missed()
        self.asks("UPDATE runs_turn SET deadline = now() WHERE ended_at IS NULL AND NOT to_come")
        return before

    def ticks(self) -> None:
        """Wait until a second clock has ticked, and once more: what was under way is done."""
        for _tick in range(2):
            [[at]] = self.asks("SELECT at FROM deadlines_sweep WHERE name = 'seconds'")
            until(
                lambda at=at: self.asks("SELECT at FROM deadlines_sweep WHERE name = 'seconds'")[0][0] > at,
                f"no second clock ticks\n{self.told()}",
            )

    def sweeps(self) -> None:
        """Wait until a worker has swept."""
        [[at]] = self.asks("SELECT max(at) FROM deadlines_sweep WHERE name <> 'seconds'")
        until(
            lambda: self.asks("SELECT max(at) FROM deadlines_sweep WHERE name <> 'seconds'")[0][0] > at,
            f"no worker sweeps\n{self.told()}",
        )

    def tree(self, name: str) -> list[psutil.Process]:
        """The processes of a machine."""
        if name == "database":
            pid = int((self.server.data / "postmaster.pid").read_text().split()[0])
        else:
            pid = self.running[name].pid
        return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]

    @contextmanager
    def frozen(self, *names: str) -> Iterator[None]:
        """Stop all processes of these machines while the block runs. Their connections stay open."""
        processes = [process for name in names for process in self.tree(name)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # a connection's process may have ended meanwhile
                process.suspend()
        try:
            yield
        finally:
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    def starved(self) -> dict[str, float]:
        """Seconds that each thread of the second clocks and of the database was ready to run while other programs of
        the machine had the processors.
        """
        found: dict[str, float] = {}
        for process in [process for name in (*CLOCKS, "database") for process in self.tree(name)]:
            found |= waits_of(process.pid)
        return found

    def told(self) -> str:
        return "\n".join(
            line for log in self.folder.glob("*.log") for line in log.read_text(errors="replace").splitlines()[-5:]
        )

    def close(self) -> None:
        for process in self.running.values():
            end(process)
        self.server.stop()


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    folder = tmp_path_factory.mktemp("frozen")
    folder.chmod(0o755)
    made = Evening(folder)
    try:
        made.start_clocks()
        for name in CLOCKS:
            until(lambda name=name: made.is_waiting(name), f"{name} does not wait\n{made.told()}")
        made.seed()
        made.start_others()
        for name in CLOCKS:
            until(lambda name=name: not made.is_waiting(name), f"{name} does not tick\n{made.told()}")
        until(lambda: bool(made.asks(TICKED)), f"no second clock ticks\n{made.told()}")
        made.ticks()
        yield made
    finally:
        made.close()


def driven_once(evening: Evening, before: int) -> None:
    """Wait until the codriver has driven the turn whose time was over."""
    until(lambda: evening.missed() > before, f"nobody drives\n{evening.told()}")


def driven_in_time(evening: Evening) -> int:
    """End the time of the open turn, and wait until the codriver has driven it. The rows tell how late that was: two
    seconds at most, without those in which the machine let neither the clocks nor the database run. Returns how many
    turns were missed before.
    """
    starved = evening.starved()
    before = evening.time_is_over()
    driven_once(evening, before)
    waited = sum(max(0.0, now - starved.get(thread, now)) for thread, now in evening.starved().items())
    [[late]] = evening.asks(LATE)
    assert 0 <= float(late) <= ACTS_WITHIN + waited, f"driven {late} s late, {waited:.1f} s of them without a processor"
    return before


def next_turn(evening: Evening) -> tuple[int, Any, int]:
    """End the open turn, so that the one after it has had no time made up. Returns its row, its deadline and how many
    turns were missed.
    """
    before = evening.time_is_over()
    driven_once(evening, before)
    evening.ticks()
    [[turn, deadline, reasons, _now]] = evening.asks(OPEN)
    assert "outage" not in reasons
    return turn, deadline, evening.missed()


def test_a_turn_is_driven_within_two_seconds_of_its_deadline_and_once(evening: Evening) -> None:
    before = driven_in_time(evening)
    evening.ticks()
    assert evening.missed() == before + 1


def test_a_frozen_worker_delays_nothing_and_acts_on_nothing_twice(evening: Evening) -> None:
    with evening.frozen("clock"):
        before = driven_in_time(evening)
    evening.sweeps()
    evening.ticks()
    assert evening.missed() == before + 1


def test_a_frozen_broker_delays_nothing_and_pages_answer(evening: Evening) -> None:
    with evening.frozen("redis"):
        before = driven_in_time(evening)
        assert evening.page()[0] == 200
    evening.sweeps()
    assert evening.missed() == before + 1


@pytest.mark.parametrize("name", CLOCKS)
def test_of_two_second_clocks_one_may_freeze(evening: Evening, name: str) -> None:
    with evening.frozen(name):  # it may hold the lock of the run, until the database ends its transaction
        before = evening.time_is_over()
        driven_once(evening, before)
    evening.ticks()
    assert evening.missed() == before + 1


def test_time_in_which_all_clocks_were_frozen_is_made_up_once_and_the_page_says_so(evening: Evening) -> None:
    turn, deadline, before = next_turn(evening)
    with evening.frozen(*CLOCKS, "clock", "beat"):
        until(lambda: evening.asks(TICKED)[0][0] > OUTAGE, "time stands still")
        lost = float(evening.asks(TICKED)[0][0])
    until(lambda: "outage" in evening.asks(OPEN)[0][2], f"nothing is made up\n{evening.told()}")
    evening.ticks()
    [[same, later, _reasons, now]] = evening.asks(OPEN)
    assert (same, evening.missed()) == (turn, before)
    evening.ticks()
    assert evening.asks(OPEN)[0][1] == later, "made up twice"
    made_up = (later - deadline).total_seconds()
    assert lost - 1 <= made_up <= max(lost + 10, (now - deadline).total_seconds() + 31)
    assert TOLD in evening.page()[1]


def test_a_frozen_database_is_told_and_its_time_is_made_up_once(evening: Evening) -> None:
    turn, deadline, before = next_turn(evening)
    with evening.frozen("database"):
        began = time.monotonic()
        until(lambda: evening.page()[0] == 503, "a page does not say that the database is away")
        until(lambda: time.monotonic() - began > OUTAGE, "time stands still")
    evening.ticks()
    until(lambda: evening.page()[0] == 200, "pages do not come back")
    [[same, later, reasons, _now]] = evening.asks(OPEN)
    assert (same, evening.missed()) == (turn, before), "a turn whose time was not over was driven"
    assert "outage" in reasons
    assert (later - deadline).total_seconds() >= OUTAGE - 1
    evening.ticks()
    assert evening.asks(OPEN)[0][1] == later, "made up twice"
    assert TOLD in evening.page()[1]


def test_a_turn_whose_time_ends_while_the_database_is_frozen_is_driven_once(evening: Evening) -> None:
    evening.ticks()
    before = evening.time_is_over()
    with evening.frozen("database"):
        until(lambda: evening.page()[0] == 503, "a page does not say that the database is away")
    driven_once(evening, before)
    evening.ticks()
    evening.sweeps()
    assert evening.missed() == before + 1


def test_a_browser_hears_by_its_stream_that_somebody_has_driven(evening: Evening, browser: Browser) -> None:
    address = f"http://{HOST}:{evening.port}"
    window = browser.new_context(base_url=address)
    window.add_cookies([{"name": name, "value": value, "url": address} for name, value in evening.cookies.items()])
    window.add_init_script(LISTEN)
    page = window.new_page()
    page.goto(f"/runs/{evening.run}/")
    page.wait_for_function("() => window.open_streams > 0")
    evening.ticks()
    was = page.evaluate("() => { window.told = 0; return document.getElementById('run').dataset.tag; }")
    driven_once(evening, evening.time_is_over())
    page.wait_for_function("() => window.told > 0")
    page.wait_for_function("tag => document.getElementById('run').dataset.tag !== tag", arg=was)
