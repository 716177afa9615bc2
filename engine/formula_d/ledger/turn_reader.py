"""Reads the events of one car and keeps its books, in turns.

Within a turn the values are those of the codriver's search (`codriver/turn_costs.py`) with the other cars where they
are. Between turns they are those of the tables, which know no other car. The difference is in the account `traffic`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.contract import Event, Json
from engine.contract.ledger import SeatLedger
from engine.formula_d import turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import GearRolls, ends_of, gear_rolls
from engine.formula_d.codriver.manner import neutral_manner
from engine.formula_d.codriver.pitwall import box_costs
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.facts import facts
from engine.formula_d.ledger.movement_read import MOVEMENT, compared, movement_from
from engine.formula_d.ledger.values import (
    after,
    grid_values,
    hit_values,
    mean,
    risk_ahead,
    turns_left,
    turns_left_after_out,
    weather_values,
)
from engine.formula_d.race import Race, wet
from engine.ledger import HUNDREDTHS, Books

HIT = ("collision", "engine")
"""The reasons of wear that the dice of other cars can cause."""


class TurnReader:
    """The books of one car. `driven` are its turns so far. `mine` says that its turn is under way; then `begun` is the
    race before its gear, `base` what the search adds to the cost of an end, `best` the least cost of an end after the
    roll, `due` the decision that comes next.
    """

    def __init__(self, seat: str) -> None:
        self.seat = seat
        self.books: Books | None = None
        self.driven = 0
        self.mine = self.over = False
        self.begun: Race = {}
        self.rolls: Mapping[int, GearRolls] = {}
        self.base = self.risk = 0.0
        self.best: float | None = None
        self.due = ""

    def closed(self) -> SeatLedger:
        """Return the ledger of the car; an empty one when it never stood on the grid."""
        if self.books is None:
            return SeatLedger(self.seat, 0, (), 0)
        return self.books.closed(self._value)

    def read(self, before: Race, event: Event, now: Race, number: int, events: Sequence[Event]) -> None:
        """Book what an event of this car, or of all cars, has changed. It is the event of this number."""
        if self.over or (self.books is None and event["kind"] != "grid"):
            return
        self.number, self.events = number, events
        if self.books is not None:
            self.books.at(before["cars"][self.seat]["turns"] + 1, number)
        if self.due:
            self._decided(before, event)
        handler = self._HANDLERS.get(event["kind"])
        if handler is not None:
            handler(self, before, event, now)

    @property
    def _book(self) -> Books:
        assert self.books is not None
        return self.books

    @property
    def _value(self) -> float:
        return self._book.value / HUNDREDTHS

    @property
    def _turns(self) -> int:
        return self.driven + self.mine

    def _costs(self, race: Race) -> TurnCosts:
        return TurnCosts(table_of(race, self.seat), neutral_manner())

    # Before the turn -----------------------------------------------------------------------------

    def _grid(self, before: Race, event: Event, now: Race) -> None:
        """Y3: the place on the grid is drawn. After qualifying it is driven for, before the ledger begins."""
        order = event["order"]
        if self.seat not in order:
            return
        values, place = grid_values(now, self.seat, order), order.index(self.seat)
        drawn = before["grid"] == "roll" and not before["options"]["qualifying"]
        start = sum(values) / len(values) if drawn else values[place]
        self.books = Books(self.seat, start, better="fewest")
        self.books.at(before["cars"][self.seat]["turns"] + 1, self.number)
        if drawn and len(order) > 1:
            self.books.draw(start, values[place], "grid", {"place": place + 1, "of": len(order)})

    def _weather(self, before: Race, event: Event, now: Race) -> None:
        """W4: a weather die. The values expect the weather to stay."""
        faces, left = weather_values(before, self.seat)
        if faces:
            values = {state: self.driven + turns for state, turns in left.items()}
            told: dict[str, Json] = {"weather": event["state"], "faces": dict(faces)}
            self._book.draw(mean(faces, values), values[event["state"]], "weather", told)

    def _turn(self, before: Race, event: Event, now: Race) -> None:
        self.mine, self.begun, self.due, self.best = True, now, "", None
        self.base = self.driven + 1.0

    def _start(self, before: Race, event: Event, now: Race) -> None:
        """Y4: the start die: a stall costs the turn, a great start needs no gear die."""
        black = facts().black
        great = black.great_basic if before["options"]["rules"] == "basic" else black.great_advanced
        faces = {"stalled": black.stall, "great": black.faces + 1 - great}
        faces["normal"] = black.faces - sum(faces.values())
        results = {
            result: after(
                before, {**event, "result": result, "spaces": facts().great_spaces if result == "great" else 0}
            )
            for result in faces
        }
        values = {
            "stalled": self._turns + turns_left(results["stalled"], self.seat),
            "great": self._great(results["great"]),
            "normal": min(_mean_cost(rolls) for rolls in gear_rolls(self._costs(results["normal"])).values())
            + self.driven
            + risk_ahead(self._costs(before)),
        }
        self._book.draw(mean(faces, values), values[event["result"]], "start", {"result": event["result"]})
        self.begun = now

    def _great(self, race: Race) -> float:
        """Return the value of a great start: so many spaces in 1st gear."""
        costs = self._costs(after(race, {"kind": "gear", "seat": self.seat, "gear": 1}))
        least = min((end.cost for end in ends_of(costs, turn.MOVING)), default=costs.out_cost)
        return self._turns + risk_ahead(costs) + least

    # Gear and roll -------------------------------------------------------------------------------

    def _gear(self, before: Race, event: Event, now: Race) -> None:
        """G1 to G5: the gear, against the gear with the fewest turns in the mean."""
        costs = self._costs(self.begun)
        self.risk = risk_ahead(costs)
        self.base = self.driven + 1.0 + self.risk
        if before["turn"]["great"]:
            return
        self.rolls = gear_rolls(costs)
        values = {gear: self.driven + self.risk + _mean_cost(rolls) for gear, rolls in self.rolls.items()}
        best, chosen = min(values, key=lambda gear: (values[gear], gear)), event["gear"]
        if len(values) > 1:
            each: dict[str, Json] = {str(gear): round(value * HUNDREDTHS) for gear, value in values.items()}
            told: dict[str, Json] = {"chosen": str(chosen), "best": str(best), "gears": each}
            self._book.decision(values[best], values[chosen], "gear", told)

    def _roll(self, before: Race, event: Event, now: Race) -> None:
        """G1: the gear die. Each face counts with its best path, and with the engine dice that it brings (E1)."""
        gear, face = event["gear"], event["spaces"]
        rolls, faces = self.rolls[gear], facts().gears[gear]
        bad = faces.count(facts().strain_shows.get(gear))
        strain = rolls.strain * len(faces) / bad if event["strain"] else 0.0
        self.base = self.driven + self.risk + rolls.turns + strain
        expected = self.driven + self.risk + _mean_cost(rolls)
        told: dict[str, Json] = {"gear": gear, "spaces": face, "faces": [faces.count(face), len(faces)]}
        self.best = rolls.rolled[face]
        self._book.draw(expected, self.base + self.best, "roll", told)

    # Movements -----------------------------------------------------------------------------------

    def _phase(self, before: Race, event: Event, now: Race) -> None:
        self.due = event["phase"] if event["phase"] in (turn.MOVING, turn.SLIP, turn.OUT, turn.PIT) else ""

    def _decided(self, before: Race, event: Event) -> None:
        """Book the decision that was due, when this event shows it."""
        due, kind = self.due, event["kind"]
        if kind == "out" and event["rule"] == "R2":
            self.due = ""
        elif due == turn.PIT:
            if kind in ("repair", "tyres"):
                self.due = ""
                self._box(before)
        elif kind in MOVEMENT:
            self.due = ""
            self._compare(before, due, left=False)
        else:
            self.due = ""
            if due == turn.SLIP:
                self._compare(before, due, left=True)

    def _compare(self, before: Race, due: str, *, left: bool) -> None:
        driven = None if left else movement_from(self.events, self.number, self.seat)
        found = compared(before, self.seat, due, driven, self.best if due == turn.MOVING else None)
        if found is not None:
            self._book.decision(self.base + found.best, self.base + found.chosen, due, found.facts)

    def _marker(self, before: Race, event: Event, now: Race) -> None:
        """D2, D3: the die of a marker on the way. The end that was chosen counts what its markers cost in the mean."""
        black = facts().black
        share = (black.marker_wet if wet(before) else black.marker_dry) / black.faces
        costs = self._costs(before)
        left = before["cars"][self.seat]["wp"]["road"]
        cost = costs.wp_price("road", left)
        kept = self._value - share * cost
        lost = kept + cost if left > 1 else self._turns + turns_left_after_out(before, self.seat)
        expected = share * lost + (1.0 - share) * kept
        self._book.draw(expected, lost if event["lost"] else kept, "marker", {"space": event["space"]})

    # The box -------------------------------------------------------------------------------------

    def _box(self, before: Race) -> None:
        """T6, P10: the tyres and the repairs, against the best ones."""
        chosen: dict[str, Json] = {}
        repairs: dict[str, Json] = {}
        for event in self.events[self.number :]:
            if event.get("seat") != self.seat:
                continue
            if event["kind"] == "tyres" and before["options"]["tyres"]:
                chosen["tyres"] = event["tyres"]
            elif event["kind"] == "repair" and event["points"]:
                repairs[event["area"]] = event["number"]
            elif event["kind"] == "pit":
                if event["result"] == "technical":
                    chosen["technical"] = repairs
                break
        ways = box_costs(table_of(before, self.seat), neutral_manner())
        cost = next((cost for cost, way in ways if way == chosen), None)
        best, way = min(ways, key=lambda way: way[0])
        if cost is not None and len(ways) > 1:
            base = self.base - self.risk
            told: dict[str, Json] = {"chosen": _boxed(chosen), "best": _boxed(way)}
            self._book.decision(base + best, base + cost, "pit", told)

    def _pit(self, before: Race, event: Event, now: Race) -> None:
        """P7: the pit die: out of the box at once, or in the next turn."""
        base = self.base - self.risk
        self.risk = risk_ahead(self._costs(before))
        self.base = base + self.risk
        if event["die"] is None:
            return
        slow = self._turns + turns_left(before, self.seat)
        values, spaces = {0: slow}, {0: 0}
        for die in range(1, facts().black.faces + 1):
            count = -(-die // facts().pit_divisor) if die <= facts().pit_fast else 0
            spaces[count] = spaces.get(count, 0) + 1
            if count not in values:
                values[count] = self.base + self._way_out(before, count)
        count = event["spaces"] if event["result"] == "fast" else 0
        self._book.draw(mean(spaces, values), values[count], "pit", {"spaces": count})

    def _way_out(self, race: Race, count: int) -> float:
        """Return the cost of the best way out of the box after a fast stop."""
        fast = {"kind": "pit", "seat": self.seat, "result": "fast", "spaces": count, "gear": facts().pit_gear}
        out = after(race, fast, {"kind": "phase", "seat": self.seat, "phase": turn.OUT})
        costs = self._costs(out)
        return min((end.cost for end in ends_of(costs, turn.OUT)), default=costs.out_cost)

    # Dice against others, and the end ------------------------------------------------------------

    def _hit(self, before: Race, event: Event, now: Race) -> None:
        """K2, E1: a collision die or an engine die of this car."""
        kind = event["kind"]
        share, hit, free = hit_values(before, self.seat, kind)
        bad = event["die"] <= round(share * facts().black.faces)
        expected = share * hit + (1.0 - share) * free
        self._book.draw(self._turns + expected, self._turns + (hit if bad else free), kind, {"die": event["die"]})

    def _wear(self, before: Race, event: Event, now: Race) -> None:
        """K3: a hit without a die."""
        if event["why"] in HIT:
            self._book.other(self._turns + turns_left(now, self.seat), event["why"])

    def _out(self, before: Race, event: Event, now: Race) -> None:
        """X1 to X4; R2: giving up is a decision."""
        gone = self._turns + turns_left_after_out(before, self.seat)
        if event["rule"] == "R2":
            self._book.decision(self._value, gone, "retire")
        self._book.other(gone, "out")
        self.over = True

    def _finish(self, before: Race, event: Event, now: Race) -> None:
        self._book.other(float(self._turns), "finish")
        self.over = True

    def _done(self, before: Race, event: Event, now: Race) -> None:
        """The turn is over, and the tables know nothing of what the search saw of others."""
        self.driven += 1
        self.mine, self.due = False, ""
        self._book.other(self.driven + turns_left(now, self.seat), "values")

    _HANDLERS: Mapping[str, Callable[[TurnReader, Race, Event, Race], None]] = {
        "grid": _grid,
        "weather": _weather,
        "turn": _turn,
        "start": _start,
        "gear": _gear,
        "roll": _roll,
        "phase": _phase,
        "marker": _marker,
        "pit": _pit,
        "collision": _hit,
        "engine": _hit,
        "wear": _wear,
        "out": _out,
        "finish": _finish,
        "done": _done,
    }


def _mean_cost(rolls: GearRolls) -> float:
    """Return the turns of a gear before its die is rolled, from the beginning of the turn."""
    faces = facts().gears[rolls.gear]
    return rolls.turns + rolls.strain + sum(rolls.rolled[face] for face in faces) / len(faces)


def _boxed(way: Mapping[str, Json]) -> str:
    """Return a stop in the box as a short text."""
    tyres, technical = way.get("tyres"), way.get("technical")
    parts = [str(tyres)] if tyres else []
    if isinstance(technical, Mapping):
        parts += [f"{area} {number}" for area, number in technical.items()] or ["technical"]
    return ", ".join(parts) or "-"
