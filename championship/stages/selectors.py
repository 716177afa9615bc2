"""Every read about stage designs that a page needs."""

from django.db.models import QuerySet

from championship.clubs.models import Club
from championship.stages.models import StageDesign


def ready_made() -> QuerySet[StageDesign]:
    """The stages that every club may drive, in their printed order: one query."""
    return StageDesign.objects.filter(club=None).order_by("game", "source")


def designs_of(club: Club) -> QuerySet[StageDesign]:
    """The club's own stages, newest first: one query."""
    return StageDesign.objects.filter(club=club).order_by("-created_at", "-pk")


def shown() -> QuerySet[StageDesign]:
    """Designs with the club they belong to, for a page that anybody with the key may open."""
    return StageDesign.objects.select_related("club")
