"""PgBouncer accepts deploy/pgbouncer.ini, and pools as docs/operating.md says."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from championship.platform import embedded
from tests.deploy.programs import tool

INI = Path(__file__).resolve().parents[2] / "deploy" / "pgbouncer.ini"
PATIENCE = 60

pytestmark = pytest.mark.django_db


def line(name: str, value: object) -> tuple[str, str]:
    """Replace a line of the file."""
    return rf"(?m)^{name} = .*$", f"{name} = {value}"


@pytest.fixture
def pooler() -> Iterator[int]:
    """Start a PgBouncer in front of the test database, with the pools and limits of the file. Yield its port."""
    program = tool("pgbouncer")
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
    connection.ensure_connection()
    there = connection.connection.info
    ini = INI.read_text()
    server = f"host={there.host} port={there.port} dbname={there.dbname}"
    ini = ini.replace("host=/run/postgresql dbname=parc_ferme", server)
    for pattern, replaced in (
        line("listen_port", port),
        line("unix_socket_dir", folder),
        line("auth_type", "trust"),  # this machine does not have the passwords of an installation
        line("auth_file", folder / "users"),
        line("logfile", folder / "log"),
        line("pidfile", folder / "pid"),
    ):
        ini, times = re.subn(pattern, replaced, ini)
        assert times == 1, pattern
    (folder / "ini").write_text(f"{ini}\nadmin_users = {there.user}\n")
    (folder / "users").write_text(f'"{there.user}" "{there.password}"\n')
    user = embedded._service_user()
    if user:  # PgBouncer does not run as root
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, user.pw_name)
    running = subprocess.Popen([program, *(("-u", user.pw_name) if user else ()), "-q", str(folder / "ini")])
    try:
        end = time.monotonic() + PATIENCE
        with socket.socket() as door:
            while door.connect_ex(("127.0.0.1", port)):
                assert running.poll() is None and time.monotonic() < end, (folder / "log").read_text()
                time.sleep(0.1)
        yield port
    finally:
        running.terminate()
        running.wait(PATIENCE)
        shutil.rmtree(folder)


def test_pages_are_pooled_by_transaction_and_workers_by_session(pooler: int) -> None:
    there = {"host": "127.0.0.1", "port": pooler, "user": connection.connection.info.user}
    with psycopg.connect(dbname="pgbouncer", autocommit=True, **there) as asked:  # type: ignore[arg-type]
        rows = asked.execute("SHOW DATABASES").fetchall()
        names = [column.name for column in asked.execute("SHOW DATABASES").description or ()]
    modes = {row[names.index("name")]: row[names.index("pool_mode")] for row in rows}
    assert (modes["parc_ferme_web"], modes["parc_ferme"]) == ("transaction", "session")

    with psycopg.connect(dbname="parc_ferme", **there) as worker:  # type: ignore[arg-type]
        worker.execute("SELECT pg_advisory_lock(17)")
        worker.commit()
        assert worker.execute("SELECT pg_advisory_unlock(17)").fetchone() == (True,), "another session answered"
    with psycopg.connect(dbname="parc_ferme_web", prepare_threshold=None, **there) as page:  # type: ignore[arg-type]
        assert page.execute("SELECT current_database()").fetchone() == (connection.connection.info.dbname,)
