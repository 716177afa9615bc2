"""What was driven in a scene beside what the codriver would have done, in the codriver's own estimate of points."""

from __future__ import annotations

from typing import Any, cast

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dust.school import seen
from championship.games.dust.school.openings import PUPIL
from championship.games.dust.words import step_words
from championship.runs.watch.scenes import Driven, Scene
from engine.contract import State
from engine.dust import draft_text
from engine.dust.cards import card_set_reading
from engine.dust.codriver.evaluation import Outlook, weights
from engine.dust.game import game
from engine.dust.state import Table
from engine.dust.turn import steps
from engine.dust.turn.step_context import Turn

MANNER = "club"
ABOUT_POINTS = "win"
"""The scene that asks for points: it also says when there were none."""


def compared(scene: Scene, driven: Driven) -> str:
    """Return what the turn brought, and how the codriver estimates the position beside its own. Scenes that ask say
    nothing here.
    """
    if not driven.own:
        return ""
    before, now = driven.opening.state["drivers"][PUPIL], seen.me(driven)
    said = []
    won = now["speed"] - before["speed"]
    if won or (scene.name == ABOUT_POINTS and driven.of_kind("closed")):  # elsewhere "0 points" reads as a failure
        said.append(ngettext("You won %(n)d speed point.", "You won %(n)d speed points.", won) % {"n": won})
    at_end = driven.state if driven.state["round"] == driven.opening.state["round"] else driven.own[-1].before
    said += _beside_the_codriver(driven.opening.state, estimate(at_end))
    return " ".join(said)


def _beside_the_codriver(opening: State, mine: float) -> list[str]:
    """Return the estimate of the pupil's position beside that of the codriver's, after the steps that it would have
    laid before its first roll, and with which step it would have begun.
    """
    cards, table = card_set_reading.own(), cast(Table, opening)
    lined = [str(step) for step in cast(list[Any], game().autopilot(opening, PUPIL, MANNER)["steps"])]
    first = step_words(cards, table["drivers"][PUPIL], table["stage"], lined[0])
    laid = draft_text.legal_part(table, PUPIL, [step for step in lined if step != steps.END], cards)
    if laid.sends and laid.sent == 1:
        words = _("The codriver estimates that your position is worth %(mine).1f points in the end.")
        return [words % {"mine": mine}, _("It would have begun so: %(step)s.") % {"step": first}]
    words = _(
        "The codriver estimates that your position is worth %(mine).1f points in the end, and its own %(own).1f. It"
        " would have begun so: %(step)s."
    )
    return [words % {"mine": mine, "own": estimate(cast(State, laid.table)), "step": first}]


def estimate(state: State) -> float:
    """Return the codriver's estimate of the pupil's points at the end of the stage, from this position on."""
    table, cards = cast(Table, state), card_set_reading.own()
    outlook = Outlook(table, PUPIL, cards, weights(MANNER))
    return outlook.hoped(Turn(table, PUPIL, cards, None)) / 100
