"""A restore stays under 150 MB, whatever is in the archive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from championship.clubs.models import Club
from tests.championship.archive import bombs
from tests.championship.archive.scenes import a_club_with_a_past, archived, emptied
from tests.championship.rallies.factories import largest_rally
from tests.factories import make_user

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

MOST = 150.0 * 1e6 / 1024**2
"""MiB, interpreter and Django included."""


def restored_in_a_process(*paths: Path) -> dict[str, dict[str, Any]]:
    """Restore the archives in a process of its own, for a new owner. Returns its reports, by file."""
    database = {key: connection.settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "championship.settings.test", "DATABASE": json.dumps(database)
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.championship.archive.bombs", make_user().email, *map(str, paths)]
    told = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, timeout=540, check=True
    )
    reports = [json.loads(line) for line in told.stdout.splitlines() if line.startswith("{")]
    assert len(reports) == len(paths), told.stderr
    return {each["file"]: each for each in reports}


def test_no_archive_takes_more_memory_than_a_restore_may(tmp_path: Path) -> None:
    with zipfile.ZipFile(archived(a_club_with_a_past().club)) as found:
        files = {name: found.read(name) for name in found.namelist()}
    honest = tmp_path / "honest.zip"
    honest.write_bytes(archived(largest_rally().club).getvalue())
    emptied()
    made = bombs.write_all(tmp_path, files) | {"honest": honest}
    reports = restored_in_a_process(*made.values())
    for name, report in sorted(reports.items()):
        print(f"{name}: {report['begun']:.0f} MiB before, {report['peak']:.0f} at most; {report['outcome']}")
    assert {name: report["peak"] for name, report in reports.items() if report["peak"] > MOST} == {}
    taken = [name for name, report in reports.items() if report["outcome"].startswith("restored")]
    assert sorted(taken) == ["honest.zip", "lines_that_are_allowed.zip", "texts_that_are_allowed.zip"]
    assert Club.objects.count() == 3
