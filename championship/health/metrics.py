"""Metrics for a monitor, in Prometheus' text format. Each query reads an index of open rows, or one row, so its cost
does not grow with the number of runs that have been played. It stays cheap with ten thousand runs under way.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Exists, Min, OuterRef
from kombu.exceptions import KombuError

from championship.accounts.services import mail_server
from championship.deadlines.customers import all_customers
from championship.deadlines.health import is_overdue, last_sweep
from championship.failures.models import Failure
from championship.health import storage
from championship.health.models import ClockJump
from championship.health.request_counters import COUNTS
from championship.health.storage import disks
from championship.lineage import services as lineage
from championship.notices import mail_health
from championship.notices.mail_health import WaitingLetters
from championship.notices.models import Notice
from championship.platform.version import __version__
from championship.runs.models import Run, Turn

logger = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
WAITING = (Notice.Status.QUEUED, Notice.Status.SENDING, Notice.Status.UNSURE, Notice.Status.DEAD)
"""The states of notices that still need work. An index covers them. Sent notices are not counted."""

Values = Mapping[str, float]
"""Values by labels, written as they appear between the braces; the key is "" for a value without labels."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: its name, its type, its description and its values."""

    name: str
    kind: str
    help: str
    values: Values

    def lines(self) -> Iterator[str]:
        yield f"# HELP {self.name} {self.help}"
        yield f"# TYPE {self.name} {self.kind}"
        for labels, value in self.values.items():
            yield f"{self.name}{{{labels}}} {value:g}" if labels else f"{self.name} {value:g}"


def text(now: datetime) -> tuple[str, bool]:
    """Return all metrics as of `now`, in the text format, and whether the database answered."""
    build = {f'version="{__version__}"': 1}
    lines = [*Metric("parc_ferme_build_info", "gauge", "The release that this process runs.", build).lines()]
    try:
        lines += [line for metric in _database_metrics(now) for line in metric.lines()]
        up = True
    except DatabaseError:
        logger.warning("metrics: the database does not answer", exc_info=True)
        up = False
    lines += Metric("parc_ferme_database_up", "gauge", "Whether the database answers.", {"": up}).lines()
    lines += [line for metric in (*_disk_metrics(), *_broker_metrics()) for line in metric.lines()]
    return "\n".join([*lines, *_request_lines(COUNTS.all())]) + "\n", up


def _database_metrics(now: datetime) -> Iterable[Metric]:
    overdue = Count("pk", filter=is_overdue(now))
    waiting = {
        f'what="{customer.name}"': customer.due(now).order_by().aggregate(due=Count("pk"), overdue=overdue)
        for customer in all_customers()
    }
    yield Metric(
        "parc_ferme_due",
        "gauge",
        "Deadlines that are due.",
        {labels: counted["due"] for labels, counted in waiting.items()},
    )
    yield Metric(
        "parc_ferme_overdue",
        "gauge",
        "Deadlines that have been due for more than two minutes.",
        {labels: counted["overdue"] for labels, counted in waiting.items()},
    )
    yield Metric("parc_ferme_stuck_runs", "gauge", "Running runs without an open turn.", {"": _stuck()})
    yield Metric(
        "parc_ferme_held_orders",
        "gauge",
        "Open turns whose orders were drawn for and could not be carried out.",
        {"": Turn.objects.filter(ended_at=None, seat__held__isnull=False).count()},
    )
    yield Metric("parc_ferme_open_turns", "gauge", "Open turns.", {"": _open_turns()})
    yield Metric(
        "parc_ferme_turns_total",
        "counter",
        "Turns opened since the installation.",
        {"": _last_value("runs_turn_id_seq")},
    )
    yield Metric(
        "parc_ferme_posts_total",
        "counter",
        "Posts accepted since the installation.",
        {"": _last_value("runs_post_id_seq")},
    )
    yield from _failing(now)
    yield from _outbox(now)
    yield from _clock(now)
    yield from _backup_metrics(now)


