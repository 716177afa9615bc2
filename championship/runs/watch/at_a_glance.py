"""What a driver gets to know of a run without opening it: the road around the car, its place, and what the others did
since the driver's last turn. The cards of my turns and the mails of turns show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from championship import catalogue
from championship.platform.prepared_queries import any_of, prepared, run_together
from championship.rallies.selectors import Viewer
from championship.runs.models import Run, Seat
from championship.runs.road_views import ROAD_VIEWS, Road
from championship.runs.watch import gaps, story, watching
from championship.runs.watch.standings import standing_in_words
from engine.contract import RunSplits

MOST_TOLD = 2
"""How many sentences tell what the others did."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A driver's own `seat` with its run, and all `seats` of the run. `standing`: the place and the gap in words.
    `told`: what the others did, the newest first. Both may be empty. `road`: None for a game that draws none.
    """

    seat: Seat
    seats: Sequence[Seat]
    standing: str
    told: tuple[str, ...]
    road: Road | None


def facts_of(seat_ids: Sequence[int], viewer: Viewer) -> list[Facts]:
    """Return what the driver of these seats may know of their runs, in the active language. One trip to the
    database and those of `story.since`, for any number of seats. Seats of games that this installation does not know
    are left out.
    """
    mine = _own_seats(seat_ids)
    splits = _splits_of([seat.run for seat in mine])
    since = story.since(mine, viewer, most=MOST_TOLD)
    found = []
    for seat in mine:
        run, seats, news = seat.run, list(seat.run.seats.all()), since[seat.pk]
        view, views = watching.view_of(run, seat.name), ROAD_VIEWS.of(run.game)
        standing = standing_in_words(run, seats, seat, view, splits.get(run.pk)) or news.gap
        told = tuple(one.text for one in news.told)
        found.append(Facts(seat, seats, standing, told, views.road(run, view) if views is not None else None))
    return found


def _own_seats(seat_ids: Sequence[int]) -> list[Seat]:
    """Return these seats with their runs, each of which has its seats and entries. One trip to the database."""
    known = {"seats": list(seat_ids)}
    runs = watching.with_seats(*run_together(_runs_with.bind(**known), _seats_beside.bind(**known)))
    installed = [run for run in runs if run.game in catalogue.names()]
    return [seat for run in installed for seat in run.seats.all() if seat.pk in seat_ids]


@prepared
def _runs_with(seats: Any) -> QuerySet[Run]:
    own = Seat.objects.filter(pk__in=any_of(seats)).values("run")
    return Run.objects.filter(pk__in=own).select_related("special_stage__rally").order_by("pk")


@prepared
def _seats_beside(seats: Any) -> QuerySet[Seat]:
    own = Seat.objects.filter(pk__in=any_of(seats)).values("run")
    return Seat.objects.filter(run__in=own).select_related("entry__driver").order_by("position")


def _splits_of(runs: Sequence[Run]) -> dict[int, RunSplits]:
    """Return the splits of those runs whose games have them and whose cars drive together."""
    measured = [run for run in runs if gaps.has_splits(run.game) and len(run.seats.all()) > 1]
    return gaps.splits_of_each(measured) if measured else {}
