"""The machines of a rehearsal: database, broker, mail server, workers and two beats, each a process that can fail."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from championship.notices import NOTICES_HEADER
from championship.platform.embedded import Server
from tests.chaos.receivers import Receivers

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180
"""Seconds that a machine may take to start."""


class Letterbox:
    """The mailbox of a mail server: the notices in the accepted letters, and whether it refuses all letters now."""

    def __init__(self) -> None:
        self.copies: Counter[str] = Counter()
        self.refuses = False
        self.refused = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Accept a letter, or answer with a temporary failure."""
        if self.refuses:
            self.refused += 1
            return "451 4.3.0 The mail server is busy; try again later"
        self.copies.update(str(message_from_bytes(envelope.content or b"")[NOTICES_HEADER]).split())
        return "250 2.0.0 Taken"


@dataclass
class Machinery:
    """All machines. Methods such as `kill_worker` and `restart_database` make them fail.

    beat: real seconds between two beats. minute: the most real seconds for a minute in which something is due.
    """

    folder: Path
    broker: str
    beat: float
    minute: float = 2.0
    workers: int = 2
    letters: Letterbox = field(default_factory=Letterbox)
    receivers: Receivers = field(default_factory=Receivers)
    killed: int = 0
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _redis_port: int = 0

    @contextmanager
    def up(self) -> Iterator[None]:
        """Run database and mail server while the block runs. `start_celery` adds workers and beats."""
        self.database = Server(self.folder / "postgres", durable=True)
        self.mail = Controller(self.letters, hostname="127.0.0.1", port=free_port(), server_kwargs={"timeout": 60})
        try:
            self.database.start()
            os.environ["DATABASE_URL"] = self.database.url()
            self.mail.start()
            os.environ["PARC_FERME_MAIL_PORT"] = str(self.mail.port)
            os.environ["PARC_FERME_BEAT"] = str(self.beat)
            os.environ["CELERY_BROKER_URL"] = self._broker_url()
            with self.receivers.up():
                os.environ["PARC_FERME_RECEIVERS"] = self.receivers.address
                yield
        finally:
            for process in self._running.values():
                process.kill()
            self.mail.stop(no_assert=True)
            self.database.stop()

    def start_celery(self) -> None:
        """Start the workers and two beats at once. Return when the first worker has answered."""
        for number in range(self.workers):
            self._start_worker(f"worker {number}")
        for number in range(2):
            self._start(f"beat {number}", "beat", f"--schedule={self.folder / f'beat-{number}'}", "--pidfile=")

        wait_until(self._answers, lambda: f"No worker answers:\n{self.state()}")

    def _answers(self) -> bool:
        from championship.celery import app

        return bool(app.control.ping(timeout=1)) if self._redis_port else True

    def kill_worker(self, number: int) -> None:
        """Kill a worker with SIGKILL while it works, and start another. A worker that is still starting is not killed:
        another one is, if one is up.
        """
        names = [f"worker {(number + more) % self.workers}" for more in range(self.workers)]
        name = next((name for name in names if self._is_up(name)), None)
        if name is not None:
            self._kill(name)
            self.killed += 1
            self._start_worker(name)

    @contextmanager
    def no_workers(self) -> Iterator[None]:
        """Kill all workers, and start new ones after the block."""
        names = [f"worker {number}" for number in range(self.workers)]
        for name in names:
            self._kill(name)
        yield
        for name in names:
            self._start_worker(name)

    def _kill(self, name: str) -> None:
        self._running[name].send_signal(signal.SIGKILL)
        self._running[name].wait()

    def _is_up(self, name: str) -> bool:
        return (self.folder / f"{self._running[name].pid}.up").exists()

    def restart_database(self) -> None:
        """Cut all connections and restart the database. It keeps everything that was committed."""
        self.database.stop()
        self.database.start()

    def restart_broker(self) -> None:
        """Kill Redis and restart it without its data."""
        if self._redis_port:
            self._running["redis"].kill()
            self._running["redis"].wait()
            self._start_redis()

    def state(self) -> str:
        """Return the state and the last output of each process, to examine a rehearsal that is stuck."""
        told = []
        for name, process in self._running.items():
            doing = "up" if self._is_up(name) else "running" if process.poll() is None else "ended"
            log = self.folder / f"{name}.log"
            told += [f"{name}: {doing}", *(log.read_text(errors="replace").splitlines()[-5:] if log.exists() else ())]
        return "\n".join(told)

    def _broker_url(self) -> str:
        if self.broker != "redis":
            return self.broker
        self._redis_port = free_port()
        self._start_redis()
        return f"redis://127.0.0.1:{self._redis_port}/0"

    def _start_redis(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise SystemExit("There is no redis-server here: install it, or name another broker with --broker.")
        keeps_nothing = ("--save", "", "--appendonly", "no", "--dir", str(self.folder))
        command = [program, "--port", str(self._redis_port), "--bind", "127.0.0.1", *keeps_nothing]
        self._running["redis"] = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_until(lambda: answers(self._redis_port), lambda: "Redis does not answer")

    def _start_worker(self, name: str) -> None:
        self._start(name, "worker", "--pool=solo", f"--hostname={name.replace(' ', '')}@%h", "--without-gossip")

    def _start(self, name: str, *command: str) -> None:
        log = (self.folder / f"{name}.log").open("ab")
        celery = [sys.executable, "-m", "celery", "--app", "championship", *command, "--loglevel=WARNING"]
        self._running[name] = subprocess.Popen(celery, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)


def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def answers(port: int) -> bool:
    """Return whether the port accepts connections."""
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def wait_until(true: Callable[[], bool], otherwise: Callable[[], str]) -> None:
    """Poll until the condition is true.

    Raises: SystemExit with the text of `otherwise` when it does not become true in time.
    """
    patience = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > patience:
            raise SystemExit(otherwise())
        time.sleep(0.05)
