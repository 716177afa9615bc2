"""Codrivers: three manners that plan a whole turn, the greedy one, and the absent driver of rule S10."""

from __future__ import annotations

from typing import Final

from engine.dust import absent_driver, greedy
from engine.dust.cards import CardSet
from engine.dust.search import Search
from engine.dust.state import CHOOSE, Table

MANNERS: Final = ("cautious", "club", "bold")
"""The manners that the game offers."""


def next_steps(table: Table, name: str, cards: CardSet, manner: str) -> list[str]:
    """Return the next steps of a driver, at any point of a turn. An unknown manner drives by S10."""
    if table["drivers"][name]["phase"] == CHOOSE:
        return [absent_driver.next_step(table, name, cards)]
    if manner in MANNERS:
        return Search(table, name, cards, manner).steps()
    return [(greedy if manner == greedy.MANNER else absent_driver).next_step(table, name, cards)]
