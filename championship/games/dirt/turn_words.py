"""Words for turns of Rallyman: DIRT: for questions about them (runs.turn_words), and for the decisions and dice of a
ledger (runs.booking_words).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from championship.games.dirt.event_sentences import sentence
from championship.runs.models import Run
from championship.runs.run_pages import DraftShown
from championship.runs.watch.luck.ledgers import Booked
from championship.runs.watch.turn_words import FASTEST
from engine.dirt import puzzles
from engine.dirt.turn import FLAT_OUT, ONE_BY_ONE

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

ASKING = FASTEST
THEMES: Mapping[str, _StrPromise] = {
    puzzles.FLAT: _("flat out"),
    puzzles.PATIENT: _("one by one"),
    puzzles.LATE_BRAKING: _("late braking"),
    puzzles.SHORTCUT: _("through the shortcut"),
    puzzles.ROUND: _("leave the shortcut"),
    puzzles.SHORT: _("hold back"),
    puzzles.GEAR_DOWN: _("a gear lower"),
    puzzles.GEAR_UP: _("a gear higher"),
    puzzles.COASTING: _("coasting"),
    puzzles.JUMP: ngettext_lazy("a jump", "%(n)d jumps", 1),
}
CHANCES: Mapping[str, _StrPromise] = {puzzles.LOST: _("Control is lost if every die is rolled")}
WORDS: Mapping[str, _StrPromise] = {
    FLAT_OUT: _("flat out"),
    ONE_BY_ONE: _("one by one"),
    "roll": _("Roll"),
    "secure": _("Secure"),
    "stop": _("Stop"),
}

PLAN, RELAY = "plan", "relay"
"""Kinds of decision whose ways are plans."""


def way(orders: Mapping[str, Any], state: Mapping[str, Any] | None = None, seat: str = "") -> str:
    """Return the dice of a plan and how they are rolled: "2b → 3 4, flat out"; or roll, secure, stop."""
    if "plan" not in orders:
        return str(WORDS.get(orders.get("do", ""), ""))
    return f"{dice(orders['plan'])}, {WORDS[orders['roll']]}"


def dice(plan: str) -> str:
    """Return the dice of a plan: "2b → 3 4"."""
    return " ".join(move.partition(":")[0].replace("c", "→").replace("x", "R") for move in plan.split())


def laid(orders: Mapping[str, Any]) -> DraftShown:
    """Return the plan."""
    return DraftShown(plan=str(orders.get("plan", "")), kept=True)


def told(run: Run, booked: Booked, event: Mapping[str, Any], drivers: Mapping[str, str]) -> str:
    """Return what was decided or drawn. A plan is told by its dice: "Lays 2b → 3 4, flat out." """
    chosen = booked.facts.get("chosen")
    if booked.kind == PLAN and isinstance(chosen, str):
        return gettext("Lays %(plan)s.") % {"plan": way({"plan": chosen, "roll": booked.facts["roll"]})}
    if booked.kind == RELAY and isinstance(chosen, str):
        return gettext("Control is lost. Lays again: %(plan)s.") % {"plan": dice(chosen)}
    return sentence(event, drivers).text


def better(run: Run, booked: Booked) -> str:
    """Return the best way: the dice of a plan and how they are rolled; or to roll, secure or stop."""
    best, facts = booked.facts.get("best"), booked.facts
    if not booked.amount or not isinstance(best, str):
        return ""
    if booked.kind == PLAN:
        laid = way({"plan": facts["chosen"], "roll": facts["roll"]})
        return _other(way({"plan": best, "roll": facts["best roll"]}), laid)
    if booked.kind == RELAY:
        return "" if best == facts.get("chosen") else _other(dice(best), dice(facts["chosen"]))
    return str(WORDS.get(best, "")) if best != booked.kind else ""


def _other(best: str, chosen: str) -> str:
    """Return the better way. The same dice on other spaces are told as such."""
    return gettext("%(space)s, by another way") % {"space": best} if best == chosen else best
