"""The whole life of an installation, in houses of its own: `python -m tests.deploy.drill`, as root, by hand.

A house is a bare Debian booted by systemd-nspawn with a real systemd and a network of its own that leads nowhere. The
first house gets the service by install.sh, twice; its operator signs in with a code through Caddy and TLS. Then the
release of --before is put in place with a filled database, drivers take turns through TLS, and upgrade.sh brings the
present release while their runs are under way; a release that does not start is refused by it. After a backup and more
turns the house is destroyed. The second house is installed, and restored from what was copied: turns are refused until
after_restore has run, rallies are paused, and let go on by the organiser the turns go on.

What it needs: Debian with debootstrap and systemd-container. The first time it fetches Debian packages and those of
Python into --folder; after that it needs no network. Twenty minutes, 4 GB of disk. Ends with 1 at the first thing
that is not as it has to be; the houses are then left running, to look into.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOST = "rally.localhost"
OPERATOR = "operator@rally.example"
CGROUPS = Path("/sys/fs/cgroup/unified")
IN_DEBIAN = "systemd,systemd-sysv,dbus,ca-certificates,iproute2"
PACKAGES = ("python3", "python3-venv", "make", "curl", "postgresql", "redis-server", "caddy")
AUTHORITY = "var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
COPIED = "var/backups/parc-ferme"
MANAGE = "set -euo pipefail; . /root/now/deploy/lib.sh; "
DRIVEN = (
    "SELECT (SELECT count(*) FROM runs_turn WHERE ended_at IS NOT NULL) || ' ' || (SELECT count(*) FROM runs_event)"
)
SEED = """
import json
from dataclasses import asdict
from tests.load.world import seed
print('SEATS' + json.dumps([asdict(seat) for seat in seed(at_work=6)]))
"""
RESUME = """
from championship.rallies.models import Rally
from championship.rallies.services import resume_rally
from championship.accounts.models import User
olga = User.objects.get(email='olga@load.example')
for rally in Rally.objects.exclude(paused_at=None): resume_rally(by=olga, rally=rally)
"""


def say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def must(true: bool, otherwise: str) -> None:
    """Raises: SystemExit with these words when it is not so."""
    if not true:
        raise SystemExit(f"NOT SO: {otherwise}")


def run(*command: str | Path, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **more)  # type: ignore[call-overload]


class House:
    """A bare Debian that was booted. `name` is the name of its folder too."""

    def __init__(self, folder: Path, name: str) -> None:
        self.root, self.name, self.log = folder / name, name, folder / f"{name}.log"
        self.cgroup = (CGROUPS if CGROUPS.is_dir() else CGROUPS.parent) / f"drill-{name}"
        self.wheels = folder / "wheels"

    def build(self, bare: Path) -> None:
        """Copy the bare Debian, and bring the present sources and a pip that reads its packages from a folder."""
        must(not (self.root / "root" / "now").exists(), f"{self.root} is there already; remove it")
        run("cp", "--archive", bare, self.root)
        (self.root / "etc" / "pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")
        (self.root / "etc" / "hostname").write_text(self.name)
        (self.root / "etc" / "machine-id").write_text("")
        self.bring(ROOT, "now")

    def bring(self, tree: Path, name: str) -> None:
        """The files of a working tree that git knows, as /root/NAME."""
        there = self.root / "root" / name
        there.mkdir(parents=True)
        listed = subprocess.run(["git", "-C", tree, "ls-files", "-z"], check=True, capture_output=True).stdout
        run("tar", "--create", "--directory", tree, "--file", there / "tar", "--null", "--files-from=-", input=listed)
        run("tar", "--extract", "--directory", there, "--file", there / "tar")
        (there / "tar").unlink()

    def boot(self) -> None:
        """Start it in a control group of its own, and wait until all its units have started."""
        self.cgroup.mkdir(exist_ok=True)
        command = ["systemd-nspawn", "--quiet", f"--directory={self.root}", f"--machine={self.name}", "--register=no"]
        command += ["--keep-unit", "--private-network", "--resolv-conf=off", "--console=read-only"]
        command += [f"--bind={self.wheels}:/wheels", "--boot"]
        script = f'echo $$ >{self.cgroup}/cgroup.procs && exec "$@"'
        with self.log.open("wb") as log:
            subprocess.Popen(
                ["setsid", "sh", "-c", script, "sh", *command],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,  # type: ignore[call-overload]
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            )
        patience = time.monotonic() + 120
        while time.monotonic() < patience:
            if self._leader() and self.says("systemctl is-system-running || true") in ("running", "degraded"):
                return
            time.sleep(1)
        raise SystemExit(f"{self.name} does not boot: {self.log}")

    def _leader(self) -> str:
        init = self.cgroup / "payload" / "init.scope" / "cgroup.procs"
        return init.read_text().split()[0] if init.exists() and init.read_text() else ""

    def _inside(self, script: str) -> list[str]:
        path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        enter = ["nsenter", "--target", self._leader(), "-m", "-u", "-i", "-n", "-p", "-r", "-w"]
        return [*enter, "env", "-i", "HOME=/root", path, "LANG=C.UTF-8", "bash", "-c", script]

    def do(self, script: str, *, fails: bool = False) -> None:
        """Run a script inside; SystemExit when it fails, or with `fails` when it does not."""
        with self.log.open("ab") as log:
            began = time.monotonic()
            code = subprocess.run(self._inside(script), stdout=log, stderr=log, check=False).returncode
        say(f"  {self.name}: {script.splitlines()[0][-90:]}: {code} after {time.monotonic() - began:.0f} s")
        must(bool(code) == fails, f"{script!r} ended with {code}: {self.log}")

    def says(self, script: str) -> str:
        """What a script inside prints."""
        return subprocess.run(self._inside(script), capture_output=True, text=True, check=False).stdout.strip()

    def asks(self, query: str) -> str:
        """What the service's database answers."""
        return self.says(f'runuser -u postgres -- psql -XAt parc_ferme -c "{query}"')

    def manage(self, code: str) -> str:
        """What a piece of Python prints in the service's own shell."""
        (self.root / "root" / "code").write_text(code)
        return self.says(f'{MANAGE} manage shell -c "$(cat /root/code)" 2>&1')

    def at_the_desk(self, what: str, third: str, given: object = None) -> dict[str, object]:
        """What tests/deploy/desk.py does in the network of this house."""
        command = ["nsenter", "--target", self._leader(), "-n", sys.executable, "-m", "tests.deploy.desk", what]
        environment = {**os.environ, "HOUSE_CA": str(self.root / AUTHORITY)}
        ended = subprocess.run(
            [*command, HOST, third],
            input=json.dumps(given),
            capture_output=True,
            text=True,  # type: ignore[call-overload]
            env=environment,
            cwd=ROOT,
            check=False,
        )
        must(ended.returncode == 0, f"{what}: {ended.stderr[-3000:]}")
        return json.loads(ended.stdout)  # type: ignore[no-any-return]

    def destroy(self) -> None:
        """As when its plug is pulled, and its disk gone."""
        for process in sorted(self.cgroup.rglob("cgroup.procs")):
            for number in process.read_text().split():
                subprocess.run(["kill", "-9", number], check=False)
        time.sleep(2)
        run("rm", "-rf", "--one-file-system", self.root)


