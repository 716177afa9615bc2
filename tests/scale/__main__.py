"""`make scale`, `python -m tests.scale`: measures with 300 clubs, 20,000 people and a million and a half events.

Uses production settings and a separate database beside that of DATABASE_URL, dropped at the end. The user of the
database must be allowed to disable triggers, as a superuser is. Prints the cost of pages at that size, the size of a
turn in the database, and the cost of a sweep of all cars on the road.

Exits with 1 when PostgreSQL would read a growing table completely for a page.
"""

from __future__ import annotations

import argparse
import atexit
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

MONITORS = CLOCKWORK, METRICS = "clockwork", "metrics"
"""They query everything that is open. Here that is most rows, so PostgreSQL reads whole tables: their plans are
printed, but never fail the measurement.
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.scale", description="Costs at the size of an association.")
    parser.add_argument("--clubs", type=int, default=300)
    parser.add_argument("--members", type=int, default=67, help="of each club")
    parser.add_argument("--rallies", type=int, default=5, help="of two runs, driven to the end, of each club")
    parser.add_argument("--alone", type=int, default=34, help="cars on the road alone, of each club")
    given = parser.parse_args()
    from tests.load.__main__ import _database, _prepare

    folder = Path(tempfile.mkdtemp(prefix="parc-ferme-scale-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _prepare(folder)
    drop = _database()
    try:
        return _run(given)
    finally:
        from django.db import connections

        connections.close_all()
        drop()


def _run(given: argparse.Namespace) -> int:
    import logging

    import django

    django.setup()
    logging.disable(logging.WARNING)
    from django.core.management import call_command

    from tests.scale import costs, world

    began = time.monotonic()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    world.found(world.Size(given.clubs, given.members, given.rallies, given.alone))
    print(f"Filled in {time.monotonic() - began:.0f} s: {_sizes()}\n", flush=True)
    found, failed = [], 0
    print(costs.HEAD)
    for what, ask in _requests():
        try:
            found.append(costs.of(what, ask))
        except RuntimeError as error:
            failed += 1
            print(error)
        else:
            print(
                "\n".join([found[-1].line(), *(f"  reads from end to end: {scan}" for scan in found[-1].scans)]),
                flush=True,
            )
    print(f"\n{_size_of_a_turn()}\n{_cost_of_a_sweep()}", flush=True)
    scans = [cost for cost in found if cost.scans and cost.what not in MONITORS]
    return int(bool(scans or failed))


def _sizes() -> str:
    from championship.accounts.models import User
    from championship.clubs.models import Club
    from championship.runs.models import Event, Run, Turn

    counted = {model._meta.verbose_name_plural: model.objects.count() for model in (Club, User, Run, Turn, Event)}
    return ", ".join(f"{count:,} {name}" for name, count in counted.items())


def _requests() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield each request to measure: pages for a signed-in driver, then the API, then the pages for monitoring."""
    from django.test import Client

    from championship.api.services import make_token
    from championship.health import metrics
    from championship.platform import clock
    from championship.rallies.models import Rally
    from championship.runs.models import Run
    from championship.runs.watch.deadline_health import clock_health
    from championship.seasons.models import Championship
    from tests.championship.api.factories import Program

    over = Rally.objects.filter(name="Driven").order_by("-pk").first()
    assert over is not None
    rally = Rally.objects.get(name="On the road", club=over.club)
    run = Run.objects.filter(special_stage__rally=rally).order_by("pk").first()
    driven = Run.objects.filter(special_stage__rally=over).order_by("pk").first()
    season = Championship.objects.get(club=over.club)
    assert run is not None and driven is not None
    driver = run.seats.select_related("entry__driver").get().entry.driver
    desk: Any = Client()
    secure: Any = {"secure": True, "headers": {"host": "127.0.0.1"}}
    desk.force_login(driver, backend="django.contrib.auth.backends.ModelBackend")
    pages = {
        "my clubs": "/clubs/",
        "club": over.club.get_absolute_url(),
        "my turns": "/turns/",
        "rally on the road": rally.get_absolute_url(),
        "rally that is over": over.get_absolute_url(),
        "stage times": f"{over.get_absolute_url()}stages/1/",
        "run on the road": run.get_absolute_url(),
        "run that is over": driven.get_absolute_url(),
        "log of a run": f"{driven.get_absolute_url()}log/",
        "replay of a run": f"{driven.get_absolute_url()}replay/",
        "standings": season.get_absolute_url(),
        "driver": f"{over.club.get_absolute_url()}drivers/{driver.pk}/",
    }
    yield "front page", lambda: Client().get("/", **secure)
    for what, path in pages.items():
        yield what, lambda path=path: desk.get(path, **secure)  # type: ignore[misc]
    _token, text = make_token(by=driver, name="Scale", scopes=("read",), days=30, club=None)
    program = Program(text)
    reads = {
        "API: my turns": "me/turns",
        "API: rally": f"rallies/{rally.key}",
        "API: run": f"runs/{run.key}",
        "API: events of a run": f"runs/{driven.key}/events",
        "API: standings": f"championships/{season.key}/standings",
        "API: news of all runs": "events",
    }
    for what, path in reads.items():
        yield what, lambda path=path: program.get(path, Host="127.0.0.1", X_Forwarded_Proto="https")  # type: ignore[misc]
    yield CLOCKWORK, lambda: str(clock_health(clock.now()))
    yield METRICS, lambda: metrics.text(clock.now())[0]


def _size_of_a_turn() -> str:
    """Return the size of a turn in the database, with indexes, as a line of text."""
    from django.db import connection

    tables = ("runs_event", "runs_post", "runs_turn")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name", [list(tables)]
        )
        weight = cursor.fetchone()[0]
        cursor.execute("SELECT count(*) FROM runs_turn")
        turns = cursor.fetchone()[0]
        cursor.execute("SELECT pg_database_size(current_database())")
        whole = cursor.fetchone()[0]
    return f"{weight / turns:,.0f} bytes a turn ({', '.join(tables)}), {whole / 2**30:.1f} GiB in all"


def _cost_of_a_sweep() -> str:
    """Make all cars on the road due at once. Return the cost of claiming them and of driving the first of them."""
    from django.utils import timezone

    from championship.deadlines import customers
    from championship.deadlines.services import sweeping
    from championship.runs.models import Turn

    now = timezone.now()
    Turn.objects.filter(ended_at=None).update(since=now - timedelta(days=2), deadline=now, terms={})
    sweeping.excuse_outage(now=now)
    worked, began = time.process_time(), time.monotonic()
    chunks = list(sweeping.claim(now=now))
    claimed = time.process_time() - worked, time.monotonic() - began
    due = sum(len(ids) for _customer, ids in chunks)
    worked, driven = time.process_time(), 0
    for customer, ids in chunks[:4]:
        driven += customers.get(customer).act(ids, now)
    each = (time.process_time() - worked) / max(1, driven)
    return (
        f"Sweep: {due:,} due, claimed with {claimed[0]:.2f} s of processor in {claimed[1]:.1f} s; "
        f"{each * 1000:.1f} ms of processor for each of the first {driven} that are driven"
    )


if __name__ == "__main__":
    sys.exit(main())
