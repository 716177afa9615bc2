"""Rally dates in a driver's calendar: stages with a closing time, and the first and last days of rallies."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.notices.calendar_feed import Date
from championship.rallies.models import Entry, Rally, SpecialStage

SHOWN = 30
"""The calendar contains this number of rallies, those that started most recently."""


def rally_dates(person: User) -> Iterator[Date]:
    """The person's stages with a closing time, and the days on which their rallies started and ended: two queries."""
    yield from _closing_stages(person)
    entered = Q(entries__driver=person, entries__status=Entry.Status.CONFIRMED)
    dated = Q(practice=False, started_at__isnull=False, day_known=Rally.DayKnown.DAY)
    rallies = Rally.objects.filter(entered, dated).order_by("-started_at")
    for rally in rallies[:SHOWN]:
        moments = (("started", rally.started_at, _("%s starts")), ("finished", rally.finished_at, _("%s has ended")))
        for word, moment, title in moments:
            if moment is not None:
                yield Date(
                    uid=f"rally {rally.pk} {word}",
                    ends=timezone.localtime(moment).date(),
                    since=moment,
                    title=title % rally.name,
                    path=rally.get_absolute_url(),
                )


def _closing_stages(person: User) -> Iterator[Date]:
    closing = SpecialStage.objects.filter(
        status=SpecialStage.Status.RUNNING,
        closes_at__isnull=False,
        rally__practice=False,
        start_places__entry__driver=person,
    ).exclude(times__entry__driver=person)
    for stage in closing.select_related("rally"):
        assert stage.closes_at is not None
        yield Date(
            uid=f"stage {stage.pk} closes",
            ends=stage.closes_at,
            since=stage.opened_at or stage.closes_at,
            title=_("%(rally)s, %(stage)s closes") % {"rally": stage.rally.name, "stage": stage.called},
            path=stage.get_absolute_url(),
        )
