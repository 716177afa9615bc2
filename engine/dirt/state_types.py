"""The shapes of a stage's state and of its events.

All of it is JSON-plain. Seats are drivers by their id.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Die = str
"""A gear's number, or coast, brake, leader (D1)."""
Kept = list[str]
"""A token on a dashboard: the side that counts, and the token "a/b" (E3)."""


class Driver(TypedDict):
    """A car with its dashboard. `cards` are seconds by turn; `tokens` second tokens; `stage_time` once it is known."""

    space: str
    gear: int
    on_track: bool
    started: bool
    turns: int
    cards: list[int]
    tokens: int
    kept: list[Kept]
    spare: bool
    sisu: bool
    finished: bool
    retired: bool
    stage_time: int | None
    given_up: NotRequired[int]


class HalfTurn(TypedDict):
    """A turn that is half made. `space`, `gear` and `damage` are those at its beginning. `made` counts moves that are
    carried out; `faces` are True where a die warns, by move; `rule` says why a phase has come.
    """

    driver: str
    plan: str
    roll: str
    space: str
    gear: int
    damage: dict[str, int]
    made: int
    warnings: int
    secured: int
    faces: list[list[bool]]
    sisu: bool
    phase: Literal["rolling", "lost", "relay", "spare"]
    rule: str | None


class Race(TypedDict):
    """The state of a stage. `queue` are those still to play this round, `leader` who opens the road (D6).

    `mud` counts by tile who threw it; `decks` by gear and `bag` count what is still face down. `turn` is the one that
    is half made; None between turns, of which no event of a turn tells.
    """

    game: str
    version: str
    stage: dict[str, Any]
    options: dict[str, Any]
    starters: list[str]
    round: int
    queue: list[str]
    leader: str | None
    drivers: dict[str, Driver]
    mud: dict[str, dict[str, int]]
    decks: dict[str, dict[str, int]]
    bag: dict[str, int]
    turn: HalfTurn
    over: bool


class Told(TypedDict):
    """What every event has: its kind, and whose it is."""

    kind: str
    driver: str


class Round(Told):
    round: int
    order: list[str]
    leader: str | None


class TurnBegun(Told):
    plan: str
    roll: str


class Wait(Told):
    rule: str
    gear: int
    on_track: bool


class Roll(Told):
    move: int
    dice: list[Die]
    faces: list[bool]


class RollAll(Told):
    dice: list[list[Die]]
    faces: list[list[bool]]
    seconds: int


class Secure(Told):
    move: int
    dice: list[Die]
    seconds: int


class Move(Told):
    space: str
    gear: int
    plan: str


class Phase(Told):
    phase: Literal["lost", "relay", "spare"]
    rule: str | None


class Relay(Told):
    plan: str
    faces: list[list[bool]]


class Card(Told):
    gear: int
    side: Literal["front", "back"]
    back: str | None
    seconds: int


class Token(Told):
    token: str
    shows: str
    tile: int | None


class Spare(Told):
    repairs: str
    token: str
    seconds: int


class Finish(Told):
    seconds: int


class Retire(Told):
    rule: str
    seconds: NotRequired[int]


class Over(Told):
    retired: dict[str, int]
