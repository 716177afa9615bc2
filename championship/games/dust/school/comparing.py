"""What was driven in a scene beside what the codriver would have done, in the codriver's own estimate of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dust.school import seen
from championship.games.dust.school.openings import PUPIL
from championship.games.dust.words import step_words
from championship.runs.watch.scenes import Driven, Scene
from engine.contract import State
from engine.dust.cards import card_set_reading
from engine.dust.codriver.evaluation import Outlook, weights
from engine.dust.game import game
from engine.dust.state import Table
from engine.dust.turn import steps
from engine.dust.turn.step_context import Turn

MANNER = "club"


def compared(scene: Scene, driven: Driven) -> str:
    """Return what the turn brought, and how the codriver estimates the position beside its own. Scenes that ask say
    nothing here.
    """
    if not driven.own:
        return ""
    before, now = driven.opening.state["drivers"][PUPIL], seen.me(driven)
    said = []
    won = now["speed"] - before["speed"]
    if driven.of_kind("closed"):
        said.append(ngettext("You won %(n)d speed point.", "You won %(n)d speed points.", won) % {"n": won})
    at_end = driven.state if driven.state["round"] == driven.opening.state["round"] else driven.own[-1].before
    said.append(
        _("The codriver estimates that your position is worth %(points).1f points in the end.")
        % {"points": estimate(at_end)}
    )
    first = _first_steps(driven.opening.state)
    if first:
        said.append(_("It would have begun so: %(steps)s.") % {"steps": first})
    return " ".join(said)


def estimate(state: State) -> float:
    """Return the codriver's estimate of the pupil's points at the end of the stage, from this position on."""
    table, cards = cast(Table, state), card_set_reading.own()
    outlook = Outlook(table, PUPIL, cards, weights(MANNER))
    return outlook.hoped(Turn(table, PUPIL, cards, None)) / 100


def _first_steps(state: State) -> str:
    """Return the first steps of the codriver in words; "" where it ends the turn at once."""
    cards, orders = card_set_reading.own(), game().autopilot(state, PUPIL, MANNER)
    lined = [str(step) for step in cast(list[Any], orders["steps"]) if step != steps.END][:2]
    me: Mapping[str, Any] = state["drivers"][PUPIL]
    return ", ".join(step_words(cards, me, state["stage"], step) for step in lined)
