"""The types of a stage's state and of its events.

All of it is plain JSON. A seat is identified by its driver's id.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Die = str
"""The number of a gear die, or coast, brake, leader (D1)."""
Kept = list[str]
"""A token on a dashboard: the side that is up, and the two-sided token "a/b" (E3)."""


class Driver(TypedDict):
    """A car with its dashboard.

    `cards` has the seconds of each card taken. `tokens` counts second tokens. `kept` are the tokens on the dashboard.
    `stage_time` is None until it is known. `given_up` has the seconds of the road that was given up (E8).
    """

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
    """A turn that is half made.

    `space`, `gear` and `damage` are those at the beginning of the turn. `made` counts the moves that have been carried
    out. `faces` has a list for each move, True for each die that shows a warning. `sisu`: the token is in use; `ready`:
    it is held ready for this turn. `rule` is the rule that led to the phase.
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
    ready: NotRequired[bool]
    phase: Literal["rolling", "lost", "relay", "spare"]
    rule: str | None


class Race(TypedDict):
    """The state of a stage. `queue` lists the drivers who still play this round. `leader` opens the road (D6).

    `mud` counts the markers on each tile by the driver who threw them. `decks` (by gear) and `bag` count what is still
    face down. `turn` is the turn that is half made. It is None between turns, although the type does not say so: every
    event of a turn comes while there is one.
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


class DirtEvent(TypedDict):
    """What every event has: its kind and its driver."""

    kind: str
    driver: str


class Round(DirtEvent):
    round: int
    order: list[str]
    leader: str | None


class TurnBegun(DirtEvent):
    plan: str
    roll: str


class Wait(DirtEvent):
    rule: str
    gear: int
    on_track: bool


class Roll(DirtEvent):
    move: int
    dice: list[Die]
    faces: list[bool]


class RollAll(DirtEvent):
    dice: list[list[Die]]
    faces: list[list[bool]]
    seconds: int


class Secure(DirtEvent):
    move: int
    dice: list[Die]
    seconds: int


class Move(DirtEvent):
    space: str
    gear: int
    plan: str


class Phase(DirtEvent):
    phase: Literal["lost", "relay", "spare"]
    rule: str | None


class Relay(DirtEvent):
    plan: str
    faces: list[list[bool]]


class Card(DirtEvent):
    gear: int
    side: Literal["front", "back"]
    back: str | None
    seconds: int


class Token(DirtEvent):
    token: str
    shows: str
    tile: int | None


class Spare(DirtEvent):
    repairs: str
    token: str
    seconds: int


class Finish(DirtEvent):
    seconds: int


class Retire(DirtEvent):
    rule: str
    seconds: NotRequired[int]


class Over(DirtEvent):
    retired: dict[str, int]
