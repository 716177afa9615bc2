"""The whole life of an installation in containers (houses): `make test-deploy`, or `python -m tests.deploy.drill`.

install.sh installs an older release in the first house. Its operator signs in with a code, through Caddy and TLS, and
drivers take turns. upgrade.sh installs the present release while they drive. It refuses a release that does not start.
After a backup and more turns the house is destroyed. Meanwhile the present release is installed twice in the second
house, a bare Debian like the first. The copies are restored there: rallies are paused, and when the organiser resumes
them, turns continue.

It needs root, debootstrap and systemd-container, and a network the first time. With `--keep` the houses keep running
after a failure, so that they can be examined.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.deploy.houses import HOST, ROOT, House, Larder, must, run, say

OPERATOR = "operator@rally.example"
FOLDER = Path("/var/tmp/parc-ferme-houses")
COPIED = "var/backups/parc-ferme"
MIGRATIONS = "championship/*/migrations/0*.py"
CUT_OFF = 2
"""Requests that may fail when a gunicorn ends that listened on its own socket: their drivers press again."""
SOCKET = "deploy/systemd/parc-ferme-web.socket"
MOST_EXPOSED = 3.0
MOST_MEMORY, MOST_AFTER_WORK = 890, 960
"""MB of the whole installation. Shared memory is counted once."""
PARTS = (
    *("parc-ferme-web", "parc-ferme-beat", "parc-ferme-worker@clock", "parc-ferme-worker@mail"),
    *("parc-ferme-worker@posts", "parc-ferme-worker@simulation", "parc-ferme-worker@seconds"),
    *("postgresql@15-main", "redis-server", "caddy"),
)
STATE = "sha256sum /etc/parc-ferme/* /etc/caddy/* /etc/systemd/system/parc-ferme*; readlink /opt/parc-ferme/current"
DRIVEN = (
    "SELECT (SELECT count(*) FROM runs_turn WHERE ended_at IS NOT NULL) || ' ' || (SELECT count(*) FROM runs_event)"
)
NOT_ARCHIVED = "SELECT count(*) FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'"
ARCHIVES = "SELECT last_archived_time IS NOT NULL AND failed_count = 0 FROM pg_stat_archiver"
GOING = (
    "SELECT count(*) FROM rallies_rally"
    " WHERE paused_at IS NULL AND status = 'running' AND NOT practice AND NOT for_everybody"
)
"""Counts the rallies of clubs that are not paused. After a restore an open stage is closed and not paused, and the
clock opens the next one.
"""
MIGRATED = "SELECT count(*) FROM django_migrations"
SEED = """
import json
from dataclasses import asdict
from tests.load.world import seed
seats = seed(at_work=16)
print('SEATS' + json.dumps([asdict(seat) for seat in (*seats[-4:], *seats[:2])]))
"""
"""Creates a club of sixty drivers. Prints the seats of four drivers alone on the road, then of two in a convoy, where
one waits for the others.
"""
RESUME = """
from championship.rallies.models import Rally
from championship.rallies.services import resume_rally
from championship.accounts.models import User
olga = User.objects.get(email='olga@load.example')
for rally in Rally.objects.exclude(paused_at=None): resume_rally(by=olga, rally=rally)
"""
Seats = list[dict[str, Any]]


def git(*command: str) -> str:
    """Return the output of git for this project, or "" when it fails."""
    return subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True, check=False).stdout.strip()


def older_commit() -> str:
    """Return the commit before the newest migration, so that the upgrade changes tables. Return "" in a clone that does
    not contain it.

    Only the first parents count: the commits of a branch that was merged are steps, and need not run by themselves.
    """
    newest = git("log", "-1", "--first-parent", "--format=%H", "--no-renames", "--diff-filter=A", "--", MIGRATIONS)
    return git("rev-parse", "--verify", "--quiet", f"{newest}^") or git("rev-parse", "--verify", "--quiet", "HEAD^")


def bring_older(house: House, commit: str) -> Path:
    """Bring the sources of that commit to /root/before, with today's scripts, because older scripts may fail on a bare
    Debian.

    Without a commit the sources are today's too. The other folder makes them another release.
    """
    before = house.root / "root" / "before"
    if commit:
        before.mkdir()
        run("git", "-C", ROOT, "archive", "--output", before / "tar", commit)
        run("tar", "--extract", "--directory", before, "--file", before / "tar")
        (before / "tar").unlink()
    else:
        shutil.copytree(house.root / "root" / "now", before, symlinks=True)
        (before / "older").touch()
    for script in (ROOT / "deploy").glob("*.sh"):
        shutil.copy(script, before / "deploy")
    return before


def installed(house: House, sources: str) -> None:
    """Run install.sh on a bare Debian, and let its operator sign in through TLS."""
    began = time.monotonic()
    house.boot()
    house.do(f"/root/{sources}/deploy/install.sh {HOST} {OPERATOR}")
    say(f"  {house.name}: from bare to ready in {time.monotonic() - began:.0f} s")
    cookies = house.at_the_desk("sign-in", OPERATOR)
    say(f"  {house.name}: the operator is signed in: {sorted(cookies)}")


def refused_to_the_proxy(house: House) -> None:
    """Check that Caddy's user can use the web socket, and cannot read the settings."""
    read = house.says("runuser -u caddy -- cat /etc/parc-ferme/env 2>&1 || true")
    must("Permission denied" in read and "SECRET_KEY" not in read, f"the proxy reads the settings: {read[:60]}")
    asked = "runuser -u caddy -- curl --silent --unix-socket /run/parc-ferme/web.sock http://localhost/healthz"
    must(house.says(asked).split()[0] == "ok", "the proxy may not use the socket")


