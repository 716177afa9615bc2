"""The state of a run, as plain JSON. No function changes what it is given: lists and tables are replaced whole."""

from __future__ import annotations

from typing import Any, TypedDict

CHOOSE = "choose"
PREPARE, DRIVE, DONE, FINISHED, OUT = "prepare", "drive", "done", "finished", "out"
"""The phases of a driver. `choose`: a character is to be chosen before the first round, where drivers choose (U1);
`done`: the turn is ended; `finished`: the game is; `out`: wrecked (R5).
"""

GHOST = "ghost"
"""The ID under which the ghost asks for chance (S7)."""

PLAYER, BOOST, POPULARITY = "p", "b", "f"
"""The kinds of dice (P3). A die is written kind and value: "p3"."""


class Laid(TypedDict):
    """A card on the team board; `used` is the mark of its passive effect (A4)."""

    card: str
    covered: bool
    used: bool


class Open(TypedDict):
    """The open card (P3, N4): a team card by name with its slot, None once it has left the board (P9), and the die
    that opened it; a stage card by number. `left`: the effects that may still be done.
    """

    card: str | int
    left: list[int]
    slot: str | None
    die: str | None


class Waiting(TypedDict):
    """A risk roll that waits (R6). `opening`: it is the roll of the dice phase, with the popularity to pay (D3)."""

    hits: int
    symbols: int
    opening: bool
    pays: int


class Ordered(TypedDict):
    """A card that lies aside (B3) and the keys paid for it; None for a taken one (B5)."""

    card: str
    paid: int | None


class Driver(TypedDict):
    """One driver. Lists are sorted but `top` (the last one topmost), `aside` and `draft`."""

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
    """The ghost driver (G1). `cards`: the stage cards that bring it a pair (G2)."""

    speed: int
    popularity: int
    pairs: int
    cards: list[int]
    dice: list[Pair]
    drawn: dict[str, int]


class Table(TypedDict):
    """A run. `opened` keeps each driver as the round opened (S3). `set` is the card set, `digest` its hash."""

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
