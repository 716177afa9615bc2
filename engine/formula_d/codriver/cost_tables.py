"""Tables of the turns to the finish from each space at best play, by dynamic programming on the empty track.

A *place* is a space and the number of stops still missing there when a turn begins. For each place, gear and state of
wear, the tables hold the cost (see `manner`) of choosing that gear before its die is rolled. They are filled lap by
lap, backwards from the finish line, and backwards along each lap. `missing` counts the missing stops of the corner.
After an overshoot all of them are missing (C8). The tables ignore other cars. One box in the middle of the pit lane
represents all boxes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.formula_d.codriver.lap_layout import MOST_SPACES, lap_layout
from engine.formula_d.codriver.manner import Manner, race_means, weights
from engine.formula_d.codriver.packed_rows import Packed
from engine.formula_d.codriver.wear_states import Row, WearStates, points
from engine.formula_d.facts import facts
from engine.formula_d.track import BOX, CORNER, PIT, STRAIGHT, Track

SPUN = 0
"""The gear from which only the 1st can be chosen: on the grid, and after a spin (C7)."""

Rolls = list[Packed]
"""The costs of a place in the middle of a turn, indexed by the spaces still to be driven."""

Exit = tuple["LapTables", int, bool]
"""An end of an overshoot: the lap, the space, and whether the path ends there because the race is over (R1)."""

LAPS_KEPT = 64
"""How many laps are kept. One takes up to 4 MB: on a long track, in the rain, with own builds."""

_LEFT, _FREE, _RIGHT = -1, 0, 1
"""The side to which a path has changed lanes on a straight. It does not change back (M3)."""


class TyreEffect(NamedTuple):
    """The effect of the tyres on a lap: the slide of W7, the factor of T4, the bonus of T3."""

    slide: int = 0
    factor: int = 1
    bonus: int = 0


class LapTables:
    """The tables of one lap. `after` is the lap that follows it, None on the last lap.

    `gears[space][missing][gear - 1]` is the row of costs of choosing a gear there. `outs[space][missing]` is the cost
    of going out there.
    """

    def __init__(
        self,
        track: Track,
        rules: WearStates,
        driver: Manner,
        tyres: TyreEffect,
        after: LapTables | None,
        *,
        pits: bool,
        whole: bool,
    ) -> None:
        self.track, self.rules, self.driver, self.tyres, self.after = track, rules, driver, tyres, after
        self.layout = lap_layout(track)
        self.gearbox = 0.0 if rules.basic else driver.gearbox
        self.boxed: list[Row] = []
        self.laps_left: int = 1 if after is None else after.laps_left + 1
        self.gears: dict[int, list[list[array[float]]]] = {}
        self.outs: dict[int, list[float]] = {}
        self._rolls: dict[tuple[int, int, bool], list[Rolls]] = {}
        self._rolls_to_side: dict[tuple[int, int, bool], list[Rolls]] = {}
        self._values: dict[tuple[int, int], list[Packed]] = {}
        self._unpacked: dict[Packed, Row] = {}
        self._finish_row = rules.packing.pack([driver.cost(0.0)] * rules.state_count)
        self._faces = [facts().gears[gear] for gear in sorted(facts().gears)]
        if pits and after is not None:
            self._fill_pits()
        order = self.layout.order
        for number, space in enumerate(order):
            if not whole and self.layout.left[space] > MOST_SPACES:
                continue
            self._fill(space)
            distant = number - 8 * MOST_SPACES
            if distant >= 0:
                self._forget(order[distant])
        self._keep_behind_the_line()

    # Reading ------------------------------------------------------------------------------------

    def rows(self, space: int, missing: int) -> list[array[float]] | None:
        """Return for each gear the costs of choosing it, before its die is rolled, by wear. None for a space without
        costs.
        """
        levels = self.gears.get(space)
        return None if levels is None else levels[min(missing, len(levels) - 1)]

    def gear_cost(self, space: int, missing: int, gear: int, index: int) -> float:
        """Return the cost of choosing a gear, before its die is rolled."""
        rows = self.rows(space, missing)
        return self.driver.cost(self.mean_turns(space)) if rows is None else rows[gear - 1][index]

    def out_cost(self, space: int, missing: int) -> float:
        """Return the cost of going out."""
        levels = self.outs.get(space)
        if levels is None or self.driver.allows_weaving:
            return self.driver.cost(self.mean_turns(space) + self.driver.out)
        return levels[min(missing, len(levels) - 1)]

    def mean_turns(self, space: int) -> float:
        """Return the turns to the finish at the mean pace."""
        lap, left = self.layout.length, self.layout.left[space]
        return ((left if left > 0 else lap) + (self.laps_left - 1) * lap) / race_means().pace

    # Filling ------------------------------------------------------------------------------------

    def _levels(self, space: int) -> int:
        return self.track.stops[space] + 1 if self.track.kind[space] == CORNER else 1

    def _fill(self, space: int) -> None:
        """Fill all tables of a space, the fewest missing stops first."""
        self.gears[space] = []
        for missing in range(self._levels(space)):
            out = self._out(space, missing)
            self.outs.setdefault(space, []).append(out)
            slides = bool(self.tyres.slide and missing)
            stays = self._values[space, missing - 1] if missing else None
            exits = self._exits(space, missing)
            later = self._rolls_from(space, missing, stays, exits, slid=True)
            self._rolls[space, missing, True] = later
            fresh = later
            if self.tyres.slide and not missing:
                fresh = self._rolls_from(space, 0, stays, exits, slid=False)
                self._rolls[space, 0, False] = fresh
            rows = self._chosen(fresh, out, self.tyres.slide if slides else 0)
            self._keep(space, missing, rows)
            if not missing:
                to_side = [] if self.driver.allows_weaving else self._fill_to_side(space, {True: later, False: fresh})
                places = {id(some): some for some in (later, fresh, *to_side)}
                self._stopping([*places.values()], self._values[space, 0])

    def _fill_to_side(self, space: int, free: dict[bool, list[Rolls]]) -> list[list[Rolls]]:
        """Fill the rolls of a straight space for paths that have changed lanes to one side (M3), and return them."""
        if self.track.kind[space] != STRAIGHT:
            return []
        outer = {_LEFT: 3, _RIGHT: 1}
        for slid in (True, False) if self.tyres.slide else (True,):
            for side, lane in outer.items():
                known = free[slid] if self.track.lane[space] == lane else None
                self._rolls_to_side[space, side, slid] = known or self._rolls_from(
                    space, 0, None, [], slid=slid, side=side
                )
        return [
            self._rolls_to_side[space, side, slid]
            for side in outer
            for slid in (True, False)
            if self.tyres.slide or slid
        ]

    def _out(self, space: int, missing: int) -> float:
        """Return the cost of going out: the turns that the manner gives it, plus those from the space ahead with all WP
        and the best gear, plus one turn for each missing stop.
        """
        track, driver, to = self.track, self.driver, self.track.ahead[space]
        lap = self.after if track.crosses(space, to) else self
        level = missing if track.corner[to] == track.corner[space] else track.stops[to]
        values = None if driver.allows_weaving or lap is None else lap._values.get((to, level))
        if not values:
            return driver.cost(self.mean_turns(space) + driver.out)
        least = min(self.rules.packing.unpack(self.rules.minimum(values)))
        return driver.plus_turns(least, missing + driver.out)

    def _keep(self, space: int, missing: int, rows: list[Row]) -> None:
        self.gears[space].append([array("d", row) for row in rows])
        self._values[space, missing] = self._values_of(rows)

    def _values_of(self, rows: Sequence[Row], most: int = 6) -> list[Packed]:
        """Return for each gear that a car may be in the costs of a place, before it chooses the next one (G2 to G5).
        `rows` are the costs by the chosen gear, of which `most` is the highest.
        """
        packing = self.rules.packing
        packed = [packing.pack(row) for row in rows]
        dearer: dict[tuple[int, float], Packed] = {}
        found: list[Packed] = []
        for own in range(7):
            each: list[Packed] = []
            for gear in range(1, min(own + 1, most) + 1):
                row: Packed | None = packed[gear - 1]
                skipped = own - gear - 1
                if skipped > 0:
                    price = facts().skipped.get(skipped)
                    if price is None and self.rules is not points():
                        continue
                    turns = self.gearbox * (price or {}).get("gearbox", 0)
                    if (gear, turns) not in dearer:
                        dearer[gear, turns] = packing.pack(self.driver.row_plus_turns(rows[gear - 1], turns))
                    row = self.rules.skipped(dearer[gear, turns], price or {}, skipped)
                if row is not None:
                    each.append(row)
            found.append(self.rules.minimum(each))
        return found

    def _chosen(self, rolls: list[Rolls], worst: float, slide: int) -> list[Row]:
        """Return for each gear the mean cost over the faces of its die, one turn added (G1). No face costs more than
        going out.
        """
        least, out = self.rules.packing.least, self.rules.packing.pack([worst] * self.rules.state_count)
        bonus = self.tyres.bonus and not slide
        found = []
        for by_roll, faces in zip(rolls, self._faces, strict=True):
            each = {}
            for face in set(faces):
                row = least(by_roll[face + slide], out)
                each[face] = self._costs(least(row, by_roll[face + 1]) if bonus else row)
            count = len(faces)
            mean = tuple([total / count for total in map(sum, zip(*[each[face] for face in faces], strict=True))])
            found.append(self.driver.row_plus_turns(mean, 1.0))
        return found

    def _costs(self, packed: Packed) -> Row:
        """Return the row that was packed. Most rows are those of the space ahead, which are known."""
        known = self._unpacked.get(packed)
        if known is None:
            known = self._unpacked[packed] = self.rules.packing.unpack(packed)
        return known

    def _stopping(self, places: Sequence[list[Rolls]], values: list[Packed]) -> None:
        """Allow a turn to end on this place, by the count or by braking (B1)."""
        for gear in range(6):
            self._brake([rolls[gear] for rolls in places], values[gear + 1], values[SPUN])
            for rolls in places:
                rolls[gear][0] = values[gear + 1]

    def _brake(self, places: Sequence[Rolls], stays: Packed, spun: Packed) -> None:
        """Allow a turn to end on this place by braking the spaces that are still to be driven (B1)."""
        for roll in range(1, min(max(map(len, places)), self.rules.most_brakes + 1)):
            row = self.rules.before_payment(stays, spun, 0, roll)
            if row is None:
                continue
            for by_roll in places:
                if roll < len(by_roll):
                    by_roll[roll] = self.rules.packing.least(by_roll[roll], row)

    def _rolls_from(
        self,
        space: int,
        missing: int,
        stays: list[Packed] | None,
        exits: Sequence[Exit],
        *,
        slid: bool,
        side: int = _FREE,
    ) -> list[Rolls]:
        """Return for each gear the costs of a place by the spaces still to be driven. `stays` are the costs of ending
        the turn there, by gear. It is None when the stop there is not counted.
        """
        ahead = list(self._ahead(space, missing, slid=slid, side=side))
        more_spaces = (self.tyres.slide if slid else 0) + self.tyres.bonus
        found = []
        for gear, faces in enumerate(self._faces):
            most = max(faces) + more_spaces
            by_roll = self._onward([(rolls[gear], more) for rolls, more in ahead], most)
            by_roll.insert(0, stays[gear + 1] if stays else self.rules.never)
            if exits:
                self._overshoot(by_roll, exits, gear)
            if stays:
                self._brake([by_roll], by_roll[0], stays[SPUN])
            found.append(by_roll)
        return found

    def _onward(self, ahead: Sequence[tuple[Rolls, int]], most: int) -> Rolls:
        """Return the least costs of driving on, by the spaces still to be driven, from 1 to `most`. `ahead` are those
        of the next spaces, each with the number by which the count grows there.
        """
        found: Rolls | None = None
        for rolls, more in ahead:
            there = rolls[more : more + most]
            if len(there) < most:
                there += [rolls[-1]] * (most - len(there))
            found = there if found is None else list(map(self.rules.packing.least, found, there))
        return found or [self.rules.never] * most

    def _ahead(self, space: int, missing: int, *, slid: bool, side: int) -> Iterator[tuple[list[Rolls], int]]:
        """Yield for each next space that is not an overshoot its costs by gear, and by how much the count grows there
        (W7).
        """
        track, corner = self.track, self.track.corner[space]
        for to in track.nexts[space]:
            if missing and track.corner[to] != corner:
                continue
            sides = _FREE
            if track.kind[space] == track.kind[to] == STRAIGHT and not self.driver.allows_weaving:
                sides = track.lane[to] - track.lane[space]
                if sides * side < 0:
                    continue
                sides = sides or side
            lap = self
            if track.crosses(space, to):
                if self.after is None:
                    yield [[self._finish_row] * MOST_SPACES] * 6, 0
                    continue
                lap = self.after
            enters = track.corner[to] != 0 and track.corner[to] != corner
            level = track.stops[to] if enters else missing if track.corner[to] else 0
            slides = bool(self.tyres.slide and enters and not slid)
            late = slid or enters or not self.tyres.slide
            rolls = lap._rolls_to_side.get((to, sides, late)) if sides else lap._rolls.get((to, level, late))
            if rolls is not None:
                yield rolls, self.tyres.slide if slides else 0

    def _exits(self, space: int, missing: int) -> list[Exit]:
        """Return the spaces behind a corner that a path may leave with a stop missing (C3, C5), in driving order."""
        track, lap = self.track, self
        found: list[Exit] = []
        to = track.ahead[space]
        if not self.rules.may_leave(track.stops[space], missing) or track.corner[to] == track.corner[space]:
            return found
        before = space
        for _ in range(min(self.rules.most_over, MOST_SPACES) + 1):
            if track.crosses(before, to):
                if lap.after is None:
                    return [*found, (lap, to, True)]
                lap = lap.after
            found.append((lap, to, False))
            before, to = to, track.ahead[to]
            if track.corner[before] and track.corner[before] != track.corner[to] and track.stops[before] > 1:
                break
        return found

    def _overshoot(self, by_roll: Rolls, exits: Sequence[Exit], gear: int) -> None:
        """Allow a path to end at each end of an overshoot (C3, C6, C8), braking included."""
        rules, least = self.rules, self.rules.packing.least
        for driven, (lap, space, home) in enumerate(exits, 1):
            price = driven * self.tyres.factor
            if price > rules.most_over:
                break
            values = None
            if not home:
                values = lap._values.get((space, self.track.stops[space] if self.track.corner[space] else 0))
                if not values:
                    continue
            stays, spun = (values[gear + 1], values[SPUN]) if values else (self._finish_row, self._finish_row)
            for roll in range(driven, len(by_roll)):
                braked = 0 if home else roll - driven
                if braked > rules.most_brakes:
                    break
                row = rules.before_payment(stays, spun, price, braked)
                if row is not None:
                    by_roll[roll] = least(by_roll[roll], row)

    def _keep_behind_the_line(self) -> None:
        """Free what the lap before does not need to be filled: it enters this lap, or overshoots into it."""
        entries, reached = self.layout.entries, self.layout.behind_the_line
        self._rolls = {place: found for place, found in self._rolls.items() if place[0] in entries}
        self._rolls_to_side = {place: found for place, found in self._rolls_to_side.items() if place[0] in entries}
        self._values = {place: found for place, found in self._values.items() if place[0] in reached}
        self._unpacked = {}

    def _forget(self, space: int) -> None:
        for missing in range(self._levels(space)):
            self._values.pop((space, missing), None)
            self._rolls.pop((space, missing, True), None)
            self._rolls.pop((space, missing, False), None)
        for side in (_LEFT, _RIGHT):
            self._rolls_to_side.pop((space, side, True), None)
            self._rolls_to_side.pop((space, side, False), None)

    # The pits -----------------------------------------------------------------------------------

    def _fill_pits(self) -> None:
        """Fill the pit lane in this order: the lane after the box, the box, the lane before it (P2, P6 to P8)."""
        track, box = self.track, self.layout.box
        lane = [track.entry]
        while track.kind[track.ahead[lane[-1]]] == PIT:
            lane.append(track.ahead[lane[-1]])
        behind = lane[lane.index(track.ahead[box]) :] if track.ahead[box] in lane else lane[-1:]
        for space in reversed(behind):
            self._fill_lane(space, [to for to in track.nexts[space] if track.kind[to] != BOX], most=6)
        self._fill_lane(box, list(track.nexts[box]), most=facts().pit_gear)
        self.boxed = [self._boxed(gear) for gear in range(6)]
        arrived = [self.rules.packing.pack(row) for row in self.boxed]
        after = {space: self.gears.pop(space) for space in behind}
        for space in reversed([space for space in lane if space in self.layout.lane_in]):
            self._fill_lane(space, [box if box in track.nexts[space] else track.ahead[space]], most=6, arrived=arrived)
        self.gears = {**after, **self.gears}

    def _boxed(self, gear: int) -> Row:
        """Return the costs of arriving in the box: new tyres, then the pit die (P6, P7)."""
        box = self.layout.box
        unpack = self.rules.packing.unpack
        slow = unpack(self._values[box, 0][facts().pit_gear if gear + 1 > facts().pit_gear else gear + 1])
        if self.rules.basic:
            return self.rules.refilled(slow)
        most = facts().pit_fast
        rolls = self._rolls[box, 0, True][facts().pit_gear - 1]
        fast = [unpack(rolls[-(-die // facts().pit_divisor)]) for die in range(1, most + 1)]
        rows = [*fast, *([slow] * (facts().black.faces - most))]
        return self.rules.refilled(tuple([sum(each) / len(rows) for each in zip(*rows, strict=True)]))

    def _fill_lane(self, space: int, nexts: Sequence[int], *, most: int, arrived: list[Packed] | None = None) -> None:
        """Fill one space of the pit lane, or the box."""
        assert self.after is not None
        out = self._out(space, 0)
        self.outs[space] = [out]
        rolls: list[Rolls] = []
        for gear in range(6):
            found: Rolls = [self.rules.never]
            for roll in range(1, max(self._faces[gear]) + self.tyres.slide + 2):
                rows = []
                for to in nexts:
                    if to == self.layout.box and arrived:
                        rows.append(arrived[gear])
                        continue
                    lap = self.after if self.track.kind[to] < PIT else self
                    known = lap._rolls.get((to, 0, not self.tyres.slide)) or lap._rolls.get((to, 0, True))
                    if known is not None and known[gear]:
                        rows.append(known[gear][min(roll - 1, len(known[gear]) - 1)])
                found.append(self.rules.minimum(rows) if rows else self.rules.never)
            rolls.append(found)
        chosen = self._chosen(rolls, out, 0)
        self.gears[space] = [[array("d", row) for row in chosen]]
        self._values[space, 0] = self._values_of(chosen, most)
        for slid in (True, False):
            self._rolls[space, 0, slid] = rolls
        for gear, by_roll in enumerate(rolls):
            by_roll[0] = self._values[space, 0][gear + 1]


class RaceTables:
    """The tables of the laps of a race by number, the last lap first. The last number is the road from the grid to the
    line, which is not a whole lap. A lap is filled when it is first read: a car reads neither the laps behind it nor
    their tyres.
    """

    def __init__(self, track: Track, rules: WearStates, driver: Manner, tyre_effects: tuple[TyreEffect, ...]) -> None:
        self.track, self.rules, self.driver, self.tyre_effects = track, rules, weights(driver), tyre_effects
        self._laps: dict[int, LapTables] = {}

    def __len__(self) -> int:
        return len(self.tyre_effects)

    def __iter__(self) -> Iterator[LapTables]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> LapTables:
        found = self._laps.get(number)
        if found is None:
            first = range(len(self))[-1 - number]
            later = self.tyre_effects[first:]
            found = self._laps[number] = _filled(self.track, self.rules, self.driver, later, first > 0)
        return found


def tables_of_race(track: Track, rules: WearStates, driver: Manner, tyre_effects: tuple[TyreEffect, ...]) -> RaceTables:
    """Return the tables of all laps of a race. `tyre_effects` holds one entry for each lap, the first lap first; the
    entry before it is for the road from the grid to the line.
    """
    return RaceTables(track, rules, driver, tyre_effects)


@lru_cache(maxsize=LAPS_KEPT)
def _filled(
    track: Track, rules: WearStates, driver: Manner, tyre_effects: tuple[TyreEffect, ...], whole: bool
) -> LapTables:
    """Return the tables of a lap. `tyre_effects` are those of this lap and of the laps after it, and a lap depends on
    no others: cars whose tyres differed before share it. Cached for manners with the same weights.
    """
    tyres, *later = tyre_effects
    after = _filled(track, rules, driver, tuple(later), True) if later else None
    return LapTables(track, rules, driver, tyres, after, pits=whole and after is not None, whole=whole)
