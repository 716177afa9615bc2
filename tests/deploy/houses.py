"""Containers for the drill, called houses: a bare Debian from debootstrap, booted by systemd-nspawn with a real
systemd.

A house has a private network without access to any other. Everything that install.sh would download is in the house
already: Debian's packages in the cache of apt, Python's in a folder that pip reads. `Larder` downloads both once, with
this machine's settings for mirrors, certificates and indexes. After that no network is needed. On a machine with cgroup
controllers of version 1, systemd's limits for memory and tasks have no effect in a house, so the use is measured
instead.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOST = "rally.localhost"
SUITE = "bookworm"
CGROUPS = Path("/sys/fs/cgroup/unified")
IN_DEBIAN = "systemd,systemd-sysv,dbus,ca-certificates,iproute2"
PACKAGES = ("python3", "python3-venv", "make", "curl", "postgresql", "redis-server", "caddy")
"""The packages that install.sh requires."""
PYTHON = ("python3", "python3-venv", "python3-pip", "python-is-python3")
AUTHORITY = "var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
KEPT_DAYS = 14
ENOUGH = 10 * 2**30
"""Bytes of free memory from which the houses are stored in memory."""
PATIENCE = 180
"""Seconds that a house may take to boot on a busy machine."""
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def must(true: bool, otherwise: str) -> None:
    """Raises: AssertionError with the text of `otherwise` when the condition is false."""
    if not true:
        raise AssertionError(otherwise)


def run(*command: str | Path, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **more)  # type: ignore[call-overload]


def tracked(tree: Path, there: Path) -> None:
    """Copy the files of a working tree that git tracks."""
    there.mkdir(parents=True)
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-z"], check=True, capture_output=True).stdout
    run("tar", "--create", "--directory", tree, "--file", there / "tar", "--null", "--files-from=-", input=listed)
    run("tar", "--extract", "--directory", there, "--file", there / "tar")
    (there / "tar").unlink()


class Larder:
    """The parts from which houses are built: `bare` Debian, `python` (the same with Python), and `wheels`.

    The houses are in the folder `street`. It is in memory if there is enough: a disk may take minutes to delete a
    hundred thousand files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.street = folder, folder / "street"
        self.bare, self.python, self.wheels = folder / "bare", folder / "python", folder / "wheels"

    @contextmanager
    def open(self) -> Iterator[Larder]:
        """Fill the folder if needed, and hold a lock on it while the block runs."""
        self.street.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._fill()
            if not self.street.is_mount() and available_memory() > ENOUGH:
                run("mount", "-t", "tmpfs", "-o", "mode=0755,size=12G", "houses", self.street)
            yield self
            if self.street.is_mount() and not any(self.street.glob("[!.]*")):  # systemd-nspawn leaves a hidden file
                run("umount", "--lazy", self.street)

    def _fill(self) -> None:
        asked = hashlib.sha256(repr((SUITE, IN_DEBIAN, PACKAGES, PYTHON)).encode()).hexdigest()[:12]
        done = self.folder / f"filled-{asked}"
        if done.exists() and time.time() - done.stat().st_mtime < KEPT_DAYS * 86400:
            return
        say("A bare Debian, and what install.sh asks for")
        for old in (*self.folder.glob("filled-*"), self.bare, self.python):
            run("rm", "-rf", "--one-file-system", old)
        log = (self.folder / "filling.log").open("w")
        told = {"stdout": log, "stderr": log}
        run("debootstrap", "--variant=minbase", f"--include={IN_DEBIAN}", SUITE, self.bare, *mirror(), **told)
        sources = Path("/etc/apt/sources.list.d/debian.sources")
        if sources.exists():
            shutil.copy(sources, self.bare / "etc/apt/sources.list.d/")
            (self.bare / "etc/apt/sources.list").unlink(missing_ok=True)
        for name in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
            shutil.copy(f"/{name}", self.bare / name)
        apt = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        run("chroot", self.bare, "apt-get", "update", "-qq", **told)
        run("chroot", self.bare, *apt, "--download-only", *PACKAGES, **told)
        self.wheels.mkdir(exist_ok=True)
        run("cp", "--archive", "--reflink=auto", self.bare, self.python)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        run("chroot", self.python, *apt, *PYTHON, env=environment, **told)
        (self.bare / "etc" / "pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")
        done.touch()

    def fetch(self, trees: Sequence[Path]) -> None:
        """Download the wheels that these trees require, selected by Debian's own Python."""
        for tree in trees:
            lock = tree / "requirements.lock"
            done = self.wheels / f".{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
            if not done.exists():
                say("The Python packages of a release")
                shutil.copy(lock, self.python / "lock")
                download = ["pip", "download", "--quiet", "--require-hashes", "-r", "/lock", "-d", "/wheels"]
                run("chroot", self.python, "python3", "-m", *download, stderr=subprocess.DEVNULL)
                for wheel in (self.python / "wheels").iterdir():
                    shutil.move(wheel, self.wheels / wheel.name)
                done.touch()


def available_memory() -> int:
    """Return the available memory in bytes, as the kernel reports it."""
    told = Path("/proc/meminfo").read_text().split()
    return int(told[told.index("MemAvailable:") + 1]) * 1024


def mirror() -> list[str]:
    """Return the mirror from which this machine gets Debian, or [] when apt does not name one: debootstrap has a
    default.
    """
    line = ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages", "Origin: Debian"]
    told = subprocess.run(line, capture_output=True, text=True, check=False).stdout.splitlines()
    return [line.partition(" ")[2] for line in told if line.startswith(f"{SUITE} ")][:1]


