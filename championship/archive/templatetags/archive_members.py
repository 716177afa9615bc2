"""Members in the archive of a restored club, for the page of names of an app below."""

from __future__ import annotations

from django import template
from django.db.models import QuerySet

from championship.archive import selectors
from championship.archive.models import ArchivedMember
from championship.clubs.models import Club

register = template.Library()


@register.simple_tag
def archived_members(club: Club) -> QuerySet[ArchivedMember]:
    """The members in the club's archive who have not joined here. One query."""
    return selectors.archived_members_of(club)
