"""The cost of each end of a movement: the place, the wear, the cars beside it, a slipstream from there.

Costs are those of a manner. A `TurnCosts` belongs to one car at one moment. It does not change the race and rolls no
dice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf
from typing import Any

from engine.contract import RuleError
from engine.formula_d import gears
from engine.formula_d.codriver.cost_tables import LapTables, RaceTables, TyreEffect, tables_of_race
from engine.formula_d.codriver.manner import Manner, price, race_means
from engine.formula_d.codriver.race_outlook import RaceOutlook
from engine.formula_d.codriver.wear_states import WearStates, points, wear_states
from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.movement.fan import Fan
from engine.formula_d.movement.path_price import LAP, MOVE, SLIP, Budget, PathPrice, Search, ends
from engine.formula_d.movement.walk import Drive, PathPosition
from engine.formula_d.race import QUALIFYING, RACING, Car, Race, at, factor, track_of, wet
from engine.formula_d.table import Table
from engine.formula_d.track import BOX, PIT
from engine.formula_d.turn import bonus_of

Wear = Mapping[str, int]

_SLIPS = 2
"""How many slipstreams in a row are searched."""


def tyre_effect(race: Race, kind: str, age: int) -> TyreEffect:
    """Return the effect of tyres of this kind and age on a lap in the current weather (W7, T3, T4)."""
    tyres, rain = facts().tyres, wet(race)
    table = tyres.factor_old if age >= tyres.old_age else tyres.factor
    young = race["options"]["tyres"] and not rain and age <= tyres.bonus_age
    return TyreEffect(
        tyres.slide[kind] if rain else 0,
        1 if race["options"]["rules"] == "basic" else table["wet" if rain else "dry"][kind],
        tyres.bonus.get(kind, 0) if young else 0,
    )


def tables_of_car(
    race: Race, car: Car, manner: Manner, *, kind: str = "", age: int | None = None, alone: bool | None = None
) -> RaceTables:
    """Return the tables for a car: one for each lap, the last lap of the race first, that of lap 0 at the end.

    `kind` and `age` replace the car's tyres. `alone` says that it is the lap of qualifying; by default that follows
    from the race.
    """
    alone = race["stage"] == QUALIFYING if alone is None else alone
    count = 1 if alone else int(race["options"]["laps"])
    old = car["age"] if age is None else age
    tyre_effects = tuple(
        tyre_effect(race, kind or car["tyres"], max(0, old + max(0, lap - car["lap"]))) for lap in range(count + 1)
    )
    options = race["options"]
    rules: WearStates = points() if alone else wear_states(basic=options["rules"] == "basic", build=options["build"])
    return tables_of_race(track_of(race), rules, manner, tyre_effects)


class TurnCosts:
    """The costs of the positions in which one car can end its turn.

    `outlook` is given for a driver that only wants to win (see `winner`). A turn that has not begun is begun at
    `table`.
    """

    def __init__(
        self, table: Table, manner: Manner, tables: RaceTables | None = None, outlook: RaceOutlook | None = None
    ) -> None:
        race, car = table.race, table.car
        if not race["turn"]:
            table.add_event("turn", bonus=bonus_of(table))
        self.table, self.manner, self.race, self.car, self.outlook = table, manner, race, car, outlook
        self.track = table.track
        self.in_qualifying = race["stage"] == QUALIFYING
        self.total = 1 if self.in_qualifying else int(race["options"]["laps"])
        self.tables = tables or tables_of_car(race, car, manner)
        self._laps: dict[int, LapTables] = {}
        self.rules = self.tables.rules
        self._top_gear = facts().top_gear
        self.begun = self.track.index[table.turn["space"]]
        self.turns = self.lap(car["lap"]).mean_turns(self.begun)
        self.out_cost = self._out_cost()
        self.rivals = {
            at(race, other): other
            for seat, other in race["cars"].items()
            if other["status"] == RACING
            and seat != table.seat
            and other["space"] is not None
            and not self.in_qualifying
        }
        self._costs: dict[Any, float] = {}
        self._known_rivals: dict[int, int] = {}
        self._known_shifts: dict[tuple[int, ...], list[tuple[int, int, float]]] = {}

    def lap(self, lap: int) -> LapTables:
        """Return the tables of a lap, counted as in F5."""
        found = self._laps.get(lap)
        if found is None:
            found = self._laps[lap] = self.tables[max(0, min(len(self.tables) - 1, self.total - lap))]
        return found

    def _out_cost(self) -> float:
        """Return the cost of going out in this turn. It is infinite for a driver that only wants to win."""
        if self.outlook:
            return self.manner.cost(inf)
        space, stops = self.begun, self.track.stops[self.begun]
        missing = max(0, stops - self.car["stops"]) if self.track.corner[space] else 0
        lap = self.lap(self.car["lap"])
        if self.manner.allows_weaving:  # orders ahead must keep computing this cost as before, in the pit lane too
            return self.manner.cost(lap.mean_turns(space) + self.manner.out)
        return lap.out_cost(self._in_lane(lap, space), missing)

    def _last_wp_cost(self) -> float:
        """Return the cost of a die roll that takes the last WP. It is finite, because it goes into a mean with the
        other results of the die.
        """
        return self.manner.cost(self.turns + self.manner.out) if self.outlook else self.out_cost

    # Wear ---------------------------------------------------------------------------------------

    def wp_price(self, area: str, left: int) -> float:
        """Return the price in turns of one WP of an area whose last WP puts the car out. `left` are still there."""
        if self.rules.basic:
            return 0.0
        return price(self.manner, float(getattr(race_means(), area)), left, self.turns)

    # Ends ---------------------------------------------------------------------------------------

    def end(self, drive: Drive, on: PathPosition, price: PathPrice, gear: int, wp: Wear, *, slips: int = 0) -> float:
        """Return the cost of this end of a movement. `wp` are the WP before the price is paid. `slips` counts the
        slipstreams already driven in the search.
        """
        key = (on.space, on.lap, on.over > 0, on.ended, on.markers, on.slid, price, gear, slips, tuple(wp.values()))
        known = self._costs.get(key)
        if known is None:
            known = self._costs[key] = self._end(drive, on, price, gear, wp, slips)
        return known

    def _end(self, drive: Drive, on: PathPosition, price: PathPrice, gear: int, wp: Wear, slips: int) -> float:
        if on.lap > self.total:
            return self.manner.cost(float(price.overshoot) if self.in_qualifying else 0.0)
        after = self._paid(wp, price)
        markers = on.markers and self._markers_price(on.markers, after)
        if on.space == drive.box and on.driven:
            return self.manner.plus_turns(self.boxed(on.lap, gear, after), markers)
        over = on.over > 0 or bool(self.race["turn"]["over"])
        stopped = self.stop(on.space, on.lap, gear, after, over=over, spun=price.spin)
        extra = float(price.overshoot) if self.in_qualifying else 0.0
        if self.rivals and slips < _SLIPS and self._may_slip(drive, on, price, gear):
            stopped = min(stopped, self._slip(drive, on, gear, after, slips))
        return self.manner.plus_turns(stopped, markers + extra)

    def _paid(self, wp: Wear, price: PathPrice) -> Wear:
        """Return the WP that are left after the price is paid."""
        if self.in_qualifying:
            return wp
        if TOTAL in wp:
            return {TOTAL: wp[TOTAL] - price.overshoot - price.brakes}
        tires = facts().after_spin if price.spin else wp["tires"] - price.overshoot - price.tires
        return {**wp, "tires": tires, "brakes": wp["brakes"] - price.brakes - price.slip}

    def _markers_price(self, markers: int, wp: Wear) -> float:
        """Return the price in turns of the dice of so many markers on the way (D2)."""
        black = facts().black
        share = (black.marker_wet if wet(self.race) else black.marker_dry) / black.faces
        return markers * share * (0 if self.rules.basic else self.wp_price("road", wp["road"]))

    def boxed(self, lap: int, gear: int, wp: Wear) -> float:
        """Return the cost of arriving in the box on this lap; that of going out where the tables have no box."""
        rows = self.lap(lap).boxed
        return rows[gear - 1][self.rules.index_of(wp)] if rows else self.out_cost

    def stop(self, space: int, lap: int, gear: int, wp: Wear, *, over: bool, spun: bool) -> float:
        """Return the cost of ending the turn on a space: the place, and the dice against the cars near it (K)."""
        cost = self.place_cost(space, lap, gear, wp, over=over, spun=spun)
        count = self.rivals_near(space)
        if not count:
            return cost
        black = facts().black
        if self.rules.basic:
            hit = {TOTAL: wp[TOTAL] - 1}
            worse = (
                self._last_wp_cost() if not hit[TOTAL] else self.place_cost(space, lap, gear, hit, over=over, spun=spun)
            )
            return cost + count * black.collision_basic / black.faces * (worse - cost)
        bad = black.collision_wet if wet(self.race) else black.collision_dry
        return self.manner.plus_turns(cost, count * bad / black.faces * self.wp_price("body", wp["body"]))

    def rivals_near(self, space: int) -> int:
        """Return how many rivals a car on this space can collide with (K1, K6)."""
        if not self.rivals or self.track.in_the_pits(space):
            return 0
        known = self._known_rivals.get(space)
        if known is None:
            near = {*self.track.beside[space], self.track.ahead[space]}
            known = self._known_rivals[space] = sum([one in self.rivals for one in near])
        return known

    def place_cost(self, space: int, lap: int, gear: int, wp: Wear, *, over: bool, spun: bool) -> float:
        """Return the cost of a place before the next gear is chosen, with these WP (G5)."""
        return self._best_shift(space, lap, self._missing(space, over=over), gear, wp, spun=spun)

    def before_gear(self) -> float:
        """Return the cost of the car's place before it chooses its gear. Other cars do not count."""
        car, space = self.car, self.table.space
        missing = max(0, self.track.stops[space] - car["stops"]) if self.track.corner[space] else 0
        return self._best_shift(space, car["lap"], missing, car["gear"], car["wp"], spun=bool(car["spun"]))

    def _best_shift(self, space: int, lap: int, missing: int, gear: int, wp: Wear, *, spun: bool) -> float:
        """Return the least cost over the gears that can be chosen on a place."""
        table = self.lap(lap)
        space = self._in_lane(table, space)
        index = self.rules.index_of(wp)
        own = 0 if spun else gear
        most = min(own + 1, self._top_gear)
        if self.track.kind[space] == BOX:
            own, most = min(own, facts().pit_gear), facts().pit_gear
        rows = table.rows(space, missing)
        if rows is None:
            return min(self.out_cost, self.manner.cost(table.mean_turns(space)))
        found = self.out_cost
        for to, left, turns in self._shifts(own, most, index, wp):
            cost = rows[to - 1][left]
            if turns:
                cost = self.manner.plus_turns(cost, turns)
            if cost < found:
                found = cost
        return found

    def _shifts(self, own: int, most: int, index: int, wp: Wear) -> list[tuple[int, int, float]]:
        """Return the gears that can be chosen. Each has the index of wear after the shift, and the price in turns of
        the gears that are skipped (G3 to G5).
        """
        key = (own, most, *wp.values())
        known = self._known_shifts.get(key)
        if known is None:
            each = ((to, self._shifted(own - to - 1, index, wp)) for to in range(1, most + 1))
            known = self._known_shifts[key] = [(to, *paid) for to, paid in each if paid is not None]
        return known

    def _shifted(self, skipped: int, index: int, wp: Wear) -> tuple[int, float] | None:
        """Return the index of wear after gears are skipped, and their price in turns. None when that is not allowed."""
        if skipped <= 0 or self.in_qualifying:
            return index, 0.0
        areas = facts().skipped.get(skipped)
        if areas is None:
            return None
        if self.rules.basic:
            left = self.rules.paid(index, 0, skipped)
            return (left[0], 0.0) if left else None
        if any(wp[area] < number + (area == "engine") for area, number in areas.items()):
            return None
        left = self.rules.paid(index, 0, areas.get("brakes", 0))
        return (left[0], self.skip_price(areas, wp)) if left else None

    def skip_price(self, areas: Mapping[str, int], wp: Wear) -> float:
        """Return the price in turns of the gearbox and engine WP for skipping gears. `areas` are the WP by area."""
        if not areas or self.rules.basic:
            return 0.0
        worth = self.manner.gearbox * facts().wear_advanced["gearbox"] / max(1, wp["gearbox"])
        engine = self.wp_price("engine", wp["engine"]) if areas.get("engine") else 0.0
        return worth * areas.get("gearbox", 0) + engine * areas.get("engine", 0)

    def _missing(self, space: int, *, over: bool) -> int:
        """Return the stops that are still missing on a space after the turn ends there (C1, C8)."""
        track = self.track
        if not track.corner[space]:
            return 0
        if over:
            return track.stops[space]
        made = self.car["stops"] if track.corner[space] == track.corner[self.begun] else 0
        return max(0, track.stops[space] - made - 1)

    def _in_lane(self, table: LapTables, space: int) -> int:
        """Return the space whose tables apply to this space. In the pit lane it may differ, because the tables know
        only one box.
        """
        if self.track.kind[space] == BOX:
            return table.layout.box
        if self.track.kind[space] != PIT:
            return space
        before = space in table.layout.lane_in
        if self.car["boxed"] and before:
            return self.track.ahead[table.layout.box]
        if not self.car["boxed"] and not before:
            return max(table.layout.lane_in, key=lambda one: self.track.along[one])
        return space

    # Slipstreams --------------------------------------------------------------------------------

    def _may_slip(self, drive: Drive, on: PathPosition, price: PathPrice, gear: int) -> bool:
        """S1: whether the car may slipstream from the end of a movement."""
        turn, before = self.race["turn"], self.track.ahead[on.space]
        rival = self.rivals.get(before)
        if rival is None or self.rules.basic or turn["pits"] or turn["braked"] or turn["over"]:
            return False
        if price.brakes or price.tires or on.over or self.track.in_the_pits(on.space):
            return False
        return bool(facts().slip_gear <= rival["gear"] <= gear)

    def _slip(self, drive: Drive, on: PathPosition, gear: int, wp: Wear, slips: int) -> float:
        """Return the cost of the best slipstream from the end of a movement."""
        track = self.track
        same = track.corner[self.begun] == track.corner[on.space]
        onward = replace(
            drive,
            start=on.space,
            count=facts().slip_spaces,
            stops=self.car["stops"] if same else 0,
            lap=on.lap,
            slide=0 if on.slid else drive.slide,
            pits=False,
            stretches={},
        )
        tyres = facts().tyres
        old = self.car["age"] + on.lap - self.car["lap"] >= tyres.old_age
        rate = (tyres.factor_old if old else tyres.factor)["wet" if wet(self.race) else "dry"][self.car["tyres"]]
        search = Search(onward, Budget(SLIP, wp, rate))
        found = [self.end(onward, end, price, gear, wp, slips=slips + 1) for end, price in ends(search) if end.driven]
        return min(found, default=self.out_cost)

    # A whole movement ---------------------------------------------------------------------------

    def checked_gear(self, gear: int) -> tuple[Wear, Mapping[str, int]]:
        """Return the WP left after a gear is paid for, and its price by area (G2 to G5, P8, Q2).

        Raises: RuleError when the gear cannot be chosen.
        """
        if self.in_qualifying:
            gears.climb(self.car["gear"], gear)
            return self.car["wp"], {}
        areas = gears.price(self.race, self.car, gear)
        return {area: left - areas.get(area, 0) for area, left in self.car["wp"].items()}, areas

    def wp_after_gear(self, gear: int) -> tuple[Wear, Mapping[str, int]] | None:
        """Return the result of `checked_gear`, or None when the gear cannot be chosen."""
        try:
            return self.checked_gear(gear)
        except RuleError:
            return None

    def fan(self, chosen: Iterable[int]) -> Fan:
        """Return the movements of all rolls of these gears."""
        longest = max(max(facts().gears[gear]) + sum(self.extras(gear)[-1]) for gear in chosen)
        return Fan(self.table, LAP if self.in_qualifying else MOVE, longest)

    def extras(self, gear: int) -> list[tuple[int, int]]:
        """Return what may be added to a roll: pairs of the spaces of nitro and of the tyre bonus (N1, T3)."""
        turn, car = self.race["turn"], self.car
        may = self.race["options"]["nitro"] and car["nitro"] and not turn["great"] and not self.in_qualifying
        nitro, bonus = gear if may else 0, 0 if turn["great"] else int(turn["bonus"])
        return [(some, more) for some in sorted({0, nitro}) for more in sorted({0, bonus})]

    def nitro_price(self, nitro: int) -> float:
        """Return the price in turns of using the nitro. It grows with the rest of the lap (N1)."""
        table = self.lap(self.car["lap"])
        share = max(0, table.layout.left[self.begun]) / table.layout.length
        return float(share * nitro / race_means().pace * 0.5)

    def strain_price(self, gear: int) -> float:
        """Return the price in turns of the engine dice that driving in this gear may cause (E1). The roll of every
        other car in a high gear may cause them too.
        """
        if gear < facts().strain_gear or self.in_qualifying:
            return 0.0
        black, faces = facts().black, facts().gears[gear]
        share = faces.count(facts().strain_shows[gear]) / len(faces)
        bad = (black.engine_wet if wet(self.race) else black.engine_dry) / black.faces
        fast = sum(rival["gear"] >= facts().strain_gear for rival in self.rivals.values())
        dear = 0.15 if self.rules.basic else self.wp_price("engine", self.car["wp"]["engine"])
        return float(share * bad * (1 + fast) * dear)

    def roll(self, fan: Fan, gear: int, count: int, wp: Wear) -> float:
        """Return the least cost of a roll over all paths, nitro and bonus included; that of going out (M7) without a
        path.
        """
        best = self.out_cost
        for nitro, bonus in self.extras(gear):
            more = nitro + bonus
            search = fan.search(count + more, Budget(LAP if self.in_qualifying else MOVE, wp, self.rate, more > 0))
            found = min([self.end(search.drive, on, price, gear, wp) for on, price in fan.ends(search)], default=None)
            if found is not None:
                best = min(best, self.manner.plus_turns(found, self.nitro_price(nitro)))
        return best

    @property
    def rate(self) -> int:
        """T4: the price of one space of an overshoot in this turn's movement."""
        return 1 if self.rules.basic else factor(self.race, self.car)