def settled(house: House) -> None:
    """Install the present release twice. The second run must change nothing, and all limits must be as documented."""
    installed(house, "now")
    before = house.says(STATE)
    house.do(f"/root/now/deploy/install.sh {HOST} {OPERATOR}")
    must(before == house.says(STATE), f"the second run changed what was there: {before}\n{house.says(STATE)}")
    failed = house.says("systemctl --failed --no-legend")
    must("parc-ferme" not in failed and "postgresql" not in failed and "caddy" not in failed, f"failed: {failed}")
    refused_to_the_proxy(house)
    house.do("systemctl start parc-ferme-check.service parc-ferme-backup.service")
    must(house.asks("SET max_parallel_workers_per_gather = 2; SELECT 1").endswith("1"), "the backup harmed the server")
    units = "/etc/systemd/system/parc-ferme*.{service,socket,timer,target}"
    found = house.says(f"systemd-analyze verify --man=no {units} 2>&1 | grep parc-ferme")
    must(found == "", f"systemd-analyze verify: {found}")
    levels = exposures(house)
    say(f"  {house.name}: exposure {levels}")
    must(len(levels) == 10 and max(levels.values()) < MOST_EXPOSED, f"exposed: {levels}")
    used = memory(house)
    say(f"  {house.name}: memory {sum(used.values())} MB: {used}")
    must(len(used) == len(PARTS) and sum(used.values()) < MOST_MEMORY, f"memory: {used}")


def exposures(house: House) -> dict[str, float]:
    """Return the exposure level from systemd-analyze for each loaded service, 0 to 10."""
    services = house.says(". /root/now/deploy/lib.sh; echo ${services[@]} ${timers[@]/%timer/service}")
    told = house.says(f"systemd-analyze security --no-pager {services}")
    return {name: float(level) for name, level in re.findall(r"exposure level for (\S+)\.service: ([\d.]+)", told)}


