"""Tries all paths one by one, from the file of the track and the rules. It shares no code with the engine's search."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.formula_d.track import CORNER, STRAIGHT, Track


@dataclass(frozen=True)
class Tried:
    """A path with its start, and the spaces past an overshot corner."""

    spaces: tuple[int, ...]
    over: int = 0
    lost: bool = False


def _fewest(track: Track, first: int, to: int, taken: frozenset[int]) -> int | None:
    """M3: the fewest steps between two straight spaces over free straight ones."""
    reached, edge, steps = {first}, {first}, 0
    while edge:
        if to in edge:
            return steps
        edge = {
            after
            for space in edge
            for after in track.nexts[space]
            if track.kind[after] == STRAIGHT and after not in taken and after not in reached
        }
        reached |= edge
        steps += 1
    return None


def _stretch(track: Track, spaces: tuple[int, ...]) -> tuple[int, ...]:
    """Return the straight spaces at the end of a path."""
    run: tuple[int, ...] = ()
    for space in reversed(spaces):
        if track.kind[space] != STRAIGHT:
            break
        run = (space, *run)
    return run


def _longer(
    track: Track, path: Tried, stops: int, taken: frozenset[int], markers: frozenset[int] = frozenset()
) -> list[Tried]:
    here = path.spaces[-1]
    made = stops if track.corner[here] == track.corner[path.spaces[0]] else 0
    missing = max(0, track.stops[here] - made) if track.kind[here] == CORNER else 0
    found = []
    for to in track.nexts[here]:
        if to in taken or track.in_the_pits(to):
            continue
        leaves = track.kind[here] == CORNER and track.corner[to] != track.corner[here] and missing > 0
        if (leaves or path.over) and to != track.ahead[here]:
            continue
        spaces = (*path.spaces, to)
        run = _stretch(track, spaces)
        if len(run) > 1 and _fewest(track, run[0], to, taken | markers.difference(run)) != len(run) - 1:
            continue
        over = path.over + 1 if path.over or leaves else 0
        found.append(replace(path, spaces=spaces, over=over, lost=path.lost or (leaves and missing > 1)))
    return found


def full_paths(
    track: Track,
    at: int,
    stops: int,
    roll: int,
    taken: frozenset[int] = frozenset(),
    markers: frozenset[int] = frozenset(),
) -> list[Tried]:
    """Return all legal paths of so many spaces, in dry weather, without brakes and pits, in a race without end. Paths
    may go round `markers`.
    """
    now = [Tried((at,))]
    for _ in range(roll):
        now = [longer for path in now for longer in _longer(track, path, stops, taken, markers)]
    return [path for path in now if not path.lost]
