"""What a driver whose turn it is may do: the legal ways, and the odds of orders. For API clients, the same for all
games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from championship.platform.refusals import Forbidden, Refused
from championship.runs.watch import history
from championship.runs.watch.selectors import RunPage
from engine import registry
from engine.contract import Drafting, GameError, Odds, RuleError, Ways, offered, required


@dataclass(frozen=True, slots=True)
class Offered:
    """The legal ways of a seat; for each the draft after taking it (None in games without drafts); and orders that are
    always legal.
    """

    ways: Ways
    drafts: tuple[Any, ...]
    autopilot: Mapping[str, Any]


def ways_of(page: RunPage, draft: Any = None) -> Offered:
    """Return what the reader of a run may do now, from `draft` on. No query.

    Raises: Forbidden when it is not the reader's turn.
    Raises: Refused when the draft is not legal (with the rule), or is not a draft of this game.
    """
    seat, rules = _seat_to_play(page), registry.get(page.run.game)
    drafting = offered(rules, Drafting)
    if draft is not None and drafting is None:
        raise Refused(_("This game has no drafts."), field="draft")
    if drafting is not None and draft is not None and type(draft) is not type(drafting.empty_draft()):
        raise Refused(_("This is not a draft of this game."), field="draft")
    try:
        ways = rules.choices(page.run.state, seat, draft)
    except GameError as error:
        raise _refusal(error, field="draft") from None
    before = drafting.empty_draft() if drafting is not None and draft is None else draft
    laid = tuple(drafting.extend(before, way.text) if drafting is not None else None for way in ways.ways)
    return Offered(ways, laid, rules.autopilot(page.run.state, seat))


def odds_of(page: RunPage, orders: Mapping[str, Any], draft: Any = None) -> dict[str, Any]:
    """Return the exact chances of orders of the reader, whose turn it is. One query.

    Raises: Forbidden when it is not the reader's turn.
    Raises: NotOffered when the game has no odds.
    Raises: Refused when the orders or the draft are illegal or invalid.
    """
    odds = required(registry.get(page.run.game), Odds)
    seat = _seat_to_play(page)
    seen = [each.data for each in history.history_of(page.run, seat).events]
    try:
        return odds.odds(page.run.state, seat, orders, draft, seen)
    except GameError as error:
        raise _refusal(error, field="orders") from None


def _seat_to_play(page: RunPage) -> str:
    if page.mine is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1", game=page.run.game)
    if page.my_turn is None:
        raise Forbidden(_("It is not your turn."), rule="O1", game=page.run.game)
    return page.mine.name


def _refusal(error: GameError, *, field: str) -> Refused:
    if isinstance(error, RuleError):
        return Refused(error.words(_), field=field, rule=error.rule, move=error.move)
    return Refused(error.words(_), field=field)
