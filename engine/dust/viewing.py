"""The view of a run: the part of the state that a viewer may see (S3, U6), and all of it, as `replay` prints it."""

from __future__ import annotations

from typing import Any

from engine.dust.cards.card_set import CardSet
from engine.dust.final_score import Standing, standings
from engine.dust.state import DONE, FINISHED, GHOST, OUT, Driver, Ghost, Open, Table, Waiting
from engine.dust.turn import stepping

COUNTED = ("hand", "deck")
"""The lists of which other drivers see only the length (U6)."""


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


def view(table: Table, viewer: str | None, cards: CardSet) -> dict[str, Any]:
    """Return the view of a viewer. None is a spectator.

    A driver sees all of their own state. Of others they see the visible state when the round opened, and whether they
    have ended their turns (S3). On the training stage they see the current visible state (T3). After the end of the
    stage they see everything.
    """
    ended = standings(table, cards) if table["over"] else {}
    ghost = table["ghost"]
    return {
        "game": table["game"],
        "stage": table["stage"],
        "title": cards.stages[table["stage"]].title,
        "cards": table["cards"],
        "training": table["training"],
        "round": table["round"],
        "over": table["over"],
        "holder": table["holder"],
        "visible": _visible(table, cards),
        "piles": table["piles"],
        "pool": table["pool"],
        "order": table["order"],
        "next": stepping.to_play(table),
        "viewer": viewer if viewer in table["drivers"] else None,
        "ghost": None if ghost is None else _printed_ghost(_seen_ghost(table, ghost, viewer), ended.get(GHOST)),
        "drivers": {
            name: {
                **_seen(table, name, viewer),
                "ended": table["drivers"][name]["phase"] in (DONE, OUT, FINISHED),
                "points": ended[name].points if ended else None,
                "place": ended[name].place if ended else None,
                "seconds": ended[name].seconds if ended else None,
            }
            for name in table["order"]
        },
    }


def _seen(table: Table, name: str, viewer: str | None) -> dict[str, Any]:
    """Return one driver as this viewer sees them."""
    if name == viewer or table["over"]:
        mine = table["drivers"][name]
        return {**_shown(table, mine), "draft": mine["draft"]} if name == viewer else _shown(table, mine)
    shown = _shown(table, table["drivers" if table["training"] else "opened"][name])
    return {**shown, **{field: len(shown[field]) for field in COUNTED}}


def _shown(table: Table, one: Driver) -> dict[str, Any]:
    shown = _printed_driver(table, one, None)
    return {field: value for field, value in shown.items() if field not in ("points", "place", "seconds")}


def _seen_ghost(table: Table, ghost: Ghost, viewer: str | None) -> Ghost:
    """Return the ghost as this viewer sees it. Its dice are rolled in the driver's turn, so they are sealed with it
    (S3).
    """
    if table["over"] or viewer in table["drivers"]:
        return ghost
    return {**ghost, "dice": []}


# All of a run -------------------------------------------------------------------------------------


def printed(table: Table, cards: CardSet) -> dict[str, Any]:
    """Return the output of `replay` for a run."""
    ended = standings(table, cards) if table["over"] else {}
    return {
        "round": table["round"],
        "over": table["over"],
        "holder": table["holder"],
        "visible": _visible(table, cards),
        "piles": table["piles"],
        "next": stepping.to_play(table),
        "ghost": None if table["ghost"] is None else _printed_ghost(table["ghost"], ended.get(GHOST)),
        "drivers": {name: _printed_driver(table, table["drivers"][name], ended.get(name)) for name in table["order"]},
    }


def _visible(table: Table, cards: CardSet) -> list[int]:
    """Return the numbers of the open stage cards (U2)."""
    if table["over"]:
        return []
    first = table["round"]
    return list(range(first, min(first + cards.limits.open_stage_cards, table["cards"] + 1)))


def _printed_ghost(one: Ghost, ended: Standing | None) -> dict[str, Any]:
    """Return the printed form of the ghost."""
    return {
        "speed": one["speed"],
        "popularity": one["popularity"],
        "pairs": one["pairs"],
        "dice": [f"{pair['value']} {pair['face']}" for pair in one["dice"]],
        "points": ended.points if ended else None,
        "place": ended.place if ended else None,
    }


def _printed_driver(table: Table, one: Driver, ended: Standing | None) -> dict[str, Any]:
    """Return the printed form of a driver."""
    first = table["round"] + table["over"]
    return {
        **{name: one[name] for name in PLAIN},  # type: ignore[literal-required]
        "board": {slot: dict(one["board"][slot]) for slot in sorted(one["board"])},
        "dice": one["dice"],
        "spent": one["spent"],
        "aside": [order["card"] for order in one["aside"]],
        "markers": {card: count for card, count in one["markers"].items() if int(card) >= first},
        "open": _printed_open(one["open"]),
        "pending": _printed_pending(one["pending"]),
        "points": ended.points if ended else None,
        "place": ended.place if ended else None,
        "seconds": ended.seconds if ended else None,
    }


def _printed_open(one: Open | None) -> dict[str, Any] | None:
    """Return the printed form of the open card."""
    return None if one is None else {"card": one["card"], "left": one["left"]}


def _printed_pending(one: Waiting | None) -> str | None:
    """Return the printed form of a pending risk roll."""
    return None if one is None else f"{one['hits']}/{one['symbols']}"
