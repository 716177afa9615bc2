"""Queries for the pages of archives."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404

from championship.archive.models import Archive, ArchivedMember, Upload
from championship.clubs.models import Club


def newest_archive(club: Club) -> Archive | None:
    """Return the club's archive that was requested last, whatever its state. One query."""
    return Archive.objects.filter(club=club).select_related("asked_by").first()


def archive_of(club: Club, pk: int) -> Archive:
    """Return an archive of the club.

    Raises: Http404 when the club has no such archive.
    """
    found = Archive.objects.filter(club=club, pk=pk).select_related("club").first()
    if found is None:
        raise Http404
    return found


def newest_upload() -> Upload | None:
    """Return the archive that an operator uploaded last, whatever its state. One query."""
    return Upload.objects.select_related("by", "owner", "club").first()


def archived_members_of(club: Club) -> QuerySet[ArchivedMember]:
    """Return the members in the archive of a restored club who have not joined here, by name. One query."""
    return ArchivedMember.objects.filter(club=club).select_related("person").order_by("person__name", "pk")
