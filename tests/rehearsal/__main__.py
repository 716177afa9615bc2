"""`make rehearsal`, `python -m tests.rehearsal`: a club drives a rally of four stages in one evening, and is measured.

Twelve drivers sit at two tables; one of them sleeps through the first stage. Three of them have a real browser each, as
have the organiser, who has the page of the evening open, and a projector with the board. The other drivers, and a
stranger who watches each table, are programs that ask for the same pages and follow the same streams (clients.py): on
a machine of two cores twelve browsers would be the load that is measured. `--browsers 12` gives all of them one.

They are served by nginx with the site of deploy/, and two gunicorns, with workers, beat and the second clock,
PostgreSQL and Redis. On the second stage one gunicorn is killed with SIGKILL. It starts again on the third. Nobody
reloads a page.

At the end it checks that every post that was answered as carried out is there once, that the state of each run follows
from its events, that all cars have all results, that nobody had to reload, and that pages of others had a change within
a second at the 95th percentile. It prints one JSON object, and exits with 1 when a check fails.

Turns have a minute, and people press something about each second, so that an evening of three hours takes minutes.
"""

from __future__ import annotations

import argparse
import atexit
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, sync_playwright

from tests.rehearsal import figures, machines, meters, seats

MOST_P95 = 1.0
"""Seconds in which the pages of others have a change, at the 95th percentile."""
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
ASLEEP = 12
"""The driver who sleeps through the first stage."""
DARK = 25.0
"""Seconds for which at least there is one web server only."""
SERVICES = ("web 0", "web 1", "nginx", "seconds", "clock", "mail", "beat")
AFTER_KILL = 15
"""Seconds after the kill whose sight is told apart."""


