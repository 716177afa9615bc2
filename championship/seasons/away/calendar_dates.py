"""The rounds of a season as entries of a calendar program: for everybody who may see the season."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from championship.notices.calendar_feed import Date
from championship.rallies.models import Rally
from championship.seasons.front import day_of
from championship.seasons.models import Championship, Round


def dates_of(championship: Championship) -> Iterator[Date]:
    """Yield each round that has a day, and until when it takes entries. Cancelled rounds are left out, so that they
    leave the calendar. An entry keeps its uid when its day changes. One query.
    """
    rounds = Round.objects.filter(championship=championship).select_related("rally").order_by("number")
    for each in rounds:
        rally = each.rally
        if rally.status == Rally.Status.CANCELLED:
            continue
        words = {"season": championship.name, "number": each.number, "name": rally.name}
        starts = rally.starts_at if rally.status == Rally.Status.ENTRIES else None
        day = starts or day_of(each)
        if day is not None:
            yield Date(
                uid=f"round {each.pk}",
                ends=day,
                since=rally.created_at,
                title=_("%(season)s, round %(number)s: %(name)s") % words,
                path=rally.get_absolute_url(),
            )
        if rally.status == Rally.Status.ENTRIES and rally.entries_close_at is not None:
            yield Date(
                uid=f"round {each.pk} entries",
                ends=rally.entries_close_at,
                since=rally.created_at,
                title=_("%(name)s: entries close") % words,
                path=rally.get_absolute_url(),
            )
