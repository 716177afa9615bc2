"""Ten thousand deadlines pass at once: `python -m tests.benchmarks.sweep_ten_thousand [TURNS] [WORKERS] [profile]`.

Uses a separate database on the PostgreSQL of DATABASE_URL, and Celery workers on the broker of CELERY_BROKER_URL or on
a folder. Prints the time from the sweep until the last turn was driven. Checks that each is driven once. With `profile`
one process drives them, and prints where the time was spent and the number of queries for each turn.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.benchmarks.sweep_settings"

DRIVERS = 50
"""Drivers of each rally. Every car is alone on the road."""
PATIENCE = 600
"""Seconds."""


def main() -> int:
    turns, workers, profiled = _arguments()
    with tempfile.TemporaryDirectory(prefix="parc-ferme-sweep-") as folder:
        if not os.environ.get("CELERY_BROKER_URL"):
            os.environ["SWEEP_FOLDER"] = f"{folder}/messages"
        import django

        django.setup()
        with _database():
            _make(turns)
            if profiled:
                _profile(turns)
                return 0
            return _race(turns, workers)


def _arguments() -> tuple[int, int, bool]:
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    turns, workers = [*numbers, 10_000, 2][:2] if len(numbers) != 1 else (numbers[0], 2)
    return turns, workers, "profile" in sys.argv


@contextmanager
def _database() -> Iterator[None]:
    from django.conf import settings
    from django.db import connection

    kept = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"sweep_{os.getpid()}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    settings.CELERY_TASK_ALWAYS_EAGER = False
    try:
        yield
    finally:
        connection.creation.destroy_test_db(kept, verbosity=0)


def _make(turns: int) -> None:
    """Create so many runs with an open turn that is due. The services create one rally; the others are copies of it."""
    from django.db import connection

    from championship.notices.models import Notice
    from championship.rallies.services import start_rally
    from championship.runs.models import Turn
    from tests.championship.rallies.factories import enter, make_rally, organiser_of

    first = make_rally(mode="open road", stages=("1/2", "1/3"))
    enter(first, *[f"Driver {number}" for number in range(1, DRIVERS + 1)])
    start_rally(by=organiser_of(first), rally=first)
    for _ in range(-(-turns // DRIVERS) - 1):
        _copy(first)
    surplus = Turn.objects.order_by("-pk").values_list("pk", flat=True)[: Turn.objects.count() - turns]
    Turn.objects.filter(pk__in=list(surplus)).delete()
    Notice.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum would after a minute
    turn = Turn.objects.order_by("pk")[0]
    Turn.objects.update(since=turn.since - timedelta(days=2), deadline=turn.since - timedelta(minutes=1), terms={})


def _copy(rally: object) -> None:
    """Copy a rally in its state after the start."""
    from championship.platform.keys import new_key
    from championship.rallies.models import Entry, Rally, SpecialStage
    from championship.runs.models import Run, Seat, Turn

    fresh = Rally.objects.get(pk=rally.pk)  # type: ignore[attr-defined]
    stages, entries = list(fresh.stages.all()), list(fresh.entries.all())
    runs = list(Run.objects.filter(special_stage=stages[0]).prefetch_related("seats", "turns"))
    fresh.pk, fresh.key = None, new_key()
    fresh.save(force_insert=True)
    for row in (*stages, *entries):
        row.pk, row.rally = None, fresh
    SpecialStage.objects.bulk_create(stages)
    Entry.objects.bulk_create(entries)
    by_driver = {entry.driver_id: entry for entry in entries}
    seats, turns = [], []
    old = {entry.pk: by_driver[entry.driver_id] for entry in Entry.objects.filter(rally=rally)}
    for run in runs:
        for seat in run.seats.all():
            seat.entry, seat.special_stage, seat.run, seat.pk = old[seat.entry_id], stages[0], run, None
            seats.append(seat)
        for turn in run.turns.all():
            turn.seat, turn.run, turn.pk = seats[-1], run, None
            turns.append(turn)
        run.pk, run.key, run.special_stage = None, new_key(), stages[0]
    Run.objects.bulk_create(runs)
    for row in (*seats, *turns):
        row.run = row.run
    Seat.objects.bulk_create(seats)
    for turn in turns:
        turn.seat = turn.seat
    Turn.objects.bulk_create(turns)


def _left() -> int:
    from championship.runs.models import Turn

    return Turn.objects.filter(number=1, ended_at=None).count()


def _race(turns: int, workers: int) -> int:
    from django.db import connection

    from championship.celery import app
    from championship.deadlines.tasks import sweep

    app.control.purge()
    environment = {
        **os.environ,
        "SWEEP_DATABASE": connection.settings_dict["NAME"],
        "PYTHONWARNINGS": "ignore:::celery.platforms",
    }
    command = [sys.executable, "-m", "celery", "-A", "championship", "-q", "worker", "--pool", "solo", "-l", "ERROR"]
    command += ["--without-gossip", "--without-mingle", "--without-heartbeat", "--queues", "clock"]
    started = [subprocess.Popen([*command, "-n", f"w{number}@%h"], env=environment) for number in range(workers)]
    try:
        _wait_for(workers, app)
        begun = time.monotonic()
        sweep.delay()
        while (left := _left()) and time.monotonic() - begun < PATIENCE:
            time.sleep(0.2)
        seconds = time.monotonic() - begun
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()
        app.control.purge()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"the workers used {used.ru_utime + used.ru_stime:.1f} s of processor time, starting included")
    return _say(turns, workers, seconds, left)


def _wait_for(workers: int, app: object) -> None:
    """Wait until every worker answers, or for a while if the broker cannot carry remote control."""
    begun = time.monotonic()
    while time.monotonic() - begun < 20:
        answers = app.control.ping(timeout=1)  # type: ignore[attr-defined]
        if len(answers) == workers:
            return


def _say(turns: int, workers: int, seconds: float, left: int) -> int:
    from championship.runs.models import Turn

    twice = Turn.objects.filter(number__gt=2).count()
    missed = Turn.objects.filter(missed=True).count()
    print(f"{turns} due turns by {workers} workers: {seconds:.1f} s, {turns / seconds:.0f} a second; {left} left")
    if left or twice or missed != turns:
        print(f"wrong: {missed} driven, {twice} turns too many")
        return 1
    return 0


def _profile(turns: int) -> None:
    from django.db import connection, reset_queries

    from championship.deadlines.services.sweeping import claim
    from championship.platform import clock
    from championship.runs.play import drive_due

    chunks = [turn_ids for _customer, turn_ids in claim(now=clock.now())]
    connection.force_debug_cursor = True
    reset_queries()
    drive_due(turn_ids=chunks.pop(), now=clock.now())
    for query in connection.queries:
        print(query["time"], query["sql"][:150])
    print(len(connection.queries), "queries")
    connection.force_debug_cursor = False
    profile = cProfile.Profile()
    begun, used = time.monotonic(), time.process_time()
    profile.enable()
    driven = sum(drive_due(turn_ids=chunk, now=clock.now()) for chunk in chunks)
    profile.disable()
    seconds = time.monotonic() - begun
    here = (time.process_time() - used) / driven
    print(f"{driven} turns, {seconds / driven * 1000:.2f} ms each, {here * 1000:.2f} ms of it here")
    pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


if __name__ == "__main__":
    sys.exit(main())
