"""Parsing the characters, the pools and the training set-up of a card set, and counting its cards (U1, U4,
U5, T1, T2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.dust.cards.card_set import DRIVER, START, TEAM, Card, CardSet
from engine.dust.cards.faults import WHOLE_SET, Collector, Reason
from engine.dust.cards.lines import Path
from engine.dust.facts import facts

TRAINING = "training"
MOST_EFFECTS = 9
"""The effects of a card that `do` can name (S8). A mandatory tenth effect could never be done, so the driver would be
stuck (P6)."""
CARD_KEYS = {"name", "title", "set", "driver", "copies", "number", "cost", "points", "effects", "source", "note"}
STAGE_KEYS = {"cost", "move", "effects", "star", "title", "source", "note"}


def characters(plain: Mapping[str, Any], found: Collector) -> dict[str, str]:
    """Return the titles of the characters by name, in the order in which they are dealt (U1)."""
    table = found.table(plain, "drivers", (), WHOLE_SET, "U1")
    order: list[str] = []
    for place, name in enumerate(found.entries(plain, "characters", (), "drivers", "U1", needed=False)):
        if not isinstance(name, str) or name not in table or name in order:
            found.add(("characters", place), "drivers", "U1", Reason("%(name).40r is not one of [drivers]", name=name))
        else:
            order.append(name)
    if not table:
        found.add(("drivers",), "drivers", "U1", Reason("there is no character"))
    for name, title in table.items():
        if not isinstance(title, str):
            found.add(("drivers", name), name, "U1", Reason("a character's name is a text"))
    return {name: str(table[name]) for name in [*order, *(name for name in table if name not in order)]}


def pools(plain: Mapping[str, Any], found: Collector, cards: Mapping[str, Card]) -> dict[str, tuple[str, ...]]:
    """Return the pools by name. Each is the names of its team cards, in order (U5, T2)."""
    read: dict[str, tuple[str, ...]] = {}
    for pool in found.table(plain, "pools", (), WHOLE_SET, "U5"):
        names = found.entries(plain["pools"], pool, ("pools",), pool, "U5")
        rule = "T2" if pool == TRAINING else "U5"
        for place, name in enumerate(names):
            if not isinstance(name, str) or name not in cards or cards[name].set not in TEAM:
                found.add(
                    ("pools", pool, place), pool, rule, Reason("%(name).40r is no card of the team piles", name=name)
                )
            elif name in names[:place]:
                found.add(("pools", pool, place), pool, rule, Reason("%(name).40s is there twice", name=name))
        chosen = [cards[name].number for name in names if isinstance(name, str) and name in cards]
        if pool != TRAINING and len(chosen) == len(names) and not _each_once(chosen):
            found.add(
                ("pools", pool),
                pool,
                "U5",
                Reason("a pool has the numbers 1 to %(most)d, each once", most=facts().piles),
            )
        read[pool] = tuple(str(name) for name in names)
    return read


def _each_once(numbers: Sequence[int | None]) -> bool:
    return None in numbers or sorted(one or 0 for one in numbers) == list(range(1, facts().piles + 1))


def training(plain: Mapping[str, Any], found: Collector, cards: Mapping[str, Card]) -> tuple[tuple[str, ...], int]:
    """Return the cards that replace a character's cards on the training stage, and the points to pass (T2, T4)."""
    table = found.table(plain, "training", (), "training", "T2", needed=False)
    if not table:
        return (), 0
    deck = found.entries(table, "deck", ("training",), "training", "T2")
    for place, name in enumerate(deck):
        if not isinstance(name, str) or name not in cards:
            found.add(("training", "deck", place), "training", "T2", Reason("%(name).40r is no card", name=name))
    return tuple(str(name) for name in deck), found.number(
        table, "pass_points", ("training",), "training", "T4", default=0
    )


def counts(plain: Mapping[str, Any], made: CardSet, found: Collector) -> None:
    """Add faults where a set without other faults has unknown keys, too many effects, or other numbers of cards than
    the box.
    """
    known = facts()
    _unknown_keys(plain, found)
    _too_many_effects(plain, found)
    start = sum(card.copies for card in made.cards.values() if card.set == START)
    if start != known.start_cards:
        found.add(
            ("card",),
            "start",
            "C4",
            Reason("%(number)d starting cards, the box has %(due)d", number=start, due=known.start_cards),
        )
    for name in made.characters:
        own = sum(card.copies for card in made.cards.values() if card.set == DRIVER and card.driver == name)
        if own != known.driver_cards:
            found.add(
                ("drivers", name),
                name,
                "U4",
                Reason("%(number)d cards of this character, the box has %(due)d", number=own, due=known.driver_cards),
            )
    for stage in made.stages.values():
        due = known.training_cards if stage.training else known.stage_cards
        if len(stage.cards) != due:
            rule = "T1" if stage.training else "U2"
            found.add(
                ("stages", stage.name),
                stage.name,
                rule,
                Reason("%(number)d cards, a stage of its kind has %(due)d", number=len(stage.cards), due=due),
            )
    if len(made.characters) < known.seats_most:
        found.add(
            ("drivers",), "drivers", "U1", Reason("%(number)d drivers need a character each", number=known.seats_most)
        )
    if any(stage.training for stage in made.stages.values()) and len(made.training_deck) != known.driver_cards:
        found.add(
            ("training", "deck"),
            "training",
            "T2",
            Reason("the training deck has %(due)d cards", due=known.driver_cards),
        )
    for pool in TEAM:
        if pool not in made.pools:
            found.add(("pools",), pool, "U5", Reason("there is no pool %(pool)s", pool=pool))


def _unknown_keys(plain: Mapping[str, Any], found: Collector) -> None:
    """Add faults for unknown keys of cards, such as misspelt ones (C5)."""
    for place, table in enumerate(plain["card"]):
        for key in table.keys() - CARD_KEYS:
            found.add(("card", place, key), table["name"], "C5", Reason("a card has no %(key).40r", key=key))
    for name, stage in plain["stages"].items():
        for place, table in enumerate(stage["cards"]):
            for key in table.keys() - STAGE_KEYS:
                found.add(
                    ("stages", name, "cards", place, key),
                    f"{name} {place + 1}",
                    "C5",
                    Reason("a stage card has no %(key).40r", key=key),
                )


def _too_many_effects(plain: Mapping[str, Any], found: Collector) -> None:
    """Add faults for cards with more effects than a step can name (S8)."""
    cards: list[tuple[Path, str, Any]] = [
        (("card", place), one["name"], one) for place, one in enumerate(plain["card"])
    ]
    for name, stage in plain["stages"].items():
        listed = enumerate(stage["cards"])
        cards += [(("stages", name, "cards", place), f"{name} {place + 1}", one) for place, one in listed]
    for path, label, card in cards:
        if len(card.get("effects", [])) > MOST_EFFECTS:
            why = Reason("a card has %(most)d effects at most", most=MOST_EFFECTS)
            found.add((*path, "effects", MOST_EFFECTS), label, "S8", why)
