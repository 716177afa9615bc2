"""The set-up (U1 to U5, T1, T2, O1 to O4) and its refusals (O6), and what a car brings to it from the stage before.

The luggage of a car is its character, and its flipped tokens if damage carries (F6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from engine.contract import GameError, Json, Luggage
from engine.dust import characters
from engine.dust.cards.card_set import BASIC, TEAM, CardSet, Stage
from engine.dust.cards.pools import TRAINING
from engine.dust.closing import open_round
from engine.dust.facts import facts
from engine.dust.state import CHOOSE, GHOST, PREPARE, Driver, Ghost, Table

CHARACTER, FLIPPED = "character", "flipped"
"""The keys of the luggage."""


class SetupRefused(GameError):
    """Raised for a set-up that breaks a rule (O6). Its text begins with the rule."""

    def __init__(self, rule: str, message: str, **values: Any) -> None:
        self.rule = rule
        super().__init__(message, **values)

    def words(self, translate: Callable[[str], str]) -> str:
        """Return the message in another language. `translate` returns the template in that language."""
        return f"{self.rule}: {super().words(translate)}"


@dataclass(frozen=True, slots=True)
class Entrant:
    """One driver before the start. `flipped` is the number of flipped damage tokens in the luggage (F6)."""

    id: str
    character: str | None = None
    flipped: int = 0


@dataclass(frozen=True, slots=True)
class SetupOptions:
    """The options O1 to O5; None for one that is not set. `carries`: flipped tokens stay until service (F6).
    `choosing`: drivers without a character choose one before the first round (U1).
    """

    pool: str | Sequence[str] | None = None
    cards: int | None = None
    damaged: int = 0
    ghost: str | None = None
    carries: bool = False
    choosing: bool = False


def lay_out(
    cards: CardSet, document: Mapping[str, Any], stage: str, entrants: Sequence[Entrant], options: SetupOptions
) -> Table:
    """Return a run after the set-up, before its first round opens. `stage` is the name of a stage in the set.

    Raises: SetupRefused when the set-up breaks U1, U5, S7 or O1 to O4.
    """
    chosen = cards.stages[stage]
    count = _count(chosen, options)
    pool = _pool(cards, chosen, options)
    chosen_by = _characters(cards, entrants, choosing=options.choosing)
    damaged = _damaged(options)
    flipped = [max(damaged, min(one.flipped, cards.limits.damage_tokens)) for one in entrants]
    drivers = {
        one.id: _driver(cards, chosen, character, tokens)
        for one, character, tokens in zip(entrants, chosen_by, flipped, strict=True)
    }
    return {
        "game": facts().name,
        "version": facts().version,
        "set": dict(document),
        "digest": cards.digest,
        "stage": stage,
        "cards": count,
        "training": chosen.training,
        "round": 1,
        "over": False,
        "holder": None,
        "piles": dict.fromkeys(pool, cards.limits.copies_in_pile),
        "pool": list(pool),
        "order": [one.id for one in entrants],
        "drivers": drivers,
        "opened": drivers,
        "ghost": _ghost(chosen, entrants, options),
        "carries": options.carries,
    }


def with_open_round(table: Table) -> Table:
    """Return the run with its first round open."""
    return open_round(table)


def refuse(rule: str, message: str, **values: Any) -> NoReturn:
    """Refuse a set-up.

    Raises: SetupRefused always.
    """
    raise SetupRefused(rule, message, **values)


def _characters(cards: CardSet, entrants: Sequence[Entrant], *, choosing: bool) -> list[str]:
    """Return the character of each driver. In starting order, a driver without a choice gets the first character that
    is left (U1). With `choosing`, such a driver gets "" and chooses later.
    """
    known = facts()
    ids = [one.id for one in entrants]
    if not known.seats_least <= len(ids) <= known.seats_most:
        refuse("U1", "%(least)d to %(number)d drivers", least=known.seats_least, number=known.seats_most)
    if len(set(ids)) < len(ids) or not all(ids):
        refuse("U1", "each driver needs a different ID")
    if GHOST in ids:
        refuse("S7", "no driver may have the ID %(id)s", id=GHOST)
    chosen = [one.character for one in entrants if one.character is not None]
    if any(one not in cards.characters for one in chosen):
        refuse("U1", "there is no such character")
    if len(set(chosen)) < len(chosen):
        refuse("U1", "each driver needs a different character")
    left = [one for one in cards.characters if one not in chosen]
    if len(left) < len(ids) - len(chosen):
        refuse("U1", "there are more drivers than characters")
    if choosing:
        return [one.character or "" for one in entrants]
    return [one.character if one.character is not None else left.pop(0) for one in entrants]


def _count(stage: Stage, options: SetupOptions) -> int:
    """Return the number of stage cards to drive (U2, O2, T1)."""
    if options.cards is None:
        return len(stage.cards)
    if stage.training:
        refuse("O2", "the training stage is not shortened")
    if type(options.cards) is not int or options.cards not in (facts().stage_cards, facts().short_cards):
        refuse(
            "O2", "a stage has %(most)d cards, a short one %(few)d", most=facts().stage_cards, few=facts().short_cards
        )
    return min(options.cards, len(stage.cards))


def _pool(cards: CardSet, stage: Stage, options: SetupOptions) -> Sequence[str]:
    """Return the names of the piles (U5, O1, T2)."""
    if stage.training:
        if options.pool is not None:
            refuse("O1", "the training stage has its own piles")
        return cards.pools.get(TRAINING, ())
    if options.pool is None or isinstance(options.pool, str):
        name = BASIC if options.pool is None else options.pool
        if name not in TEAM or name not in cards.pools:
            refuse("O1", "there is no pool %(name).40r", name=name)
        return cards.pools[name]
    names = list(options.pool)
    known = [cards.cards.get(name) if isinstance(name, str) else None for name in names]
    numbers = [card.number for card in known if card is not None and card.set in TEAM and card.number is not None]
    if len(numbers) != len(names) or sorted(numbers) != list(range(1, facts().piles + 1)):
        refuse("O1", "a pool is %(most)d team cards with the numbers 1 to %(most)d, each once", most=facts().piles)
    return names


def _damaged(options: SetupOptions) -> int:
    if type(options.damaged) is not int or not 0 <= options.damaged <= facts().most_damaged:
        refuse("O3", "0 to %(most)d damage tokens are flipped at the start", most=facts().most_damaged)
    return options.damaged


def _ghost(stage: Stage, entrants: Sequence[Entrant], options: SetupOptions) -> Ghost | None:
    """Return the ghost at its level, or None (G2, O4)."""
    if options.ghost is None:
        return None
    if not isinstance(options.ghost, str) or options.ghost not in facts().levels:
        refuse("O4", "the ghost drives at one of: %(known)s", known=", ".join(facts().levels))
    if stage.training:
        refuse("O4", "there is no ghost on the training stage")
    if len(entrants) != 1:
        refuse("O4", "one driver drives against the ghost")
    level = facts().levels[options.ghost]
    return {
        "speed": 0,
        "popularity": 0,
        "pairs": level.pairs,
        "cards": list(level.cards),
        "dice": [],
        "drawn": {},
    }


def _driver(cards: CardSet, stage: Stage, character: str, flipped: int) -> Driver:
    """Return one driver at the start (U3, U4, T2). A driver without a character still has to choose one (U1)."""
    return {
        "driver": character,
        "phase": PREPARE if character else CHOOSE,
        "speed": 0,
        "popularity": 0,
        "keys": 0,
        "traction": 0,
        "space": cards.centre,
        "risk": 0,
        "hits": 0,
        "flipped": flipped,
        "star": False,
        "hand": [],
        "deck": characters.deck(cards, character, training=stage.training) if character else [],
        "top": [],
        "discard": [],
        "removed": [],
        "board": {},
        "dice": [],
        "spent": [],
        "aside": [],
        "markers": {},
        "open": None,
        "pending": None,
        "boosts": 0,
        "passives": {},
        "drawn": {},
        "turns": 0,
        "resigned": False,
        "draft": [],
    }


# From stage to stage ------------------------------------------------------------------------------


def new_luggage() -> Luggage:
    """Return the luggage of a car before the first stage, without a character."""
    return {CHARACTER: "", FLIPPED: 0}


def luggage_after_stage(luggage: Luggage, *, service: bool) -> Luggage:
    """Return the luggage after a stage. Service flips all its tokens back (F6)."""
    return {**luggage, FLIPPED: 0} if service else luggage or new_luggage()


def starting_order(totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
    """Return the starting order of a later stage: by total points, then by points in the last stage, the most first,
    then by the order of `lots`.
    """
    return sorted(totals, key=lambda seat: (-totals[seat], -last[seat], lots.index(seat)))


def sheet_row(luggage: Luggage) -> dict[str, Json]:
    """Return an empty row, because the rally sheet shows only points.

    Raises: ValueError when the luggage has a value that a car of this game cannot have.
    """
    if not isinstance(luggage.get(CHARACTER, ""), str) or type(luggage.get(FLIPPED, 0)) is not int:
        raise ValueError("a car brings a character and a number of flipped tokens")
    return {}
