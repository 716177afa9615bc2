"""Words for the questions about turns of Formula D."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from championship.games.formula_d import laid as movements
from championship.games.formula_d.words import TYRES, area_words, gear_words, space_words
from championship.runs.run_pages import DraftShown
from championship.runs.watch.turn_words import FASTEST
from engine.formula_d import puzzles, turn
from engine.formula_d.phases import PASS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

ASKING = FASTEST
THEMES: Mapping[str, _StrPromise] = {
    puzzles.CORNER: _("the gear of the corner"),
    puzzles.LOWER: _("a gear lower"),
    puzzles.HIGHER: _("a gear higher"),
    puzzles.PITS: _("pit or not"),
    puzzles.BRAKING: _("braking"),
    puzzles.OVERSHOOT: _("overshooting"),
    puzzles.STOP: _("a stop in the corner"),
    puzzles.NITRO: _("nitro"),
    puzzles.FOLLOW: _("slipstream"),
    puzzles.LEAVE: _("leave the slipstream"),
    puzzles.LANE: _("another lane"),
    puzzles.BOX: _("work in the box"),
    puzzles.HOLD: _("hold back"),
    puzzles.ON: _("go further"),
}
CHANCES: Mapping[str, _StrPromise] = {
    puzzles.STOPS: _("Stops in a corner"),
    puzzles.OVER: _("Overshoots a corner"),
    puzzles.OUT: _("Goes out"),
}


def way(orders: Mapping[str, Any], state: Mapping[str, Any] | None = None, seat: str = "") -> str:
    """Return a gear, the end of a movement with what is spent on it, or the work in the box."""
    do = orders.get("do")
    if do == turn.GEAR:
        return gear_words(int(orders["gear"]))
    if do == turn.PIT:
        return _box(orders)
    if do == PASS:
        return gettext("leave the slipstream")
    path, more = orders.get("path") or [], list[str]()
    if orders.get("nitro"):
        more.append(gettext("with nitro"))
    if orders.get("bonus"):
        more.append(gettext("with the tyre bonus"))
    if orders.get("tires"):
        more.append(ngettext("%(n)d tyre point", "%(n)d tyre points", orders["tires"]) % {"n": orders["tires"]})
    return ", ".join([space_words(path[-1]) if path else gettext("The car stays."), *more])


def _box(orders: Mapping[str, Any]) -> str:
    said = [gettext("%(tyres)s tyres") % {"tyres": str(TYRES[orders["tyres"]])}] if orders.get("tyres") else []
    technical = orders.get("technical")
    if technical is not None:
        said.append(gettext("a technical stop"))
        said += [f"{area_words(area)} +{number}" for area, number in technical.items()]
    return ", ".join(said) or gettext("nothing new")


def laid(orders: Mapping[str, Any]) -> DraftShown:
    """Return the path of a movement, or the gear that is looked at. A car that leaves the slipstream has no path."""
    if orders.get("do") == PASS:
        return DraftShown(at=PASS)
    if orders.get("do") in (turn.MOVING, turn.SLIP):
        return DraftShown(plan=movements.to_text(orders), kept=True)
    return DraftShown(at=str(orders.get("gear", "")))
