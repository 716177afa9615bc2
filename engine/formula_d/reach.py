"""Where a movement can lead: all paths at once, by dynamic programming over what tells two paths apart.

Paths that have come to the same `At` go on alike, so each layer (all paths of one length) holds few entries even where
there are many thousands of paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.formula_d.walk import At, Drive, begin, complete, follow, wrong


class Trace(NamedTuple):
    """The paths that have come to one place: the place before it on the first of them, and how many they are."""

    before: At | None
    paths: int


Layer = dict[At, Trace]
"""What the paths of one length have come to."""


def onward(drive: Drive, at: At) -> Iterator[At]:
    """Yield where a path may go on to, in the order of the track's file."""
    if not at.ended:
        for to in drive.field.nexts[at.space]:
            if wrong(drive, at, to) is None:
                yield follow(drive, at, to)


def layers(drive: Drive, start: At | None = None) -> list[Layer]:
    """Return all legal paths of a movement, C4 paths among them, by length; or all that go on from `start`.

    The entries of a layer stand in the order of their first paths, compared space by space in the track's file (X3).
    """
    found: list[Layer] = [{begin(drive) if start is None else start: Trace(None, 1)}]
    while found[-1]:
        layer: Layer = {}
        for at, trace in found[-1].items():
            for then in onward(drive, at):
                known = layer.get(then)
                layer[then] = Trace(known.before, known.paths + trace.paths) if known else Trace(at, trace.paths)
        found.append(layer)
    return found[:-1]


def path(found: Sequence[Layer], at: At) -> list[int]:
    """Return the spaces of the first path that comes to an entry of these layers, without the space it starts from."""
    spaces: list[int] = []
    here: At | None = at
    for layer in reversed(found[: at.driven - next(iter(found[0])).driven + 1]):
        if here is None:
            break
        spaces.append(here.space)
        here = layer[here].before
    return spaces[-2::-1]


def blocked(drive: Drive, found: Sequence[Layer]) -> bool:
    """B2: whether no path is complete, at whatever price."""
    return not any(complete(drive, at) for layer in found for at in layer)


def counted(drive: Drive) -> tuple[int, int, int]:
    """Return how many legal complete paths there are, how many end spaces, how many of the paths overshoot (C3)."""
    full = [
        (at, trace.paths)
        for layer in layers(drive)
        for at, trace in layer.items()
        if not at.lost and complete(drive, at)
    ]
    return sum(paths for _, paths in full), len({at.space for at, _ in full}), sum(n for at, n in full if at.over)
