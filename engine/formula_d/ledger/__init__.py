"""The ledger of a race (engine/contract/ledger.py), in turns to the flag: what decisions gave up and what dice gave.

A place is won against others, so no die of one car has a place of its own: the ledger counts turns. A car needs one
turn in each round, so the fewest turns finish first, and cars with equal turns are ranked by the order in which they
play their last round. `values` has the value of a situation, `turn_reader` the decisions and draws of one car.

The ledger begins on the grid: qualifying, the garage and the first weather come before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.contract import Event, RunLedger, State
from engine.contract.core import Measure
from engine.formula_d.fold import copied, fold
from engine.formula_d.ledger.turn_reader import TurnReader
from engine.formula_d.race import RACE, Race

VERSION = "3"
TURNS = Measure("turns_to_flag", "fewest")

_OF_ALL = ("grid", "weather")
"""The events that are read for every car. The others are read for the car that they name."""


def ledger(setup: State, events: Sequence[Event]) -> RunLedger:
    """Return the ledger of a race that is over, from its set-up and all its events, in turns.

    A car that is out has the turns to expect when it goes on with all WP after the price of going out
    (`codriver/cost_tables.py`); one that never reached the grid has none.
    """
    race: Race = dict(setup)
    readers = {seat: TurnReader(seat) for seat in race["entered"]}
    for number, event in enumerate(events):
        before, race = race, copied(race, event)
        fold(race, event)
        if race["stage"] != RACE:
            continue
        if event["kind"] in _OF_ALL:
            for reader in readers.values():
                reader.read(before, event, race, number, events)
        elif event.get("seat") in readers:
            readers[event["seat"]].read(before, event, race, number, events)
    return RunLedger({seat: reader.closed() for seat, reader in readers.items()}, measure=TURNS)