def _failing(now: datetime) -> Iterable[Metric]:
    """Yield metrics of the background work that keeps failing: how many units of each kind, and for how long."""
    rows = Failure.objects.open(now).order_by().values_list("kind")
    found = list(rows.annotate(count=Count("pk"), since=Min("since")).order_by("kind"))
    yield Metric(
        "parc_ferme_failing",
        "gauge",
        "Units of background work that keep failing and are put off, by kind.",
        {f'what="{kind}"': count for kind, count, _since in found},
    )
    yield Metric(
        "parc_ferme_failing_seconds",
        "gauge",
        "Time since the first failure of the unit that has failed longest, by kind.",
        {f'what="{kind}"': max(0.0, (now - since).total_seconds()) for kind, _count, since in found},
    )


def _outbox(now: datetime) -> Iterable[Metric]:
    """Yield metrics of the letters that wait. Those about signing in count as the channel "sign_in"."""
    rows = Notice.objects.filter(status__in=WAITING).order_by().values_list("channel", "status")
    found = {
        f'channel="{channel}",state="{status}"': WaitingLetters(count, since, next_try_at)
        for channel, status, count, since, next_try_at in rows.annotate(
            count=Count("pk"), since=Min(mail_health.first_due()), due=Min("next_try_at")
        )
    }
    if letters := mail_health.waiting_letters_about_signing_in():
        found['channel="sign_in",state="queued"'] = letters
    yield Metric(
        "parc_ferme_notices",
        "gauge",
        "Notices and letters about signing in that are not sent yet, by channel and state.",
        {labels: each.count for labels, each in found.items()},
    )
    yield Metric(
        "parc_ferme_notice_age_seconds",
        "gauge",
        "Time since the oldest of them was to be sent first. A retry does not change it.",
        {labels: _seconds(each.since, now) for labels, each in found.items()},
    )
    yield Metric(
        "parc_ferme_notice_overdue_seconds",
        "gauge",
        "Time since the next try of a queued one was due: no worker tries.",
        {labels: _seconds(each.next_try_at, now) for labels, each in found.items() if 'state="queued"' in labels},
    )
    yield from _mail(now)


def _mail(now: datetime) -> Iterable[Metric]:
    server = mail_server.state()
    failing_since = mail_health.failing_since(server)
    yield Metric(
        "parc_ferme_mail_failing_seconds",
        "gauge",
        "Time since the mail server takes no letter; 0 while mail goes out.",
        {"": _seconds(failing_since, now) if failing_since else 0},
    )
    yield Metric(
        "parc_ferme_mail_last_sent_age_seconds",
        "gauge",
        "Time since the mail server took a letter.",
        {"": _seconds(server.last_sent_at, now)} if server.last_sent_at else {},
    )
    for name, description, value in (
        ("parc_ferme_mail_sent_total", "Letters that the mail server took.", server.sent),
        ("parc_ferme_mail_failures_total", "Tries in which it did not take a letter.", server.failures),
        ("parc_ferme_sign_in_letters_expired_total", "Letters about signing in that were too late.", server.expired),
    ):
        yield Metric(name, "counter", description, {"": value})


def _seconds(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds())


def _backup_metrics(now: datetime) -> Iterable[Metric]:
    yield Metric(
        "parc_ferme_backup_age_seconds",
        "gauge",
        "Time since the last base backup, and since the last copy on another machine. No value without one.",
        {f'what="{what}"': age.total_seconds() for what, age in storage.ages(now).items()},
    )
    archiver = storage.archiver()
    yield Metric(
        "parc_ferme_wal_archive_age_seconds",
        "gauge",
        "Time since the last WAL was archived, or since the server started. No value if none is to be archived.",
        {"": archiver.age} if archiver.enabled else {},
    )
    yield Metric(
        "parc_ferme_wal_archive_failures_total",
        "counter",
        "Failed tries to archive WAL.",
        {"": archiver.failures} if archiver.enabled else {},
    )


