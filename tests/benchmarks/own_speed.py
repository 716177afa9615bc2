"""`python -m tests.benchmarks.own_speed`: what own template tags and own row writing save, and which page is dear.

The drivers of the load test drive in this process, without a server. Each request is made in one of three ways, by
lot: as the service is, with Django's own tags, or with rows written by Django. Printed is the processor time of each
kind of request, at the median, as a multiple of that of a bare page. `--profile "my turns"` prints in place of that
where such a request spends its time, and its queries.
"""

from __future__ import annotations

import argparse
import atexit
import cProfile
import pstats
import random
import shutil
import statistics
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

from tests.load.browser import IN_PLACE, REFUSED, Answer, Browser
from tests.load.report import FLOOR

TAGS = "championship.platform.templatetags.fast_tags"
WAYS = ("as it is", "Django's tags", "Django's rows")
Times = dict[tuple[str, str], list[float]]
"""Milliseconds of processor time, by kind of request and way."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.own_speed")
    parser.add_argument("--drivers", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=20, help="steps of each driver")
    parser.add_argument("--profile", metavar="KIND", help="a kind of request, such as 'rally page'")
    given = parser.parse_args()
    from tests.load import __main__ as loading

    folder = Path(tempfile.mkdtemp(prefix="parc-ferme-speed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    loading._prepare(folder)
    drop = loading._database()
    try:
        return _measure(given)
    finally:
        drop()


def _measure(given: argparse.Namespace) -> int:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    from django.db import connections

    from tests.load import world

    try:
        seats = world.seed(at_work=given.drivers)
        times: Times = defaultdict(list)
        _drive(seats, given, Ways(times, profiled=given.profile or ""))
        if not given.profile:
            print(table(times))
    finally:
        connections.close_all()
    return 0


class Ways:
    """Makes requests in one of the ways, and keeps what each took."""

    def __init__(self, times: Times, *, profiled: str) -> None:
        from django.template import engines

        self.times, self.profiled, self.chance = times, profiled, random.Random(7)
        self.engines = {"as it is": engines["django"], "Django's tags": _django_engine()}
        self.profile = cProfile.Profile()
        self.queries: list[list[str]] = []

    @contextmanager
    def by_lot(self) -> Iterator[str]:
        from django.template import engines

        way = "as it is" if self.profiled else self.chance.choice(WAYS)
        engines._engines = {"django": self.engines.get(way, self.engines["as it is"])}
        with _rows_by_django() if way == "Django's rows" else nullcontext():
            yield way


def _django_engine() -> Any:
    """The templates of the service with the tags of Django."""
    from django.conf import settings
    from django.template.backends.django import DjangoTemplates

    told: dict[str, Any] = {**settings.TEMPLATES[0], "NAME": "django"}
    del told["BACKEND"]
    options = dict(told["OPTIONS"])
    options["builtins"] = ["django.templatetags.i18n" if each == TAGS else each for each in options["builtins"]]
    return DjangoTemplates({**told, "OPTIONS": options})


@contextmanager
def _rows_by_django() -> Iterator[None]:
    """Posts, events, runs and drafts are written by `bulk_create` and `save`."""
    from championship.runs.models import Draft, Event, Post, Run

    def add_posts(posts: Sequence[Post], events: Sequence[Event]) -> None:
        if posts:
            for post in posts:
                post.turn = post.turn  # a new turn gets its key after the post object is made
            Post.objects.bulk_create(posts)
            for event in events:
                event.post = event.post
            Event.objects.bulk_create(events)

    def save_runs(runs: Sequence[Run]) -> None:
        names = ["state", "version", "drawn", "events_told", "hidden", "open_up_to"]
        for run in runs:
            run.save(update_fields=names)

    def save_draft(draft: Draft) -> None:
        draft.save(update_fields=["laid", "orders", "version", "updated_at"])

    with (
        mock.patch("championship.runs.play.writing.add_posts", add_posts),
        mock.patch("championship.runs.play.writing.save_runs", save_runs),
        mock.patch("championship.runs.play.turn_drafts.save_draft", save_draft),
    ):
        yield


class InProcess(Browser):
    """A browser whose requests are answered in this process."""

    ways: Ways

    def _ask(self, kind: str, method: str, path: str, body: str | None, headers: Any) -> Answer | None:
        from django.test import Client

        client = Client(headers={"x-forwarded-proto": "https", "host": self.host, "accept-language": "en"})
        client.cookies.load(self.cookies)
        with self.ways.by_lot() as way:
            response = self._profiled(client, kind, method, path, body, headers)
        self.cookies |= {name: morsel.value for name, morsel in response.cookies.items()}
        cpu = float(response.headers["Server-Timing"].partition("cpu;dur=")[2])
        named = f"{kind}, {response.status_code}" if response.status_code in (304, *REFUSED) else kind
        self.ways.times[named, way].append(cpu)
        if response.status_code >= 400 and response.status_code not in REFUSED:
            raise SystemExit(f"{method} {path}: {response.status_code}")
        return Answer(response.status_code, b"".join(response).decode("utf-8", "replace"))

    def _profiled(self, client: Any, kind: str, method: str, path: str, body: str | None, headers: Any) -> Any:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        def ask() -> Any:
            typed = headers.get("Content-Type", "text/plain")
            return client.generic(method, path, body or "", content_type=typed, headers=dict(headers))

        if kind != self.ways.profiled:
            return ask()
        with CaptureQueriesContext(connection) as captured, self.ways.profile:
            response = ask()
        self.ways.queries.append([each["sql"] for each in captured])
        return response


def _drive(seats: Sequence[Any], given: argparse.Namespace, ways: Ways) -> None:
    from tests.load.driver import Driver

    over = threading.Event()
    over.set()  # nobody pauses to think
    drivers = []
    for number, seat in enumerate(seats):
        browser = InProcess("127.0.0.1", 80, dict(seat.cookies))
        browser.ways = ways
        drivers.append(Driver(browser, seat.run, seat.rally, done=over, seed=number))
    for _round in range(given.rounds):
        for driver in drivers:
            _once(driver)
    if ways.profiled:
        stats = pstats.Stats(ways.profile)
        stats.sort_stats("cumulative").print_stats("championship|template/|render", 60)
        stats.sort_stats("tottime").print_stats(25)
        print(f"{len(ways.queries)} requests; queries of the last:")
        for sql in ways.queries[-1]:
            print("  ", sql[:260])


def _once(driver: Any) -> None:
    """One step of a driver, and a look at each page."""
    ask = driver.browser.get
    ask(FLOOR, "/load/bare/")
    if driver.page is None:
        driver._show(ask("stage page", driver.run_path))
    elif "run" in driver.page.polls:
        address, tag = driver.page.polls["run"]
        ask("poll", address, **{"If-None-Match": tag, **IN_PLACE})
    driver._step(driver.page)
    ask("my turns", "/turns/")
    ask("rally page", driver.rally_path)
    ask("rally page again", driver.rally_path)
    ask("sheet of a stage", f"{driver.rally_path}stages/1/")
    driver._show(ask("stage page", driver.run_path))


def table(times: Times) -> str:
    """The medians of all kinds and ways, as multiples of a bare page; how many requests there were."""
    floor = statistics.median(each for (kind, _way), found in times.items() if kind == FLOOR for each in found)
    rows = [f"{'times a bare page':22}" + "".join(f"{way:>16}{'':>8}" for way in WAYS)]
    for kind in dict.fromkeys(kind for kind, _way in times):
        cells = [times.get((kind, way), []) for way in WAYS]
        told = [
            f"{statistics.median(each) / floor:>16.2f}{len(each):>8}" if each else f"{'–':>16}{0:>8}" for each in cells
        ]
        rows.append(f"{kind:22}" + "".join(told))
    return "\n".join([*rows, f"A bare page takes {floor:.1f} ms."])


if __name__ == "__main__":
    sys.exit(main())
