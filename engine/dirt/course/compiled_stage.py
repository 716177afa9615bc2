"""Compile tiles into a track: its spaces, where each leads, limits, distance (T2 to T5).

A `Track` is immutable and shared by all drivers of the stage. The situation of one driver at one moment (mud, other
cars) is a `Road` of road.py. Spaces are numbered from 0 (`grid`) in driving order; their names are those in plans and
records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Any

from engine.contract import Length
from engine.dirt.facts import Face, Section, Shortcut, faces

GRID = 0
_TRACK_KEY = itemgetter("tile", "via")
"""The values of a tile entry that define the track. Folding a move looks up the track, so building this key is fast."""
_TENTHS_A_TURN = 46
"""Sections of road that a car drives in a turn, in tenths. Measured with the cautious codriver on the ready-made
stages, alone and with six cars: 24 to 39 sections took 5 to 11 turns.
"""
OTHER_SIDE = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Space:
    """One space of a stage (T2). `kind` is grid, lane, slide, inner, outer, single or shortcut; `side` of a
    lane is left or right.

    `section` counts all sections of the stage from 0, without the lines. `distance` is the distance of the front edge
    along the road in sections (T5). `limit` is the printed limit, `jump` the number of a bump, `hazard` the colour of
    the tile.
    """

    index: int
    name: str
    tile: int
    section: int
    kind: str
    distance: Fraction
    hazard: str
    side: str = ""
    limit: int | None = None
    jump: int | None = None
    water: bool = False
    behind_finish: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A compiled stage. Equal stages share one object.

    Tuples by space index: `ahead` has the next spaces (T3, T4), `two_ahead` the spaces that a long jump reaches (M3),
    `beside` the spaces alongside (M7), `across` the spaces that cannot be occupied at the same time (M8, E6), `outside`
    whether a lane there is on the outside of the next bend, or of the last bend if none follows (O1).
    """

    spaces: tuple[Space, ...]
    index: Mapping[str, int]
    ahead: tuple[tuple[int, ...], ...]
    two_ahead: tuple[tuple[int, ...], ...]
    beside: tuple[frozenset[int], ...]
    across: tuple[frozenset[int], ...]
    outside: tuple[bool, ...]
    tiles: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A section in driving direction, with its place on the stage."""

    tile: int
    number: int
    section: Section
    position: int
    hazard: str
    behind_start: bool
    behind_finish: bool


def driven(face: Face, *, backwards: bool) -> tuple[tuple[Section, ...], tuple[Shortcut, ...]]:
    """Return the sections, with the lines, and the shortcuts of a face in driving order. Backwards, left and right
    change and sections are counted from the other end. A face with a line is never driven backwards (T1).
    """
    if not backwards:
        return face.sections, face.shortcuts
    count = len(face.sections)

    def turned(section: Section) -> Section:
        return Section(
            kind=section.kind,
            slide=section.slide,
            water=section.water,
            jump=section.jump,
            limit=section.limit,
            inside=OTHER_SIDE.get(section.inside or ""),
            inner=section.inner[::-1],
            outer=section.outer[::-1],
        )

    def renumbered(numbers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(count + 1 - number for number in numbers))

    return (
        tuple(turned(section) for section in reversed(face.sections)),
        tuple(
            Shortcut(shortcut.limits[::-1], renumbered(shortcut.joins), renumbered(shortcut.leaves))
            for shortcut in reversed(face.shortcuts)
        ),
    )


def compiled(stage: Mapping[str, Any]) -> Track:
    """Return the track of a stage document in normal form (layout.read_stage). Equal stages share one track."""
    return _cached_track(tuple(map(_TRACK_KEY, stage["tiles"])))


def length(stage: Mapping[str, Any], seats: int) -> Length:
    """Return about how many turns one car needs, and how many rounds `seats` cars need: one car starts in each round
    (O2), so the last car finishes that many rounds later.
    """
    road = max(space.distance for space in compiled(stage).spaces)
    turns = -(-10 * road // _TENTHS_A_TURN)
    return Length(turns, turns + seats - 1)


def built(tiles: tuple[tuple[str, str], ...]) -> Track:
    """Return a new track, compiled from tiles and the edges by which they are driven."""
    return _Builder(tiles).track()


_cached_track = lru_cache(maxsize=256)(built)


class _Builder:
    """Creates the spaces of a stage one after the other and joins them."""

    def __init__(self, tiles: tuple[tuple[str, str], ...]) -> None:
        self.tiles = tiles
        self.spaces: list[Space] = [Space(GRID, "grid", 1, -1, "grid", Fraction(-1), faces()[tiles[0][0]].hazard)]
        self.ahead: list[list[int]] = [[]]
        self.heads: list[tuple[int, ...]] = []
        self.tails: list[tuple[int, ...]] = []
        self.stretches: list[_Stretch] = []
        self.index: dict[str, int] = {"grid": GRID}

    def track(self) -> Track:
        self.stretches = list(self._stretches())
        for stretch in self.stretches:
            self._lay(stretch)
        self._join()
        self._lay_shortcuts()
        ahead = tuple(tuple(spaces) for spaces in self.ahead)
        return Track(
            spaces=tuple(self.spaces),
            index=self.index,
            ahead=ahead,
            two_ahead=tuple(tuple(dict.fromkeys(two for one in spaces for two in ahead[one])) for spaces in ahead),
            beside=self._beside(ahead),
            across=self._across(),
            outside=tuple(self._is_outside(space) for space in self.spaces),
            tiles=len(self.tiles),
        )

    def _stretches(self) -> Iterator[_Stretch]:
        """Yield all sections of the stage in driving order, each with its side of the start and finish lines."""
        started = finished = False
        position = 0
        for tile, (name, via) in enumerate(self.tiles, 1):
            face = faces()[name]
            number = 0
            for section in driven(face, backwards=via != face.edges)[0]:
                if section.kind == "start":
                    started = True
                elif section.kind == "finish":
                    finished = True
                else:
                    number += 1
                    yield _Stretch(tile, number, section, position, face.hazard, started, finished)
                    position += 1

    def _space(self, stretch: _Stretch, slot: str, kind: str, part: Fraction, **more: Any) -> int:
        index = len(self.spaces)
        name = f"{stretch.tile}.{slot}" if kind == "shortcut" else f"{stretch.tile}.{stretch.number}.{slot}"
        self.spaces.append(
            Space(
                index,
                name,
                stretch.tile,
                stretch.position,
                kind,
                stretch.position + part,
                stretch.hazard,
                behind_finish=stretch.behind_finish,
                **more,
            )
        )
        self.ahead.append([])
        self.index[name] = index
        return index

    def _lay(self, stretch: _Stretch) -> None:
        """Create the spaces of one section. Note which of them a car can enter first and leave last (T3)."""
        section = stretch.section
        whole = Fraction(1)
        if section.kind == "row":
            printed: dict[str, Any] = {"jump": section.jump, "water": section.water}
            lanes = tuple(
                self._space(stretch, slot, "lane", whole, side=side, **printed)
                for slot, side in (("l", "left"), ("r", "right"))
            )
            self.heads.append(lanes)
            self.tails.append(lanes)
            if section.slide:
                first, last = (
                    self._space(stretch, slot, "slide", part) for slot, part in (("s1", whole / 2), ("s2", whole))
                )
                self.ahead[first].append(last)
                self.heads[-1] += (first,)
                self.tails[-1] += (last,)
        elif section.kind == "bend":
            paths = [
                self._path(stretch, slot, kind, limits)
                for slot, kind, limits in (("i", "inner", section.inner), ("o", "outer", section.outer))
            ]
            self.heads.append(tuple(path[0] for path in paths))
            self.tails.append(tuple(path[-1] for path in paths))
        else:
            single = self._space(stretch, "m", "single", whole, limit=section.limit)
            self.heads.append((single,))
            self.tails.append((single,))

    def _path(self, stretch: _Stretch, slot: str, kind: str, limits: tuple[int, ...]) -> list[int]:
        """Create one path through a bend. Its spaces share the length of the bend evenly (T5) and lead only to each
        other.
        """
        path = [
            self._space(stretch, f"{slot}{number}", kind, Fraction(number, len(limits)), limit=limit)
            for number, limit in enumerate(limits, 1)
        ]
        for space, following in pairwise(path):
            self.ahead[space].append(following)
        return path

    def _join(self) -> None:
        """Join the end of each section to the head of the next one, and the grid to the first section behind the start
        line (T2, T3).
        """
        first = next(s.position for s in self.stretches if s.behind_start)
        self.ahead[GRID].extend(self.heads[first])
        for tails, heads in zip(self.tails, self.heads[1:], strict=False):
            for space in tails:
                self.ahead[space].extend(heads)

    def _lay_shortcuts(self) -> None:
        for tile, (name, via) in enumerate(self.tiles, 1):
            face = faces()[name]
            here = {s.number: s for s in self.stretches if s.tile == tile}
            for count, shortcut in enumerate(driven(face, backwards=via != face.edges)[1], 1):
                self._lay_shortcut(here, count, shortcut)

    def _lay_shortcut(self, here: Mapping[int, _Stretch], count: int, shortcut: Shortcut) -> None:
        """Create a shortcut. It spans the bend between its ends (T5) and touches the inside lanes, slides or single
        spaces at its ends (T4).
        """
        bend = next(
            here[number]
            for number in range(max(shortcut.leaves) + 1, min(shortcut.joins))
            if here[number].section.kind == "bend"
        )
        path = [
            self._space(bend, f"k{count}.{number}", "shortcut", Fraction(number, len(shortcut.limits)), limit=limit)
            for number, limit in enumerate(shortcut.limits, 1)
        ]
        for space, following in pairwise(path):
            self.ahead[space].append(following)
        for number in shortcut.leaves:
            for space in self._inside_of(here[number], bend.section.inside):
                self.ahead[space].append(path[0])
        for number in shortcut.joins:
            self.ahead[path[-1]].extend(self._inside_of(here[number], bend.section.inside))

    def _inside_of(self, stretch: _Stretch, inside: str | None) -> list[int]:
        return [
            space.index
            for space in self.spaces
            if space.section == stretch.position
            and (space.kind in ("slide", "single") or (space.kind == "lane" and space.side == inside))
        ]

    def _same_section(self, space: Space) -> Iterator[Space]:
        return (other for other in self.spaces if other.section == space.section and other is not space)

    def _beside(self, ahead: tuple[tuple[int, ...], ...]) -> tuple[frozenset[int], ...]:
        """M7: return for each space those alongside: the other lane of a row; for a shortcut space the spaces of the
        road that it touches, and the reverse.
        """
        beside: list[set[int]] = [set() for _ in self.spaces]
        for space in self.spaces:
            if space.kind == "lane":
                beside[space.index] |= {o.index for o in self._same_section(space) if o.kind == "lane"}
            for following in ahead[space.index]:
                if (space.kind == "shortcut") != (self.spaces[following].kind == "shortcut"):
                    beside[space.index].add(following)
                    beside[following].add(space.index)
        return tuple(frozenset(spaces) for spaces in beside)

    def _across(self) -> tuple[frozenset[int], ...]:
        """M8, E6: return for each space those that exclude it. A lane and the slide halves of one row exclude each
        other. So do the two paths of one bend.
        """
        rivals = {"lane": "slide", "slide": "lane", "inner": "outer", "outer": "inner"}
        return tuple(
            frozenset(o.index for o in self._same_section(space) if o.kind == rivals.get(space.kind))
            for space in self.spaces
        )

    def _is_outside(self, space: Space) -> bool:
        """O1: return whether a space is a lane on the outside of the next bend, or of the last bend if none follows."""
        bends = [s for s in self.stretches if s.section.kind == "bend"]
        if space.kind != "lane" or not bends:
            return False
        coming = next((bend for bend in bends if bend.position > space.section), bends[-1])
        return space.side != coming.section.inside