def prepare(folder: Path) -> Path:
    """The bare Debian, with the packages that install.sh asks for in apt's cache, and the wheels of both releases."""
    bare, fetching = folder / "bare", folder / "fetching"
    if (folder / "prepared").exists():
        return bare
    folder.mkdir(parents=True, exist_ok=True)
    run("debootstrap", "--variant=minbase", f"--include={IN_DEBIAN}", "bookworm", bare)
    sources = Path("/etc/apt/sources.list.d/debian.sources")
    if sources.exists():
        shutil.copy(sources, bare / "etc/apt/sources.list.d/")
        (bare / "etc/apt/sources.list").unlink(missing_ok=True)
    for name in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
        shutil.copy(f"/{name}", bare / name)
    run("chroot", bare, "apt-get", "update", "-qq")
    wanted = ["install", "-y", "-qq", "--no-install-recommends"]
    run("chroot", bare, "apt-get", *wanted, "--download-only", *PACKAGES)
    (folder / "wheels").mkdir(exist_ok=True)
    run("cp", "--archive", bare, fetching)
    run("chroot", fetching, "apt-get", *wanted, "python3", "python3-venv", "python3-pip")
    (folder / "prepared").touch()
    return bare


def fetch(folder: Path, trees: Sequence[Path]) -> None:
    """The wheels that these trees ask for, chosen by Debian's own Python."""
    fetching = folder / "fetching"
    for tree in trees:
        lock = tree / "requirements.lock"
        done = folder / "wheels" / f".{hash_of(lock)}"
        if not done.exists():
            shutil.copy(lock, fetching / "lock")
            download = [
                "python3",
                "-m",
                "pip",
                "download",
                "--quiet",
                "--require-hashes",
                "-r",
                "/lock",
                "-d",
                "/wheels",
            ]
            run("chroot", fetching, *download)
            for wheel in (fetching / "wheels").iterdir():
                shutil.copy(wheel, folder / "wheels")
            done.touch()


