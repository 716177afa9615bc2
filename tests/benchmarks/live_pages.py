"""`python -m tests.benchmarks.live_pages`: how soon open pages of a run see a change, and what watching costs.

A convoy is driven at the pace of an evening. Some people have its page open: its drivers, and spectators without an
account. A turn is made every few seconds. Each page asks each second (`poll`), or follows the stream and asks when it
says "changed" (`stream`), as static/js/poll.js does. Printed are the times from the commit of a turn to the arrival of
the new page, and the processor time and memory of gunicorn and of the database's processes.
"""

from __future__ import annotations

import argparse
import atexit
import http.client
import json
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

HTTPS = {"X-Forwarded-Proto": "https"}
TAG = re.compile(r'data-tag="(W/&quot;[0-9a-f]+&quot;)"')


class Watcher(threading.Thread):
    """One open page."""

    def __init__(self, port: int, key: str, cookies: dict[str, str], how: str, done: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.key, self.how, self.done = port, key, how, done
        self.headers = {**HTTPS, "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        self.seen: list[float] = []
        self.failed = self.asked = 0
        self.why: Counter[str] = Counter()
        self.tag = ""
        self.line: http.client.HTTPConnection | None = None

    def run(self) -> None:
        self.tag = self._tag_in(self._get(f"/runs/{self.key}/", {})[1])
        ask = self._poll if self.how == "poll" else self._follow
        while not self.done.is_set():
            try:
                ask()
            except (OSError, http.client.HTTPException) as error:
                self.failed += 1
                self.why[repr(error)[:90]] += 1
                self.line = None
                time.sleep(0.5)

    def _poll(self) -> None:
        self._look()
        self.done.wait(1.0)

    def _follow(self) -> None:
        stream = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        stream.request("GET", f"/runs/{self.key}/live/", headers=self.headers)
        answer = stream.getresponse()
        if answer.status != 200:
            raise OSError(f"no stream: {answer.status}")
        self._look()
        while not self.done.is_set():
            line = answer.readline()
            if not line:
                return
            if line.startswith(b"data:"):
                time.sleep(random.random() * 0.15)
                self._look()

    def _look(self) -> None:
        self.asked += 1
        asks = {"If-None-Match": self.tag, "HX-Request": "true", "HX-Target": "run"}
        found = self._get(f"/runs/{self.key}/changes/", asks)
        if found[0] == 200:
            self.seen.append(time.time())
            self.tag = self._tag_in(found[1])
        elif found[0] != 304:
            self.failed += 1

    def _get(self, path: str, more: dict[str, str]) -> tuple[int, str]:
        if self.line is None:
            self.line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        self.line.request("GET", path, headers={**self.headers, **more})
        answer = self.line.getresponse()
        return answer.status, answer.read().decode()

    @staticmethod
    def _tag_in(text: str) -> str:
        return next(iter(TAG.findall(text)), "").replace("&quot;", '"')


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.live_pages")
    parser.add_argument("--watchers", type=int, default=60)
    parser.add_argument("--moves", type=int, default=10)
    parser.add_argument("--every", type=float, default=4.0, help="seconds between two turns")
    parser.add_argument("--how", choices=["poll", "stream", "both"], default="both")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    given = parser.parse_args()
    from tests import load
    from tests.load import __main__ as loading

    del load
    folder = Path(tempfile.mkdtemp(prefix="parc-ferme-live-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    loading._prepare(folder)
    drop = loading._database()
    try:
        return _measure(given, folder, loading)
    finally:
        drop()


def _measure(given: argparse.Namespace, folder: Path, loading) -> int:  # type: ignore[no-untyped-def]
    import django
    from django.core.management import call_command

    from tests.load import world

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    seats = world.seed(at_work=world.CONVOY)
    from championship.rallies.clock.evening_pace import EveningPace
    from championship.rallies.services import move_to_seconds, set_evening_pace
    from championship.runs.models import Run

    run = Run.objects.select_related("special_stage__rally__club").get(key=seats[0].run.strip("/").split("/")[-1])
    rally = run.special_stage.rally
    owner = rally.club.memberships.order_by("pk").first().user
    set_evening_pace(by=owner, rally=rally, pace=EveningPace(turn=900))
    move_to_seconds(rally_id=rally.pk, by=None)
    for how in ["poll", "stream"] if given.how == "both" else [given.how]:
        port = loading._free_port()
        server = loading._serve(given, port, folder / "access.log")
        try:
            loading._wait_for(port)
            print(json.dumps(_watched(given, how, port, server.pid, run, [seat.cookies for seat in seats])), flush=True)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
    return 0


def _watched(given, how, port, server, run, cookies):  # type: ignore[no-untyped-def]
    from tests.load.report import percentile

    done = threading.Event()
    for _page in range(12):  # each process has answered the first requests, and loaded what it needs for that
        Watcher(port, run.key, cookies[0], how, done)._get(f"/runs/{run.key}/", {})
    before_any = _memory(server)
    people = [cookies[n] if n < len(cookies) else {} for n in range(given.watchers)]
    watchers = [Watcher(port, run.key, each, how, done) for each in people]
    for watcher in watchers:
        watcher.start()
    while not all(watcher.tag for watcher in watchers):
        time.sleep(0.2)
    time.sleep(8)  # every page is open, and the caches are warm
    for watcher in watchers:
        watcher.seen.clear()
    idle, since = _processor(server), time.time()
    time.sleep(10)
    idle = (_processor(server) - idle) / (time.time() - since)
    busy, since, moved = _processor(server), time.time(), []
    for _move in range(given.moves):
        moved.append(_move_once(run))
        time.sleep(given.every)
    busy = (_processor(server) - busy) / (time.time() - since)
    memory = _memory(server)
    done.set()
    late, missing = [], 0
    for watcher in watchers:
        for number, at in enumerate(moved):
            end = moved[number + 1] if number + 1 < len(moved) else at + given.every
            found = [seen - at for seen in watcher.seen if at <= seen < end]
            late += found[:1]
            missing += not found
    return {
        "how": how,
        "watchers": given.watchers,
        "changes seen": len(late),
        "not seen before the next": missing,
        "failed requests": sum(watcher.failed for watcher in watchers),
        "requests": sum(watcher.asked for watcher in watchers),
        "why": dict(sum((watcher.why for watcher in watchers), Counter())),
        "p50 s": round(percentile(late, 0.5), 3),
        "p95 s": round(percentile(late, 0.95), 3),
        "max s": round(max(late), 3),
        "cores while nothing moves": round(idle, 3),
        f"cores with a turn every {given.every} s": round(busy, 3),
        "MB more": round((memory - before_any) / 1e6, 1),
    }


def _move_once(run) -> float:  # type: ignore[no-untyped-def]
    """Make one step of the turn of the driver who is to play. Returns the moment of the commit."""
    from championship.runs.models import Seat
    from championship.runs.play import play_turn
    from engine import registry

    run.refresh_from_db()
    rules = registry.get(run.game)
    driver = rules.to_play(run.state)[0]
    seat = Seat.objects.select_related("entry__driver").get(run=run, name=driver)
    orders = rules.autopilot(run.state, driver)
    play_turn(by=seat.entry.driver, run=run, orders=orders, version=run.version, key=f"move {run.version}", salt="")
    return time.time()


def _family(server: int):  # type: ignore[no-untyped-def]
    import psutil

    parent = psutil.Process(server)
    return [parent, *parent.children(recursive=True)]


def _processor(server: int) -> float:
    """Processor seconds of gunicorn and of the database's processes that serve it."""
    import psutil
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database() ")
        others = [row[0] for row in cursor.fetchall()]
    spent = 0.0
    for process in [*_family(server), *(psutil.Process(pid) for pid in others if psutil.pid_exists(pid))]:
        times = process.cpu_times()
        spent += times.user + times.system
    return spent


def _memory(server: int) -> int:
    """Bytes of gunicorn that are its own, shared pages counted once."""
    return sum(process.memory_full_info().pss for process in _family(server))


if __name__ == "__main__":
    sys.exit(main())
