"""Two of each: web nodes, beats, workers for the clock and for mail, on one PostgreSQL. One of each may fail."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone

from championship.notices import NOTICES_HEADER
from championship.notices.models import Notice, SentMail
from championship.runs.models import Run, Turn
from championship.runs.play import rebuild
from engine import registry
from tests.championship.runs.factories import desk_of, form_of, on_the_road, starters
from tests.deploy.programs import tool
from tests.load.pages import Page

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

HOST = "127.0.0.1"
PATIENCE = 180
"""Seconds that any step may take on a busy machine."""
CREWS = ("Ana", "Bo", "Cem", "Dan")


class Machines:
    """Processes that share the test database and a separate Redis, each in its own process group."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.ports: dict[str, int] = {}
        redis = self.start_redis()
        database = {key: connection.settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
        self.scene: dict[str, Any] = {"database": database, "broker": f"redis://{HOST}:{redis}/0"}
        self.environment = self.environment_of(self.scene)

    @staticmethod
    def environment_of(scene: dict[str, Any]) -> dict[str, str]:
        """Return the environment that tells a process where database and broker are."""
        own = {"DJANGO_SETTINGS_MODULE": "tests.deploy.several_settings", "MACHINES_SCENE": json.dumps(scene)}
        return {**os.environ, **own}

    def start_redis(self) -> int:
        program = tool("redis-server")
        port = free_port()
        keeps_nothing = ("--save", "", "--appendonly", "no", "--dir", str(self.folder))
        self.begin("redis", program, "--port", str(port), "--bind", HOST, *keeps_nothing, environment=dict(os.environ))
        until(lambda: answers(port), "Redis does not answer")
        return port

    def begin(self, name: str, *command: str, environment: dict[str, str] | None = None) -> None:
        own = self.folder / name.replace(" ", "-")
        own.mkdir()
        with (own / "log").open("wb") as log:
            self.running[name] = subprocess.Popen(
                command,
                cwd=django_settings.BASE_DIR,
                env={**(environment or self.environment), "PARC_FERME_VAR": str(own)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def web(self, name: str) -> None:
        port = self.ports[name] = free_port()
        small = ("--workers", "1", "--threads", "2", "--log-level", "warning")
        self.begin(name, sys.executable, "-m", "gunicorn", "championship.wsgi", "--bind", f"{HOST}:{port}", *small)

    def worker(self, name: str, queue: str) -> None:
        quiet = ("--loglevel", "WARNING", "--without-gossip", "--without-mingle")
        alone = ("--pool", "solo", "--queues", queue, "--hostname", f"{name.replace(' ', '')}@%h")
        self.begin(name, sys.executable, "-m", "celery", "-A", "championship", "worker", *alone, *quiet)

    def beat(self, name: str) -> None:
        own = self.folder / name.replace(" ", "-") / "schedule"
        self.begin(
            name, sys.executable, "-m", "celery", "-A", "championship", "beat", "--schedule", str(own), "--pidfile="
        )

    def pull_the_plug(self, name: str) -> None:
        """Kill all processes of a machine with SIGKILL."""
        os.killpg(self.running[name].pid, signal.SIGKILL)
        self.running[name].wait()

    def told(self) -> str:
        """Return the end of the output of each process."""
        logs = sorted(self.folder.glob("*/log"))
        return "\n".join(f"{log.parent.name}: {log.read_text(errors='replace')[-1500:]}" for log in logs)


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind((HOST, 0))
        return int(asked.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex((HOST, port)) == 0


def until(true: Callable[[], bool], otherwise: str, machines: Machines | None = None) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"{otherwise}\n{machines.told() if machines else ''}"
        time.sleep(0.2)


@pytest.fixture
def machines(folder: Path) -> Iterator[Machines]:
    made = Machines(folder)
    try:
        yield made
    finally:
        for name, process in made.running.items():
            if process.poll() is None:
                made.pull_the_plug(name)


def ask(port: int, method: str, path: str, cookies: dict[str, str], body: str | None = None) -> tuple[int, str]:
    """Return status and text of a response, and keep its cookies."""
    line = http.client.HTTPConnection(HOST, port, timeout=PATIENCE)
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    if body is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    line.request(method, path, body, headers)
    response = line.getresponse()
    text = response.read().decode()
    for header in response.headers.get_all("Set-Cookie") or ():
        name, _equals, rest = header.partition("=")
        cookies[name] = rest.partition(";")[0]
    line.close()
    return response.status, text


def take_a_step(port: int, run: Run) -> int:
    """Post the orders of the cautious codriver through the page of that web node. Return the status of the response."""
    run.refresh_from_db()
    (entry,) = starters(run)
    rules = registry.get(run.game)
    cookies = {name: morsel.value for name, morsel in desk_of(entry).cookies.items()}
    status, text = ask(port, "GET", run.get_absolute_url(), cookies)
    assert status == 200, text[:500]
    token = next(
        form.hidden["csrfmiddlewaretoken"] for form in Page(text).forms if "csrfmiddlewaretoken" in form.hidden
    )
    orders: dict[str, Any] = rules.autopilot(run.state, rules.to_play(run.state)[0])
    fields = {key: ("yes" if value else "no") if key == "take" else value for key, value in orders.items()}
    form = form_of(SimpleNamespace(content=text.encode()))
    body = urlencode({"csrfmiddlewaretoken": token, **form, **fields})
    return ask(port, "POST", f"/runs/{run.key}/turn/", cookies, body)[0]


def let_all_turns_be_due() -> None:
    now = timezone.now()
    Turn.objects.filter(ended_at=None).update(since=now - timedelta(days=2), deadline=now, terms={})


def test_one_of_each_is_killed_and_turns_deadlines_and_letters_go_on_once_each(machines: Machines) -> None:
    on_the_road(*CREWS, mode="open road")
    Notice.objects.all().delete()
    for name in ("one", "two"):
        machines.web(f"web {name}")
        machines.beat(f"beat {name}")
        machines.worker(f"clock {name}", "clock")
        machines.worker(f"mail {name}", "mail")
    for port in machines.ports.values():
        until(lambda port=port: answers(port), "a web node does not answer", machines)  # type: ignore[misc]

    let_all_turns_be_due()
    until(lambda: Turn.objects.filter(missed=True).count() == len(CREWS), "the clock does not strike", machines)
    waiting = Notice.objects.filter(channel="mail", status__in=["queued", "sending"], next_try_at__lte=timezone.now())
    until(lambda: not waiting.exists(), "nobody sends the letters", machines)

    for name in ("web one", "beat one", "clock one", "mail one"):
        machines.pull_the_plug(name)
    left = machines.ports["web two"]
    run = Run.objects.order_by("pk").first()
    assert run is not None
    version = run.version
    assert take_a_step(left, run) in (200, 302)
    run.refresh_from_db()
    assert run.version > version

    driven = Turn.objects.filter(missed=True).count()
    let_all_turns_be_due()
    until(lambda: Turn.objects.filter(missed=True).count() >= driven + len(CREWS), "the clock has stopped", machines)
    assert Turn.objects.filter(missed=True).count() == driven + len(CREWS), "a turn was driven twice"
    for each in Run.objects.all():
        assert rebuild(run=each) == each.state
    letters = Notice.objects.filter(kind="turn driven for you", channel="mail")
    assert letters.count() == driven + len(CREWS)
    written = Counter(number for mail in SentMail.objects.all() for number in mail.headers[NOTICES_HEADER].split())
    assert max(written.values()) == 1, "a letter went out twice"
    assert {str(notice.pk) for notice in letters.filter(status="sent")} <= set(written)
