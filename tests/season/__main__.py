"""Drives a season of 12 rallies, 60 drivers and 36 stages by codriver, checks its tables and measures its pages."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

os.environ["DJANGO_SETTINGS_MODULE"] = "championship.settings.test"

if TYPE_CHECKING:
    from championship.seasons.models import Championship

TIMES = 7
"""Number of requests for each page. The median counts."""


def main() -> int:
    """Print the measurements, and each difference between the two computations of the tables in a line.

    Returns the exit code: 0 without differences, else 1.
    """
    asked = argparse.ArgumentParser(prog="python -m tests.season", description=__doc__)
    asked.add_argument("--rounds", type=int, default=12)
    asked.add_argument("--drivers", type=int, default=60)
    asked.add_argument("--stages", type=int, default=3)
    asked.add_argument("--tiles", type=int, default=4)
    said = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="parc-ferme-season-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        os.environ["PARC_FERME_VAR"] = folder
        from championship.platform.embedded import Server

        server = Server(Path(folder) / "postgres", durable=False)
        server.start()
        os.environ["DATABASE_URL"] = server.url()
        try:
            return _season(said)
        finally:
            server.stop()


def _season(said: argparse.Namespace) -> int:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from championship.seasons.schemes import READY_MADE
    from tests.season.again import differences
    from tests.season.driven import Size, drive_round, season_of, world

    size = Size(said.rounds, said.drivers, classes=3, teams=10, stages=said.stages, tiles=said.tiles)
    there, draw, began = world(size), Random(size.seed), time.monotonic()
    championship = season_of(there, size, READY_MADE["large field"].scheme)
    for number in range(1, size.rounds + 1):
        drive_round(there, championship, number, draw=draw)
        print(f"round {number} is over after {time.monotonic() - began:.0f} s", file=sys.stderr)
    wrong = differences(championship)
    told = {"seconds": round(time.monotonic() - began), "differences": len(wrong), "pages": _pages(championship)}
    print(json.dumps(told, indent=2))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def _pages(championship: Championship) -> dict[str, dict[str, float]]:
    """Return queries and median milliseconds of the pages of a season, requested by a member of the club."""
    from django.db import connection, reset_queries
    from django.test import Client, override_settings

    member = championship.registrations.first().driver  # type: ignore[union-attr]
    client = Client()
    client.force_login(member, backend="django.contrib.auth.backends.ModelBackend")
    rally = championship.rounds.first().rally  # type: ignore[union-attr]
    driver = f"/clubs/{championship.club.slug}/drivers/{member.pk}/"
    other = championship.registrations.last().driver_id  # type: ignore[union-attr]
    addresses = {
        "championship": championship.get_absolute_url(),
        "class": f"{championship.get_absolute_url()}classes/1/",
        "teams": f"{championship.get_absolute_url()}teams/",
        "progress": f"{championship.get_absolute_url()}progress/",
        "registrations": f"{championship.get_absolute_url()}registrations/",
        "driver": driver,
        "head-to-head": f"{driver}against/?driver={other}",
        "rally": rally.get_absolute_url(),
        "stage": rally.stages.first().get_absolute_url(),  # type: ignore[union-attr]
        "sheet": f"{rally.get_absolute_url()}sheet/",
        "podium": f"{rally.get_absolute_url()}podium/",
    }
    told = {}
    for name, address in addresses.items():
        took = []
        for _ in range(TIMES):
            began = time.perf_counter()
            assert client.get(address).status_code == 200
            took.append((time.perf_counter() - began) * 1000)
        with override_settings(DEBUG=True):
            reset_queries()
            client.get(address)
            told[name] = {"queries": len(connection.queries), "median ms": round(statistics.median(took), 1)}
    return told


if __name__ == "__main__":
    sys.exit(main())
