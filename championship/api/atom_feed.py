"""A club's moments as an Atom feed, with the texts that championship/moments shows on their page, and the promises
about random draws that the club's log names: a feed reader keeps them where this site cannot change them.

The feed of a public club is open to all. The address of any other feed contains a secret; members find the address on
the page of their club.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.clubs.models import Club
from championship.moments.club_moments import Moment, in_words, moment_rows
from championship.notices.notice_text import absolute_url
from championship.runs.watch.logged_promises import feed_entries

MOST = 30
"""The number of moments in a feed."""
LENGTH = 32
"""Characters of the secret in the address of a feed."""
FRESH = 300
"""Seconds for which any cache may keep a feed."""


def moments_of(club: Club) -> list[Moment]:
    """Return the newest moments of a club, newest first, with the texts of its page. A constant number of queries."""
    return in_words(club, moment_rows(club)[:MOST])


def key_of(club: Club) -> str:
    """Return the key in the address of the feed. The club's own key also appears in other addresses, so it is no
    secret.
    """
    if club.visibility == Club.Visibility.PUBLIC:
        return club.key
    return f"{club.key}-{_secret_of(club)}"


def _secret_of(club: Club) -> str:
    # The text must not change: the addresses in people's feed readers depend on it.
    return salted_hmac("championship.api.atoms", club.key, algorithm="sha256").hexdigest()[:LENGTH]


def _club_of(key: str) -> Club:
    shown = Club.objects.filter(key=key, visibility=Club.Visibility.PUBLIC).first()
    if shown is None:
        shown = get_object_or_404(Club, key=key[: -LENGTH - 1])
        if not constant_time_compare(key, f"{shown.key}-{_secret_of(shown)}"):
            raise Http404
    return shown


@require_safe
def club(request: HttpRequest, key: str) -> HttpResponse:
    """Answer with the feed of a club.

    The address of a feed never changes, and people who were removed from the club may still have it. So the feed of a
    club that is not public contains no names: neither of winners nor of retired drivers.

    Raises: Http404 when the key is not valid.
    """
    shown = _club_of(key)
    public = shown.visibility == Club.Visibility.PUBLIC
    moments, host = moments_of(shown), urlsplit(settings.SITE_URL).hostname
    promises = feed_entries(shown.pk, MOST)
    feed = Atom1Feed(
        title=shown.name,
        link=absolute_url("/"),
        description="",
        feed_url=absolute_url(request.path),
        feed_guid=f"tag:{host},2026:club/{shown.key}",
    )
    items = [
        (each.at, each.title, each.link, " ".join(each.lines) if public else "", f"rally/{each.key}/{each.name}")
        for each in moments
        if public or not each.names_somebody
    ]
    for entry in promises:
        title = _("%(rally)s: fingerprints of the random draws") % {"rally": entry.rally}
        items.append((entry.at, title, entry.link, entry.details, f"promise/{entry.number}"))
    for at, title, link, text, name in sorted(items, key=lambda item: item[0], reverse=True):
        unique_id = f"tag:{host},2026:{name}"
        feed.add_item(title, absolute_url(link), text, unique_id=unique_id, updateddate=at, pubdate=at)
    answer = HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")
    # A cache that several people share must not keep what is at a secret address.
    patch_cache_control(answer, max_age=FRESH, **({"public": True} if public else {"private": True}))
    return answer
