"""The moments of a club as an Atom feed: what championship/moments tells on their page.

That of a public club is open to all. The address of another's holds what nobody can guess; its members find it on
their page of the club.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from championship.clubs.models import Club
from championship.moments.club_moments import Moment, found_in, told
from championship.notices.notice_text import whole

MOST = 30
"""Moments in a feed."""
LENGTH = 32
"""Characters of the secret in the address of a feed."""
FRESH = 300
"""Seconds for which anybody may keep a feed."""


def moments_of(club: Club) -> list[Moment]:
    """The newest moments of a club, the newest first, as its page tells them: a flat number of queries."""
    return told(club, found_in(club)[:MOST])


def key_of(club: Club) -> str:
    """Return what the address of the feed holds. The club's own key stands in other addresses and is no secret."""
    if club.visibility == Club.Visibility.PUBLIC:
        return club.key
    return f"{club.key}-{_secret_of(club)}"


def _secret_of(club: Club) -> str:
    return salted_hmac("championship.api.atoms", club.key, algorithm="sha256").hexdigest()[:LENGTH]


def _club_of(key: str) -> Club:
    shown = Club.objects.filter(key=key, visibility=Club.Visibility.PUBLIC).first()
    if shown is None:
        shown = get_object_or_404(Club, key=key[: -LENGTH - 1])
        if not constant_time_compare(key, f"{shown.key}-{_secret_of(shown)}"):
            raise Http404
    return shown


@require_safe
@cache_control(public=True, max_age=FRESH)
def club(request: HttpRequest, key: str) -> HttpResponse:
    """The feed of a club. Http404 for a key that is none.

    The address of a feed never changes, so of a club that is not public it tells no names: neither who won nor who is
    out. People who were put out of the club may have the address still.
    """
    shown = _club_of(key)
    public = shown.visibility == Club.Visibility.PUBLIC
    moments, host = moments_of(shown), urlsplit(settings.SITE_URL).hostname
    feed = Atom1Feed(
        title=shown.name,
        link=whole("/"),
        description="",
        feed_url=whole(request.path),
        feed_guid=f"tag:{host},2026:club/{shown.key}",
    )
    for moment in moments:
        if moment.names_somebody and not public:
            continue
        name, text = f"tag:{host},2026:rally/{moment.key}/{moment.name}", " ".join(moment.lines) if public else ""
        feed.add_item(moment.title, whole(moment.link), text, unique_id=name, updateddate=moment.at, pubdate=moment.at)
    return HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")
