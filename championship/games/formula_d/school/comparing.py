"""What was driven in a scene beside what was better, in numbers of the engine: chances, and turns to the finish."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from championship.games.formula_d.school.openings import PUPIL
from championship.games.formula_d.words import percent, space_words
from championship.runs.watch.scenes import Driven, Scene, ScenePost
from engine.contract import RuleError
from engine.formula_d.game import game

HIGHEST_GEAR = 6


def compared(scene: Scene, driven: Driven) -> str:
    """Return the gear and the end that were chosen beside the best ones. Scenes that ask say nothing here."""
    said: list[str] = []
    moved: ScenePost | None = None
    for post in driven.own:
        do = post.orders.get("do")
        if do == "gear":
            said += _gear(post, scene.of_game.get("highest_gear", HIGHEST_GEAR))
        elif do == "move":
            said += _end(post)
        elif do == "slip":  # the turn ends behind the slipstream, no longer where the die led
            said = _end(post)
        elif do == "pass" and moved is not None:
            said = [*_end(moved)[:1], *_stayed_out(moved, post)]
        moved = post if do == "move" else moved
    return " ".join(said[:3])


def _odds(post: ScenePost) -> dict[str, Any]:
    try:
        return game().odds(post.before, PUPIL, {})
    except RuleError:
        return {}


def _gear(post: ScenePost, highest: int) -> list[str]:
    gears = [one for one in _odds(post).get("gears", []) if one["gear"] <= highest]
    mine = next((one for one in gears if one["gear"] == post.orders.get("gear")), None)
    if mine is None:
        return []
    best = gears[0]
    if mine["finish"][0]:
        said = [_("Gear %(gear)d: %(finish)s to cross the line.") % _numbers(mine)]
    elif _reaches_no_corner(mine):
        said = [_("Gear %(gear)d: no corner in reach, %(turns).1f turns to the finish.") % _numbers(mine)]
    else:
        words = _(
            "Gear %(gear)d: %(stop)s for a stop in the corner, %(over)s for overshooting, "
            "%(turns).1f turns to the finish."
        )
        said = [words % _numbers(mine)]
    if best["gear"] == mine["gear"]:
        return [*said, _("No gear was better.")]
    if mine["finish"][0] or best["finish"][0]:
        return [*said, _("Better was gear %(gear)d: %(finish)s to cross the line.") % _numbers(best)]
    if _reaches_no_corner(best):
        return [*said, _("Better was gear %(gear)d: %(turns).1f turns.") % _numbers(best)]
    if _reaches_no_corner(mine):
        words = _("Better was gear %(gear)d: %(stop)s for a stop in the corner, %(turns).1f turns.")
        return [*said, words % _numbers(best)]
    return [*said, _("Better was gear %(gear)d: %(stop)s, %(over)s, %(turns).1f turns.") % _numbers(best)]


def _reaches_no_corner(one: dict[str, Any]) -> bool:
    return not one["stop"][0] and not one["overshoot"][0]


def _numbers(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "gear": one["gear"],
        "stop": percent(one["stop"]),
        "over": percent(one["overshoot"]),
        "finish": percent(one["finish"]),
        "turns": one["hundredths"] / 100,
    }


def _reached(post: ScenePost, ends: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the end that the car reached."""
    driven_onto = [str(event["space"]) for event in post.events if event["kind"] == "step" and event["seat"] == PUPIL]
    return next((one for one in ends if one["to"] in driven_onto[-1:]), None)


def _stayed_out(moved: ScenePost, post: ScenePost) -> list[str]:
    """Return what a slipstream that the car stayed out of would have brought. `moved` is the movement before it."""
    mine, ends = _reached(moved, _odds(moved).get("ends", [])), _odds(post).get("ends", [])
    if mine is None or not ends:
        return []
    best = ends[0]["hundredths"]
    as_good = _("The slipstream led to %(turns).1f turns at best: staying out was as good.")
    better = _("Going on in the slipstream was better: %(turns).1f turns.")
    return [(as_good if mine["hundredths"] <= best else better) % {"turns": best / 100}]


def _end(post: ScenePost) -> list[str]:
    ends = _odds(post).get("ends", [])
    mine = _reached(post, ends)
    if mine is None:
        return []
    best, reached = ends[0], mine["to"]
    if mine["finish"]:
        return [_("You are over the line.")]
    said = [
        _("You ended on %(where)s: %(turns).1f turns to the finish from there.")
        % {"where": space_words(reached), "turns": mine["hundredths"] / 100}
    ]
    if best["to"] == reached:
        return [*said, _("No end was better.")]
    return [
        *said,
        _("The best end was %(where)s: %(turns).1f turns.")
        % {"where": space_words(best["to"]), "turns": best["hundredths"] / 100},
    ]
