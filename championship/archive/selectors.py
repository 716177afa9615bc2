"""What the pages of archives and lists show."""

from __future__ import annotations

from django.http import Http404

from championship.archive.models import Archive
from championship.clubs.models import Club


def newest_archive(club: Club) -> Archive | None:
    """The club's archive that was asked for last, whatever became of it: one query."""
    return Archive.objects.filter(club=club).select_related("asked_by").first()


def archive_of(club: Club, pk: int) -> Archive:
    """An archive of the club; Http404."""
    found = Archive.objects.filter(club=club, pk=pk).select_related("club").first()
    if found is None:
        raise Http404
    return found
