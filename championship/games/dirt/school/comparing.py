"""What was driven in a scene beside what the codriver would have done, in numbers of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dirt.school import seen
from championship.games.dirt.school.openings import PUPIL
from championship.runs.watch.scenes import Driven, Scene, ScenePost
from engine.contract import RuleError
from engine.dirt.game import game
from engine.dirt.odds import Odds

CAREFUL, DARING = "cautious", "club"
FLAT_OUT = "flat out"


def compared(scene: Scene, driven: Driven) -> str:
    """Return what was driven beside what was better. Scenes that ask say nothing: their lesson has the answer."""
    if not driven.own:
        return ""
    said = [_cost(driven)]
    first = driven.own[0]
    rules = game()
    if rules.phase(first.before, PUPIL) != "plan":
        said.append(_decided(first))
    else:
        said += _plans(first)
    return " ".join(each for each in said if each)


def _cost(driven: Driven) -> str:
    cost = seen.seconds(driven)
    return ngettext("This cost you %(n)d second.", "This cost you %(n)d seconds.", cost) % {"n": cost}


def _plans(first: ScenePost) -> list[str]:
    """Return the odds of the plan that was laid, and those of the codriver's."""
    plan, roll = str(first.orders.get("plan", "")), str(first.orders.get("roll", ""))
    manner = DARING if roll == FLAT_OUT else CAREFUL
    theirs = game().autopilot(first.before, PUPIL, manner)
    mine, better = _odds(first, plan, roll), _odds(first, str(theirs["plan"]), str(theirs.get("roll", "")))
    if mine is None or better is None:
        return []
    own = _("Your plan %(plan)s: %(lost)d %% loss of control, %(seconds)d s expected, %(sections).1f sections of road.")
    if theirs["plan"] == plan and theirs.get("roll") == roll:
        return [own % _numbers(plan, mine), _("The codriver would lay the same.")]
    if theirs.get("roll") == FLAT_OUT:
        other = _(
            "The codriver goes flat out with %(plan)s: %(lost)d %%, %(seconds)d s expected, %(sections).1f sections."
        )
    else:
        other = _(
            "The codriver rolls %(plan)s one by one: %(lost)d %%, %(seconds)d s expected, %(sections).1f sections."
        )
    return [own % _numbers(plan, mine), other % _numbers(str(theirs["plan"]), better)]


def _odds(first: ScenePost, plan: str, roll: str) -> Odds | None:
    orders: dict[str, Any] = {"roll": roll} if roll == FLAT_OUT else {"roll": "one by one", "stop_at": 2}
    try:
        return game().turn_odds(first.before, PUPIL).odds(plan, orders)
    except RuleError:
        return None


def _numbers(plan: str, odds: Odds) -> Mapping[str, Any]:
    marks = {"c": "→", "x": _("brake")}
    laid = (move.partition(":")[0] for move in plan.split())
    dice = " ".join(marks.get(die, die) for die in laid)
    return {
        "plan": dice or "–",
        "lost": round(100 * odds.lost),
        "seconds": round(odds.seconds),
        "sections": odds.progress,
    }


def _decided(first: ScenePost) -> str:
    """Return the odds of what was decided in a turn that had begun, and what the codriver would do."""
    words = {
        "roll": _("rolls on"),
        "secure": _("secures the die"),
        "stop": _("stops"),
        "sisu": _("plays SISU"),
        "accept": _("takes the loss"),
        "relay": _("lays the dice again"),
    }
    theirs = str(game().autopilot(first.before, PUPIL, DARING).get("do", ""))
    would = _("The codriver %(does)s here.") % {"does": words.get(theirs, theirs)}
    if game().phase(first.before, PUPIL) != "rolling":
        return would
    rolling = game().turn_odds(first.before, PUPIL).odds("", {"roll": "one by one"})
    return (
        _("Rolling on meant %(lost)d %% loss of control and %(seconds)d s expected.")
        % {"lost": round(100 * rolling.lost), "seconds": round(rolling.seconds)}
        + f" {would}"
    )
