"""A run as `replay` prints it: the view of the organiser, with nothing hidden."""

from __future__ import annotations

from typing import Any

from engine.dust import stepping
from engine.dust.cards import CardSet
from engine.dust.final_score import Standing, standings
from engine.dust.state import GHOST, Driver, Ghost, Open, Table, Waiting

PLAIN = (
    "driver",
    "phase",
    "speed",
    "popularity",
    "keys",
    "traction",
    "space",
    "risk",
    "hits",
    "flipped",
    "star",
    "hand",
    "deck",
    "top",
    "discard",
    "removed",
)
"""The fields that are printed unchanged."""


def printed(table: Table, cards: CardSet) -> dict[str, Any]:
    """Return the output of `replay` for a run."""
    ended = standings(table, cards) if table["over"] else {}
    return {
        "round": table["round"],
        "over": table["over"],
        "holder": table["holder"],
        "visible": visible(table, cards),
        "piles": table["piles"],
        "next": stepping.to_play(table),
        "ghost": None if table["ghost"] is None else ghost(table["ghost"], ended.get(GHOST)),
        "drivers": {name: driver(table, table["drivers"][name], ended.get(name)) for name in table["order"]},
    }


def visible(table: Table, cards: CardSet) -> list[int]:
    """Return the numbers of the open stage cards (U2)."""
    if table["over"]:
        return []
    first = table["round"]
    return list(range(first, min(first + cards.limits.open_stage_cards, table["cards"] + 1)))


def ghost(one: Ghost, ended: Standing | None) -> dict[str, Any]:
    """Return the printed form of the ghost."""
    return {
        "speed": one["speed"],
        "popularity": one["popularity"],
        "pairs": one["pairs"],
        "dice": [f"{pair['value']} {pair['face']}" for pair in one["dice"]],
        "points": ended.points if ended else None,
        "place": ended.place if ended else None,
    }


def driver(table: Table, one: Driver, ended: Standing | None) -> dict[str, Any]:
    """Return the printed form of a driver."""
    first = table["round"] + table["over"]
    return {
        **{name: one[name] for name in PLAIN},  # type: ignore[literal-required]
        "board": {slot: dict(one["board"][slot]) for slot in sorted(one["board"])},
        "dice": one["dice"],
        "spent": one["spent"],
        "aside": [order["card"] for order in one["aside"]],
        "markers": {card: count for card, count in one["markers"].items() if int(card) >= first},
        "open": opened(one["open"]),
        "pending": pending(one["pending"]),
        "points": ended.points if ended else None,
        "place": ended.place if ended else None,
        "seconds": ended.seconds if ended else None,
    }


def opened(one: Open | None) -> dict[str, Any] | None:
    """Return the printed form of the open card."""
    return None if one is None else {"card": one["card"], "left": one["left"]}


def pending(one: Waiting | None) -> str | None:
    """Return the printed form of a pending risk roll."""
    return None if one is None else f"{one['hits']}/{one['symbols']}"
