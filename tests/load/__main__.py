"""`make load`, `python -m tests.load`: runs gunicorn with production settings and a separate database for fifty
drivers.

Server time is the time that gunicorn logs, from the moment at which a worker thread takes a request until its last
byte. The report also contains the work of that thread alone (Server-Timing), which other programs on the machine do not
lengthen, and the time that the drivers' browsers measured. The browsers run on the same machine, so their own work
makes this time longer.

Exits with 1 when a request failed, or when the processor time of a kind of request, as a multiple of that of a bare
page, exceeds its budget. Wall times are only reported: they depend on the machine and on its other work.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "127.0.0.1"
PAGE_BUDGET = 200_000
"""Bytes of a stage page with everything that it loads."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description="Fifty drivers at work at once.")
    parser.add_argument("--drivers", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--workers", type=int, default=2, help="of gunicorn")
    parser.add_argument("--threads", type=int, default=4, help="of each worker")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON only")
    parser.add_argument("--budget", action="store_true", help="only weigh the stage page")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="parc-ferme-load-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # at exit, after an embedded server in it has stopped
    _prepare(folder)
    drop = _database()
    try:
        return _run(given, folder)
    finally:
        drop()


def _prepare(folder: Path) -> None:
    """Return the environment of a production server that keeps all its files in the folder."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.load.settings",
        "PARC_FERME_VAR": str(folder),
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": HOST,
        "PYTHONUNBUFFERED": "1",
    }
    os.environ.setdefault("CELERY_BROKER_URL", "folder://localhost")


def _database():  # type: ignore[no-untyped-def]
    """Create a separate database, beside that of DATABASE_URL or else on an embedded server. Return a function that
    drops it.
    """
    from championship.platform import embedded

    url = os.environ.get("DATABASE_URL")
    if not url:
        embedded.ensure_running(embedded.VAR_DIR / "postgres")
        return lambda: None
    import psycopg

    name = f"parc_ferme_load_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    parts = urlsplit(url)
    os.environ["DATABASE_URL"] = urlunsplit(parts._replace(path=f"/{name}"))

    def drop() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    return drop


def _run(given: argparse.Namespace, folder: Path) -> int:
    import django
    from django.core.management import call_command

    from tests.load import world

    django.setup()
    _say(given, "Preparing a database and sixty drivers ...")
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    seats = world.seed(at_work=given.drivers)
    from django.db import connections

    connections.close_all()
    log = folder / "access.log"
    port = _free_port()
    server = _serve(given, port, log)
    try:
        _wait_for(port)
        log.write_text("")
        weight = _weigh(seats[0], port)
        if given.budget:
            print(json.dumps(weight, indent=1))
            return int(weight["bytes"] > PAGE_BUDGET)
        _say(given, f"{len(seats)} drivers at work for {given.seconds} s ...")
        log.write_text("")
        drivers = _drive(given, seats, port)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
    return _tell(given, log, drivers, weight)


def _serve(given: argparse.Namespace, port: int, log: Path) -> subprocess.Popen[bytes]:
    from tests.load import report

    command = [sys.executable, "-m", "gunicorn", "championship.wsgi", "--bind", f"{HOST}:{port}"]
    command += ["--workers", str(given.workers), "--threads", str(given.threads), "--log-level", "warning"]
    command += ["--access-logfile", str(log), "--access-logformat", report.LOG_FORMAT, "--no-control-socket"]
    command += ["--keep-alive", "75"]
    return subprocess.Popen(command, cwd=ROOT)


def _drive(given: argparse.Namespace, seats, port: int):  # type: ignore[no-untyped-def]
    from tests.load.browser import Browser
    from tests.load.driver import Driver

    done = threading.Event()
    drivers = [
        Driver(Browser(HOST, port, dict(seat.cookies)), seat.run, seat.rally, done=done, seed=number)
        for number, seat in enumerate(seats)
    ]
    for driver in drivers:
        driver.start()
    time.sleep(given.seconds)
    done.set()
    for driver in drivers:
        driver.join(60)
    return drivers


def _weigh(seat, port: int) -> dict[str, object]:  # type: ignore[no-untyped-def]
    """Return the bytes of a stage page and of everything that it loads, as sent to a browser that accepts gzip."""
    from tests.load.pages import Page

    def fetch(path: str) -> tuple[bytes, bytes]:
        cookie = "; ".join(f"{name}={value}" for name, value in seat.cookies.items())
        headers = {"Cookie": cookie, "X-Forwarded-Proto": "https", "Accept-Encoding": "gzip"}
        request = urllib.request.Request(f"http://{HOST}:{port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            sent = response.read()
            if response.headers.get("Content-Encoding") == "gzip":
                import gzip

                return sent, gzip.decompress(sent)
            return sent, sent

    sent, text = fetch(seat.run)
    parts = {seat.run: len(sent)}
    for path in Page(text.decode()).fetched:
        if path.startswith("/"):
            parts[path] = len(fetch(path)[0])
    return {"bytes": sum(parts.values()), "budget": PAGE_BUDGET, "parts": parts}


def _tell(given: argparse.Namespace, log: Path, drivers, weight: dict[str, object]) -> int:  # type: ignore[no-untyped-def]
    from tests.load import report

    server = report.of_server(log)
    errors = [error for driver in drivers for error in driver.browser.errors]
    refusals = [refusal for driver in drivers for refusal in driver.browser.refusals]
    seen = [each for driver in drivers for each in driver.browser.seen]
    round_trips = report.of_clients(seen, lambda each: each.round_trip)
    cpu = report.of_clients(seen, lambda each: each.cpu)
    ratios = report.times_the_floor(cpu)
    requests = sum(row["requests"] for row in server["by kind"].values())
    dear = report.over_budget(ratios)
    good = not errors and not dear
    load = os.getloadavg()[0]
    if given.json:
        found = {
            "drivers": len(drivers),
            "seconds": given.seconds,
            "requests": requests,
            "errors": errors,
            "refusals": refusals,
            "server ms": server,
            "cpu ms": cpu,
            "times the bare page": ratios,
            "over budget": dear,
            "round trip ms": round_trips,
            "stage page": weight,
            "load average": load,
            "good": good,
        }
        print(json.dumps(found, indent=1))
        return int(not good)
    print(f"\n{requests} requests, {requests / given.seconds:.1f} a second")
    print(f"{len(errors)} errors, {len(refusals)} refusals by the rules")
    print(f"{os.cpu_count()} cores, load average {load:.1f} in the end, all programs counted")
    print("\nServer time in milliseconds (gunicorn's access log):\n" + report.table(server["by kind"]))
    print("\nBeside it the thread's own work (Server-Timing: cpu), and that in times a bare page, signed in:")
    print(report.ratio_table(server["by kind"], cpu, ratios))
    print("\nRound trips, as the drivers saw them:\n" + report.table(round_trips))
    print(f"\nStage page with all it fetches: {weight['bytes']} bytes, budget {PAGE_BUDGET}")
    for line in dear:
        print("Over budget: " + line)
    for error in errors[:20]:
        print("  " + error)
    return int(not good)


def _say(given: argparse.Namespace, line: str) -> None:
    if not given.json:
        print(line, flush=True)


def _free_port() -> int:
    with socket.socket() as door:
        door.bind((HOST, 0))
        return int(door.getsockname()[1])


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with socket.create_connection((HOST, port), timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the server does not answer")


if __name__ == "__main__":
    sys.exit(main())
