"""Rehearses a season twice: first undisturbed, then while database, broker, mail server and workers fail."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.chaos.settings"  # before Celery reads it

if TYPE_CHECKING:
    from tests.chaos.habits import Size
    from tests.chaos.season import Season
    from tests.chaos.timebook import Span

WITHIN = timedelta(minutes=2)
"""The longest delay after a deadline until it is acted on."""


def main() -> int:
    """Print the faults, one in a line. Returns the exit code: 0 without faults, else 1."""
    said = _arguments()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _frame: sys.exit(128 + number))  # so that all processes are stopped
    with tempfile.TemporaryDirectory(prefix="parc-ferme-chaos-", ignore_cleanup_errors=True) as folder:
        path = Path(folder)
        path.chmod(0o711)  # the user of the database needs access to its folder inside
        os.environ["PARC_FERME_VAR"] = folder
        from tests.chaos import moment
        from tests.chaos.habits import Size

        os.environ[moment.FILE] = str(path / "moment")
        size = Size(clubs=said.clubs, drivers=said.drivers, rallies=said.rallies, days=said.days, seed=said.seed)
        return _undisturbed(size, path) if said.kills is None else _disturbed(size, path, said)


def _arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    asked.add_argument("--clubs", type=int, default=20)
    asked.add_argument("--drivers", type=int, default=500)
    asked.add_argument("--rallies", type=int, default=28, help="in all; 28 of 20 clubs are some 200 runs")
    asked.add_argument("--days", type=int, default=90)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--kills", type=int, help="workers to kill; without it the season is undisturbed")
    asked.add_argument("--restarts", type=int, default=3, help="of database and broker")
    asked.add_argument("--outages", type=int, default=2, choices=(0, 1, 2), help="times without any worker")
    asked.add_argument("--broker", default="redis", help="redis: a server of its own; or a broker's address")
    asked.add_argument("--beat", type=float, default=1.0, help="seconds between two beats")
    return asked.parse_args()


def _undisturbed(size: Size, folder: Path) -> int:
    """Run the season in this process. Each tick runs the tasks that beat would send to workers."""
    from championship.platform.embedded import Server
    from tests.chaos.receivers import Receivers

    server, receivers = Server(folder / "postgres", durable=False), Receivers()
    try:
        server.start()
        os.environ["DATABASE_URL"] = server.url()
        with receivers.up():
            os.environ["PARC_FERME_RECEIVERS"] = receivers.address
            _set_up()
            from tests.chaos import books
            from tests.chaos.season import Season, tick_here
            from tests.chaos.town import found

            season = Season(size, found(size, receivers), tick=tick_here)
            seconds = _run(season)
            return _account(books.letters_by_notice() + receivers.copies, seconds, season, season.did, dark=())
    finally:
        server.stop()


def _disturbed(size: Size, folder: Path, said: argparse.Namespace) -> int:
    """Run the season with separate processes, which fail."""
    from tests.chaos.machinery import Machinery

    machinery = Machinery(folder, broker=said.broker, beat=said.beat)
    with machinery.up():
        _set_up()
        from tests.chaos import books
        from tests.chaos.misfortune import OUTAGES, Misfortune, patient
        from tests.chaos.season import Season
        from tests.chaos.town import found

        town = found(size, machinery.receivers)
        machinery.start_celery()
        busy = 6 * size.drivers * size.rallies / size.clubs  # approximate number of minutes in which something is due
        share = min(1.0, 1.5 * said.kills / busy)
        fate = Misfortune(
            machinery,
            kills=said.kills,
            share=share,
            days=size.days,
            draw=Random(size.seed),
            restarts=said.restarts,
            lengths=OUTAGES[: said.outages],
        )
        season = Season(size, town, tick=fate.tick, retried=patient)
        seconds = _run(season)
        asked = books.settle(machinery.letters.copies + machinery.receivers.copies)
        season.go_on()
        befell = {**season.did, **fate.told(), "letters and posts that the operator had to ask about": asked}
        copies = machinery.letters.copies + machinery.receivers.copies
        return _account(copies, seconds, season, befell, dark=fate.outages)


def _set_up() -> None:
    import django
    from django.core.management import call_command

    from tests.chaos import moment

    django.setup()
    moment.turn_to(moment.BEGINNING)
    call_command("migrate", verbosity=0)


def _run(season: Season) -> float:
    began = time.monotonic()
    season.run()
    return time.monotonic() - began


def _account(
    copies: Mapping[str, int],
    seconds: float,
    season: Season,
    befell: Mapping[str, object],
    *,
    dark: Collection[Span],
) -> int:
    """Print the season in numbers, and its faults. Returns the exit code.

    dark: times without any worker. Work that is unfinished when the days are used up is printed, but is not a fault.
    """
    from tests.chaos import books

    faults = list(books.faults(copies=copies, within=WITHIN, dark=dark, over=not season.cut_off))
    told = {**books.tally(copies), "days used up before all was over": season.cut_off, **befell}
    print(json.dumps({**told, "seconds": round(seconds), "faults": len(faults)}, indent=2))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
