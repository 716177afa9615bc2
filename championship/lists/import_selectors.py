"""Queries for the pages of lists."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role_to_read
from championship.lists.models import ListImport
from championship.rallies.models import ON_PAPER
from championship.seasons.models import Championship, Round

MOST_LISTED = 100


def import_by_key(key: str, viewer: User) -> ListImport:
    """Return an import or a draft for an organiser of its club. One query, and one for the role.

    Raises: Http404 when there is none, or when the person is not in the club.
    Raises: Forbidden for members who do not organise.
    """
    found = ListImport.objects.filter(key=key).select_related("club", "by", "undone_by").first()
    if found is None or not found.club.memberships.filter(user=viewer).exists():
        raise Http404
    require_role_to_read(viewer, found.club, Role.ORGANISER)
    return found


def imports_of(club: Club, target: str = "") -> QuerySet[ListImport]:
    """Return the imports and drafts of a club, or of one season or rally, the latest first. One query."""
    found = ListImport.objects.filter(club=club).select_related("by", "undone_by").defer("found", "answers", "made")
    return (found.filter(target=target) if target else found)[:MOST_LISTED]


def rounds_on_paper(championship: Championship) -> QuerySet[Round]:
    """Return the rounds that were driven on paper, in order. One query."""
    found = championship.rounds.filter(rally__ruleset_version=ON_PAPER)
    return found.select_related("rally").order_by("number")
