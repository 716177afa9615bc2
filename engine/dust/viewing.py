"""The view of a run: the part of the state that a viewer may see (S3, U6)."""

from __future__ import annotations

from typing import Any

from engine.dust import replay_text, stepping
from engine.dust.cards import CardSet
from engine.dust.final_score import standings
from engine.dust.state import DONE, FINISHED, GHOST, OUT, Driver, Ghost, Table

COUNTED = ("hand", "deck")
"""The lists of which other drivers see only the length (U6)."""


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
        "visible": replay_text.visible(table, cards),
        "piles": table["piles"],
        "pool": table["pool"],
        "order": table["order"],
        "next": stepping.to_play(table),
        "viewer": viewer if viewer in table["drivers"] else None,
        "ghost": None if ghost is None else replay_text.ghost(_seen_ghost(table, ghost, viewer), ended.get(GHOST)),
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
    shown = replay_text.driver(table, one, None)
    return {field: value for field, value in shown.items() if field not in ("points", "place", "seconds")}


def _seen_ghost(table: Table, ghost: Ghost, viewer: str | None) -> Ghost:
    """Return the ghost as this viewer sees it. Its dice are rolled in the driver's turn, so they are sealed with it
    (S3).
    """
    if table["over"] or viewer in table["drivers"]:
        return ghost
    return {**ghost, "dice": []}
