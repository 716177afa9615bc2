"""Codrivers against each other: races of ten cars, three of each manner and one that takes the highest safe gear."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from engine.chance import SeededChance
from engine.contract import Event, Json, State
from engine.formula_d import turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import orders
from engine.formula_d.codriver.manner import CLUB, manner
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.facts import facts
from engine.formula_d.movement.path_price import MOVE, Budget
from engine.formula_d.race import FINISHED

FLAT_OUT = "flat_out"
"""The tenth driver: the highest gear that cannot overshoot, the rest as a club driver."""

COLLISION = "collision"

MANNERS = ("cautious", CLUB, "bold")
"""The manners that race, three cars of each."""


@dataclass
class Tally:
    """The results of the drivers of one manner."""

    races: int = 0
    won: int = 0
    places: int = 0
    out: int = 0
    collided: int = 0
    why: dict[str, int] = field(default_factory=dict)

    def add(self, car: Mapping[str, Any]) -> None:
        """Count a car of a race that is over."""
        self.races += 1
        self.won += car["rank"] == 1
        self.places += car["rank"]
        if car["status"] != FINISHED:
            self.out += 1
            self.collided += car["why"] == COLLISION
            self.why[car["why"]] = self.why.get(car["why"], 0) + 1

    def shares(self) -> dict[str, Json]:
        """Return the shares. `collisions` are the cars that went out by a collision, which no manner can avoid."""
        races = max(1, self.races)
        return {
            "races": self.races,
            "won": round(self.won / races, 3),
            "mean_place": round(self.places / races, 2),
            "out": round(self.out / races, 3),
            "collisions": round(self.collided / races, 3),
            "out_beyond_collisions": round((self.out - self.collided) / races, 3),
            "why": self.why,
        }


Step = Callable[[State, str, str], dict[str, Json]]
"""A function that returns the next orders, given a race, a car and the name of a manner."""


def next_orders(race: State, seat: str, name: str) -> dict[str, Json]:
    """Return the next orders of a car by a manner or by FLAT_OUT."""
    return flat_out(race, seat) if name == FLAT_OUT else orders(race, seat, name)


def flat_out(race: State, seat: str) -> dict[str, Json]:
    """Return the orders of FLAT_OUT: the highest gear with a path without overshoot for every face, else the lowest
    gear.
    """
    given = orders(race, seat, CLUB)
    if given["do"] != turn.GEAR:
        return given
    costs = TurnCosts(table_of(race, seat), manner(CLUB))
    paid = {gear: found for gear in facts().gears if (found := costs.wp_after_gear(gear))}
    fan = costs.fan(paid)
    for gear in sorted(paid, reverse=True):
        budget = Budget(MOVE, paid[gear][0], costs.rate)
        if all(
            any(not price.overshoot for _, price in fan.ends(fan.search(face, budget)))
            for face in set(facts().gears[gear])
        ):
            return {"do": turn.GEAR, "gear": gear}
    return {"do": turn.GEAR, "gear": min(paid)}


def drivers(number: int) -> dict[str, str]:
    """Return ten cars with their manners. The order of entry differs from race to race of a contest."""
    names = [*(name for name in MANNERS for _ in range(3)), FLAT_OUT]
    lots = sorted(range(len(names)), key=lambda place: sha256(f"{number} {place}".encode()).digest())
    return {f"car {place}": names[lot] for place, lot in enumerate(lots, 1)}


def drive_race(
    track: str, cars: Mapping[str, str], words: str, *, options: Mapping[str, Json], step: Step = next_orders
) -> tuple[State, State, list[Event]]:
    """Return the set-up, the final state and the events of a race. `words` are the seed of its dice."""
    from engine.formula_d.game import game

    rules = game()
    setup = rules.setup({"track": track}, [{"id": seat} for seat in cars], rules.clean_options(options))
    chance = SeededChance(sha256(words.encode()).digest())
    state, told = rules.begin(setup, chance)
    events = list(told)
    while waiting := rules.to_play(state):
        seat = waiting[0]
        state, told = rules.play(state, seat, step(state, seat, cars[seat]), chance)
        events += told
    return setup, state, events


def contest(track: str, races: int, *, first: int = 0, options: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """Return the results of the manners on a track: shares of wins, mean places, shares of cars out, reasons."""
    tallies = {name: Tally() for name in (*MANNERS, FLAT_OUT)}
    for number in range(first, first + races):
        cars = drivers(number)
        _, state, _ = drive_race(track, cars, f"contest {track} {number}", options=options or {})
        for seat, car in state["cars"].items():
            tallies[cars[seat]].add(car)
    return {"track": track, "races": races, **{name: tally.shares() for name, tally in tallies.items()}}