def hash_of(file: Path) -> str:
    import hashlib

    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def installed(house: House) -> None:
    """install.sh from a bare root, twice, and its operator in through TLS."""
    say("Install")
    install = f"/root/now/deploy/install.sh {HOST} {OPERATOR}"
    house.do(install)
    before = house.says("sha256sum /etc/parc-ferme/env; readlink /opt/parc-ferme/current")
    house.do(install)
    after = house.says("sha256sum /etc/parc-ferme/env; readlink /opt/parc-ferme/current")
    must(before == after, "the second run changed settings or release")
    must(house.says("systemctl --failed --no-legend 'parc-ferme*' postgresql caddy") == "", "a unit has failed")
    cookies = house.at_the_desk("sign-in", OPERATOR)
    say(f"  the operator is signed in: {sorted(cookies)}")
    house.do("systemctl start parc-ferme-check.service")
    house.do("systemctl start parc-ferme-backup.service")
    must(house.asks("SET max_parallel_workers_per_gather = 2; SELECT 1").endswith("1"), "the backup harmed the server")
    say(f"  memory of the service: {memory(house)}")


def memory(house: House) -> str:
    """Proportional set size of each part of the installation, in MB."""
    script = (
        "for u in 'parc-ferme-web' 'parc-ferme-beat' 'parc-ferme-worker@clock' 'parc-ferme-worker@mail'"
        " 'parc-ferme-worker@posts' 'parc-ferme-worker@simulation' postgresql@15-main redis-server caddy; do"
        " c=$(systemctl show -p ControlGroup --value $u.service); s=0;"
        " for p in $(cat /sys/fs/cgroup$c/cgroup.procs); do"
        " s=$((s + $(sed -n 's/^Pss: *\\([0-9]*\\) kB/\\1/p' /proc/$p/smaps_rollup))); done;"
        ' echo "$u=$((s / 1024))"; done'
    )
    parts = dict(line.split("=") for line in house.says(script).split())
    return f"{sum(map(int, parts.values()))} MB: {parts}"


def upgraded(house: House, commit: str) -> list[dict[str, object]]:
    """From the release of that commit, with runs under way, to the present one."""
    say(f"Upgrade from {commit}")
    house.do(
        f"{MANAGE} systemctl stop ${{services[@]}} ${{timers[@]}}; runuser -u postgres -- dropdb --force parc_ferme;"
        " runuser -u postgres -- createdb --owner parc-ferme --encoding UTF8 --template template0 parc_ferme;"
        " release=$(make_release /root/before before); turn_to $release; manage migrate --no-input --verbosity 0;"
        " manage collectstatic --no-input --verbosity 0; systemctl start ${services[@]}"
    )
    printed = house.manage(SEED)
    must("SEATS[" in printed, printed[-2000:])
    seats: list[dict[str, object]] = json.loads(printed.partition("SEATS")[2].splitlines()[0])
    drives(house, seats, 6)
    before = house.asks(DRIVEN)
    house.do("/root/now/deploy/upgrade.sh")
    must(house.asks(DRIVEN).split()[1] >= before.split()[1], "events were lost")
    drives(house, seats, 6)
    say(f"  turns ended and events: {before}, after the upgrade and more steps {house.asks(DRIVEN)}")
    broken(house, seats)
    return seats


