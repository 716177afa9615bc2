"""A movement, space by space (M): the spaces that a car may enter next, and the rules against the others.

`Drive` is the movement to make; `PathPosition` is the position that a path has reached. `broken_rule` returns the first
rule that a step breaks, `after_step` takes the step. Every search and every check of orders uses these two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.formula_d.track import BOX, CORNER, NOWHERE, PIT, STRAIGHT, Track


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """One movement before its first step.

    `count` is the number of spaces to drive without a slide. `slide` is the number that W7 adds: 0 on a dry track, or
    when the car has slid already in this turn. `stops` are those made in the corner of `start`. `taken` are the spaces
    with cars on them. `lap` is the car's lap, `laps` the number of laps of the race. `box` is the car's own box,
    `boxed` says whether the car has been in it and is still in the pits. `pits` says whether the pit lane is open to
    this movement. `fast` marks the way out after a fast stop, `qualifying` the lap of Q1. `marked` are the spaces with
    damage markers (D2), `obstacles` those of them that a car may go round (M3). `stretches` caches the results of
    `distances`.
    """

    track: Track
    start: int
    count: int
    stops: int = 0
    taken: frozenset[int] = frozenset()
    lap: int = 1
    laps: int = 1
    slide: int = 0
    box: int = NOWHERE
    boxed: bool = False
    pits: bool = False
    fast: bool = False
    qualifying: bool = False
    marked: frozenset[int] = frozenset()
    obstacles: frozenset[int] = frozenset()
    stretches: dict[tuple[int, frozenset[int]], dict[int, int]] = field(default_factory=dict)


class PathPosition(NamedTuple):
    """The position that a path has reached, with all that tells it apart from other paths.

    `driven` counts its spaces. `first` is the first space of the current stretch of straight, `since` the number of
    spaces driven up to it (M3). `over` counts the spaces behind an overshot corner, 0 for none (C3). `slid` says that
    the count has grown (W7), `ended` that nothing is left to drive (M5), `lost` that a corner was left against C4,
    `cornered` that a corner was entered (S5). `markers` counts the marker dice on the way (D2, D4). `met` are the
    obstacles of the current stretch that the path has driven over (M3).
    """

    space: int
    driven: int
    first: int
    since: int
    over: int
    slid: bool
    lap: int
    ended: bool
    lost: bool
    cornered: bool
    markers: int
    met: frozenset[int] = frozenset()


def begin(drive: Drive) -> PathPosition:
    """Return the position before the first step. W7: a movement that begins in a corner with stops missing slides at
    once.
    """
    on_straight = drive.track.kind[drive.start] == STRAIGHT
    slid = drive.slide > 0 and missing_stops(drive, drive.start) > 0
    first = drive.start if on_straight else NOWHERE
    return PathPosition(drive.start, 0, first, 0, 0, slid, drive.lap, False, False, False, 0)


def count(drive: Drive, at: PathPosition) -> int:
    """Return how many spaces this path has to drive, as known so far (M1, W7)."""
    return drive.count + drive.slide if at.slid else drive.count


def stops_made(drive: Drive, space: int) -> int:
    """Return the stops that the car has made in the corner of a space; 0 in a corner other than that of the start."""
    track = drive.track
    return drive.stops if track.corner[space] == track.corner[drive.start] else 0


def missing_stops(drive: Drive, space: int) -> int:
    """Return the stops that are missing in the corner of a space (F6, C1); 0 outside corners."""
    track = drive.track
    return max(0, track.stops[space] - stops_made(drive, space)) if track.corner[space] else 0


def _leaves_early(drive: Drive, space: int, to: int) -> bool:
    """Return whether a step leaves a corner with any stop missing (C2, C3). A step within a corner never does (M4)."""
    track = drive.track
    return track.kind[space] == CORNER and track.corner[to] != track.corner[space] and missing_stops(drive, space) > 0


def _is_lost(drive: Drive, space: int) -> bool:
    """Return whether too many stops are missing to leave the corner (C4). In qualifying one stop is enough (Q5)."""
    if drive.qualifying:
        return drive.track.stops[space] > 1 and stops_made(drive, space) == 0
    return missing_stops(drive, space) > 1


def distances(drive: Drive, first: int, met: frozenset[int] = frozenset()) -> dict[int, int]:
    """Return the fewest steps to each free space of a stretch of straight from its first space (M3). Obstacles are in
    the way, except those in `met` (M3).
    """
    known = drive.stretches.get((first, met))
    if known is None:
        track, taken = drive.track, drive.taken | (drive.obstacles - met)
        known = {first: 0}
        edge, far, most = [first], 0, drive.count + drive.slide
        while edge and far < most:
            far += 1
            reached = []
            for space in edge:
                for to in track.nexts[space]:
                    if to not in known and to not in taken and track.kind[to] == STRAIGHT:
                        known[to] = far
                        reached.append(to)
            edge = reached
        drive.stretches[first, met] = known
    return known


def _pit_wrong(drive: Drive, at: PathPosition, to: int) -> str | None:
    """Return the rule that a step breaks: P1 on the way into the pit lane, P2 within it, or None."""
    track, here = drive.track, drive.track.kind[at.space]
    if to == track.entry and here < PIT:
        return None if drive.pits and 1 <= at.lap < drive.laps and not at.over else "P1"
    if here == PIT:
        if to != drive.box and (track.kind[to] == BOX or (not drive.boxed and drive.box in track.nexts[at.space])):
            return "P2"
        if to == drive.box and drive.boxed:
            return "P2"
    return None


def broken_rule(drive: Drive, at: PathPosition, to: int) -> str | None:
    """Return the first rule that a step to a space breaks, in the order of the checks below, or None."""
    track = drive.track
    if at.ended:
        return "M5"
    if to not in track.nexts[at.space]:
        return "M1"
    if to in drive.taken:
        return "M2"
    if track.kind[to] >= PIT or track.kind[at.space] >= PIT:
        broken = _pit_wrong(drive, at, to)
        if broken:
            return broken
    if at.driven >= count(drive, at):
        return "M6"
    return _lane_wrong(drive, at, to)


def _lane_wrong(drive: Drive, at: PathPosition, to: int) -> str | None:
    """Return C5 or M3 when an otherwise legal step breaks it, or None."""
    track = drive.track
    if to != track.ahead[at.space] and (at.over or _leaves_early(drive, at.space, to)):
        return "C5"
    if (
        track.kind[to] == STRAIGHT
        and at.first != NOWHERE
        and distances(drive, at.first, _met(drive, at, to)).get(to) != at.driven + 1 - at.since
    ):
        return "M3"
    return None


def _met(drive: Drive, at: PathPosition, to: int) -> frozenset[int]:
    """Return the obstacles that a path has driven over on its stretch, with a next space (M3)."""
    return at.met | {to} if to in drive.obstacles else at.met


def after_step(drive: Drive, at: PathPosition, to: int) -> PathPosition:
    """Return the position after a step. The step must be legal."""
    track = drive.track
    driven = at.driven + 1
    early = _leaves_early(drive, at.space, to)
    over = at.over + 1 if at.over or early else 0
    enters = track.corner[to] != 0 and track.corner[to] != track.corner[at.space]
    lap = at.lap + track.crosses(at.space, to)
    first, since, met = at.first, at.since, _met(drive, at, to)
    if track.kind[to] != STRAIGHT:
        first, since, met = NOWHERE, 0, frozenset()
    elif first == NOWHERE:
        first, since = to, driven
    ended = to == drive.box or lap > max(drive.laps, at.lap)
    return PathPosition(
        to,
        driven,
        first,
        since,
        over,
        at.slid or (enters and drive.slide > 0 and not over),
        lap,
        ended,
        at.lost or (early and _is_lost(drive, at.space)),
        at.cornered or enters,
        at.markers + (to in drive.marked and not ended),
        met,
    )


def held_up(drive: Drive, at: PathPosition) -> bool:
    """Return whether a car stops here without a price because every space that it could enter is blocked (P5)."""
    track, space = drive.track, at.space
    if track.kind[space] >= PIT:
        if at.ended:
            return False
        if not drive.boxed and track.kind[space] == PIT and drive.box in track.nexts[space]:
            return drive.box in drive.taken
        return all(to in drive.taken for to in track.nexts[space] if track.kind[to] != BOX)
    return drive.fast and all(broken_rule(drive, at, to) in ("M2", "M3", "C5") for to in track.nexts[space])


def complete(drive: Drive, at: PathPosition) -> bool:
    """Return whether the path is complete: all spaces driven, ended early, or held up (M6)."""
    if at.ended or at.driven == (drive.count + drive.slide if at.slid else drive.count):
        return True
    return (drive.fast or drive.track.kind[at.space] >= PIT) and held_up(drive, at)


def spaces_to_brake(drive: Drive, at: PathPosition) -> int:
    """Return how many spaces must be braked: the rest of the count (B1), in the pits the number of P4."""
    return 0 if complete(drive, at) else spaces_to_brake_if_incomplete(drive, at)


def spaces_to_brake_if_incomplete(drive: Drive, at: PathPosition) -> int:
    """Return the result of `spaces_to_brake` for a path that is known not to be complete."""
    left = count(drive, at) - at.driven
    if drive.track.kind[at.space] < PIT:
        return left
    return _missing_in_the_pits(drive, at, left)


def _missing_in_the_pits(drive: Drive, at: PathPosition, left: int) -> int:
    """Return the spaces to where the car would have to stop without braking; all of `left` when it would leave the pits
    before that (P4).
    """
    on = at
    while not complete(drive, on):
        free = [to for to in drive.track.nexts[on.space] if broken_rule(drive, on, to) is None]
        on = after_step(drive, on, free[0])
        if drive.track.kind[on.space] < PIT:
            return left
    return on.driven - at.driven
