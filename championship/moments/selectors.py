"""Read functions for the pages of a club's moments. The docstrings state the number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404
from django.shortcuts import get_object_or_404

from championship.clubs.models import Club
from championship.clubs.visibility import Viewer, require_member
from championship.moments.club_moments import Moment, in_words, moment_row_by_name, moment_rows
from championship.moments.models import Cheer, Comment
from championship.rallies.models import Rally

ON_A_PAGE = 20
LAST = 3
"""Comments under a moment in the list; the moment's own page has all."""


@dataclass(frozen=True, slots=True)
class MomentWithComments:
    """A moment, its newest comments in the order in which they were written, and how many the viewer may see; how many
    members cheer, and whether the viewer does.
    """

    moment: Moment
    comments: Sequence[Comment]
    count: int
    cheers: int = 0
    cheered: bool = False


def club_for(slug: str, viewer: Viewer) -> Club:
    """Return the club of that address, for viewers who may see its moments. Two queries at most.

    Everybody may see those of a public club. The names of other clubs in addresses are not secret, so their moments are
    for members only.

    Raises: Http404 when there is no such club, or the viewer is not a member.
    Raises: NotYet when the viewer has not signed in.
    """
    club = get_object_or_404(Club, slug=slug)
    if club.visibility != Club.Visibility.PUBLIC:
        require_member(club, viewer)
    return club


def page_of(club: Club, viewer: Viewer, number: str) -> tuple[Page[Any], list[MomentWithComments]]:
    """Return a page of the club's moments, newest first, each with its last comments. The number of queries does not
    depend on the number of moments.
    """
    page = Paginator(moment_rows(club), ON_A_PAGE).get_page(number)
    moments = in_words(club, page.object_list)
    return page, _with_comments(moments, viewer, LAST)


def moment_with_comments(club: Club, viewer: Viewer, key: str, name: str) -> MomentWithComments:
    """Return a moment with all its comments.

    Raises: Http404 when there is no such moment.
    """
    found = moment_row_by_name(club, key, name)
    if found is None:
        raise Http404
    (shown,) = _with_comments(in_words(club, [found]), viewer, None)
    return shown


def comment_for(viewer: Viewer, slug: str, pk: int) -> Comment:
    """Return a comment that the viewer may see, with its club and author.

    Raises: Http404 when there is none.
    Raises: NotYet when the viewer has not signed in.
    """
    club = club_for(slug, viewer)
    found = _seen_by(viewer).filter(club=club, pk=pk).select_related("club", "author", "rally", "championship")
    return get_object_or_404(found)


def _seen_by(viewer: Viewer) -> QuerySet[Comment]:
    """Return the comments that the viewer may see: hidden ones are for their author only."""
    return Comment.objects.filter(Q(hidden_at=None) | Q(author=viewer.pk))


def _with_comments(moments: Sequence[Moment], viewer: Viewer, last: int | None) -> list[MomentWithComments]:
    """Return the moments with their comments, the `last` ones only where that is given, and cheers. Two queries."""
    if not moments:
        return []
    found: dict[tuple[int | None, int | None, str], list[Comment]] = defaultdict(list)
    counts: dict[tuple[int | None, int | None, str], int] = {}
    each_moment = [F("rally"), F("championship"), F("moment")]
    rows = _seen_by(viewer).filter(reduce(or_, (Q(**_of(moment)) for moment in moments)))
    counted = rows.annotate(
        back=Window(RowNumber(), partition_by=each_moment, order_by=[F("at").desc(), F("pk").desc()]),
        count=Window(Count("pk"), partition_by=each_moment),
    )
    if last is not None:
        counted = counted.filter(back__lte=last)
    for comment in counted.select_related("author").order_by("at", "pk"):
        of_moment = comment.rally_id, comment.championship_id, comment.moment
        found[of_moment].append(comment)
        counts[of_moment] = comment.count
    cheers = _cheers(moments, viewer)
    shown = []
    for moment in moments:
        rally = isinstance(moment.subject, Rally)
        of_moment = moment.subject.pk if rally else None, None if rally else moment.subject.pk, moment.name
        cheering, own = cheers.get(of_moment, (0, False))
        shown.append(MomentWithComments(moment, found[of_moment], counts.get(of_moment, 0), cheering, own))
    return shown


def _cheers(moments: Sequence[Moment], viewer: Viewer) -> dict[tuple[int | None, int | None, str], tuple[int, bool]]:
    """Return how many members cheer for each moment, and whether the viewer does. One query."""
    rows = Cheer.objects.filter(reduce(or_, (Q(**_of(moment)) for moment in moments)))
    counted = rows.order_by().values("rally", "championship", "moment")
    found = counted.annotate(cheering=Count("pk"), own=Count("pk", filter=Q(author=viewer.pk)))
    return {(row["rally"], row["championship"], row["moment"]): (row["cheering"], bool(row["own"])) for row in found}


def _of(moment: Moment) -> dict[str, object]:
    return {"rally" if isinstance(moment.subject, Rally) else "championship": moment.subject, "moment": moment.name}