def broken(house: House, seats: list[dict[str, object]]) -> None:
    """A release that does not start is not kept."""
    say("An upgrade that does not start")
    house.do("cp -r /root/now /root/broken; echo 'raise SystemExit(1)' >>/root/broken/championship/wsgi.py")
    release = house.says("readlink -f /opt/parc-ferme/current")
    house.do("/root/broken/deploy/upgrade.sh", fails=True)
    must(house.says("readlink -f /opt/parc-ferme/current") == release, "the broken release stayed")
    drives(house, seats[:1], 2)


def drives(house: House, seats: list[dict[str, object]], steps: int) -> dict[str, object]:
    done = house.at_the_desk("drive", str(steps), seats)
    say(f"  {done['statuses']} {str(done['refusals'])[:300]}")
    must(not done["errors"], str(done["errors"]))
    return done


def lost(house: House, seats: list[dict[str, object]], folder: Path) -> str:
    """Backup, more turns, the house gone; how much had been driven. What is left lies in the folder `copied`."""
    say("Backup, and turns after it")
    house.do("systemctl start parc-ferme-backup.service")
    drives(house, seats, 3)
    driven = house.asks(DRIVEN)
    house.asks("SELECT pg_switch_wal()")
    house.do(
        "cd /var/lib/postgresql/15/main/pg_wal/archive_status;"
        " for t in $(seq 60); do ls | grep -q ready || exit 0; sleep 1; done; exit 1"
    )
    copied = folder / "copied"
    run("rm", "-rf", copied)
    run("cp", "--archive", house.root / COPIED, copied)
    shutil.copy(house.root / "etc/parc-ferme/env", copied / "env")
    house.destroy()
    return driven


def restored(house: House, driven: str, seats: list[dict[str, object]], copied: Path) -> None:
    """A fresh installation restored from what was copied: paused, let go on, driven, and well."""
    say("Another house")
    house.do("systemctl stop parc-ferme-backup.timer && rm -rf /var/backups/parc-ferme/*")
    run("cp", "--archive", copied / "base", copied / "wal", house.root / COPIED)
    (house.root / "etc/parc-ferme/env").write_bytes((copied / "env").read_bytes())
    run("chroot", house.root, "chown", "-R", "postgres:postgres", f"/{COPIED}")
    house.do("/root/now/deploy/restore.sh")
    must(house.asks(DRIVEN) == driven, f"{house.asks(DRIVEN)} came back of {driven}")
    going = house.asks("SELECT count(*) FROM rallies_rally WHERE paused_at IS NULL AND status = 'running'")
    must(going == "0", f"{going} rallies are not paused")
    house.manage(RESUME)
    drives(house, seats, 4)
    must(house.asks(DRIVEN) != driven, "no turn goes on")
    say(f"  turns ended and events: {driven} restored, {house.asks(DRIVEN)} now")
    house.do(f"{MANAGE} manage health --check")  # not the whole check: letters wait, since no mail server is here
    failed = house.asks("SELECT last_archived_time IS NOT NULL AND failed_count = 0 FROM pg_stat_archiver")
    must(failed == "t", "the restored server does not archive")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.deploy.drill", description="Install, upgrade, lose, restore."
    )
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp/parc-ferme-drill"))
    parser.add_argument("--before", default="HEAD~1", help="the commit that is upgraded from")
    given = parser.parse_args()
    must(os.geteuid() == 0, "run this as root")
    bare = prepare(given.folder)
    before = given.folder / "before"
    run("rm", "-rf", before)
    run("git", "-C", ROOT, "worktree", "prune")
    run("git", "clone", "--quiet", "--no-checkout", ROOT, before)
    run("git", "-C", before, "checkout", "--quiet", "--detach", given.before)
    fetch(given.folder, [ROOT, before])
    first, second = House(given.folder, "first"), House(given.folder, "second")
    first.build(bare)
    second.build(bare)
    first.bring(before, "before")
    if not (before / "deploy").exists():  # from before there were scripts: those of today put it in place
        shutil.copytree(ROOT / "deploy", first.root / "root" / "before" / "deploy")
    first.boot()
    installed(first)
    seats = upgraded(first, given.before)
    driven = lost(first, seats, given.folder)
    second.boot()
    second.do(f"/root/now/deploy/install.sh {HOST} {OPERATOR}")
    restored(second, driven, seats, given.folder / "copied")
    second.destroy()
    say("All as it has to be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