def _disk_metrics() -> Iterable[Metric]:
    found = list(disks())
    yield Metric(
        "parc_ferme_disk_free_bytes",
        "gauge",
        "Free space on the disk of this folder.",
        {f'folder="{disk.folder}"': disk.free for disk in found},
    )
    yield Metric(
        "parc_ferme_disk_size_bytes",
        "gauge",
        "Size of the disk of this folder.",
        {f'folder="{disk.folder}"': disk.size for disk in found},
    )


def _clock(now: datetime) -> Iterable[Metric]:
    swept_at = last_sweep()
    yield Metric(
        "parc_ferme_sweep_age_seconds",
        "gauge",
        "Time since the last sweep of deadlines. Negative after the clock was set back.",
        {"": (now - swept_at).total_seconds()} if swept_at else {},
    )
    jump = ClockJump.objects.lately(now).order_by("-noticed_at").values_list("seconds", flat=True).first()
    yield Metric(
        "parc_ferme_clock_jump_seconds",
        "gauge",
        "Size of the last jump of a machine's clock within a day; 0 without one, or once it is acknowledged.",
        {"": jump or 0},
    )
    back = lineage.was_set_back()
    yield Metric("parc_ferme_set_back", "gauge", "1 while a restored database waits for after_restore.", {"": back})


def _broker_metrics() -> Iterable[Metric]:
    """Yield whether the broker answers, and the lengths of the queues when it does."""
    lengths: dict[str, float] = {}
    try:
        with current_app.connection_for_read() as line:
            line.ensure_connection(max_retries=1, interval_start=0, timeout=settings.BROKER_SECONDS)
            channel = line.default_channel
            for queue in settings.CELERY_TASK_QUEUES:
                lengths[f'queue="{queue.name}"'] = queue(channel).queue_declare(nowait=False).message_count
    except (OSError, KombuError):
        logger.warning("metrics: the broker does not answer", exc_info=True)
        lengths = {}
    yield Metric("parc_ferme_broker_up", "gauge", "Whether the broker answers.", {"": bool(lengths)})
    yield Metric("parc_ferme_queue_length", "gauge", "Messages in the queue.", lengths)


REQUESTS = (
    ("parc_ferme_requests_total", "counter", "Requests by kind, method and status."),
    ("parc_ferme_request_processor_seconds_total", "counter", "Processor time of requests by kind and method."),
    ("parc_ferme_request_seconds", "histogram", "Duration of requests."),
)


def _request_lines(numbers: Mapping[str, float]) -> Iterator[str]:
    for name, kind, description in REQUESTS:
        yield f"# HELP {name} {description}"
        yield f"# TYPE {name} {kind}"
        own = {key: value for key, value in numbers.items() if key.partition("{")[0].startswith(name)}
        yield from (f"{key} {value:g}" for key, value in sorted(own.items(), key=_by_bucket))


def _by_bucket(item: tuple[str, float]) -> tuple[str, float, str]:
    """Sort key that puts the buckets in the order of their bounds, as the text format requires."""
    key = item[0]
    bound = key.partition('le="')[2].partition('"')[0]
    return key.partition("{")[0], float(bound or 0), key


def _stuck() -> int:
    """Count running runs without an open turn. `manage.py clock` also reads the states and finds more stuck runs."""
    waited = Turn.objects.filter(run=OuterRef("pk"), ended_at=None)
    return Run.objects.filter(~Exists(waited), status=Run.Status.RUNNING).count()


def _open_turns() -> int:
    return Turn.objects.filter(ended_at=None).count()


def _last_value(sequence: str) -> int:
    """Return the last value of a sequence. The query reads one row, whatever the size of the table."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")  # noqa: S608
        return int(cursor.fetchone()[0])
