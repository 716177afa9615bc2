"""What drivers of an open stage are told when its week is over: their place, once."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.notices import kinds
from championship.notices.services import Letter, enqueue_many
from championship.openstage.models import Week
from championship.rallies.classification import Line
from championship.rallies.measures import plain
from championship.rallies.results import results_of

RESULT = "open stage result"


def register() -> None:
    """Make this kind of notice known."""
    kinds.register(
        RESULT,
        subject=_("Open stage %(week)s: your place"),
        body_template="notices/mail/open_stage_result.txt",
        switch=_("My place on an open stage that is over"),
    )


def tell_places(week: Week) -> None:
    """Tell each driver of a week that is over their place, over the channels they have chosen.

    Inside the transaction that closes it. As many queries as any other notice to many takes, however many have driven.
    """
    lines = results_of(week.rally).stage_lines(1)
    drivers = User.objects.filter(is_active=True, closed_at=None, is_bot=False)
    people = drivers.in_bulk([line.entry.driver_id for line in lines])
    enqueue_many(
        [
            Letter(
                recipient=people[line.entry.driver_id],
                kind=RESULT,
                subject_key=f"open stage {week}",
                context={"week": str(week), "of": len(lines), "more": settings.OPEN_STAGE, **_told(line)},
                link=week.get_absolute_url(),
                thread=f"rally {week.rally.key}",
            )
            for line in lines
            if line.entry.driver_id in people
        ]
    )


def _told(line: Line) -> dict[str, object]:
    return {
        "place": line.place,
        "amount": line.total,
        "to_winner": line.to_leader,
        "retired": bool(line.remarks.retired),
        "measure": plain(line.measure),
    }
