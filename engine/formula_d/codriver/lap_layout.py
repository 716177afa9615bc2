"""The lap in the form that the cost tables need: its spaces from the line backwards, and the lane to the box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from engine.formula_d.track import NOWHERE, PIT, Track

MOST_SPACES = 40
"""A number of spaces greater than any roll."""


@dataclass(frozen=True, slots=True, eq=False)
class LapLayout:
    """A lap. `order` has the spaces from the line backwards. `left` has for each space the fewest steps across the
    line. `box` is the box that represents all boxes, `lane_in` the spaces of the pit lane before it, `length` the
    greatest number in `left`. `entries` are the first spaces behind the line, `behind_the_line` those that a roll can
    reach from them without changing lanes.
    """

    track: Track
    order: tuple[int, ...]
    left: tuple[int, ...]
    box: int
    lane_in: frozenset[int]
    length: int
    entries: frozenset[int]
    behind_the_line: frozenset[int]


@cache
def lap_layout(track: Track) -> LapLayout:
    """Return the lap of a track, ordered from the line backwards."""
    left = [NOWHERE] * len(track.spaces)
    before: list[list[int]] = [[] for _ in track.spaces]
    for space, nexts in enumerate(track.nexts):
        for to in nexts:
            before[to].append(space)
    edge = [space for space in range(len(track.spaces)) if any(track.crosses(space, to) for to in track.nexts[space])]
    for space in edge:
        left[space] = 1
    for space in edge:
        for behind in before[space]:
            if left[behind] == NOWHERE and not track.crosses(behind, space):
                left[behind] = left[space] + 1
                edge.append(behind)
    boxes = sorted(track.boxes.values())
    box = boxes[len(boxes) // 2]
    lane_in = _lane_to(track, box)
    entries = frozenset(to for space, nexts in enumerate(track.nexts) for to in nexts if track.crosses(space, to))
    reached = frozenset(_onward(track, entries))
    return LapLayout(track, tuple(_sorted(track)), tuple(left), box, lane_in, max(left), entries, reached)


def _onward(track: Track, spaces: Iterable[int]) -> Iterator[int]:
    """Yield the spaces that a roll can reach from some spaces without changing lanes, these included."""
    for space in spaces:
        for _ in range(MOST_SPACES + 1):
            yield space
            space = track.ahead[space]


def _lane_to(track: Track, box: int) -> frozenset[int]:
    """Return the spaces of the pit lane from its entry to the one that leads into a box."""
    lane: set[int] = set()
    space = track.entry
    while space not in lane and track.kind[space] == PIT:
        lane.add(space)
        if box in track.nexts[space]:
            break
        space = track.ahead[space]
    return frozenset(lane)


def _sorted(track: Track) -> Iterator[int]:
    """Yield the spaces of the track, each after all spaces of the same lap that it leads to."""
    done: set[int] = set()
    for first in range(len(track.spaces)):
        stack = [(first, iter(track.nexts[first]))]
        while stack:
            space, nexts = stack[-1]
            if space in done or track.in_the_pits(space):
                stack.pop()
                continue
            to = next((to for to in nexts if to not in done and not track.crosses(space, to)), None)
            if to is not None and not track.in_the_pits(to):
                stack.append((to, iter(track.nexts[to])))
            elif to is None:
                done.add(space)
                yield space
                stack.pop()
