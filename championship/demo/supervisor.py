"""The demo's processes: web, worker and beat run as children of one process and end together.

Honcho starts them, merges their output and passes on Ctrl-C. This module adds two things: children also end when their
parent is killed, and processes left over from an earlier, killed demo are ended before a new one starts.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil
from honcho.compat import ProcessManager
from honcho.manager import Manager
from honcho.process import Process

from championship.platform.embedded import VAR_DIR

HOST = "127.0.0.1"
PORTS_TO_TRY = 100
MARK = "PARC_FERME_DEMO"  # in the environment of every child, with the folder whose demo it belongs to
STATE = VAR_DIR / "demo.json"
PATIENCE = 60  # seconds in which the first page must be served
GRACE = 5  # seconds between asking a process to end and ending it

CELERY = "{python} -m celery --app championship --quiet"
COMMANDS = {
    "web": (
        "{python} -m gunicorn championship.wsgi --bind {host}:{port} --workers 2 --threads 4"
        " --log-level warning --graceful-timeout 2"
    ),
    "worker": (
        CELERY + " worker --loglevel WARNING --concurrency 2 --without-gossip --without-mingle --without-heartbeat"
    ),
    "beat": CELERY + " beat --loglevel WARNING --pidfile=",
    "seconds": "{python} -m championship.platform.background seconds",
}


class LeashedProcess(Process):
    """A child that ends when the supervisor ends, even when the supervisor was killed and could not signal it."""

    def run(self, events: Any = None, ignore_signals: bool = False) -> None:
        threading.Thread(target=self._watch, args=(os.getppid(),), daemon=True).start()
        super().run(events, ignore_signals)

    def _watch(self, parent: int) -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        if self._child is not None and self._child.poll() is None:
            os.kill(self._child.pid, signal.SIGTERM)
            time.sleep(GRACE)
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)


class Leaders(ProcessManager):
    """Signals only the first process of a group, so that web and worker can end their own children in order."""

    def terminate(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


class Supervisor(Manager):
    """Runs the three processes until one ends or a signal asks for the end. Calls `when_ready` once when pages are
    served.
    """

    def __init__(self, *, port: int, when_ready: Callable[[], None]) -> None:
        super().__init__()
        self._process_ctor = LeashedProcess
        self._procmgr = Leaders()
        self.port = port
        self.when_ready = when_ready
        environment = {
            **os.environ,
            MARK: str(VAR_DIR),
            "PYTHONUNBUFFERED": "1",
            "PYTHONWARNINGS": "ignore:::celery.platforms",
        }
        for name, command in COMMANDS.items():
            command = command.format(python=shlex.quote(sys.executable), host=HOST, port=port)
            self.add_process(name, f"exec {command}", env=environment)

    def _start(self) -> None:
        super()._start()
        threading.Thread(target=self._say_when_ready, daemon=True).start()

    def terminate(self) -> None:
        """End all children. Honcho can do so only after each child has reported its process id, so an early call is
        repeated.
        """
        if self._all_started():
            super().terminate()
        else:
            threading.Timer(0.1, self.terminate).start()

    def _say_when_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and not self._terminating:
            if is_serving(self.port):
                self.when_ready()
                return
            time.sleep(0.2)


def is_serving(port: int) -> bool:
    """Return whether the first page is served on this port."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/", timeout=10) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def free_port(wanted: int) -> int:
    """Return the wanted port, or the next free one.

    Raises: OSError when none of PORTS_TO_TRY ports is free.
    """
    for port in range(wanted, wanted + PORTS_TO_TRY):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise OSError(f"All ports from {wanted} to {wanted + PORTS_TO_TRY - 1} are taken.")


def running_demo() -> str | None:
    """Return the address of this folder's demo when one is running, else None."""
    try:
        state = json.loads(STATE.read_text())
        process = psutil.Process(state["pid"])
        alive = process.is_running() and process.create_time() == state["started"]
        return str(state["address"]) if alive else None
    except (OSError, ValueError, KeyError, psutil.Error):
        return None


def record_running(address: str) -> None:
    """Record that this process runs the demo, and at which address."""
    me = psutil.Process()
    STATE.write_text(json.dumps({"pid": me.pid, "started": me.create_time(), "address": address}))


def record_stopped() -> None:
    """Record that no demo is running."""
    STATE.unlink(missing_ok=True)


def end_leftovers() -> int:
    """End the children of a killed demo of this folder. Returns how many there were."""
    left = [process for process in psutil.process_iter() if _is_marked(process)]
    for process in left:
        process.terminate()
    _, stubborn = psutil.wait_procs(left, timeout=GRACE)
    for process in stubborn:
        process.kill()
    psutil.wait_procs(stubborn, timeout=GRACE)
    return len(left)


def _is_marked(process: psutil.Process) -> bool:
    try:
        return process.pid != os.getpid() and bool(process.environ().get(MARK) == str(VAR_DIR))
    except (psutil.Error, OSError):
        return False
