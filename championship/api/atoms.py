"""The moments of a club as an Atom feed: a rally has started, the times of a stage are in, a rally is over.

That of a public club is open to all. The address of another's holds what nobody can guess; its members find it on
their page of the club.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from championship.clubs.models import Club
from championship.notices.notice_text import whole
from championship.rallies.models import Rally, SpecialStage

MOST = 30
"""Moments in a feed."""
LENGTH = 32
"""Characters of the secret in the address of a feed."""
FRESH = 300
"""Seconds for which anybody may keep a feed."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that has happened in a club. `name` tells it from all others, for ever."""

    at: datetime
    name: str
    title: str
    link: str


def moments_of(club: Club) -> list[Moment]:
    """The newest moments of a club, the newest first; practice is not among them: two queries."""
    rallies = club.rallies.filter(practice=False, started_at__isnull=False).order_by("-started_at")[:MOST]
    stages = SpecialStage.objects.filter(
        rally__club=club, rally__practice=False, status=SpecialStage.Status.DONE, closed_at__isnull=False
    )
    newest = stages.select_related("rally").order_by("-closed_at", "-pk")[:MOST]
    found = [moment for rally in rallies for moment in _of_rally(rally)]
    found += [_of_stage(stage) for stage in newest]
    return sorted(found, key=lambda moment: (moment.at, moment.name), reverse=True)[:MOST]


def _of_rally(rally: Rally) -> Iterator[Moment]:
    words, link = {"rally": rally.title}, rally.get_absolute_url()
    if rally.started_at is not None:
        yield Moment(rally.started_at, f"{rally.key}/started", _("%(rally)s has started") % words, link)
    if rally.finished_at is not None:
        yield Moment(rally.finished_at, f"{rally.key}/over", _("%(rally)s is over") % words, link)


def _of_stage(stage: SpecialStage) -> Moment:
    assert stage.closed_at is not None
    title = _("%(rally)s: results of stage %(stage)s") % {"rally": stage.rally.title, "stage": stage.number}
    return Moment(stage.closed_at, f"{stage.rally.key}/{stage.number}", title, stage.get_absolute_url())


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
    """The feed of a club. Http404 for a key that is none."""
    shown = _club_of(key)
    moments, host = moments_of(shown), urlsplit(settings.SITE_URL).hostname
    feed = Atom1Feed(
        title=shown.name,
        link=whole("/"),
        description="",
        feed_url=whole(request.path),
        feed_guid=f"tag:{host},2026:club/{shown.key}",
    )
    for moment in moments:
        name = f"tag:{host},2026:rally/{moment.name}"
        feed.add_item(moment.title, whole(moment.link), "", unique_id=name, updateddate=moment.at, pubdate=moment.at)
    return HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")
