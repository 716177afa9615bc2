"""What members may see of the state of the service, and what an operator should know besides /readyz: whether mail goes
out, how old backups are, and how full disks are.

None of the latter is a reason to send people to another machine, so no probe of a load balancer asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min

from championship.accounts.services import mail_server
from championship.deadlines.customers import all_customers
from championship.deadlines.health import last_sweep, overdue, sweep_is_missing
from championship.health import storage
from championship.health.models import ClockJump
from championship.health.storage import disks
from championship.lineage import services as lineage
from championship.notices import mail_health
from championship.notices import selectors as notices


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the service at `now`.

    set_back: no turn is played, because the database was restored. swept_at: when the deadlines were last swept.
    overdue_deadlines: deadlines that no worker has acted on in time (`deadlines.health`). overdue_notices: notices that
    should have been sent; the oldest has been due since `overdue_notices_since`. jumped: seconds by which a machine's
    clock was set within the last day, 0 for none.
    """

    now: datetime
    set_back: bool
    swept_at: datetime | None
    overdue_deadlines: int
    overdue_notices: int
    overdue_notices_since: datetime | None
    jumped: int

    @property
    def sweep_failed(self) -> bool:
        """Whether the deadlines are not swept, or the time of the last sweep cannot be trusted."""
        return sweep_is_missing(self.swept_at, self.now)

    @property
    def healthy(self) -> bool:
        return not (self.set_back or self.sweep_failed or self.overdue_deadlines or self.overdue_notices or self.jumped)


def status(now: datetime) -> Status:
    """Return the state of the service. Five queries, none of which grows with the number of runs played."""
    found = notices.overdue(now).order_by().aggregate(count=Count("pk"), oldest=Min("next_try_at"))
    jump = ClockJump.objects.lately(now).order_by("-noticed_at").values_list("seconds", flat=True).first()
    return Status(
        now=now,
        set_back=lineage.was_set_back(),
        swept_at=last_sweep(),
        overdue_deadlines=sum(overdue(customer.due(now), now).count() for customer in all_customers()),
        overdue_notices=found["count"],
        overdue_notices_since=found["oldest"],
        jumped=round(jump or 0),
    )


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
    archiver, ages = storage.archiver(), storage.ages(now)
    age = _rounded(timedelta(seconds=archiver.age))
    if not archiver.enabled:
        yield Finding("WAL archive", "not set up: a lost disk loses every turn since the last backup")
    elif archiver.fails:
        text = f"archive_command fails, the last file was archived {age} ago: see the log of PostgreSQL"
        yield Finding("WAL archive", text, is_problem=archiver.late)
    else:
        yield Finding("WAL archive", f"the last file was archived {age} ago", is_problem=archiver.late)
    yield _backup("base backup", ages.get(storage.BASE), storage.BACKUP_LATE)
    yield _backup("copy on another machine", ages.get(storage.COPY), storage.COPY_LATE)


def _backup(name: str, age: timedelta | None, late: timedelta) -> Finding:
    if age is None:
        return Finding(name, "none is recorded: docs/operating.md, Backups, says how to set it up")
    return Finding(name, f"finished {_rounded(age)} ago", is_problem=age > late)


def _rounded(age: timedelta) -> timedelta:
    return timedelta(seconds=int(age.total_seconds()))
