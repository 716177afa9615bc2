"""What members may see of the state of the service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min

from championship.deadlines.customers import all_customers
from championship.deadlines.health import last_sweep, overdue, sweep_is_missing
from championship.health.models import ClockJump
from championship.lineage import services as lineage
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
