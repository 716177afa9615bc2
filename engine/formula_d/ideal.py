"""The ideal drive of a race: one car alone on a dry track, from the first place of the grid. The neutral driver of the
ledger drives it, and every die shows the face in its middle. So it is the way that the values expect.
"""

from __future__ import annotations

from engine.contract import State
from engine.formula_d import phases, start
from engine.formula_d.codriver.decisions import orders_of
from engine.formula_d.codriver.manner import neutral_manner
from engine.formula_d.facts import facts
from engine.formula_d.race import next_to_play
from engine.formula_d.setup import setup
from engine.formula_d.table import Table

MOST_ORDERS = 2_000
"""A race of one car that takes more orders than this is an error."""
OF_A_FIELD = ("qualifying", "weather", "teams", "build")
"""Options that a car alone in the sun does not need."""


class MiddleDice:
    """Dice that show the face in the middle; of two in the middle the higher one."""

    def black(self, what: str) -> int:
        """Return the middle of the d20."""
        return facts().black.faces // 2 + 1

    def gear(self, what: str, gear: int) -> int:
        """Return the middle of a gear die."""
        faces = sorted(facts().gears[gear])
        return faces[len(faces) // 2]


def ideal_drive(race: State) -> tuple[str, ...]:
    """Return the spaces of the ideal drive in order, from the grid. `race`: any state of the race."""
    seat = race["entered"][0]
    options = {name: value for name, value in race["options"].items() if name not in OF_A_FIELD}
    table = Table(setup(race["track"], [{"id": seat}], options, grid="entry", asks=False), seat, MiddleDice())
    start.begin(table)
    for _order in range(MOST_ORDERS):
        if next_to_play(table.race) is None:
            return _spaces(table, seat)
        orders = orders_of(table.race, seat, neutral_manner())
        phases.step(table, orders.get("do"), orders)
    raise AssertionError("the ideal drive does not end")


def _spaces(table: Table, seat: str) -> tuple[str, ...]:
    grid = next(event["order"] for event in table.events if event["kind"] == "grid")
    assert grid == [seat]
    first = table.track.spaces[table.track.grid[0]]
    return (first, *(event["space"] for event in table.events if event["kind"] == "step"))
