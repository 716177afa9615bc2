"""What people take away of a club: its calendar, the frame and the picture for other sites, its QR code. For members,
and for everybody where the club is public.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.accounts.requests import is_signed_in
from championship.clubs.models import Club
from championship.clubs.selectors import club_for_member, is_member
from championship.clubs.services import public_profile
from championship.clubs.visibility import allow_indexing_if_public
from championship.notices import calendar_feed
from championship.papers import qr
from championship.seasons import selectors
from championship.seasons.away.calendar_dates import dates_of_club
from championship.seasons.views.public import crumbs

MOST_SEASONS = 12


def _club_of(request: HttpRequest, slug: str) -> Club:
    """The club, for a reader who may open its page.

    Raises: Http404 when there is none.
    """
    shown = Club.objects.filter(slug=slug).first()
    if shown is not None and is_signed_in(request) and is_member(request.user, shown):
        return club_for_member(user=request.user, slug=slug)
    return public_profile.public_club(slug)


@require_safe
def away(request: HttpRequest, slug: str) -> HttpResponse:
    """Show everything that can be taken away of a club."""
    club = _club_of(request, slug)
    allow_indexing_if_public(request, club)
    seasons = list(selectors.championships_of_club(club)[:MOST_SEASONS])
    here = _("Take it with you")
    context = {
        "club": club,
        "title": here,
        "crumbs": crumbs(club, (here, None)),
        "seasons": seasons,
        "newest": seasons[0] if seasons else None,
        "site": f"{request.scheme}://{request.get_host()}",
        "open_to_all": club.visibility == Club.Visibility.PUBLIC,
    }
    return render(request, "clubs/away.html", context)


@require_safe
def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """The days of all rallies of the club, for any calendar program."""
    club = _club_of(request, slug)
    return calendar_feed.answer(request, calendar_feed.calendar_of(club.name, dates_of_club(club)))


@require_safe
def qr_svg(request: HttpRequest, slug: str) -> HttpResponse:
    """The address of the club's page as a QR code."""
    return qr.answer(request, _club_of(request, slug).get_absolute_url())
