"""Reads for the form with which a driver hands the car to the codriver."""

from __future__ import annotations

from django.db.models import Case, Exists, OuterRef, Subquery, When
from django.db.models.functions import Coalesce

from championship.rallies.models import Entry
from championship.runs.models import Run, Seat, Turn


def seat_on_the_road(entry: Entry) -> Seat | None:
    """Return the seat of an entry in a running run, with run and stage: `turns_made` counts its turns, `is_its_turn`
    says whether one is open. None when the car is not on the road. One query.
    """
    newest = Turn.objects.filter(seat=OuterRef("pk")).order_by("-number")
    is_open = Exists(Turn.objects.filter(seat=OuterRef("pk"), ended_at=None))
    last = Coalesce(Subquery(newest.values("made_before")[:1]), -1)
    seats = Seat.objects.filter(entry=entry, run__status=Run.Status.RUNNING).select_related("run__special_stage__rally")
    return (
        seats.defer("run__state", "run__stage", "run__entrants", "run__options", "run__special_stage__spec")
        .annotate(is_its_turn=is_open)
        .annotate(turns_made=Case(When(is_its_turn=True, then=last), default=last + 1))
        .first()
    )
