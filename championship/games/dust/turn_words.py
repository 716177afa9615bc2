"""Words for the questions about turns of Dirt & Dust."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from django.utils.translation import gettext_lazy as _

from championship.games.dust.pages import cards_of
from championship.games.dust.words import step_words
from championship.runs.run_pages import DraftShown
from championship.runs.watch.turn_words import Asking
from engine.dust import draft_text, puzzles
from engine.dust.state import Table
from engine.dust.turn import foregone, steps

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

_GOAL = _(
    "It is the last round, and the dice lie. Find the plan with the most points that draws nothing: no Risk, no boost"
    " die, no card. The others count as they stood when the round opened."
)
ASKING = Asking(
    title=_("Which plan brings the most points?"),
    goal=_GOAL,
    goal_again=_GOAL,
    costly=_(
        "Only the last round has exact values. There your decisions gave up %(sum)s %(unit)s, by the ledger. First you"
        " decide once more, then you see what was better."
    ),
    nothing=_(
        "Nothing to drive again: only the last round has exact values, and there your decisions gave nothing up, or"
        " there are too many plans to count."
    ),
    missed=_("Not the best plan."),
    against=_("%(unit)s against the best plan."),
    judged=_(
        "A plan is played out by the rules. Speed points, popularity, end points of cards and risk dice count. The"
        " others count as they stood when the round opened."
    ),
)
THEMES: Mapping[str, _StrPromise] = {
    puzzles.MARKER: _("a marker on the last card"),
    puzzles.TUNED: _("a tuned die"),
    puzzles.BOUGHT: _("cards for end points"),
    puzzles.PLACE: _("the place of the car"),
    puzzles.REPAIRED: _("a repaired risk die"),
    puzzles.TWICE: _("a card used twice"),
    puzzles.ADMIRED: _("popularity"),
}
CHANCES: Mapping[str, _StrPromise] = {}
BETWEEN = " · "


def way(orders: Mapping[str, Any], state: Mapping[str, Any] | None = None, seat: str = "") -> str:
    """Return the steps of a plan. That a card is closed goes without saying."""
    plan = [str(step) for step in orders.get("steps", ())]
    if state is None:
        return BETWEEN.join(plan)
    cards, table = cards_of(state), cast(Table, state)
    said: list[str] = []
    for then, step in zip(foregone.tables_before(table, seat, cards, plan), plan, strict=False):
        if step.split()[0] not in (steps.DONE, steps.END):
            said.append(step_words(cards, then["drivers"][seat], table["stage"], step))
    return BETWEEN.join(said) or str(_("End the turn"))


def laid(orders: Mapping[str, Any]) -> DraftShown:
    """Return the steps of a plan as a draft."""
    return DraftShown(plan=draft_text.join_steps([str(step) for step in orders.get("steps", ())]), kept=True)