@dataclass
class Course:
    """What happened while all drove."""

    seconds: float = 0.0
    killed: float = 0.0
    again: float = 0.0
    loads: list[float] = field(default_factory=list)
    meter: meters.Meter = field(default_factory=meters.Meter)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rehearsal", description="An evening of twelve drivers.")
    parser.add_argument("--port", type=int, default=8130, help="of nginx; the next three are used too")
    parser.add_argument("--minutes", type=float, default=25, help="the most that it may take")
    parser.add_argument("--browsers", type=int, default=3, choices=range(1, 13), help="drivers with a real browser")
    parser.add_argument("--keep", type=Path, help="a folder for the logs of all processes")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(1))  # so that all processes are ended
    folder = Path(tempfile.mkdtemp(prefix="parc-ferme-rehearsal-"))
    from tests.load import __main__ as loading

    loading._prepare(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "championship.settings.production"
    os.environ["ALLOWED_HOSTS"] = machines.HOST
    os.environ["SITE_URL"] = f"https://{machines.HOST}:{given.port}"
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "yes"  # playwright has a loop in this thread
    evening = machines.Machines(folder, given.port)
    os.environ["CELERY_BROKER_URL"] = evening.start_redis(given.port + 3)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    drop = loading._database()
    try:
        found = _rehearsed(given, evening)
    finally:
        for process in evening.running.values():
            machines.end(process)
        if given.keep:
            shutil.copytree(folder, given.keep, dirs_exist_ok=True, ignore=shutil.ignore_patterns("static", "postgres"))
        drop()
    print(json.dumps(found, indent=1))
    return int(bool(found["faults"]))


def _rehearsed(given: argparse.Namespace, evening: machines.Machines) -> dict[str, Any]:
    import django
    from django.core.management import call_command
    from django.db import connections

    from tests.rehearsal import world

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    world.note_commits()
    rally, organiser, drivers = world.seed()
    connections.close_all()
    sits = _places(rally, organiser, drivers)
    in_browsers = {f"Driver {ASLEEP}", *(f"Driver {n}" for n in range(1, given.browsers)), organiser.name, "Board"}
    with evening.up(), sync_playwright() as player:
        browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        people = [_seat(browser, evening, each) for each in sits if each["name"] in in_browsers]
        others = _start_clients(evening, [each for each in sits if each["name"] not in in_browsers])
        print("all are here", file=sys.stderr, flush=True)
        world.go(rally)
        course = _driven(given, evening, people, others, rally)
        for person in people:
            person.note()
        browser.close()
        told = json.loads(others.communicate(timeout=90)[0])
        return _judged(given, evening, people, told, rally, course)


def _places(rally: str, organiser: Any, drivers: Any) -> list[dict[str, Any]]:
    """Who sits where: drivers at their runs, the organiser at the evening, a stranger at each table, the board."""
    from championship.runs.models import Run, Seat

    tables = list(Run.objects.filter(special_stage__rally__key=rally, special_stage__number=1).order_by("number"))
    paths = {
        person.name: Seat.objects.get(run__in=tables, entry__driver__name=person.name).run.get_absolute_url()
        for person in drivers
    }
    found = [(person.name, person.cookies, paths[person.name], True) for person in drivers]
    found.append((organiser.name, organiser.cookies, f"/rallies/{rally}/evening/", False))
    found += [(f"Stranger at {run.number}", {}, run.get_absolute_url(), False) for run in tables]
    found.append(("Board", {}, f"/rallies/{rally}/evening/board/", False))
    return [
        {"name": name, "cookies": cookies, "path": path, "drives": drives, "number": number}
        for number, (name, cookies, path, drives) in enumerate(found)
    ]


def _seat(browser: Browser, evening: machines.Machines, sits: dict[str, Any]) -> seats.Seat:
    window = browser.new_context(
        base_url=evening.address, locale="en-GB", timezone_id="UTC", ignore_https_errors=True, reduced_motion="reduce"
    )
    window.add_cookies([
        {"name": key, "value": value, "url": evening.address, "secure": True} for key, value in sits["cookies"].items()
    ])  # fmt: skip
    page, chance = window.new_page(), random.Random(sits["number"])
    found = seats.Seat(sits["name"], window, page, sits["drives"], sits["name"] == f"Driver {ASLEEP}", chance)
    found.watch()
    page.goto(sits["path"], wait_until="domcontentloaded", timeout=180_000)
    return found


def _start_clients(evening: machines.Machines, sits: list[dict[str, Any]]) -> subprocess.Popen[str]:
    """Start the process of all people without a browser. It ends when its input ends."""
    command = (sys.executable, "-m", "tests.rehearsal.clients")
    process = subprocess.Popen(
        command, cwd=machines.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps({"host": f"{machines.HOST}:{evening.front}", "people": sits}) + "\n")
    process.stdin.flush()
    atexit.register(process.kill)
    return process


def _driven(
    given: argparse.Namespace,
    evening: machines.Machines,
    people: list[seats.Seat],
    others: subprocess.Popen[str],
    rally: str,
) -> Course:
    """Let everybody press until the rally is over. Kill a web server on the second stage, start it on the third."""
    from championship.rallies.models import Rally, SpecialStage
    from championship.runs.models import Post

    course, began, looked, looks = Course(), time.monotonic(), 0.0, 0
    while time.monotonic() - began < given.minutes * 60:
        for person in people:
            person.step()
        people[0].page.wait_for_timeout(50)
        if time.monotonic() - looked < 2:
            continue
        looked, looks = time.monotonic(), looks + 1
        course.meter.look(_groups(evening, others), memory=looks % 5 == 1)
        course.loads.append(os.getloadavg()[0])
        stages = dict(SpecialStage.objects.filter(rally__key=rally).values_list("number", "status"))
        posts = Post.objects.filter(run__special_stage__rally__key=rally, run__special_stage__number=2).count()
        if stages[1] == SpecialStage.Status.DONE:
            for person in people:
                person.sleeps = False
        if not course.killed and stages[2] == SpecialStage.Status.RUNNING and posts >= 20:
            evening.kill_web(0)
            course.killed = time.time()
            print(f"web 0 killed after {posts} posts of the second stage", file=sys.stderr, flush=True)
        elif (
            course.killed
            and not course.again
            and stages[3] != SpecialStage.Status.PLANNED
            and time.time() - course.killed > DARK
        ):
            evening.start_web(0)
            course.again = time.time()
            print("web 0 started again", file=sys.stderr, flush=True)
        if Rally.objects.get(key=rally).status == Rally.Status.FINISHED:
            break
    course.seconds = time.monotonic() - began
    return course


def _groups(evening: machines.Machines, others: subprocess.Popen[str]) -> dict[str, list[psutil.Process]]:
    """All processes, by what they are."""
    own = psutil.Process()
    apart = {process.pid for process in evening.running.values()} | {others.pid}
    browsers = [
        process
        for child in own.children()
        if child.pid not in apart
        for process in (child, *child.children(recursive=True))
    ]
    return {
        **{name: evening.family(name) for name in SERVICES},
        "database": meters.of_database(),
        "browsers": browsers,
        "people without a browser": [psutil.Process(others.pid)] if others.poll() is None else [],
        "this program": [own],
    }


def _judged(
    given: argparse.Namespace,
    evening: machines.Machines,
    people: list[seats.Seat],
    told: dict[str, Any],
    rally: str,
    course: Course,
) -> dict[str, Any]:
    from championship.runs.models import Post
    from tests.rehearsal import world

    posts = list(Post.objects.filter(run__special_stage__rally__key=rally).select_related("run", "by"))
    at = world.commits()
    commits = [
        figures.Commit(
            each.run.get_absolute_url(), each.by and each.by.name, each.at.timestamp() * 1000, at[each.pk]
        )
        for each in posts
    ]  # fmt: skip
    noted = told["noted"]
    documents = [document for person in people for document in person.documents]
    documents += [seats.Document(**each) for person in noted for each in person["documents"]]
    accepted = [key for person in people for key in person.accepted]
    accepted += [key for person in noted for key in person["accepted"]]
    kept = Counter(each.key for each in posts if each.by is not None)
    seen = figures.sights(documents, commits)
    late = _late(rally)
    faults = _faults(rally, course, accepted, kept)
    faults += [] if late else ["nobody slept"]
    faults += [f"never shown: {each}" for each in figures.unseen(documents, commits, 10)]
    faults += [f"{person.name} has reloaded" for person in people if person.reloads]
    sight = figures.told_of(seen)
    if not any(each.told is not None for each in seen if each.drawn is not None):
        faults.append("no browser heard anything of its stream")
    p95 = figures.summed([each.got for each in seen]).get("p95 s", MOST_P95)
    if p95 >= MOST_P95:
        faults.append(f"p95 {p95}")
    near = [each for each in seen if course.killed * 1000 <= each.at <= (course.killed + AFTER_KILL) * 1000]
    return {
        "drivers with a browser": given.browsers,
        "seconds": round(course.seconds),
        "posts": len(posts),
        "of people": sum(kept.values()),
        "answered as carried out": len(accepted),
        "lost": sum(kept[key] == 0 for key in accepted),
        "doubled": sum(count > 1 for count in kept.values()),
        "sent again": sum(person.sent_again for person in people) + sum(person["sent_again"] for person in noted),
        "received to committed": figures.summed([(each.at - each.received) / 1000 for each in commits]),
        "sight, from the commit": sight,
        f"sight in the {AFTER_KILL} s after the kill": figures.summed([each.got for each in near]),
        "seconds by which the second clock was late": [round(each, 1) for each in late],
        "streams": dict(sum((Counter(each) for each in _each(people, noted, "streams")), Counter[str]())),
        "requests that failed": dict(sum((Counter(each) for each in _each(people, noted, "failures")), Counter[str]())),
        **_machine(evening, told, course),
        "faults": faults,
    }


def _each(people: list[seats.Seat], noted: list[dict[str, Any]], name: str) -> list[dict[str, int]]:
    return [getattr(person, name) for person in people] + [person[name] for person in noted]


def _machine(evening: machines.Machines, told: dict[str, Any], course: Course) -> dict[str, Any]:
    """What the service took, by its own logs, and what the machine gave."""
    from tests.load import report
    from tests.load.browser import Seen

    whole = evening.folder / "access.log"
    whole.write_text("".join(evening.access_log(number).read_text() for number in (0, 1)))
    server = report.of_server(whole)
    clients = [Seen(**each) for each in told["seen"]]
    return {
        "server ms by kind": server["by kind"],
        "server statuses": server["statuses"],
        "round trips ms": report.of_clients(clients, lambda each: each.round_trip),
        "processor seconds": {name: round(used, 1) for name, used in course.meter.seconds.items()},
        "seconds ready to run and waiting for a processor": {
            name: round(waited, 1) for name, waited in course.meter.waited.items()
        },
        "processor seconds of other programs": round(course.meter.others(), 1),
        "cores of the service": round(
            sum(course.meter.seconds[name] for name in (*SERVICES, "database")) / course.seconds, 3
        ),
        "memory MB": dict(course.meter.memory),
        "load average": round(sum(course.loads) / max(1, len(course.loads)), 1),
    }


def _late(rally: str) -> list[float]:
    """By how many seconds the second clock was late for the turns that drivers have missed."""
    from championship.runs.models import Turn

    missed = Turn.objects.filter(run__special_stage__rally__key=rally, missed=True)
    return [(turn.ended_at - turn.deadline).total_seconds() for turn in missed if turn.ended_at]


def _faults(rally: str, course: Course, accepted: list[str], kept: Counter[str]) -> list[str]:
    """What is not as it must be: the course of the evening, posts, states of runs, results."""
    from django.core.management import CommandError, call_command

    from championship.rallies.models import Entry, Rally, StageTime
    from championship.runs.models import Run

    faults = []
    if not course.killed or not course.again:
        faults.append("the web server was not killed and started again")
    if Rally.objects.get(key=rally).status != Rally.Status.FINISHED:
        faults.append("the rally is not over")
    faults += [f"answered as carried out, and not there once: {key}" for key in accepted if kept[key] != 1]
    for run in Run.objects.filter(special_stage__rally__key=rally):
        try:
            call_command("rebuild", run.key, stdout=io.StringIO())
        except (CommandError, SystemExit) as error:
            faults.append(f"{run}: {error}")
    times = StageTime.objects.filter(special_stage__rally__key=rally).count()
    if times != Entry.objects.filter(rally__key=rally).count() * 4:
        faults.append(f"{times} results")
    return faults


if __name__ == "__main__":
    sys.exit(main())
