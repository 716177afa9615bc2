"""Every read about stage designs that a page needs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet, Sum
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.clubs import visibility
from championship.clubs.models import Club, Role
from championship.stages import builders
from championship.stages.models import StageDesign, StageDraft
from championship.stages.services import MAKERS
from engine import registry
from engine.contract import Rating, offered


def ready_made_designs() -> QuerySet[StageDesign]:
    """The stages that every club may drive, by game and source: one query."""
    return StageDesign.objects.filter(club=None).order_by("game", "source")


def designs_of(club: Club) -> QuerySet[StageDesign]:
    """The club's own stages, newest first: one query."""
    return StageDesign.objects.filter(club=club).order_by("-created_at", "-pk")


def design_by_key(key: str, viewer: User | AnonymousUser) -> StageDesign:
    """The design of that key with its club, for a viewer who may see it.

    One query, and one more when the club is for members only.

    Raises: Http404 when there is no such design, or when the viewer may not see its club.
    Raises: NotYet when the viewer may not see its club and has not signed in.
    """
    found = get_object_or_404(StageDesign.objects.select_related("club"), key=key)
    if found.club is not None:
        visibility.require_may_see(found.club, viewer)
    return found


def draft_of(author: User, club: Club, game: str) -> StageDraft:
    """The person's draft for the club and the game; an unsaved empty draft when there is none: one query."""
    kept = StageDraft.objects.filter(author=author, club=club, game=game).first()
    return kept or StageDraft(author=author, club=club, game=game, spec=builders.get(game).empty())


def design_equal_to(draft: StageDraft, club: Club) -> StageDesign | None:
    """The stage whose spec equals the draft: the club's own, else a ready-made one: one query."""
    same = StageDesign.objects.filter(Q(club=club) | Q(club=None), game=draft.game, spec=draft.spec)
    return same.order_by("club", "pk").first()


def clubs_to_build_for(user: User | AnonymousUser) -> list[Club]:
    """The clubs for which the person may make stages, by name: one query."""
    if not user.is_authenticated:
        return []
    makers = Q()
    for role in MAKERS:
        makers |= Q(roles__contains=[role])
    return [
        membership.club for membership in user.memberships.filter(makers).select_related("club").order_by("club__name")
    ]


@dataclass(frozen=True, slots=True)
class RatingShown:
    """A stage's newest rating: how many of its runs are driven, and the result when all of them are."""

    runs: int
    driven: int
    result: dict[str, Any] | None
    rated_at: datetime | None

    @property
    def percent(self) -> int:
        """The progress in per cent."""
        return 100 * self.driven // self.runs if self.runs else 0


def rating_of(design: StageDesign) -> RatingShown | None:
    """The newest rating of a stage, None before the first: one query."""
    rating = (
        design.ratings.order_by("-pk")
        .annotate(
            wanted=Sum("chunks__runs"), ready=Sum("chunks__runs", filter=Q(chunks__driven__isnull=False), default=0)
        )
        .first()
    )
    if rating is None:
        return None
    shipped = 0 if rating.result is None else rating.result.get("runs", 0)  # the rating came with a ready-made stage
    runs = rating.wanted or shipped
    return RatingShown(runs, rating.ready if rating.wanted else runs, rating.result, rating.rated_at)


def may_rate(design: StageDesign, viewer: User | AnonymousUser) -> bool:
    """Whether the viewer may have the stage rated: its game rates stages, and the viewer organises the club of the
    stage, or any club when the stage is ready-made. One query at most.
    """
    if not viewer.is_authenticated or offered(registry.get(design.game), Rating) is None:
        return False
    mine = viewer.memberships.filter(roles__contains=[Role.ORGANISER])
    return (mine if design.club_id is None else mine.filter(club=design.club_id)).exists()