def memory(house: House) -> dict[str, int]:
    """Return the proportional set size of each part of the installation, in MB."""
    script = (
        f"for u in {' '.join(PARTS)}; do c=$(systemctl show -p ControlGroup --value $u.service); s=0;"
        " for p in $(find /sys/fs/cgroup$c -name cgroup.procs -exec cat {} +); do"
        " s=$((s + $(sed -n 's/^Pss: *\\([0-9]*\\) kB/\\1/p' /proc/$p/smaps_rollup))); done;"
        ' echo "$u=$((s / 1024))"; done'
    )
    return {part: int(size) for part, size in (line.split("=") for line in house.says(script).split())}


def at_work(house: House) -> Seats:
    """Create a club of sixty drivers with rallies under way. Return the seats of some of them."""
    printed = house.manage(SEED)
    must("SEATS[" in printed, printed[-2000:])
    seats: Seats = json.loads(printed.partition("SEATS")[2].splitlines()[0])
    drives(house, seats, 2)
    return seats


def upgraded(house: House, seats: Seats) -> None:
    """Upgrade with upgrade.sh to the present release while the first driver drives. Then let all seats drive."""
    before, migrated = house.asks(DRIVEN), house.asks(MIGRATED)
    meanwhile = while_driving(house, seats, "/root/now/deploy/upgrade.sh")
    had_a_socket = (house.root / "root" / "before" / SOCKET).exists()
    must(len(meanwhile["errors"]) <= (0 if had_a_socket else CUT_OFF), str(meanwhile["errors"]))
    must(int(house.asks(DRIVEN).split()[1]) > int(before.split()[1]), "nobody drove during the upgrade")
    drives(house, seats, 2)
    say(f"  {house.name}: turns ended and events {before}, after the upgrade {house.asks(DRIVEN)};")
    say(f"  {house.name}: migrations {migrated}, then {house.asks(MIGRATED)}")
    house.do("/root/now/deploy/upgrade.sh")  # it is the running release already


def replaced(house: House, seats: Seats) -> None:
    """Replace gunicorn three times while a driver drives. The driver must not notice."""
    restarts = "for n in 1 2 3; do systemctl restart parc-ferme-web.service; sleep 3; done"
    meanwhile = while_driving(house, seats, restarts)
    must(not meanwhile["errors"], str(meanwhile["errors"]))


def while_driving(house: House, seats: Seats, script: str) -> dict[str, Any]:
    """Run a script in the house while the first driver drives. Return the summary of the responses to the driver."""
    over = house.root / "root" / "over"
    over.unlink(missing_ok=True)
    with ThreadPoolExecutor(1) as desk:
        driving = desk.submit(house.at_the_desk, "drive-until", str(over), seats[:1])
        try:
            house.do(script)
        finally:
            over.touch()
        meanwhile = driving.result()
    say(f"  {house.name}: meanwhile {meanwhile['statuses']}, longest answer {meanwhile['longest']} ms")
    return meanwhile


def broken(house: House, seats: Seats) -> None:
    """Check that a release that does not start is not kept."""
    house.do("cp -r /root/now /root/broken; echo 'raise SystemExit(1)' >>/root/broken/championship/wsgi.py")
    release = house.says("readlink -f /opt/parc-ferme/current")
    house.do("/root/broken/deploy/upgrade.sh", fails=True)
    must(house.says("readlink -f /opt/parc-ferme/current") == release, "the broken release stayed")
    drives(house, seats[1:2], 1)


def drives(house: House, seats: Seats, rolls: int) -> None:
    """Roll the given number of times for each seat, through the proxy. A driver who must wait for others only loads the
    page.
    """
    done = house.at_the_desk("drive", str(rolls), seats)
    say(f"  {house.name}: {done['statuses']} {str(done['refusals'])[:200]}")
    must(not done["errors"], str(done["errors"]))
    must("step 200" in done["statuses"], "nobody could roll")


