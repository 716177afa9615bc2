"""The rounds of a season, and the rallies of a club, as entries of a calendar program."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.clubs.models import Club
from championship.notices.calendar_feed import Date
from championship.rallies.models import Rally
from championship.seasons.front import day_of
from championship.seasons.models import Championship, Round


def dates_of_club(club: Club) -> Iterator[Date]:
    """Yield the entries of all rounds of a club, and of its rallies outside seasons that take entries or were driven.
    Two queries.
    """
    yield from _dates(Round.objects.filter(championship__club=club).select_related("championship"))
    for rally in club.rallies.filter(round=None, for_everybody=False).order_by("pk"):
        yield from _of_rally(rally, day_of(Round(rally=rally)), f"rally {rally.key}", rally.name)


def dates_of(championship: Championship) -> Iterator[Date]:
    """Yield each round that has a day, and until when it takes entries. Cancelled rounds are left out, so that they
    leave the calendar. An entry keeps its uid when its day changes. One query.
    """
    yield from _dates(Round.objects.filter(championship=championship).select_related("championship"))


def _dates(rounds: QuerySet[Round]) -> Iterator[Date]:
    for each in rounds.select_related("rally").order_by("championship", "number"):
        words = {"season": each.championship.name, "number": each.number, "name": each.rally.name}
        title = _("%(season)s, round %(number)s: %(name)s") % words
        yield from _of_rally(each.rally, day_of(each), f"round {each.pk}", title)


def _of_rally(rally: Rally, known: date | None, uid: str, title: str) -> Iterator[Date]:
    if rally.status == Rally.Status.CANCELLED:
        return
    day = (rally.starts_at if rally.status == Rally.Status.ENTRIES else None) or known
    if day is not None:
        yield Date(uid=uid, ends=day, since=rally.created_at, title=title, path=rally.get_absolute_url())
    if rally.status == Rally.Status.ENTRIES and rally.entries_close_at is not None:
        yield Date(
            uid=f"{uid} entries",
            ends=rally.entries_close_at,
            since=rally.created_at,
            title=_("%(name)s: entries close") % {"name": rally.name},
            path=rally.get_absolute_url(),
        )
