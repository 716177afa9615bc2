"""Queries for the pages of archives and lists."""

from __future__ import annotations

from django.db.models import Count, QuerySet
from django.http import Http404

from championship.accounts.models import User
from championship.archive.models import Archive, ArchivedMember, Upload
from championship.lists.services.people import NOWHERE
from championship.clubs.models import Club
from championship.rallies.models import ON_PAPER
from championship.seasons.models import Championship, Round


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


def rounds_on_paper(championship: Championship) -> QuerySet[Round]:
    """Return the rounds that were driven on paper, in order. One query."""
    found = championship.rounds.filter(rally__ruleset_version=ON_PAPER)
    return found.select_related("rally").order_by("number")


def names_of(club: Club) -> QuerySet[User]:
    """Return the drivers of the club's rallies who have no account, by name, with the number of their entries as
    `drives`. One query.
    """
    found = User.objects.filter(entries__rally__club=club, is_active=False, email__endswith=f"@{NOWHERE}")
    return found.annotate(drives=Count("entries")).order_by("name", "pk")
