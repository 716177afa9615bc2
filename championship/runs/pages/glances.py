"""The glances on the cards of my turns (watch.at_a_glance), with their pictures as SVG.

A glance is cached until the run changes, so that the page reads no state of a run again for every look. It expires
after some minutes, because news of other runs of the stage, and new names of crews, do not change the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.cache import cache
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from championship.rallies.selectors import Viewer
from championship.runs.pages.road_svg import road_svg
from championship.runs.watch.at_a_glance import facts_of

KEPT_SECONDS = 300
"""For how long a glance is cached."""
NO_PICTURE = SafeString("")


@dataclass(frozen=True, slots=True)
class Glance:
    """`standing`: the place and the gap in words. `told`: what the others did, the newest first. `picture`: the road
    around the car as SVG. Each may be empty.
    """

    standing: str = ""
    told: tuple[str, ...] = ()
    picture: SafeString = NO_PICTURE


def glances(seats: Iterable[tuple[int, int, int]], viewer: Viewer) -> dict[int, Glance]:
    """Return glances by the primary keys of the viewer's own seats. `seats`: run, version of the run, and seat. No
    query for what is cached; for all others together those of `facts_of`.
    """
    keys = {seat: f"glance-{run}-{version}-{seat}-{get_language()}" for run, version, seat in seats}
    kept = cache.get_many(keys.values())
    found = {seat: kept[key] for seat, key in keys.items() if key in kept}
    missing = [seat for seat in keys if seat not in found]
    if missing:
        fresh = {
            facts.seat.pk: Glance(
                facts.standing,
                facts.told,
                road_svg(facts.road, facts.seats, facts.seat) if facts.road is not None else NO_PICTURE,
            )
            for facts in facts_of(missing, viewer)
        }
        cache.set_many({keys[seat]: glance for seat, glance in fresh.items()}, KEPT_SECONDS)
        found |= fresh
    return found
