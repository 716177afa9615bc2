"""What the pages of archives and lists show."""

from __future__ import annotations

from django.db.models import Count, QuerySet
from django.http import Http404

from championship.accounts.models import User
from championship.archive.models import Archive
from championship.archive.person_matching import NOWHERE
from championship.clubs.models import Club
from championship.rallies.models import ON_PAPER
from championship.seasons.models import Championship, Round


def newest_archive(club: Club) -> Archive | None:
    """The club's archive that was asked for last, whatever became of it: one query."""
    return Archive.objects.filter(club=club).select_related("asked_by").first()


def archive_of(club: Club, pk: int) -> Archive:
    """An archive of the club; Http404."""
    found = Archive.objects.filter(club=club, pk=pk).select_related("club").first()
    if found is None:
        raise Http404
    return found


def rounds_on_paper(championship: Championship) -> QuerySet[Round]:
    """The rounds that were driven on paper, in order: one query."""
    found = championship.rounds.filter(rally__ruleset_version=ON_PAPER)
    return found.select_related("rally").order_by("number")


def names_of(club: Club) -> QuerySet[User]:
    """Who drove in the club's rallies and is not on the site, by name, with how many `drives`: one query."""
    found = User.objects.filter(entries__rally__club=club, is_active=False, email__endswith=f"@{NOWHERE}")
    return found.annotate(drives=Count("entries")).order_by("name", "pk")
