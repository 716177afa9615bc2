"""Reading the log."""

from django.db.models import QuerySet

from championship.audit.models import Record


def of_club(club_id: int) -> QuerySet[Record]:
    """Everything recorded for the club, newest first, with who did it: one query for a page of it."""
    return Record.objects.filter(club_id=club_id).select_related("actor").order_by("-id")
