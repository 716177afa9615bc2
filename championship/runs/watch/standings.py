"""The place of a car in a run that is under way, in words: "Place 3 of 4 at split 5, 12 seconds behind Tuula".

A game with splits compares cars at the last border that the car and another one have passed. Any other game says it
itself, from what the driver may know. A game that can say neither says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from championship.rallies.results.measures import amount, measure_of_game, worse
from championship.runs.models import Run, Seat
from championship.runs.road_views import ROAD_VIEWS, Standing
from engine.contract import RunSplits


def standing_in_words(
    run: Run, seats: Sequence[Seat], seat: Seat, view: Mapping[str, Any], splits: RunSplits | None
) -> str:
    """Return the place of a seat and its gap; "" when nobody can tell. `view`: what the seat may know of the run.
    `splits`: of the run, None for a game without splits. No query.
    """
    if len(seats) < 2:
        return ""
    if splits is not None:
        return _by_splits(run, seats, seat, splits)
    views = ROAD_VIEWS.of(run.game)
    found = views.standing(run, view, seat.name) if views is not None else None
    return "" if found is None else _in_words(found, seats, _place(found))


def _by_splits(run: Run, seats: Sequence[Seat], seat: Seat, splits: RunSplits) -> str:
    """Return the place at the last border that this car and another one have passed."""
    sign = worse(measure_of_game(run.game))
    for border in reversed(range(splits.borders)):
        times = {name: time for name, each in splits.seats.items() if (time := each.at[border]) is not None}
        if len(times) < 2 or seat.name not in times:
            continue
        own = times.pop(seat.name)
        better = [name for name, time in times.items() if sign * (time - own) < 0]
        near = better or list(times)
        other = min(near, key=lambda name: abs(times[name] - own))
        gap = abs(times[other] - own)
        found = Standing(len(better) + 1, len(times) + 1, other, amount(gap, measure_of_game(run.game)) if gap else "")
        place = {"place": found.place, "cars": found.cars, "split": border + 1}
        return _in_words(found, seats, _("Place %(place)s of %(cars)s at split %(split)s") % place)
    return ""


def _place(found: Standing) -> str:
    return _("Place %(place)s of %(cars)s") % {"place": found.place, "cars": found.cars}


def _in_words(found: Standing, seats: Sequence[Seat], place: str) -> str:
    other = next((seat.entry.crew for seat in seats if seat.name == found.other), "")
    if not other:
        return place
    if not found.gap:
        said = _("level with %(driver)s")
    elif found.place == 1:
        said = _("%(gap)s ahead of %(driver)s")
    else:
        said = _("%(gap)s behind %(driver)s")
    return f"{place}, {said % {'gap': found.gap, 'driver': other}}."
