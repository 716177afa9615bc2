"""The processes of an installation with two web servers: nginx, two gunicorns, a worker for each clock, Redis."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.load.report import LOG_FORMAT

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
PATIENCE = 120
"""Seconds that a process may take to start."""
BACKGROUND = ("clock", "mail", "seconds", "beat")


@dataclass
class Machines:
    """All processes, by name. `folder` is for their files. `front`: the port of nginx; two more follow it."""

    folder: Path
    front: int
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"https://{HOST}:{self.front}"

    @property
    def ports(self) -> tuple[int, int]:
        return self.front + 1, self.front + 2

    @contextmanager
    def up(self) -> Iterator[None]:
        """Run everything while the block runs."""
        try:
            for number in (0, 1):
                self.start_web(number)
            for what in BACKGROUND:
                more = (str(self.folder / "beat"),) if what == "beat" else ()
                self._start(what, sys.executable, "-m", "championship.platform.background", what, *more)
            self._start_nginx()
            for port in (*self.ports, self.front):
                self.wait_for(port)
            yield
        finally:
            for process in self.running.values():
                end(process)

    def start_redis(self, port: int) -> str:
        """Start a Redis that keeps nothing. Returns its URL."""
        keeps_nothing = ("--save", "", "--appendonly", "no", "--dir", str(self.folder))
        self._start("redis", tool("redis-server"), "--port", str(port), "--bind", HOST, *keeps_nothing)
        self.wait_for(port)
        return f"redis://{HOST}:{port}/0"

    def start_web(self, number: int) -> None:
        """Start one of the two web servers. It has a session of its own, so that all of it can be killed."""
        bind = ("--bind", f"{HOST}:{self.ports[number]}", "--workers", "1", "--threads", "4")
        logs = ("--access-logfile", str(self.access_log(number)), "--access-logformat", LOG_FORMAT)
        more = ("--no-control-socket", "--keep-alive", "75", "--log-level", "warning", *logs)
        self._start(f"web {number}", sys.executable, "-m", "gunicorn", "championship.wsgi", *bind, *more)

    def access_log(self, number: int) -> Path:
        """The log of a web server with the time that each request took."""
        return self.folder / f"access-{number}.log"

    def kill_web(self, number: int) -> None:
        """Kill a web server with all its processes, in the middle of whatever they do."""
        process = self.running[f"web {number}"]
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def wait_for(self, port: int) -> None:
        """Wait until somebody listens on the port."""
        wait_until(lambda: listens(port), lambda: f"nobody listens on {port}:\n{self.told()}")

    def told(self) -> str:
        """The last lines that each process has written."""
        lines = []
        for name in self.running:
            log = self._log(name)
            lines += [f"-- {name}", *log.read_text(errors="replace").splitlines()[-8:]]
        return "\n".join(lines)

    def family(self, *names: str) -> list[psutil.Process]:
        """The processes with these names that live, and all their children."""
        found = []
        for name in names:
            process = self.running[name]
            if process.poll() is None:
                parent = psutil.Process(process.pid)
                found += [parent, *parent.children(recursive=True)]
        return found

    def _start_nginx(self) -> None:
        """Run nginx with the site that deploy/ has, in front of two servers, on another port."""
        self._certificate()
        site = (ROOT / "deploy" / "nginx.conf").read_text()
        servers = " ".join(f"server {HOST}:{port};" for port in self.ports)
        site = site.replace("server unix:/run/parc-ferme/web.sock;", servers)
        site = site.replace("/etc/letsencrypt/live/rally.example", str(self.folder))
        site = re.sub(r"server \{\s*listen 80;.*?\n\}", "", site, flags=re.S)
        site = site.replace("listen 443 ssl", f"listen {HOST}:{self.front} ssl").replace(
            "listen [::]:443 ssl http2;", ""
        )
        site = site.replace("server_name rally.example;", f"server_name {HOST};")
        site = site.replace("proxy_set_header Host $host;", "proxy_set_header Host $http_host;")
        kept = "\n".join(
            f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        whole = (
            f"worker_processes 1;\ndaemon off;\npid {self.folder}/nginx.pid;\nerror_log stderr warn;\n"
            f"events {{ worker_connections 1024; }}\nhttp {{\ninclude /etc/nginx/mime.types;\naccess_log off;\n"
            f"{kept}\n{site}\n}}\n"
        )
        conf = self.folder / "nginx.conf"
        conf.write_text(whole)
        self._start("nginx", tool("nginx"), "-c", str(conf), "-p", str(self.folder))

    def _certificate(self) -> None:
        command = [
            tool("openssl"),
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            f"/CN={HOST}",
        ]
        command += ["-keyout", str(self.folder / "privkey.pem"), "-out", str(self.folder / "fullchain.pem")]
        subprocess.run(command, check=True, capture_output=True)

    def _log(self, name: str) -> Path:
        return self.folder / f"{name.replace(' ', '-')}.log"

    def _start(self, name: str, *command: str) -> None:
        with self._log(name).open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all others of its session."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def tool(name: str) -> str:
    """The path of a program.

    Raises: SystemExit when the machine has none.
    """
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        raise SystemExit(f"A rehearsal needs {name}.")
    return found


def listens(port: int) -> bool:
    """Return whether the port accepts connections."""
    with socket.socket() as asked:
        return asked.connect_ex((HOST, port)) == 0


def wait_until(true: Callable[[], bool], otherwise: Callable[[], str], patience: float = PATIENCE) -> None:
    """Ask until the condition is true.

    Raises: SystemExit with the text of `otherwise` when it does not become true in time.
    """
    until = time.monotonic() + patience
    while not true():
        if time.monotonic() > until:
            raise SystemExit(otherwise())
        time.sleep(0.05)


def processor(processes: Sequence[psutil.Process]) -> float:
    """Processor seconds that these have used. One that has ended counts nothing."""
    spent = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system
    return spent


def memory(processes: Sequence[psutil.Process]) -> float:
    """Megabytes of these, pages that they share counted once."""
    used = 0
    for process in processes:
        try:
            used += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return used / 1e6
