"""The glances on the cards of my turns (watch.at_a_glance), with their pictures as SVG.

A process keeps a glance until the run changes, so that the page reads no state of a run again for every look. It
expires after some minutes, because news of other runs of the stage, and new names of crews, do not change the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from championship.platform import clock
from championship.platform.memory import Memory
from championship.rallies.selectors import Viewer
from championship.runs.pages.road_svg import road_svg
from championship.runs.watch.at_a_glance import facts_of

KEPT_SECONDS = 300
"""For how long a glance is kept at most."""
NO_PICTURE = SafeString("")


@dataclass(frozen=True, slots=True)
class Glance:
    """`standing`: the place and the gap in words. `told`: what the others did, the newest first. `picture`: the road
    around the car as SVG. Each may be empty.
    """

    standing: str = ""
    told: tuple[str, ...] = ()
    picture: SafeString = NO_PICTURE


GLANCES: Memory[Glance] = Memory(500)
"""The glances at seats, by the run, the seat and the language."""


def glances(seats: Iterable[tuple[str, int, int]], viewer: Viewer) -> dict[int, Glance]:
    """Return glances by the primary keys of the viewer's own seats. `seats`: the key of the run, its version, and the
    seat. No query for what this process has in its memory; for all others together those of `facts_of`.
    """
    age = int(clock.now().timestamp()) // KEPT_SECONDS
    names = {seat: ((key, seat, get_language()), (version, age)) for key, version, seat in seats}
    found = {seat: kept for seat, name in names.items() if (kept := GLANCES.get(*name)) is not None}
    missing = [seat for seat in names if seat not in found]
    for facts in facts_of(missing, viewer) if missing else ():
        road = facts.road
        picture = road_svg(road, facts.seats, facts.seat) if road is not None else NO_PICTURE
        found[facts.seat.pk] = Glance(facts.standing, facts.told, picture)
        GLANCES.put(*names[facts.seat.pk], found[facts.seat.pk])
    return found
