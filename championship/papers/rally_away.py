"""What people take away of a rally: papers, the frame and the picture for other sites, its calendar, its QR code."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.clubs.visibility import allow_indexing_if_public, may_see
from championship.notices import calendar_feed
from championship.notices.calendar_feed import Date
from championship.papers import occasions, qr
from championship.rallies import selectors
from championship.rallies.models import Rally
from championship.rallies.public_views import crumbs, shared


@require_safe
def away(request: HttpRequest, key: str) -> HttpResponse:
    """Show everything that can be taken away of a rally: papers, picture, the codes for other sites, the calendar."""
    from championship.papers.fonts import not_drawn

    page = selectors.rally_page(selectors.rally_by_key(key, request.user), request.user)
    rally = page.rally
    allow_indexing_if_public(request, rally.club)
    here = _("Take it with you")
    context = {
        "page": page,
        "rally": rally,
        "stages": page.results.stages,
        "tab": "away",
        "title": here,
        "crumbs": crumbs(page, here),
        "shared": shared(request, page.results, rally.get_absolute_url()),
        "site": f"{request.scheme}://{request.get_host()}",
        "open_to_all": may_see(rally.club, AnonymousUser()),
        "not_drawn": not_drawn([rally.name, *(entry.crew for entry in page.results.entries.values())]),
    }
    return render(request, "rallies/away.html", context)


@require_safe
def qr_svg(request: HttpRequest, key: str) -> HttpResponse:
    """The address of the rally's page as a QR code."""
    return qr.answer(request, selectors.rally_by_key(key, request.user).get_absolute_url())


@require_safe
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The days of the rally, for any calendar program."""
    rally = selectors.rally_by_key(key, request.user)
    return calendar_feed.answer(request, calendar_feed.calendar_of(rally.name, dates_of(rally)))


def dates_of(rally: Rally) -> Iterator[Date]:
    """Yield the day of a rally, where one is known, and until when it takes entries; nothing of a cancelled one. One
    query at most.
    """
    if rally.status == Rally.Status.CANCELLED:
        return
    open_now = rally.status == Rally.Status.ENTRIES
    occasion = occasions.occasion_of(rally)
    days = occasions.days_of(rally, occasion)
    day = (rally.starts_at if open_now else None) or (days[0] if days else occasion.day)
    address = rally.get_absolute_url()
    if day is not None:
        yield Date(uid=f"rally {rally.key}", ends=day, since=rally.created_at, title=rally.name, path=address)
    if open_now and rally.entries_close_at is not None:
        yield Date(
            uid=f"rally {rally.key} entries",
            ends=rally.entries_close_at,
            since=rally.created_at,
            title=_("%(name)s: entries close") % {"name": rally.name},
            path=address,
        )