class House:
    """A bare Debian, booted as a container. `name` is also the name of its folder."""

    def __init__(self, larder: Larder, name: str) -> None:
        self.root, self.name, self.log = larder.street / name, name, larder.folder / f"{name}.log"
        street = hashlib.sha256(str(larder.folder).encode()).hexdigest()[:6]
        self.cgroup = (CGROUPS if CGROUPS.is_dir() else CGROUPS.parent) / f"house-{street}-{name}"
        self.larder = larder

    def build(self) -> None:
        """Copy the bare Debian and bring the present sources to /root/now. Delete the remains of an earlier try."""
        self.destroy()
        run("cp", "--archive", "--reflink=auto", self.larder.bare, self.root)
        (self.root / "etc" / "hostname").write_text(self.name)
        (self.root / "etc" / "machine-id").write_text("")
        tracked(ROOT, self.root / "root" / "now")

    def boot(self) -> None:
        """Start it in a new control group, and wait until all its units have started."""
        self.cgroup.mkdir(exist_ok=True)
        command = ["systemd-nspawn", "--quiet", f"--directory={self.root}", f"--machine={self.name}", "--register=no"]
        command += ["--keep-unit", "--private-network", "--resolv-conf=off", "--console=read-only"]
        command += [f"--bind={self.larder.wheels}:/wheels", "--boot"]
        script = f'echo $$ >{self.cgroup}/cgroup.procs && exec "$@"'
        with self.log.open("wb") as log:
            subprocess.Popen(
                ["setsid", "sh", "-c", script, "sh", *command],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            )
        patience = time.monotonic() + PATIENCE
        while time.monotonic() < patience:
            if self._leader() and self.says("systemctl is-system-running || true") in ("running", "degraded"):
                return
            time.sleep(0.5)
        raise AssertionError(f"{self.name} does not boot: {self.told()}")

    def _leader(self) -> str:
        with suppress(OSError):
            return (self.cgroup / "payload" / "init.scope" / "cgroup.procs").read_text().partition("\n")[0]
        return ""

    def _inside(self, script: str) -> list[str]:
        enter = ["nsenter", "--target", self._leader(), "-m", "-u", "-i", "-n", "-p", "-r", "-w"]
        return [*enter, "env", "-i", "HOME=/root", PATH, "LANG=C.UTF-8", "bash", "-c", script]

    def do(self, script: str, *, fails: bool = False) -> None:
        """Run a script in the house.

        Raises: AssertionError when it fails, or, with `fails`, when it does not fail.
        """
        with self.log.open("ab") as log:
            began = time.monotonic()
            code = subprocess.run(self._inside(script), stdout=log, stderr=log, check=False).returncode
        say(f"  {self.name}: {script.splitlines()[0][-90:]}: {code} after {time.monotonic() - began:.0f} s")
        must(bool(code) == fails, f"{self.name}: {script!r} ended with {code}:\n{self.told()}")

    def says(self, script: str) -> str:
        """Return the output of a script in the house."""
        return subprocess.run(self._inside(script), capture_output=True, text=True, check=False).stdout.strip()

    def told(self) -> str:
        """Return the end of the output in the house, and the log of the service's units."""
        journal = self.says("journalctl --no-pager --lines 40 --output cat --unit 'parc-ferme*' 2>&1")
        return f"{self.log.read_text(errors='replace')[-4000:]}\n{journal}"

    def asks(self, query: str) -> str:
        """Return the result of a query to the service's database."""
        return self.says(f'runuser -u postgres -- psql -XAt parc_ferme -c "{query}"')

    def manage(self, code: str) -> str:
        """Return the output of Python code run in the shell of the service."""
        (self.root / "root" / "code").write_text(code)
        read = "set -euo pipefail; . /root/now/deploy/lib.sh; "
        return self.says(f'{read} manage shell -c "$(cat /root/code)" 2>&1')

    def at_the_desk(self, what: str, third: str, given: object = None) -> dict[str, object]:
        """Run tests/deploy/desk.py in the network of this house, and return its result."""
        command = ["nsenter", "--target", self._leader(), "-n", sys.executable, "-m", "tests.deploy.desk", what]
        ended = subprocess.run(
            [*command, HOST, third],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            env={**os.environ, "HOUSE_CA": str(self.root / AUTHORITY)},
            cwd=ROOT,
            check=False,
        )
        must(ended.returncode == 0, f"{self.name}: {what}: {ended.stderr[-3000:]}\n{self.told()}")
        return json.loads(ended.stdout)  # type: ignore[no-any-return]

    def processor_seconds(self) -> int:
        """Return the processor seconds used since it was booted."""
        used = (self.cgroup / "cpu.stat").read_text().split()
        return int(used[used.index("usage_usec") + 1]) // 1_000_000

    def _processes(self) -> list[str]:
        """Return the ids of all processes in it. Control groups may vanish while they are read."""
        found: list[str] = []
        for folder, _folders, _files in os.walk(self.cgroup):
            with suppress(OSError):
                found += Path(folder, "cgroup.procs").read_text().split()
        return found

    def destroy(self) -> None:
        """End it as if its plug had been pulled, and delete its disk."""
        patience = time.monotonic() + PATIENCE
        while left := self._processes():
            must(time.monotonic() < patience, f"{self.name} does not end: {left}")
            for number in left:
                subprocess.run(["kill", "-9", number], check=False, stderr=subprocess.DEVNULL)
            time.sleep(0.2)
        for folder, _folders, _files in os.walk(self.cgroup, topdown=False):
            with suppress(OSError):  # systemd-nspawn has deleted it already
                os.rmdir(folder)
        run("rm", "-rf", "--one-file-system", self.root)
