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

from championship.deadlines.customers import all_customers
from championship.deadlines.health import is_overdue, last_sweep
from championship.health.models import ClockJump
from championship.health.request_counters import COUNTS
from championship.lineage import services as lineage
from championship.notices.models import Notice
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
    lines: list[str] = []
    try:
        lines += [line for metric in _database_metrics(now) for line in metric.lines()]
        up = True
    except DatabaseError:
        logger.warning("metrics: the database does not answer", exc_info=True)
        up = False
    lines += Metric("parc_ferme_database_up", "gauge", "Whether the database answers.", {"": up}).lines()
    lines += [line for metric in _broker_metrics() for line in metric.lines()]
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
    yield from _outbox(now)
    yield from _clock(now)


def _outbox(now: datetime) -> Iterable[Metric]:
    """Yield metrics of the waiting notices: their number by channel and state, and how long the oldest has been due."""
    rows = Notice.objects.filter(status__in=WAITING).order_by().values_list("channel", "status")
    found = list(rows.annotate(count=Count("pk"), since=Min("next_try_at")))
    yield Metric(
        "parc_ferme_notices",
        "gauge",
        "Notices that are not sent yet, by channel and state.",
        {f'channel="{channel}",state="{status}"': count for channel, status, count, _since in found},
    )
    yield Metric(
        "parc_ferme_notice_age_seconds",
        "gauge",
        "Time since the oldest notice of this channel and state became due.",
        {
            f'channel="{channel}",state="{status}"': max(0.0, (now - since).total_seconds())
            for channel, status, _count, since in found
        },
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
        "Size of the last jump of a machine's clock within a day; 0 without a jump.",
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
