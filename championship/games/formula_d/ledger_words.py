"""Decisions and dice of a ledger in words (runs.booking_words)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.formula_d.event_sentences import sentence
from championship.games.formula_d.words import AREAS, TYRES, area_words, gear_words, space_words
from championship.runs.models import Run
from championship.runs.watch.luck.ledgers import Booked
from engine.formula_d import turn
from engine.formula_d.phases import PASS

WAYS = (turn.MOVING, turn.SLIP, turn.OUT)
"""Kinds of decision whose ways end on a space."""


def told(run: Run, booked: Booked, event: Mapping[str, Any], drivers: Mapping[str, str]) -> str:
    """Return what was decided or drawn. A decision tells its whole way, a die how many of its faces show the same."""
    facts = booked.facts
    if booked.kind in WAYS and isinstance(facts.get("chosen"), str):
        if facts["chosen"] == PASS:
            return _("Leaves the slipstream.")
        return _("Drives to %(space)s.") % {"space": space_words(facts["chosen"])}
    if booked.kind == turn.PIT and isinstance(facts.get("chosen"), str):
        return _("In the box: %(work)s.") % {"work": _work(facts["chosen"])}
    if booked.kind == "grid":
        return _("Place %(place)d of %(of)d on the grid.") % {"place": facts["place"], "of": facts["of"]}
    said = sentence(event, drivers).text
    if booked.kind == "roll":
        count, faces = facts["faces"]
        shown = ngettext("%(count)d face of %(faces)d shows that.", "%(count)d faces of %(faces)d show that.", count)
        return f"{said} {shown % {'count': count, 'faces': faces}}"
    return said


def better(run: Run, booked: Booked) -> str:
    """Return the best way: a gear, a space, the work in the box, or to leave the slipstream."""
    best, chosen = booked.facts.get("best"), booked.facts.get("chosen")
    if not booked.amount or not isinstance(best, str):
        return ""
    if booked.kind == "gear":
        return gear_words(int(best))
    if booked.kind == turn.PIT:
        return _work(best)
    if best == PASS:
        return _("leave the slipstream")
    space = space_words(best)
    return _("%(space)s, by another way") % {"space": space} if best == chosen else space


def _work(way: str) -> str:
    """Return what is done in the box: "hard, tires 2" as tyres and points of wear."""
    said = []
    for part in way.split(", "):
        first, _space, number = part.partition(" ")
        if first in TYRES:
            said.append(_("%(tyres)s tyres") % {"tyres": str(TYRES[first])})
        elif first in AREAS and number:
            said.append(f"{area_words(first)} +{number}")
        elif first == "technical":
            said.append(_("a technical stop"))
    return ", ".join(said) or _("nothing new")