def lost(house: House, seats: Seats, copied: Path) -> str:
    """Make a backup, take more turns, destroy the house. Return how much had been driven. The copies are in the folder
    `copied`.
    """
    house.do("systemctl start parc-ferme-backup.service")
    drives(house, seats, 1)
    driven = house.asks(DRIVEN)
    house.asks("SELECT pg_switch_wal()")
    patience = time.monotonic() + 60
    while house.asks(NOT_ARCHIVED) != "0":
        must(time.monotonic() < patience, f"WAL is not archived: {house.told()}")
        time.sleep(0.5)
    run("rm", "-rf", copied)
    run("cp", "--archive", house.root / COPIED, copied)
    shutil.copy(house.root / "etc/parc-ferme/env", copied / "env")
    used = memory(house)
    say(f"  {house.name}: memory after work {sum(used.values())} MB: {used}")
    must(sum(used.values()) < MOST_AFTER_WORK, f"memory: {used}")
    say(f"  {house.name}: {house.processor_seconds()} s of processor in all; destroyed")
    house.destroy()
    return driven


def restored(house: House, driven: str, seats: Seats, copied: Path) -> None:
    """Restore the copies in another installation, and check it: paused, resumed, driven, healthy."""
    house.do("systemctl stop parc-ferme-backup.timer && rm -rf /var/backups/parc-ferme/*")
    run("cp", "--archive", copied / "base", copied / "wal", house.root / COPIED)
    (house.root / "etc/parc-ferme/env").write_bytes((copied / "env").read_bytes())
    house.do(f"chown -R postgres:postgres /{COPIED}")
    house.do("/root/now/deploy/restore.sh")
    must(house.asks(DRIVEN) == driven, f"{house.asks(DRIVEN)} came back of {driven}")
    must(house.asks(GOING) == "0", f"{house.asks(GOING)} rallies are not paused")
    house.manage(RESUME)
    must(house.asks(GOING) != "0", "the organiser cannot let rallies go on")
    drives(house, seats, 2)
    must(house.asks(DRIVEN) != driven, "no turn goes on")
    say(f"  {house.name}: turns ended and events {driven} restored, {house.asks(DRIVEN)} now")
    # There is no mail server here, so the check reports that letters wait, and must report nothing else.
    told = house.says(". /root/now/deploy/lib.sh; manage health")
    bad = [line for line in told.splitlines() if "(PROBLEM)" in line and not line.startswith("mail:")]
    must(not bad and told.count(": good") >= 5 and "base backup: finished" in told, f"health: {told}")
    must(house.asks(ARCHIVES) == "t", "the restored server does not archive")
    say(f"  {house.name}: {house.processor_seconds()} s of processor in all")


def life(larder: Larder, commit: str, *, keep: bool = False) -> None:
    """Run the whole drill. The second house is built while the first one is in use.

    Raises: AssertionError with an explanation when a check fails.
    """
    first, second = House(larder, "first"), House(larder, "second")
    copied = larder.street / "copied"
    whole = False
    try:
        first.build()
        before = bring_older(first, commit)
        larder.fetch([ROOT, before])
        second.build()
        with ThreadPoolExecutor(1) as other:
            standing = other.submit(settled, second)
            say(f"Installed: {commit[:12] or 'the present release'}")
            installed(first, "before")
            seats = at_work(first)
            say("Upgraded to the present release, while somebody drives")
            upgraded(first, seats)
            say("gunicorn replaced, while somebody drives")
            replaced(first, seats)
            say("Upgraded to a release that does not start")
            broken(first, seats)
            say("Backed up, driven on, destroyed")
            driven = lost(first, seats, copied)
            standing.result()
        say("Restored in the second house")
        restored(second, driven, seats, copied)
        whole = True
    finally:
        if whole or not keep:
            for house in (first, second):
                house.destroy()
            run("rm", "-rf", copied)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.deploy.drill", description="Install, upgrade, lose, restore."
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--before", default=older_commit(), help="the commit that is upgraded from")
    parser.add_argument("--keep", action="store_true", help="leave the houses running when something is wrong")
    given = parser.parse_args()
    with Larder(given.folder).open() as larder:
        life(larder, given.before, keep=given.keep)
    say("All as it has to be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
