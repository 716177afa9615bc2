"""A card set as values: cards, stages, cockpit, dice, limits (C1). `engine.dust.cards.card_set_reading` parses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.dust.cards.effects import Effect

START, DRIVER, BASIC, ADVANCED = "start", "driver", "basic", "advanced"
TEAM = (BASIC, ADVANCED)
BLANK = "-"


@dataclass(frozen=True, slots=True)
class Card:
    """A card of the team board (C4, C5)."""

    name: str
    title: str
    set: str
    effects: tuple[Effect, ...]
    copies: int = 0
    driver: str | None = None
    number: int | None = None
    cost: int = 0
    points: int = 0

    def by_die(self) -> list[int]:
        """Return the numbers of the effects that a die opens (P4)."""
        return [number for number, effect in enumerate(self.effects, 1) if not effect.passive]

    def passive(self) -> Effect | None:
        """Return the passive effect (A4), or None."""
        return next((effect for effect in self.effects if effect.passive), None)


@dataclass(frozen=True, slots=True)
class Order:
    """An order to move (M2): `left` or `right`, and the number of spaces, which may be 0."""

    direction: str
    spaces: int


@dataclass(frozen=True, slots=True)
class StageCard:
    """A card of a stage (C5)."""

    cost: int
    effects: tuple[Effect, ...]
    move: Order | None = None
    star: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: its cards from the first to the last (U2, T1)."""

    name: str
    title: str
    cards: tuple[StageCard, ...]
    training: bool = False


@dataclass(frozen=True, slots=True)
class Space:
    """A space of the position track and what it gives in the assessment (M6)."""

    zone: str
    speed: int = 0
    popularity: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of resources, cards, markers and tokens (C1)."""

    keys: int
    traction: int
    popularity: int
    hand: int
    markers: int
    risk_dice: int
    damage_track: int
    damage_tokens: int
    copies_in_pile: int
    open_stage_cards: int
    markers_on_card: int
    markers_on_card_star: int


@dataclass(frozen=True, slots=True)
class Score:
    """The numbers for the score and the times at the end (F2, F3, F5)."""

    popularity_first: int
    popularity_second: int
    risk_die: int
    seconds_base: int
    seconds_per_point: int


@dataclass(frozen=True)
class CardSet:
    """Everything printed (C1). `digest` is the SHA-256 of its document."""

    title: str
    version: str
    digest: str
    risk_faces: tuple[str, ...]
    popularity_faces: tuple[str, ...]
    boost_supply: int
    limits: Limits
    slots: tuple[str, ...]
    centre: str
    spaces: Mapping[str, Space]
    rows: Mapping[str, tuple[str, ...]]
    shifts: Mapping[str, tuple[str, ...]]
    score: Score
    cards: Mapping[str, Card]
    pools: Mapping[str, tuple[str, ...]]
    training_deck: tuple[str, ...]
    pass_points: int
    characters: Mapping[str, str]
    stages: Mapping[str, Stage]

    @cached_property
    def popularity_values(self) -> frozenset[int]:
        """The values that the popularity die may show (D5)."""
        return frozenset(range(1, max((int(face) for face in self.popularity_faces if face != BLANK), default=0) + 1))
