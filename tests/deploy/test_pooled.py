"""The service behind PgBouncer: pages use its pool in transaction mode, deliveries in session mode."""

from __future__ import annotations

import os
import pwd
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from championship.notices import NOTICES_HEADER
from championship.notices.models import Notice, SentMail
from championship.platform import embedded
from championship.runs.models import Run, Turn
from championship.runs.play import rebuild
from tests.championship.runs.factories import on_the_road
from tests.deploy.programs import tool
from tests.deploy.test_several_machines import (
    CREWS,
    HOST,
    Machines,
    answers,
    free_port,
    let_all_turns_be_due,
    take_a_step,
    until,
)

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

POOLED, HELD = "pages", "deliveries"
"""The names of the database in transaction mode and in session mode, as in deploy/pgbouncer.ini."""
LIMITS = {"lock": "lock_timeout", "statement": "statement_timeout", "idle": "idle_in_transaction_session_timeout"}
SESSIONS = 2
"""Database sessions of all web nodes together: fewer than their threads, so that threads share sessions."""


def configured(folder: Path, port: int) -> Path:
    """Return the settings of deploy/pgbouncer.ini, changed to the test database, a free port, and no password."""
    connection.ensure_connection()
    there = connection.connection.info
    to = f"host={there.host} port={there.port} dbname={there.dbname} user={there.user}"
    if there.password:
        to += f" password={there.password}"
    wanted = {
        "listen_addr": HOST,
        "listen_port": str(port),
        "unix_socket_dir": "",
        "auth_type": "any",
        "auth_file": "",
        "logfile": str(folder / "pgbouncer.log"),
        "pidfile": str(folder / "pgbouncer.pid"),
    }
    kept, lines = [], Path("deploy/pgbouncer.ini").read_text().splitlines()
    limits = next("connect_query" + line.partition("connect_query")[2] for line in lines if "connect_query='" in line)
    for line in lines:
        name = line.partition("=")[0].strip()
        if not line.startswith((";", "[", "parc_ferme")) and name not in wanted:
            kept.append(line)
    databases = [
        f"{POOLED} = {to} pool_mode=transaction pool_size={SESSIONS} {limits}",
        f"{HELD} = {to} pool_mode=session pool_size=20",
    ]
    own = [f"{name} = {value}" for name, value in wanted.items()]
    path = folder / "pgbouncer.ini"
    path.write_text("\n".join(["[databases]", *databases, "[pgbouncer]", *own, *kept, ""]))
    return path


class Pooled(Machines):
    """Machines that connect to the database through PgBouncer."""

    def start_pooler(self) -> None:
        program, own = tool("pgbouncer"), self.folder / "pool"
        own.mkdir()
        self.port = free_port()
        written = configured(own, self.port)
        as_whom: tuple[str, ...] = ()
        if os.geteuid() == 0:  # PgBouncer refuses to run as root
            servant = embedded._service_user() or pwd.getpwnam("postgres")
            for path in (own, written):
                os.chown(path, servant.pw_uid, servant.pw_gid)
            for above in own.parents:
                if above.stat().st_uid == os.geteuid() and above != Path("/"):
                    above.chmod(above.stat().st_mode | 0o011)
            as_whom = (tool("runuser"), "-u", servant.pw_name, "--")
        self.begin("pgbouncer", *as_whom, program, str(written), environment=dict(os.environ))
        until(lambda: answers(self.port), "PgBouncer does not answer", self)

    def reaching(self, name: str, **more: str) -> dict[str, str]:
        """Return the environment of a process that connects to the database under this name."""
        scene = self.scene | {"database": self.scene["database"] | {"NAME": name, "HOST": HOST, "PORT": self.port}}
        return self.environment_of(scene) | more

    def web(self, name: str) -> None:
        self.environment = self.reaching(POOLED, DATABASE_POOLING="transaction")
        super().web(name)

    def worker(self, name: str, queue: str) -> None:
        self.environment = self.reaching(HELD)
        super().worker(name, queue)

    def beat(self, name: str) -> None:
        self.environment = self.reaching(HELD)
        super().beat(name)

    def asked(self, what: str) -> list[dict[str, Any]]:
        """Return a table from PgBouncer's own console."""
        line = psycopg.connect(host=HOST, port=self.port, dbname="pgbouncer", user="pgbouncer", autocommit=True)
        with line, psycopg.ClientCursor(line, row_factory=psycopg.rows.dict_row) as cursor:
            return cursor.execute(f"SHOW {what}").fetchall()  # type: ignore[arg-type]


@pytest.fixture
def machines(folder: Path) -> Iterator[Pooled]:
    made = Pooled(folder)
    try:
        made.start_pooler()
        yield made
    finally:
        for name, process in made.running.items():
            if process.poll() is None:
                made.pull_the_plug(name)


def test_pages_share_sessions_and_a_killed_worker_neither_doubles_nor_loses_a_letter(machines: Pooled) -> None:
    on_the_road(*CREWS, mode="open road")
    Notice.objects.all().delete()
    for name in ("one", "two"):
        machines.web(f"web {name}")
        machines.worker(f"mail {name}", "mail")
    machines.worker("clock one", "clock")
    machines.beat("beat one")
    for port in machines.ports.values():
        until(lambda port=port: answers(port), "a web node does not answer", machines)  # type: ignore[misc]

    let_all_turns_be_due()
    letters = Notice.objects.filter(kind="turn driven for you", channel="mail")
    under_way = Notice.objects.filter(channel="mail", status="sending")
    until(lambda: letters.exists() or under_way.exists(), "the clock does not strike", machines)
    machines.pull_the_plug("mail one")  # whatever it is doing at that moment

    for number, run in enumerate(Run.objects.order_by("pk")):
        port = list(machines.ports.values())[number % 2]
        run.refresh_from_db()
        version = run.version
        assert take_a_step(port, run) in (200, 302), machines.told()
        run.refresh_from_db()
        assert run.version > version

    until(lambda: Turn.objects.filter(missed=True).count() == len(CREWS), "the clock has stopped", machines)
    now = timezone.now() + timedelta(seconds=1)
    waiting = Notice.objects.filter(channel="mail", status__in=["queued", "sending"], next_try_at__lte=now)
    until(lambda: letters.count() == len(CREWS) and not waiting.exists(), "nobody sends the letters", machines)
    written = Counter(number for mail in SentMail.objects.all() for number in mail.headers[NOTICES_HEADER].split())
    assert max(written.values()) == 1, "a letter went out twice"
    assert {str(notice.pk) for notice in letters.filter(status="sent")} <= set(written), "a letter was lost"
    for each in Run.objects.all():
        assert rebuild(run=each) == each.state
    with psycopg.connect(host=HOST, port=machines.port, dbname=POOLED, user="anybody", autocommit=True) as page:
        page.prepare_threshold = None
        waits = settings.DATABASE_WAITS["web"]
        for name, limit in LIMITS.items():
            [said] = page.execute("SELECT setting::int FROM pg_settings WHERE name = %s", [limit]).fetchone() or [0]
            assert said == waits[name] * 1000, name
    pools = {pool["database"]: pool for pool in machines.asked("POOLS")}
    assert pools[POOLED]["pool_mode"] == "transaction"
    assert pools[HELD]["pool_mode"] == "session"
    assert pools[POOLED]["sv_active"] + pools[POOLED]["sv_idle"] + pools[POOLED]["sv_used"] <= SESSIONS
