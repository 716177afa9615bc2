"""What `manage.py health` and the metrics report about backups and disks, and the alerts that follow."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from championship.deadlines.tasks import sweep
from championship.health import selectors
from championship.health.models import ClockJump, FinishedBackup
from championship.health.storage import LEAST_FREE, Archiver, Disk, disks
from championship.platform import clock
from tests.championship.health.alert_rules import firing
from tests.championship.health.test_metrics import measured

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]
HOUR = 3600


def found() -> dict[str, selectors.Finding]:
    return {each.name: each for each in selectors.of_database(clock.now())}


def hours(at, count: int) -> list[dict[str, float]]:
    """Let hours pass. Return what a monitor reads before each."""
    read = []
    for _hour in range(count):
        read.append(measured())
        at(clock.now() + timedelta(hours=1))
    return read


def finish(what: str) -> None:
    FinishedBackup.objects.update_or_create(what=what, defaults={"finished_at": clock.now()})


def test_without_backups_there_is_a_note_and_a_ticket_but_no_problem(at, tmp_path):
    assert "none is recorded" in found()["base backup"].text
    assert "none is recorded" in found()["copy on another machine"].text
    assert not any(each.is_problem for each in found().values())
    read = hours(at, 40)
    assert not any("parc_ferme_backup_age_seconds" in name for name in read[0])
    assert firing("ParcFermeBackupMissing", read, tmp_path, seconds=HOUR) == 36 * HOUR
    assert firing("ParcFermeBackupOld", read, tmp_path, seconds=HOUR) is None


def test_a_backup_that_is_missed_is_a_problem_after_a_day_and_a_half(at, tmp_path):
    finish("base")
    assert "finished 0:00:00 ago" in found()["base backup"].text
    read = hours(at, 37)
    assert read[-1]['parc_ferme_backup_age_seconds{what="base"}'] == 36 * HOUR
    assert found()["base backup"].is_problem
    read += hours(at, 3)
    assert firing("ParcFermeBackupOld", read, tmp_path, seconds=HOUR) == 38 * HOUR
    assert firing("ParcFermeBackupMissing", read, tmp_path, seconds=HOUR) is None
    finish("base")
    assert not found()["base backup"].is_problem


def test_a_copy_that_does_not_come_is_a_problem_after_six_hours(at, tmp_path):
    finish("copy")
    read = hours(at, 9)
    assert found()["copy on another machine"].is_problem
    assert firing("ParcFermeCopyOld", read, tmp_path, seconds=HOUR) == 8 * HOUR


def test_health_fails_for_a_problem_and_not_for_a_note(at):
    sweep.delay()
    call_command("health", "--check", stdout=StringIO())
    finish("base")
    at(clock.now() + timedelta(hours=40))
    sweep.delay()
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("health", "--check", stdout=out)
    assert "base backup: finished 1 day, 16:00:00 ago (PROBLEM)" in out.getvalue()


@pytest.mark.parametrize(
    ("archiver", "late"),
    [
        (Archiver(enabled=True, age=60.0, failures=0, fails=False), False),
        (Archiver(enabled=True, age=901.0, failures=3, fails=True), True),
        (Archiver(enabled=False, age=99999.0, failures=0, fails=False), False),
    ],
)
def test_wal_is_late_after_a_quarter_of_an_hour(archiver, late):
    assert archiver.late == late


def test_wal_that_is_not_archived_wakes_somebody_within_half_an_hour(tmp_path):
    read = [{"parc_ferme_wal_archive_age_seconds": 60.0 * minute} for minute in range(30)]
    seconds = firing("ParcFermeWalNotArchived", read, tmp_path)
    assert seconds is not None and seconds <= 1800
    steady = [{"parc_ferme_wal_archive_age_seconds": 60.0} for _minute in range(30)]
    assert firing("ParcFermeWalNotArchived", steady, tmp_path) is None


class TestDisks:
    def test_the_disk_of_each_folder_that_exists_is_measured(self, settings, tmp_path):
        settings.DISK_FOLDERS = [str(tmp_path), "/no/such/folder"]
        [disk] = disks()
        assert 0 < disk.free <= disk.size
        assert measured()[f'parc_ferme_disk_free_bytes{{folder="{tmp_path}"}}'] > 0
        assert measured()[f'parc_ferme_disk_size_bytes{{folder="{tmp_path}"}}'] > 0
        [finding] = selectors.of_machine()
        assert "GB free" in finding.text

    def test_a_disk_that_gets_full_is_a_problem(self, tmp_path):
        assert Disk("/var", 40_000_000_000, LEAST_FREE - 1).nearly_full
        assert not Disk("/var", 40_000_000_000, LEAST_FREE).nearly_full
        free = 'parc_ferme_disk_free_bytes{folder="/var"}'
        assert firing("ParcFermeDiskLow", [{free: 1.9e9}] * 8, tmp_path) == 300
        assert firing("ParcFermeDiskLow", [{free: 2.1e9}] * 8, tmp_path) is None
        filling = [{free: 40e9 - 1e9 * hour} for hour in range(9)]
        assert firing("ParcFermeDiskFills", filling, tmp_path, seconds=HOUR) is not None
        assert firing("ParcFermeDiskFills", [{free: 40e9}] * 9, tmp_path, seconds=HOUR) is None


def test_an_acknowledged_jump_is_reported_no_more_and_the_next_one_is(at):
    sweep.delay()
    ClockJump.objects.create(boot="a start", noticed_at=clock.now(), seconds=-600)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("health", "--check", stdout=out)
    assert "clock: set -600 seconds" in out.getvalue()
    call_command("health", "--check", "--acknowledge", stdout=out)
    assert "jumps of clocks acknowledged: 1" in out.getvalue()
    assert measured()["parc_ferme_clock_jump_seconds"] == 0
    call_command("health", "--check", stdout=out)
    ClockJump.objects.create(boot="a start", noticed_at=clock.now(), seconds=500)
    assert measured()["parc_ferme_clock_jump_seconds"] == 500
    with pytest.raises(SystemExit):
        call_command("health", "--check", stdout=out)


def test_a_service_that_never_swept_is_an_alert(at, tmp_path):
    read = []
    for _minute in range(10):
        read.append(measured())
        at(clock.now() + timedelta(minutes=1))
    assert firing("ParcFermeNeverSwept", read, tmp_path) == 300
    sweep.delay()
    assert firing("ParcFermeNeverSwept", [measured()] * 10, tmp_path) is None
