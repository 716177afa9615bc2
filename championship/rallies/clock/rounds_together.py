"""Which games and rallies are driven in rounds together: the game has rounds and accepts orders ahead."""

from __future__ import annotations

from django.db.models import Q

from championship import catalogue
from championship.rallies.clock.evening_pace import TURN
from engine import registry
from engine.contract import OrdersAhead, Rounds, offered


def supports_rounds_together(game: str) -> bool:
    """Whether cars of this game can have one deadline a round; False for a game that is not installed."""
    if game not in catalogue.names():
        return False
    rules = registry.get(game)
    return offered(rules, OrdersAhead) is not None and offered(rules, Rounds) is not None


def drives_together(at: str) -> Q:
    """The condition for rallies whose rounds are driven together: `Rally.together` as a query. `at`: the lookup of the
    rally from the rows, such as "run__special_stage__rally".
    """
    games_with_rounds = [game for game in catalogue.names() if supports_rounds_together(game)]
    wanted = {"rounds_together": True, "mode": "convoy", "pace": "turn", "game__in": games_with_rounds}
    by_turns = Q(**{f"{at}__evening_since": None}) | Q(**{f"{at}__evening__way": TURN})
    return Q(**{f"{at}__{field}": value for field, value in wanted.items()}) & by_turns
