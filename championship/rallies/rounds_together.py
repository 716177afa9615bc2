"""The games that can be driven in rounds together: they have rounds and accept orders ahead."""

from __future__ import annotations

from championship import games
from engine import registry
from engine.contract import OrdersAhead, Rounds, offered


def supports_rounds_together(game: str) -> bool:
    """Whether cars of this game can have one deadline a round; False for a game that is not installed."""
    if game not in games.names():
        return False
    rules = registry.get(game)
    return offered(rules, OrdersAhead) is not None and offered(rules, Rounds) is not None
