"""All paths of a movement at once, by dynamic programming over their positions (`PathPosition`).

Paths that have reached the same `PathPosition` have the same continuations. So each layer (all paths of one length)
holds few entries even when there are many thousands of paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.formula_d.movement.walk import Drive, PathPosition, after_step, begin, broken_rule, complete


class Trace(NamedTuple):
    """The paths to one position: the position before it on the first of these paths, and the number of the paths."""

    before: PathPosition | None
    paths: int


Layer = dict[PathPosition, Trace]
"""The positions that the paths of one length have reached."""


def onward(drive: Drive, at: PathPosition) -> Iterator[PathPosition]:
    """Yield the positions after each legal next step, in the order of the track's file."""
    if not at.ended:
        for to in drive.track.nexts[at.space]:
            if broken_rule(drive, at, to) is None:
                yield after_step(drive, at, to)


def layers(drive: Drive, start: PathPosition | None = None) -> list[Layer]:
    """Return all legal paths of a movement by length, including those that break C4; with `start`, those that continue
    from it.

    The entries of a layer are in the order of their first paths, compared space by space in the track's file (X3).
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


def path(found: Sequence[Layer], at: PathPosition) -> list[int]:
    """Return the spaces of the first path to an entry of these layers, without the space where it starts."""
    spaces: list[int] = []
    here: PathPosition | None = at
    for layer in reversed(found[: at.driven - next(iter(found[0])).driven + 1]):
        if here is None:
            break
        spaces.append(here.space)
        here = layer[here].before
    return spaces[-2::-1]


def blocked(drive: Drive, found: Sequence[Layer]) -> bool:
    """Return whether no path is complete at any price (B2)."""
    return not any(complete(drive, at) for layer in found for at in layer)


def counted(drive: Drive) -> tuple[int, int, int]:
    """Return the numbers of complete legal paths, of their end spaces, and of paths that overshoot (C3)."""
    full = [
        (at, trace.paths)
        for layer in layers(drive)
        for at, trace in layer.items()
        if not at.lost and complete(drive, at)
    ]
    return sum(paths for _, paths in full), len({at.space for at, _ in full}), sum(n for at, n in full if at.over)
