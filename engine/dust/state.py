"""The state of a run as plain JSON. Functions do not change their arguments: they replace whole lists and dicts."""

from __future__ import annotations

from typing import Any, TypedDict

CHOOSE = "choose"
PREPARE, DRIVE, DONE, FINISHED, OUT = "prepare", "drive", "done", "finished", "out"
"""The phases of a driver. `choose`: the driver has to choose a character before the first round (U1). `done`: the turn
is over. `finished`: the game is over. `out`: the driver is wrecked (R5) or has resigned.
"""

GHOST = "ghost"
"""The ID under which the ghost draws (S7)."""

PLAYER, BOOST, POPULARITY = "p", "b", "f"
"""The kinds of dice (P3). A die is written as its kind and its value: "p3"."""


class Laid(TypedDict):
    """A card on the team board. `used` says whether its passive effect was used in this round (A4)."""

    card: str
    covered: bool
    used: bool


class Open(TypedDict):
    """The open card (P3, N4). A team card is given by its name, its slot (None after it has left the board, P9) and the
    die that opened it; a stage card by its number. `left` are the numbers of the effects that may still be done.
    """

    card: str | int
    left: list[int]
    slot: str | None
    die: str | None


class Waiting(TypedDict):
    """A pending risk roll (R6). `opening` marks the roll of the dice phase; `pays` is the popularity to pay after it
    (D4).
    """

    hits: int
    symbols: int
    opening: bool
    pays: int


class Ordered(TypedDict):
    """An ordered card (B3) and the keys paid for it; None for a card of the operation `take` (B5)."""

    card: str
    paid: int | None


class Driver(TypedDict):
    """One driver. Lists are sorted, except `top` (its last card is the topmost), `aside` and `draft`."""

    driver: str
    phase: str
    speed: int
    popularity: int
    keys: int
    traction: int
    space: str
    risk: int
    hits: int
    flipped: int
    star: bool
    hand: list[str]
    deck: list[str]
    top: list[str]
    discard: list[str]
    removed: list[str]
    board: dict[str, Laid]
    dice: list[str]
    spent: list[str]
    aside: list[Ordered]
    markers: dict[str, int]
    open: Open | None
    pending: Waiting | None
    boosts: int
    passives: dict[str, int]
    drawn: dict[str, int]
    turns: int
    resigned: bool
    draft: list[str]


class Pair(TypedDict):
    """A pair of the ghost's dice (G3)."""

    value: str
    face: str
    blocked: bool


class Ghost(TypedDict):
    """The ghost driver (G1). `cards` are the stage cards that give it a pair (G2)."""

    speed: int
    popularity: int
    pairs: int
    cards: list[int]
    dice: list[Pair]
    drawn: dict[str, int]


class Table(TypedDict):
    """A run. `opened` holds the drivers as they were when the round opened (S3). `set` is the document of the card set,
    `digest` its hash.
    """

    game: str
    version: str
    set: dict[str, Any]
    digest: str
    stage: str
    cards: int
    training: bool
    round: int
    over: bool
    holder: str | None
    piles: dict[str, int]
    pool: list[str]
    order: list[str]
    drivers: dict[str, Driver]
    opened: dict[str, Driver]
    ghost: Ghost | None
    carries: bool


def still_in(table: Table) -> list[str]:
    """Return the drivers who are not wrecked, in starting order."""
    return [name for name in table["order"] if table["drivers"][name]["phase"] != OUT]
