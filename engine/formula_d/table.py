"""The table at which a turn is played: a private copy of the race, the dice, and the events so far.

Dice that are drawn from the chance use the names of A3.
"""

from __future__ import annotations

from typing import Any, Protocol

from engine.contract import Chance, Event
from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.fold import copied, fold
from engine.formula_d.race import RACING, Car, Race, at, basic, position, track_of
from engine.formula_d.track import Track


class Dice(Protocol):
    """All sources of randomness in a race. `what` names the purpose of a roll."""

    def black(self, what: str) -> int:
        """Roll the d20 and return its result, 1 to 20."""

    def gear(self, what: str, gear: int) -> int:
        """Roll a gear die and return the number of spaces it shows (G1)."""


class Drawn:
    """Dice that are drawn from the chance of a run. Each draw is a number below the number of faces."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def black(self, what: str) -> int:
        """Roll the d20."""
        return self._chance.number(what, facts().black.faces) + 1

    def gear(self, what: str, gear: int) -> int:
        """Roll a gear die."""
        faces = facts().gears[gear]
        return faces[self._chance.number(what, len(faces))]


class Table:
    """Events change `race`, a copy of the given race, and are collected in `events`. The given race does not change."""

    def __init__(self, race: Race, seat: str, dice: Dice) -> None:
        self.race = copied(race)
        self.seat = seat
        self.dice = dice
        self.events: list[Event] = []

    def add_event(self, kind: str, seat: str | None = None, **words: Any) -> None:
        """Fold an event and record it. Without a seat it is about the car whose turn it is."""
        event: Event = {"kind": kind, "seat": seat or self.seat, **words}
        fold(self.race, event)
        self.events.append(event)

    def add_race_event(self, kind: str, **words: Any) -> None:
        """Fold and record an event that is not about a single car."""
        event: Event = {"kind": kind, **words}
        fold(self.race, event)
        self.events.append(event)

    @property
    def car(self) -> Car:
        """The car whose turn it is."""
        car: Car = self.race["cars"][self.seat]
        return car

    @property
    def turn(self) -> dict[str, Any]:
        """The current turn."""
        turn: dict[str, Any] = self.race["turn"]
        return turn

    @property
    def track(self) -> Track:
        """The compiled track."""
        return track_of(self.race)

    @property
    def basic(self) -> bool:
        """Whether the basic game is played."""
        return basic(self.race)

    @property
    def space(self) -> int:
        """The index of the space of the car whose turn it is."""
        return at(self.race, self.car)

    @property
    def is_racing(self) -> bool:
        """Whether the car whose turn it is still races."""
        return bool(self.car["status"] == RACING)

    def black(self, what: str, seat: str | None = None) -> int:
        """Roll the d20 for a car, by default the one whose turn it is."""
        return self.dice.black(f"{seat or self.seat} {self.race['round']} {what}")

    def phase(self, name: str) -> None:
        """Go on to the next step of the turn."""
        self.add_event("phase", phase=name)

    def lose(self, area: str, number: int, why: str, seat: str | None = None) -> bool:
        """Take WP from an area, in the basic game from the one pool (A4). Return whether none is left."""
        area = TOTAL if self.basic else area
        wp = self.race["cars"][seat or self.seat]["wp"]
        self.add_event("wear", seat, area=area, number=min(number, wp[area]), why=why)
        return bool(wp[area] == 0)

    def takes_markers(self, space: int) -> bool:
        """Return whether a marker can be on a space (D1, P3). There are none in the basic game (X5) or in the pits."""
        return not self.basic and not self.track.in_the_pits(space)

    def debris(self, seat: str | None = None) -> None:
        """Lay a marker on the space of a car (D1)."""
        car = self.race["cars"][seat or self.seat]
        if self.takes_markers(at(self.race, car)) and car["space"] not in self.race["markers"]:
            self.add_race_event("debris", space=car["space"])

    def out(
        self, rule: str, why: str, *, stays: bool, seat: str | None = None, distance: list[int] | None = None
    ) -> None:
        """Put a car out of the race (X1 to X4). Its distance is its current position unless one is given."""
        car = self.race["cars"][seat or self.seat]
        self.add_event("out", seat, rule=rule, why=why, stays=stays, distance=distance or position(self.race, car))
