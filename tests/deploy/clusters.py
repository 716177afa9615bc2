"""A cluster of Debian's PostgreSQL that archives its WAL as deploy/ configures it, for tests of backup and restore."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from championship.platform import embedded
from tests.deploy.programs import lacks

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PATIENCE = 120


class Cluster:
    """A cluster of Debian's PostgreSQL that archives its WAL as deploy/postgresql says, and the service on it."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.folder, self.backups, self.data, self.binaries = folder, folder / "backups", folder / "data", binaries
        self.user = embedded._service_user()
        self.scripts = folder / "deploy"
        shutil.copytree(DEPLOY, self.scripts)  # a place where the user of the cluster can read them
        (folder / "var").mkdir()
        for path in (folder / "sockets", self.backups, self.backups / "base", self.backups / "wal"):
            path.mkdir()
            if self.user:
                os.chown(path, self.user.pw_uid, self.user.pw_gid)
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)

    def make(self) -> None:
        """Create and start the cluster, with the WAL archive that deploy/ configures."""
        self.shell(
            '"$PG_BIN/initdb" --pgdata "$1" --username postgres --auth trust --encoding UTF8 --locale C', self.data
        )
        conf = (DEPLOY / "postgresql" / "parc-ferme.conf").read_text()
        conf = conf.replace("/var/backups/parc-ferme", str(self.backups))
        lines = [line for line in conf.splitlines() if re.match("archive_(mode|command)|wal_level", line)]
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("\n".join(lines) + "\n")
        self.start()
        self.ask("CREATE DATABASE parc_ferme", database="postgres")

    def start(self) -> None:
        options = f"-h '' -k {self.folder}/sockets"
        script = '"$PG_BIN/pg_ctl" -D "$1" -o "$2" -l "$3" -w -t 120 start >/dev/null'
        self.shell(script, self.data, options, self.folder / "sockets" / "log")

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.shell('"$PG_BIN/pg_ctl" -D "$1" -m immediate -w stop >/dev/null', self.data)

    def url(self, database: str = "parc_ferme") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}/sockets"

    def ask(self, query: str, *, database: str = "parc_ferme") -> Any:
        """Return the one value of the query's result, or None."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            found = connection.execute(query.encode())
            return (found.fetchone() or [None])[0] if found.description else None

    def shell(self, script: str, *given: str | Path, **more: str) -> str:
        """Return the output of a piece of bash, run as the owner of the cluster."""
        done = subprocess.run(
            ["bash", "-c", f"set -euo pipefail\n{script}", "bash", *map(str, given)],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            user=self.user.pw_uid if self.user else None,
            group=self.user.pw_gid if self.user else None,
            extra_groups=[] if self.user else None,
            cwd="/",
            env={
                **os.environ,
                "BACKUPS": str(self.backups),
                "PG_BIN": str(self.binaries),
                "PGHOST": f"{self.folder}/sockets",
                "PGUSER": "postgres",
                **more,
            },
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def service(self, what: str) -> dict[str, Any]:
        """Return the result of tests/deploy/turns_lost.py."""
        found: dict[str, Any] = json.loads(self.python("-m", "tests.deploy.turns_lost", what).splitlines()[-1])
        return found

    def python(self, *arguments: str) -> str:
        """Return the output of Python with the settings of the service on this cluster."""
        environment = {
            **os.environ,
            "DATABASE_URL": self.url(),
            "PARC_FERME_VAR": str(self.folder / "var"),
            "DJANGO_SETTINGS_MODULE": "championship.settings.test",
        }
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
            cwd=ROOT,
            env=environment,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def archived(self) -> None:
        """Wait until everything written so far is in the archive."""
        last = self.ask("SELECT pg_walfile_name(pg_current_wal_lsn())")
        self.ask("SELECT pg_switch_wal()")
        until(lambda: (self.backups / "wal" / f"{last}.gz").exists(), f"{last} is not archived")

    def restored(self, moment: str = "") -> Path:
        """Do with the files what restore.sh does, with its own functions. Return the folder with the previous data."""
        newest = max((self.backups / "base").iterdir())
        given = (self.scripts, newest, self.data, self.backups / "wal", moment)
        aside = self.shell('. "$1/lib.sh"; lay_back "$2" "$3" "$4" "$(id -u)" "$5"', *given)
        self.start()
        until(lambda: self.ask("SELECT pg_is_in_recovery()") is False, "the recovery does not end")
        self.shell('. "$1/lib.sh"; forget_recovery "$2" "$3" "$(id -u)"', *given)
        return Path(aside.strip())


def until(true: Any, otherwise: str) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Run a cluster in a folder with a short path that its user can access."""
    newest = max(Path("/usr/lib/postgresql").glob("*/bin/pg_verifybackup"), default=None)
    if newest is None:  # the server in the package of the embedded server does not run here
        lacks("Debian's PostgreSQL")
    with tempfile.TemporaryDirectory(prefix="parc-ferme-restore-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        made = Cluster(Path(folder), newest.parent)
        try:
            made.make()
            yield made
        finally:
            made.stop()
