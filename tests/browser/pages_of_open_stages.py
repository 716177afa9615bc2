"""The open stage of this week, which somebody drives, and that of last week, which is over."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from championship.accounts.models import User
from championship.openstage import services
from championship.openstage.models import Week
from championship.openstage.opening_times import monday_of
from championship.platform import clock
from tests.championship.openstage.factories import close_due, go_on, retire


def set_up(driver: User) -> tuple[Week, Week]:
    """Create last week's stage, from which the driver has retired, and this week's, in which the driver has the
    turn.
    """
    now = clock.now()
    monday = datetime.combine(monday_of(now), time(), tzinfo=UTC)
    before = services.open_due(now=monday - timedelta(days=7))
    assert before is not None
    before.rally.stages.update(closes_at=now + timedelta(hours=1))
    retire(services.drive(by=driver), driver)
    before.rally.stages.update(closes_at=now)
    close_due()
    week = services.open_due(now=monday)
    assert week is not None
    week.rally.stages.update(closes_at=now + timedelta(days=2))  # also when the test runs on a Sunday night
    go_on(services.drive(by=driver), driver, posts=1)
    return before, week
