"""What a driver gets to know of a run without opening it: the road around the car, its place, and what the others did
since the driver's last turn. The cards of my turns and the mails of turns show it.

A glance is cached until the run changes, so that the page reads no state of a run again for every look. It expires
after some minutes, because news of other runs of the stage, and new names of crews, do not change the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Prefetch
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from championship import catalogue
from championship.rallies.selectors import Viewer
from championship.runs.models import Run, Seat
from championship.runs.pages.road_svg import road_svg
from championship.runs.pages.told_since import since
from championship.runs.road_views import ROAD_VIEWS, Road
from championship.runs.watch import gaps, watching
from championship.runs.watch.standings import standing_in_words
from engine.contract import RunSplits

NO_PICTURE = SafeString("")
KEPT_SECONDS = 300
"""For how long a glance is cached."""


@dataclass(frozen=True, slots=True)
class Glance:
    """`standing`: the place and the gap in words. `told`: what the others did, the newest first. Both may be empty.
    `picture`: the road around the car as SVG; "" when the game has none.
    """

    standing: str = ""
    told: tuple[str, ...] = ()
    picture: SafeString = NO_PICTURE


def glances(seats: Iterable[tuple[int, int, int]], viewer: Viewer) -> dict[int, Glance]:
    """Return glances by the primary keys of the viewer's own seats. `seats`: run, version of the run, and seat.

    No query for what is cached; for all others together two, those of `since`, and one for splits.
    """
    keys = {seat: f"glance-{run}-{version}-{seat}-{get_language()}" for run, version, seat in seats}
    kept = cache.get_many(keys.values())
    found = {seat: kept[key] for seat, key in keys.items() if key in kept}
    missing = [seat for seat in keys if seat not in found]
    if missing:
        fresh = read_glances(missing, viewer)
        cache.set_many({keys[seat]: glance for seat, glance in fresh.items()}, KEPT_SECONDS)
        found |= fresh
    return found


def read_glances(seat_ids: Sequence[int], viewer: Viewer) -> dict[int, Glance]:
    """Return the same without the cache."""
    mine = own_seats(seat_ids)
    splits = _splits_of([seat.run for seat in mine])
    told = since(mine, viewer)
    found = {}
    for seat in mine:
        view, seats = watching.view_of(seat.run, seat.driver), list(seat.run.seats.all())
        road = road_of(seat.run, view)
        found[seat.pk] = Glance(
            standing_in_words(seat.run, seats, seat, view, splits.get(seat.run_id)),
            tuple(each.text for each in told[seat.pk].told) if seat.pk in told else (),
            road_svg(road, seats, seat) if road is not None else NO_PICTURE,
        )
    return found


def own_seats(seat_ids: Sequence[int]) -> list[Seat]:
    """Return these seats with their runs, each of which has its seats and entries. Two queries. Seats of games that
    this installation does not know are left out.
    """
    seats = Seat.objects.select_related("entry__driver").order_by("position")
    runs = Run.objects.filter(seats__in=seat_ids).select_related("special_stage__rally").distinct()
    found = []
    for run in runs.prefetch_related(Prefetch("seats", queryset=seats)):
        if run.game in catalogue.names():
            found += [seat for seat in run.seats.all() if seat.pk in seat_ids]
    return found


def road_of(run: Run, view: Mapping[str, Any]) -> Road | None:
    """Return the road of a run as a view shows it; None for a game that draws none."""
    views = ROAD_VIEWS.of(run.game)
    return None if views is None else views.road(run, view)


def _splits_of(runs: Sequence[Run]) -> dict[int, RunSplits]:
    """Return the splits of those runs whose games have them and whose cars drive together."""
    measured = [run for run in runs if gaps.has_splits(run.game) and len(run.seats.all()) > 1]
    return gaps.splits_of_each(measured) if measured else {}

