"""What was driven in a scene, as its tests ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.games.formula_d.school.openings import PUPIL
from championship.runs.watch.scenes import Driven


def own(driven: Driven, kind: str, **values: object) -> list[Mapping[str, Any]]:
    """Return the events of a kind about the pupil's car, with these values."""
    return driven.of_kind(kind, seat=PUPIL, **values)


def has(driven: Driven, kind: str, **values: object) -> bool:
    """Return whether there is such an event about the pupil's car."""
    return bool(own(driven, kind, **values))


def gear(driven: Driven) -> int:
    """Return the gear that the pupil chose last; 0 for none."""
    chosen = own(driven, "gear")
    return int(chosen[-1]["gear"]) if chosen else 0


def spaces(driven: Driven) -> list[str]:
    """Return the spaces that the pupil's car drove onto, in order."""
    return [str(event["space"]) for event in own(driven, "step")]


def ended_on(driven: Driven, lane: int) -> bool:
    """Return whether the pupil's car ended on a space of this lane: 1 left, 2 middle, 3 right."""
    driven_onto = spaces(driven)
    return bool(driven_onto) and driven_onto[-1].split(".")[1] == str(lane)


def stops(driven: Driven) -> int:
    """Return how many stops in its corner the pupil's car has now; 0 when the turn made none."""
    made = own(driven, "stop")
    return int(made[-1]["stops"]) if made else 0


def paid(driven: Driven, why: str) -> int:
    """Return the wear points that the pupil paid for this reason."""
    return sum(int(event["number"]) for event in own(driven, "wear", why=why))
