"""The numbers for a monitor, in Prometheus' text form. Nothing here grows with what has been played: each query reads
an index of what is open, or one row. So it is cheap with ten thousand runs on the road.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Exists, Min, OuterRef, Q
from kombu.exceptions import KombuError

from championship.deadlines.customers import all_customers
from championship.deadlines.models import Sweep
from championship.deadlines.sweeping import DEADLINES
from championship.health.models import ClockJump
from championship.health.request_counters import COUNTS
from championship.lineage import services as lineage
from championship.notices.models import Notice
from championship.runs.deadline_health import PATIENCE
from championship.runs.models import Run, Turn

logger = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
WAITING = (Notice.Status.QUEUED, Notice.Status.SENDING, Notice.Status.UNSURE, Notice.Status.DEAD)
"""The states of notices that somebody has yet to see to. An index holds them; those that were sent are not counted."""

Values = Mapping[str, float]
"""By labels, as they stand in the braces; "" without any."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: what it says, of which kind it is, and its values."""

    name: str
    kind: str
    help: str
    values: Values

    def lines(self) -> Iterator[str]:
        yield f"# HELP {self.name} {self.help}"
        yield f"# TYPE {self.name} {self.kind}"
        for labels, value in self.values.items():
            yield f"{self.name}{{{labels}}} {value:g}" if labels else f"{self.name} {value:g}"


def text(now: datetime) -> str:
    """All metrics at this moment."""
    lines: list[str] = []
    try:
        lines += [line for metric in _of_the_database(now) for line in metric.lines()]
        up = True
    except DatabaseError:
        logger.warning("the database does not tell how it goes", exc_info=True)
        up = False
    lines += Metric("parc_ferme_database_up", "gauge", "Whether the database answers.", {"": up}).lines()
    lines += [line for metric in _of_the_broker() for line in metric.lines()]
    return "\n".join([*lines, *_of_requests(COUNTS.all())]) + "\n"


def _of_the_database(now: datetime) -> Iterable[Metric]:
    overdue = Count("pk", filter=Q(deadline__lte=now - PATIENCE))
    waiting = {
        f'what="{customer.name}"': customer.due(now).order_by().aggregate(due=Count("pk"), overdue=overdue)
        for customer in all_customers()
    }
    yield Metric(
        "parc_ferme_due",
        "gauge",
        "What the clock has to see to now.",
        {labels: counted["due"] for labels, counted in waiting.items()},
    )
    yield Metric(
        "parc_ferme_overdue",
        "gauge",
        "What nobody has seen to for two minutes.",
        {labels: counted["overdue"] for labels, counted in waiting.items()},
    )
    yield Metric("parc_ferme_stuck_runs", "gauge", "Runs on the road in which no turn is open.", {"": _stuck()})
    yield Metric("parc_ferme_open_turns", "gauge", "Turns that wait for somebody.", {"": _open_turns()})
    yield Metric("parc_ferme_turns_total", "counter", "Turns that were ever opened.", {"": _ever("runs_turn_id_seq")})
    yield Metric("parc_ferme_posts_total", "counter", "Posts that were ever accepted.", {"": _ever("runs_post_id_seq")})
    yield from _outbox(now)
    yield from _clock(now)


def _outbox(now: datetime) -> Iterable[Metric]:
    """Only notices that wait: by channel and state, and how long the oldest of them has been due."""
    rows = Notice.objects.filter(status__in=WAITING).order_by().values_list("channel", "status")
    found = list(rows.annotate(count=Count("pk"), since=Min("next_try_at")))
    yield Metric(
        "parc_ferme_notices",
        "gauge",
        "Notices that have not gone out, by channel and state.",
        {f'channel="{channel}",state="{status}"': count for channel, status, count, _since in found},
    )
    yield Metric(
        "parc_ferme_notice_age_seconds",
        "gauge",
        "For how long the oldest notice of that channel and state has been due.",
        {
            f'channel="{channel}",state="{status}"': max(0.0, (now - since).total_seconds())
            for channel, status, _count, since in found
        },
    )


def _clock(now: datetime) -> Iterable[Metric]:
    heard = Sweep.objects.filter(name=DEADLINES).values_list("heard_at", flat=True).first()
    yield Metric(
        "parc_ferme_sweep_age_seconds",
        "gauge",
        "Since the deadlines were gone over; below zero: the clock was set back.",
        {"": (now - heard).total_seconds()} if heard else {},
    )
    jump = ClockJump.objects.lately(now).order_by("-noticed_at").values_list("seconds", flat=True).first()
    yield Metric(
        "parc_ferme_clock_jump_seconds",
        "gauge",
        "How far a machine's clock jumped last, within a day; 0: not at all.",
        {"": jump or 0},
    )
    back = lineage.was_set_back()
    yield Metric("parc_ferme_set_back", "gauge", "1 while a restored database waits for after_restore.", {"": back})


def _of_the_broker() -> Iterable[Metric]:
    """The lengths of the queues; where the broker does not answer, that it does not."""
    lengths: dict[str, float] = {}
    try:
        with current_app.connection_for_read() as line:
            line.ensure_connection(max_retries=1, interval_start=0, timeout=settings.BROKER_SECONDS)
            channel = line.default_channel
            for queue in settings.CELERY_TASK_QUEUES:
                lengths[f'queue="{queue.name}"'] = queue(channel).queue_declare(nowait=False).message_count
    except (OSError, KombuError):
        logger.warning("the broker does not tell how long its queues are", exc_info=True)
        lengths = {}
    yield Metric("parc_ferme_broker_up", "gauge", "Whether the broker answers.", {"": bool(lengths)})
    yield Metric("parc_ferme_queue_length", "gauge", "Messages that wait in a queue.", lengths)


REQUESTS = (
    ("parc_ferme_requests_total", "counter", "Requests by kind, method and status."),
    ("parc_ferme_request_processor_seconds_total", "counter", "Processor time of requests by kind and method."),
    ("parc_ferme_request_seconds", "histogram", "How long requests took."),
)


def _of_requests(numbers: Mapping[str, float]) -> Iterator[str]:
    for name, kind, told in REQUESTS:
        yield f"# HELP {name} {told}"
        yield f"# TYPE {name} {kind}"
        own = {key: value for key, value in numbers.items() if key.partition("{")[0].startswith(name)}
        yield from (f"{key} {value:g}" for key, value in sorted(own.items(), key=_in_order))


def _in_order(item: tuple[str, float]) -> tuple[str, float, str]:
    """Buckets by their bounds, as the text form asks."""
    key = item[0]
    bound = key.partition('le="')[2].partition('"')[0]
    return key.partition("{")[0], float(bound or 0), key


def _stuck() -> int:
    """By the table alone: `manage.py clock` reads the states besides, and knows of more."""
    waited = Turn.objects.filter(run=OuterRef("pk"), ended_at=None)
    return Run.objects.filter(~Exists(waited), status=Run.Status.RUNNING).count()


def _open_turns() -> int:
    return Turn.objects.filter(ended_at=None).count()


def _ever(sequence: str) -> int:
    """How many numbers a table has given out: one row, however many it holds."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")  # noqa: S608
        return int(cursor.fetchone()[0])
