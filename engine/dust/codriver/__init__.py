"""The codrivers: drivers that the computer plays. `next_steps` asks the one that drives.

The manners to choose plan a whole turn. Read `search` first: it combines the `actions` of a turn, takes the mean over
all `step_outcomes` and compares positions by `evaluation`, which needs `card_values`. The `greedy` codriver looks one
step ahead. The `absent_driver` of rule S10 only prepares and ends.
"""

from __future__ import annotations

from typing import Final

from engine.dust.cards.card_set import CardSet
from engine.dust.codriver import absent_driver, greedy
from engine.dust.codriver.search import Search
from engine.dust.state import CHOOSE, Table

MANNERS: Final = ("cautious", "club", "bold", "novice", "learner", "ace")
"""The manners that the game offers. The first one drives for an absent driver."""
ABSENT: Final = "absent"
"""The manner of the absent driver (S10). The service does not use it: such a driver never scores."""


def next_steps(table: Table, name: str, cards: CardSet, manner: str) -> list[str]:
    """Return the next steps of a driver, at any point of a turn. An unknown manner drives as the most careful one."""
    if manner == ABSENT or table["drivers"][name]["phase"] == CHOOSE:
        return [absent_driver.next_step(table, name, cards)]
    if manner == greedy.MANNER:
        return [greedy.next_step(table, name, cards)]
    return Search(table, name, cards, manner if manner in MANNERS else MANNERS[0]).steps()
