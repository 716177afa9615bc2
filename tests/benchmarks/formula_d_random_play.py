"""Random legal races of Formula D: `python -m tests.benchmarks.formula_d_random_play [--races N] [--seed FIRST]`.

Each seed makes a race: a ready-made track or a club's own, one to ten cars, any options, cars built at random or by
their entries. Drivers do anything legal: any gear, any path space by space, brakes, nitro, tyre bonus, slipstreams,
stops. Some resign, some send orders that are refused. Every race must end. After every post no space has two cars, no
wear is below zero, and exactly the cars in the race have a turn. At the end folding the events gives the state, ranks
and points follow the rules, and every phase can be left by the ways that are offered. Prints what occurred. Exits with
1 when a race fails or something never occurred.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Event, Json, RuleError, State
from engine.formula_d import gears, turn
from engine.formula_d.choices import table_of
from engine.formula_d.facts import AREAS, TOTAL, facts
from engine.formula_d.movement.moving import search_for
from engine.formula_d.movement.path_price import LAP, MOVE, OUT, SLIP, PathPrice, price_or_broken_rule
from engine.formula_d.movement.reach import onward
from engine.formula_d.movement.walk import begin, complete
from engine.formula_d.race import FINISHED, QUALIFYING, RACING, at, teams
from engine.formula_d.table import Table
from engine.formula_d.track import names
from tests.games.formula_d.engine import pond
from tests.games.formula_d.engine.drawn import GAME, Lot, options

RACES = 1000
MOST_POSTS = 20_000
RESIGNS, REFUSED, LISTED, BRAKES, BOLD = 0.0005, 0.01, 0.05, 0.03, 0.8
"""Probabilities that a driver resigns, sends orders that are refused, takes one of the listed ways, brakes at a space,
and prefers a high gear to a low one on a straight.
"""

TRIES = 4
SHORT, FEW = 0.8, 4
"""The share of short races on the small track of a club: one lap, and so many cars at most."""
POND = {"csv": pond.track()}
EVENTS = """weather grid start stalled great gear roll step lap slide marker wear overshoot spin nitro bonus slip box
pit tyres collision engine out finish over debris qualified prepared refused M7 D3 K3 E2 R2"""
"""Everything that must occur: kinds of events, results of the start roll, rules by which cars retire."""


@dataclass(slots=True)
class Met:
    """Counts of what occurred: posts, races by track, kinds of events and other words."""

    posts: int = 0
    tracks: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)


def entrants(lot: random.Random, cars: int, chosen: dict[str, Any]) -> list[dict[str, Json]]:
    """Return the cars. Some bring a build that the garage would ask for."""
    found: list[dict[str, Json]] = [{"id": f"c{place}"} for place in range(cars)]
    for entrant in found:
        if chosen.get("build") and lot.random() < 0.5:
            entrant |= built(lot, technical=bool(chosen.get("technical_pit")))
        if chosen.get("tyres") and lot.random() < 0.5:
            entrant["tyres"] = lot.choice(facts().tyres.kinds)
    return found


def built(lot: random.Random, *, technical: bool) -> dict[str, Json]:
    """Return a car built by its driver (Y5): 1 WP in each area, the others anywhere."""
    repair = lot.randint(0, facts().repair) if technical else 0
    wp = dict.fromkeys(AREAS, 1)
    for _ in range((facts().build_with_repair if technical else facts().build) - len(wp) - repair):
        wp[lot.choice(AREAS)] += 1
    return {"build": wp, **({"repair": repair} if technical else {})}


def orders_of(state: State, seat: str, lot: random.Random) -> dict[str, Any]:
    """Return random legal orders for the car."""
    due = GAME.phase(state, seat)
    if due in (turn.MOVING, turn.SLIP, turn.OUT) and lot.random() > LISTED:
        table = table_of(state, seat)
        for _ in range(TRIES):
            found = moved(table, due, lot)
            if found is not None:
                return found
    if due == turn.GEAR and lot.random() > LISTED:
        bold = table_of(state, seat).track.corner[at(state, state["cars"][seat])] == 0 and lot.random() < BOLD
        return {"do": due, "gear": lot.choice(legal_gears(state, seat, bold=bold))}
    orders = dict(lot.choice(GAME.choices(state, seat).ways).orders)
    if "build" in orders:
        orders |= built(lot, technical=state["options"]["technical_pit"])
    return orders


def legal_gears(state: State, seat: str, *, bold: bool) -> list[int]:
    """Return the legal gears, in random order. Bold drivers prefer higher gears, others lower ones."""
    car, found = state["cars"][seat], list[int]()
    top = max(facts().gears)
    for gear in facts().gears:
        try:
            if state["stage"] == QUALIFYING:
                gears.climb(car["gear"], gear)
            else:
                gears.price(state, car, gear)
        except RuleError:
            continue
        found += [gear] * (gear**2 if bold else (1 + top - gear) ** 2)
    return found


def moved(table: Table, due: str, lot: random.Random) -> dict[str, Any] | None:
    """Return a random walk for the movement that is due, or None when it cannot end there."""
    race, turning = table.race, table.turn
    if due == turn.SLIP and lot.random() < 0.3:
        return {"do": "pass"}
    kind = {turn.OUT: OUT, turn.SLIP: SLIP}.get(due, LAP if race["stage"] == QUALIFYING else MOVE)
    words: dict[str, Any] = {}
    more, great = 0, bool(turning["great"])
    if kind == MOVE and race["options"]["nitro"] and table.car["nitro"] and not great and lot.random() < 0.4:
        words["nitro"], more = True, int(table.car["gear"])
    if kind in (MOVE, SLIP) and turning["bonus"] and not great and lot.random() < 0.5:
        words["bonus"], more = True, more + int(turning["bonus"])
    search = search_for(table, kind, more=more)
    drive, path = search.drive, list[int]()
    on = begin(drive)
    while not complete(drive, on):
        nexts = list(onward(drive, on))
        if not nexts or (kind != LAP and lot.random() < BRAKES and on.driven):
            break
        on = lot.choice(nexts)
        path.append(on.space)
    price = price_or_broken_rule(search, on, 0)
    if not isinstance(price, PathPrice) and kind == MOVE and not search.budget.basic and not on.lost:
        paid = search.prices(on)
        price = paid[-1] if paid else price
    if not isinstance(price, PathPrice) or (kind == SLIP and not path):
        return None
    tires = {"tires": price.tires} if price.tires else {}
    return {"do": due, "path": [drive.track.spaces[space] for space in path], **words, **tires}


def spoilt(orders: dict[str, Any], lot: random.Random) -> dict[str, Any]:
    """Return orders with an error, or at least something odd, in them."""
    new = dict(orders)
    what = lot.choice(["do", "gear", "path", "tires", "junk"])
    if what == "path" and isinstance(new.get("path"), list) and new["path"]:
        new["path"] = [*new["path"][: lot.randrange(len(new["path"]))], lot.choice(["S1.1.0", "", 7, None])]
    else:
        new[what] = lot.choice([None, -1, 7, "x", [], {}, True, 10**30])
    return new


def check(state: State) -> None:
    """Check what must hold after every post."""
    cars = state["cars"]
    spaces = [car["space"] for car in cars.values() if car["space"] is not None]
    assert len(spaces) == len(set(spaces)), "two cars stand on a space"
    keeps = 0 if TOTAL not in next(iter(cars.values()))["wp"] else facts().keeps
    for seat, car in cars.items():
        assert all(number >= 0 for number in car["wp"].values()), f"{seat} has {car['wp']}"
        assert car["status"] != RACING or car["wp"].get(TOTAL, keeps) >= keeps or keeps == 0, f"{seat} has no WP left"
    assert all(cars[seat]["status"] == RACING for seat in GAME.to_play(state)), "a car plays that does not race"


def check_end(setup: State, state: State, events: list[Event]) -> None:
    """Check what must hold when a race is over."""
    found = GAME.result(state)
    assert found is not None, "there is no result"
    told = setup
    for event in events:
        told = GAME.apply(told, event)
    assert json.loads(json.dumps(told)) == json.loads(json.dumps(state)), "the events give another state"
    cars = list(state["cars"].values())
    ranks = [car["rank"] for car in cars]
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks), "ranks are no places"
    assert not any(car["status"] == RACING for car in cars), "a car still races"
    behind = [car["status"] == FINISHED for car in sorted(cars, key=lambda car: car["rank"])]
    assert behind == sorted(behind, reverse=True), "a car that is out stands before one that has come home"
    qualified = qualifying_points(events)
    for seat, car in state["cars"].items():
        due = facts().race_points[car["rank"] - 1] if car["status"] == FINISHED else 0
        assert car["points"] == due + qualified.get(seat, 0), f"place {car['rank']} has {car['points']} points"
    if state["options"]["teams"]:
        assert sum(teams(state).values()) == sum(car["points"] for car in cars), "teams have other points"


def qualifying_points(events: list[Event]) -> dict[str, int]:
    """Return the points that cars bring to the grid (Q7)."""
    grid = next((event for event in events if event["kind"] == "grid"), None)
    return dict(zip(grid["order"], grid["points"], strict=True)) if grid else {}


def drive(seed: int, met: Met, *, own_track: bool = False) -> tuple[State, list[Event]]:
    """Drive one race to its end. Return its set-up and its events. `own_track`: on the small track of a club, and most
    races are short.

    Raises: AssertionError, or another error, when something is wrong.
    """
    lot, luck = random.Random(seed), Lot(seed)
    short = own_track and lot.random() < SHORT
    cars = lot.randint(1, FEW if short else 10)
    chosen = options(lot, cars) | ({"laps": 1} if short else {})
    track = "" if own_track else lot.choice([*names(), ""])
    setup = GAME.setup({"track": track} if track else POND, entrants(lot, cars, chosen), chosen)
    met.tracks[track or "own"] += 1
    state, told = GAME.begin(setup, luck)
    events = list(told)
    for _ in range(MOST_POSTS):
        waiting = GAME.to_play(state)
        if not waiting:
            break
        seat = lot.choice(waiting)
        orders = GAME.resign(state, seat) if lot.random() < RESIGNS else orders_of(state, seat, lot)
        if lot.random() < REFUSED:
            try_spoilt(state, seat, spoilt(orders, lot), met)
        state, told = GAME.play(state, seat, orders, luck)
        check(state)
        met.posts += 1
        met.words["K3"] += any(one["kind"] == "out" and one["rule"] == "K5" and one["seat"] != seat for one in told)
        events += told
    check_end(setup, state, events)
    met.words.update(
        word for event in events for word in (event["kind"], event.get("rule"), event.get("result")) if word
    )
    return setup, events


def try_spoilt(state: State, seat: str, orders: dict[str, Any], met: Met) -> None:
    """Check that refused orders change nothing. Odd orders may still be legal."""
    before = json.dumps(state)
    try:
        GAME.play(state, seat, orders, Lot(0))
    except RuleError:
        met.words["refused"] += 1
    assert json.dumps(state) == before, f"refused orders {orders} have changed something"


def never_met(met: Met) -> list[str]:
    """Return the events, the rules of retirement and the tracks that occurred in no race."""
    return sorted(set(EVENTS.split()) - set(+met.words)) + sorted({*names(), "own"} - set(met.tracks))


def main() -> int:
    """Drive the requested races. Returns the exit code: 1 when one of them fails."""
    parser = argparse.ArgumentParser(description="Random legal races of Formula D, each to its end.")
    parser.add_argument("--races", type=int, default=RACES)
    parser.add_argument("--seed", type=int, default=0, help="of the first race")
    asked = parser.parse_args()
    began, met, ended = time.process_time(), Met(), 0
    for seed in range(asked.seed, asked.seed + asked.races):
        try:
            drive(seed, met)
            ended += 1
        except Exception as error:
            print(f"seed {seed}: {error!r}", flush=True)
        if (seed - asked.seed) % 500 == 499:
            spent = time.process_time() - began
            print(f"{seed - asked.seed + 1} races, {ended} ended, {met.posts} posts, {spent:.0f} s", flush=True)
    print(f"{ended} of {asked.races} races ended, {met.posts} posts in {time.process_time() - began:.0f} s")
    print("tracks: " + ", ".join(f"{name} {count}" for name, count in sorted(met.tracks.items())))
    print("met: " + ", ".join(f"{name} {count}" for name, count in sorted(met.words.items())))
    if missing := never_met(met):
        print("never met: " + ", ".join(missing))
    return 1 if ended < asked.races or missing else 0


if __name__ == "__main__":
    sys.exit(main())
