"""What an operator should know besides /readyz: whether mail goes out, how old backups are, and how full disks are.

None of this is a reason to send people to another machine, so no probe of a load balancer asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from championship.accounts.services import mail_server
from championship.health import backups
from championship.health.disks import disks
from championship.notices import mail_health


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: its name, what was found, and whether an operator has to act."""

    name: str
    text: str
    is_problem: bool = False


def of_database(now: datetime) -> Iterator[Finding]:
    """Yield the findings for which the database is asked: mail and backups. At most six queries."""
    yield _mail(now)
    yield from _backups(now)


def of_machine() -> Iterator[Finding]:
    """Yield the findings about the disks of this machine. No query."""
    for disk in disks():
        text = f"{disk.free / 1e9:.1f} of {disk.size / 1e9:.1f} GB free"
        yield Finding(f"disk of {disk.folder}", text, is_problem=disk.nearly_full)


def _mail(now: datetime) -> Finding:
    server = mail_server.state()
    since = mail_health.failing_since(server)
    if since is not None:
        text = f"the mail server has taken no letter since {since:%Y-%m-%d %H:%M} UTC: {server.last_answer}"
        return Finding("mail", text, is_problem=now - since > mail_health.PATIENCE)
    if server.last_sent_at is None:
        return Finding("mail", "no letter was sent yet: manage.py sendtestemail ADDRESS tries it")
    return Finding("mail", f"good, the last letter was sent {_rounded(now - server.last_sent_at)} ago")


def _backups(now: datetime) -> Iterator[Finding]:
    archiver, ages = backups.archiver(), backups.ages(now)
    age = _rounded(timedelta(seconds=archiver.age))
    if not archiver.enabled:
        yield Finding("WAL archive", "not set up: a lost disk loses every turn since the last backup")
    elif archiver.fails:
        text = f"archive_command fails, the last file was archived {age} ago: see the log of PostgreSQL"
        yield Finding("WAL archive", text, is_problem=archiver.late)
    else:
        yield Finding("WAL archive", f"the last file was archived {age} ago", is_problem=archiver.late)
    yield _backup("base backup", ages.get(backups.BASE), backups.BACKUP_LATE)
    yield _backup("copy on another machine", ages.get(backups.COPY), backups.COPY_LATE)


def _backup(name: str, age: timedelta | None, late: timedelta) -> Finding:
    if age is None:
        return Finding(name, "none is recorded: docs/operating.md, Backups, says how to set it up")
    return Finding(name, f"finished {_rounded(age)} ago", is_problem=age > late)


def _rounded(age: timedelta) -> timedelta:
    return timedelta(seconds=int(age.total_seconds()))
