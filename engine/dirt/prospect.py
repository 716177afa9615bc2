"""The prospect of a place: the best chance to stay in control from a space and gear on, to the finish.

A plan may be safe and still end in front of a wall: a place from which every first move of the next turn is a certain
loss of control (M1, M3), or leads to such a place. The driver of this table is alone and careful: each of its turns is
one move, so that no warnings add up (R2). On an empty road no other way of driving keeps control with a higher chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from engine.contract import State
from engine.dirt.codriver.value import chances
from engine.dirt.course.compiled_stage import Track
from engine.dirt.facts import facts
from engine.dirt.fold import damage_of
from engine.dirt.plan import CarInPlan, open_destinations, start
from engine.dirt.road import Road

Place = tuple[int, int]
"""A car at the start of a turn: its space and gear."""
Way = tuple[float, Place | None]
"""A first move: the chance to keep control with it, and the car at the start of the next turn (None: at home)."""


@lru_cache(maxsize=128)
def _prospects(
    track: Track, limits: tuple[int | None, ...], options: tuple[bool, bool], dice: tuple[int, int, int]
) -> Prospects:
    return Prospects(Road(track, limits, {}, *options), dice)


def prospects_for(state: State, driver: str, road: Road) -> Prospects:
    """Return the prospects on this driver's road without the other cars, with the car's damage of now (D2)."""
    at = start(road.empty(), 0, 0, damage_of(state["drivers"][driver]))
    options = road.flying_start, road.redline
    return _prospects(road.track, road.limits, options, (at.gears, at.coasts, at.brakes))


class Prospects:
    """The prospects of all places on one road, for a car with these gear, coast and brake dice. Filled on demand."""

    def __init__(self, road: Road, dice: tuple[int, int, int]) -> None:
        self._road, self._dice = road, dice
        self._known: dict[Place, float] = {}

    def control(self, space: int, gear: int) -> float:
        """Return the best chance to keep control from the start of a turn here to the finish; 0.0 in front of a wall.
        A car that cannot be driven home (M10) has no chance.
        """
        place = space, gear
        if place not in self._known:
            self._fill(place)
        return self._known[place]

    def _fill(self, place: Place) -> None:
        """Fill the table for a place and all places that follow from it, the far end of the road first."""
        found: dict[Place, tuple[Way, ...]] = {}
        waiting = [place]
        while waiting:
            here = waiting.pop()
            if here not in found and here not in self._known:
                found[here] = tuple(self._ways(*here))
                waiting.extend(after for _chance, after in found[here] if after is not None)
        spaces = self._road.track.spaces
        for here in sorted(found, key=lambda each: (-spaces[each[0]].distance, each)):
            self._known[here] = max(
                (chance * (1.0 if after is None else self._known[after]) for chance, after in found[here]), default=0.0
            )

    def _ways(self, space: int, gear: int) -> Iterator[Way]:
        """Yield the first moves of a turn. A failed flying start is no loss of control (D7). Over the line a car is at
        home even when it loses control there (F1).
        """
        at = CarInPlan(space, gear, 0, *self._dice)
        moves = list(open_destinations(self._road, at))
        if gear and not any(destinations for _die, _gear, destinations in moves):
            yield 1.0, (space, 0)  # M10: a turn without a move
        for die, driven, destinations in moves:
            clear = chances(die, facts().warnings["coast"])[0][0]
            for destination in destinations:
                if destination.finished:
                    yield 1.0, None
                elif destination.loss is None:
                    yield clear if destination.risky else 1.0, (destination.end, driven)
