"""The WAL archive: what is archived is small and complete, and files of older releases are restored too."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.clusters import DEPLOY, Cluster, running_cluster, until
from tests.deploy.programs import tool

NAME = "00000001000000000000000A"
CONTENT = b"\xd1\x10" + b"turns" * 1000 + bytes(2_000_000)
MOST_OF_A_QUIET_MINUTE = 150_000
"""Bytes. docs/operating.md names the disk space for a day of such minutes."""
A_MINUTE = """
import django
django.setup()
from championship.deadlines.tasks import sweep
from championship.health.tasks import look
sweep.delay()
look.delay()
"""


def in_shell(command: str, wal: Path, name: str, path: Path) -> int:
    """Run an archive_command or a restore_command as PostgreSQL does. Return its status."""
    filled = command.replace("/var/backups/parc-ferme/wal", str(wal)).replace("%f", name).replace("%p", str(path))
    return subprocess.run(["sh", "-c", filled], capture_output=True, timeout=60, check=False).returncode


def archive_command() -> str:
    conf = (DEPLOY / "postgresql" / "parc-ferme.conf").read_text()
    found = re.search(r"^archive_command = '(.*)'$", conf, re.M)
    assert found
    return found.group(1)


def restore_command() -> str:
    script = f". {DEPLOY}/lib.sh; restore_command /var/backups/parc-ferme/wal"
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def wal(tmp_path) -> Path:
    (tmp_path / "wal").mkdir()
    return tmp_path / "wal"


@pytest.fixture
def segment(tmp_path) -> Path:
    (tmp_path / "segment").write_bytes(CONTENT)
    return tmp_path / "segment"


class TestArchiving:
    def test_a_file_is_compressed_and_nothing_else_is_left(self, wal, segment):
        (wal / f".{NAME}.part").write_bytes(b"half of a file, from before a crash")
        assert in_shell(archive_command(), wal, NAME, segment) == 0
        assert [path.name for path in wal.iterdir()] == [f"{NAME}.gz"]
        packed = (wal / f"{NAME}.gz").read_bytes()
        assert gzip.decompress(packed) == CONTENT
        assert len(packed) < len(CONTENT) / 100

    def test_the_same_file_again_is_accepted_and_another_one_refused(self, wal, segment):
        assert in_shell(archive_command(), wal, NAME, segment) == 0
        packed = (wal / f"{NAME}.gz").read_bytes()
        assert in_shell(archive_command(), wal, NAME, segment) == 0
        segment.write_bytes(CONTENT[:-1] + b"x")
        assert in_shell(archive_command(), wal, NAME, segment) != 0
        segment.write_bytes(CONTENT + b"x")
        assert in_shell(archive_command(), wal, NAME, segment) != 0
        assert (wal / f"{NAME}.gz").read_bytes() == packed

    def test_a_damaged_file_in_the_archive_is_no_proof_that_it_was_archived(self, wal, segment):
        assert in_shell(archive_command(), wal, NAME, segment) == 0
        packed = (wal / f"{NAME}.gz").read_bytes()
        (wal / f"{NAME}.gz").write_bytes(packed[:-10])
        assert in_shell(archive_command(), wal, NAME, segment) != 0

    def test_a_file_of_an_older_release_counts_as_archived_if_it_is_the_same(self, wal, segment):
        shutil.copy(segment, wal / NAME)
        assert in_shell(archive_command(), wal, NAME, segment) == 0
        assert [path.name for path in wal.iterdir()] == [NAME]
        (wal / NAME).write_bytes(b"another")
        assert in_shell(archive_command(), wal, NAME, segment) != 0

    def test_without_a_place_to_write_it_fails(self, wal, segment):
        assert in_shell(archive_command(), wal / "missing", NAME, segment) != 0
        assert in_shell(archive_command(), wal, NAME, segment.with_name("missing")) != 0
        assert not (wal / f"{NAME}.gz").exists()


class TestRestoring:
    def test_both_kinds_of_file_come_back(self, wal, segment, tmp_path):
        fetched = tmp_path / "fetched"
        assert in_shell(archive_command(), wal, NAME, segment) == 0
        assert in_shell(restore_command(), wal, NAME, fetched) == 0
        assert fetched.read_bytes() == CONTENT
        (wal / f"{NAME}.gz").unlink()
        (wal / NAME).write_bytes(b"not compressed")
        assert in_shell(restore_command(), wal, NAME, fetched) == 0
        assert fetched.read_bytes() == b"not compressed"

    def test_the_end_of_the_archive_is_not_an_unreadable_file(self, wal, tmp_path):
        """PostgreSQL takes any status up to 125 for the end of the archive, and stops at a higher one."""
        assert in_shell(restore_command(), wal, NAME, tmp_path / "fetched") == 1
        (wal / f"{NAME}.gz").write_bytes(gzip.compress(os.urandom(1000))[:-300])
        assert in_shell(restore_command(), wal, NAME, tmp_path / "fetched") > 125


class TestCopies:
    """The copy on another machine; here it is another folder."""

    @pytest.fixture
    def folders(self, tmp_path) -> tuple[Path, Path]:
        here, there = tmp_path / "here", tmp_path / "there"
        for name in ("base/20261120T021000Z", "base/20261121T021000Z", "wal"):
            (here / name).mkdir(parents=True)
        (here / "base/20261120T021000Z/PG_VERSION").write_text("15")
        (here / "base/20261121T021000Z/PG_VERSION").write_text("15")
        (here / "base/20261122T021000Z.part").mkdir()
        for name in ("1.gz", "2.gz", ".3.part"):
            (here / "wal" / name).write_text(name)
        there.mkdir()
        return here, there

    def copy(self, what: str, here: Path, there: Path | str) -> None:
        tool("rsync")
        subprocess.run(
            [DEPLOY / "copy_backups.sh", what],
            env={**os.environ, "BACKUPS": str(here), "COPY_TO": str(there), "PGHOST": "/nowhere"},
            check=True,
            capture_output=True,
            timeout=60,
        )

    def names(self, folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

    def test_wal_goes_often_and_base_backups_once_a_night(self, folders):
        here, there = folders
        self.copy("wal", here, there)
        assert self.names(there) == {"wal/1.gz", "wal/2.gz"}
        self.copy("all", here, there)
        whole = {"wal/1.gz", "wal/2.gz", "base/20261120T021000Z/PG_VERSION", "base/20261121T021000Z/PG_VERSION"}
        assert self.names(there) == whole

    def test_what_is_lost_here_stays_there(self, folders):
        here, there = folders
        self.copy("all", here, there)
        before = self.names(there)
        shutil.rmtree(here / "base")
        shutil.rmtree(here / "wal")
        (here / "base").mkdir()
        (here / "wal").mkdir()
        self.copy("wal", here, there)
        self.copy("all", here, there)
        assert self.names(there) == before

    def test_what_was_deleted_as_too_old_is_deleted_there_by_name(self, folders):
        here, there = folders
        self.copy("all", here, there)
        shutil.rmtree(here / "base/20261120T021000Z")
        (here / "wal/1.gz").unlink()
        (here / "deleted").write_text("base/20261120T021000Z\nwal/1.gz\nwal/never-copied.gz\n")
        self.copy("all", here, there)
        assert self.names(there) == {"wal/2.gz", "base/20261121T021000Z/PG_VERSION"}
        assert (here / "deleted").read_text() == ""

    def test_without_another_machine_nothing_is_kept_for_it(self, folders):
        here, _there = folders
        (here / "deleted").write_text("wal/1.gz\n")
        self.copy("all", here, "")
        assert not (here / "deleted").exists()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running_cluster() as running:
        yield running


@pytest.mark.slow
class TestCluster:
    def test_quiet_minutes_are_small_and_a_mixed_archive_restores_the_last_turn(self, cluster):
        cluster.service("begin")
        cluster.shell('"$1/backup.sh"', cluster.scripts)
        wal = cluster.backups / "wal"
        cluster.archived()
        before = set(wal.glob("*.gz"))
        for _minute in range(3):
            cluster.python("-c", A_MINUTE)
            cluster.archived()
        quiet = sorted(set(wal.glob("*.gz")) - before)
        sizes = [path.stat().st_size for path in quiet]
        print("bytes of quiet minutes:", sizes)
        assert len(quiet) == 3 and max(sizes) < MOST_OF_A_QUIET_MINUTE

        # An older release archived without compression.
        cluster.shell('gzip --decompress "$1" "$2"', quiet[0], quiet[2])
        later = cluster.service("go on")
        cluster.archived()
        cluster.stop()
        shutil.rmtree(cluster.data)
        cluster.restored()
        found = cluster.service("stand")
        assert (found["version"], found["events"], found["folded"]) == (later["version"], later["events"], True)

        # A later backup deletes files of both kinds that no kept one needs.
        cluster.archived()
        cluster.shell('"$1/backup.sh"', cluster.scripts, KEEP_BACKUPS="1")
        assert not {path.name.removesuffix(".gz") for path in quiet} & {
            path.name.removesuffix(".gz") for path in wal.iterdir()
        }

    def test_the_service_knows_the_age_of_backups_and_that_archiving_fails(self, cluster):
        cluster.service("begin")
        assert "base backup: none is recorded" in cluster.python("manage.py", "health")
        cluster.shell('"$1/backup.sh"', cluster.scripts, COPY_TO=str(cluster.backups / "copy"))
        cluster.archived()
        told = cluster.python("manage.py", "health")
        assert re.search(r"base backup: finished 0:0\d:\d\d ago", told), told
        assert re.search(r"copy on another machine: finished 0:0\d:\d\d ago", told), told
        assert re.search(r"WAL archive: the last file was archived 0:0\d:\d\d ago", told), told

        (cluster.backups / "wal").rename(cluster.backups / "away")
        cluster.ask("SELECT pg_logical_emit_message(true, 'a', 'a')")
        cluster.ask("SELECT pg_switch_wal()")
        until(lambda: cluster.ask("SELECT failed_count FROM pg_stat_archiver") > 0, "archiving does not fail")
        assert "WAL archive: archive_command fails" in cluster.python("manage.py", "health")

    def test_wal_of_another_cluster_is_not_mixed_into_the_backup(self, cluster):
        """A fresh installation has WAL files with the names of the backup's, and they are newer."""
        begun = cluster.service("begin")
        cluster.shell('"$1/backup.sh"', cluster.scripts)
        cluster.stop()
        shutil.rmtree(cluster.data)
        for path in (cluster.backups / "wal").iterdir():
            path.unlink()
        [backup] = (cluster.backups / "base").iterdir()
        cluster.shell('"$PG_BIN/initdb" --pgdata "$1" --username postgres --auth trust --locale C', cluster.data)
        for path in (backup / "pg_wal").glob("?" * 24):
            foreign = cluster.data / "pg_wal" / path.name
            shutil.copy(next((cluster.data / "pg_wal").glob("?" * 24)), foreign)
            os.utime(foreign)
        cluster.restored()
        assert cluster.service("stand")["events"] == begun["events"]
