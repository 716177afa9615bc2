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

from championship.embedded import Server
from championship.notices import NOTICES_HEADER
from tests.chaos.receivers import Receivers

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180
"""Seconds that a machine may take to come up."""


class Letterbox:
    """A mail server's post: notices in the letters it took, and whether it refuses everything just now."""

    def __init__(self) -> None:
        self.copies: Counter[str] = Counter()
        self.refuses = False
        self.refused = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take a letter, or ask to be tried again later."""
        if self.refuses:
            self.refused += 1
            return "451 4.3.0 The mail server is busy; try again later"
        self.copies.update(str(message_from_bytes(envelope.content or b"")[NOTICES_HEADER]).split())
        return "250 2.0.0 Taken"


@dataclass
class Machinery:
    """All machines. `kill_worker`, `restart_database` and the like are what befalls them.

    `beat`: real seconds between two beats. `minute`: real seconds that a minute with something to do lasts at most.
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
        """Database and mail server, while the block runs; workers and beats join by `start_celery`."""
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
        """Workers, and two beats at once; they are up when the first worker has answered."""
        for number in range(self.workers):
            self._start_worker(f"worker {number}")
        for number in range(2):
            self._start(f"beat {number}", "beat", f"--schedule={self.folder / f'beat-{number}'}", "--pidfile=")

        wait_until(self._answers, lambda: f"No worker answers:\n{self.state()}")

    def _answers(self) -> bool:
        from championship.celery import app

        return bool(app.control.ping(timeout=1)) if self._redis_port else True

    def kill_worker(self, number: int) -> None:
        """SIGKILL in the middle of whatever it does; another takes its place. One that is only coming up is left
        alone: whoever else is up is struck, if anybody.
        """
        names = [f"worker {(number + more) % self.workers}" for more in range(self.workers)]
        name = next((name for name in names if self._is_up(name)), None)
        if name is not None:
            self._kill(name)
            self.killed += 1
            self._start_worker(name)

    @contextmanager
    def no_workers(self) -> Iterator[None]:
        """All of them killed; others take their places after the block."""
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
        """All connections cut, then a database as it was at the last commit."""
        self.database.stop()
        self.database.start()

    def restart_broker(self) -> None:
        """Redis killed and back without anything that it held."""
        if self._redis_port:
            self._running["redis"].kill()
            self._running["redis"].wait()
            self._start_redis()

    def state(self) -> str:
        """What each process does, and the last it has said, for who looks into a rehearsal that is stuck."""
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
    """A port of this machine that nobody listens on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def answers(port: int) -> bool:
    """Whether somebody takes connections there."""
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def wait_until(true: Callable[[], bool], otherwise: Callable[[], str]) -> None:
    """Look every so often until it is true; SystemExit with the words when it does not become so."""
    patience = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > patience:
            raise SystemExit(otherwise())
        time.sleep(0.05)
