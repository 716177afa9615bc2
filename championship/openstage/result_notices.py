"""The notice to drivers of an open stage when its week is over: their place, once."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.notices import kinds
from championship.notices.services import Letter, enqueue_many
from championship.openstage.models import Week
from championship.rallies.results.classification import Line
from championship.rallies.results.measures import plain
from championship.rallies.results.selectors import results_of

RESULT = "open stage result"


def register() -> None:
    """Register this kind of notice."""
    kinds.register(
        RESULT,
        subject=_("Open stage %(week)s: your place"),
        body_template="notices/mail/open_stage_result.txt",
        switch=_("My place on an open stage that is over"),
    )


def notify_places(week: Week) -> None:
    """Notify each driver of a closed week of their place, by the channels that the driver has chosen.

    Call it inside the transaction that closes the week. The number of queries does not depend on the number of drivers.
    """
    results = results_of(week.rally)
    lines, cars = results.stage_lines(1), len(results.entries)
    drivers = User.objects.filter(is_active=True, closed_at=None, is_bot=False)
    people = drivers.in_bulk([line.entry.driver_id for line in lines])
    enqueue_many(
        [
            Letter(
                recipient=people[line.entry.driver_id],
                kind=RESULT,
                subject_key=f"open stage {week}",
                context={
                    "week": str(week),
                    "of": cars,
                    "more": settings.OPEN_STAGE,
                    **_result_values(line),
                },
                link=week.get_absolute_url(),
                thread=f"rally {week.rally.key}",
            )
            for line in lines
            if line.entry.driver_id in people
        ]
    )


def _result_values(line: Line) -> dict[str, object]:
    """Return the result of one line as values for the notice."""
    return {
        "place": line.place,
        "amount": line.total,
        "to_winner": line.to_leader,
        "retired": bool(line.remarks.retired),
        "measure": plain(line.measure),
    }
